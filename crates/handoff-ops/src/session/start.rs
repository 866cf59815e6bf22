//! `handoff session start`

use clap::Args;
use handoff_model::change::Change;
use handoff_model::id::TaskRef;
use handoff_model::session::{SessionEdit, SessionKind, SessionStatus};
use handoff_model::text::{Name, OneLine, Prose, Title};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::SessionView;
use super::change::{self, Changing, Seen};
use crate::{Effect, OpError, Operation, Project, ToolSet};

/// Start a session of your own; those of others go on untouched
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StartSession {
    /// What the session is about
    #[arg(value_name = "SUMMARY", allow_hyphen_values = true)]
    pub summary: Prose,
    /// The same on one line
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub title: Option<Title>,
    /// A task it concerns; may be given several times
    #[arg(long = "task", value_name = "TASK")]
    #[serde(default)]
    pub tasks: Vec<TaskRef>,
    /// A tag; may be given several times
    #[arg(long = "tag", value_name = "TAG")]
    #[serde(default)]
    pub tags: Vec<Name>,
    /// The line of work it belongs to
    #[arg(long, value_name = "TEXT")]
    pub timeline: Option<Prose>,
    /// What it is called beside others of its line of work
    #[arg(long, value_name = "TEXT")]
    pub label: Option<OneLine>,
    #[arg(skip)]
    #[serde(skip)]
    seen: Seen,
}

impl Operation for StartSession {
    const NAME: &'static str = "session.start";
    const TOOL: &'static str = "handoff_start_session";
    const SET: ToolSet = ToolSet::Sessions;
    const EFFECT: Effect = Effect::Write;
    type Outcome = SessionView;

    fn example() -> Value {
        json!({"summary": "Write the refresh handler", "tasks": ["k7f3q2ma"]})
    }

    fn prepare(&mut self, project: &mut Project) -> Result<(), OpError> {
        self.seen = change::look(project, &[]);
        Ok(())
    }

    fn run(self, project: &mut Project) -> Result<SessionView, OpError> {
        let find = |reference: &TaskRef| Ok(project.store().find(reference)?.task.id);
        let tasks = self.tasks.iter().map(find).collect::<Result<Vec<_>, OpError>>()?;
        let edit = SessionEdit {
            summary: Change::Set(self.summary),
            title: self.title.map_or(Change::Keep, Change::Set),
            timeline: self.timeline.map_or(Change::Keep, Change::Set),
            label: self.label.map_or(Change::Keep, Change::Set),
            add_tags: self.tags,
            add_tasks: tasks,
            ..SessionEdit::default()
        };
        let session = change::begin(project, SessionKind::Session)?;
        let changing = Changing { edit, seen: self.seen, ..Changing::to(SessionStatus::Active) };
        let changed = change::create(project, session, changing)?;
        let mut view = SessionView::changed(project, &changed.found, "started");
        view.warnings.extend(changed.warnings);
        Ok(view)
    }
}
