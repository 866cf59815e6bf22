//! `handoff session fork`

use clap::Args;
use handoff_model::change::Change;
use handoff_model::id::{SessionRef, TaskRef};
use handoff_model::session::{Inherit, Part, Party, SessionEdit, SessionKind, SessionStatus};
use handoff_model::text::{OneLine, Prose, Title};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::SessionView;
use super::change::{self, Changing, Seen};
use crate::{Effect, OpError, Operation, Project, ToolSet};

/// Branch off from a session: begin one of your own with what it knows, while it stays as it is
///
/// Decisions that are taken over stay the same decisions. What is to do stays with the session that was there.
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ForkSession {
    /// Session to branch off from, open, closed or archived
    #[arg(value_name = "SESSION")]
    #[serde(alias = "session")]
    pub source_session_id: SessionRef,
    /// What the new session is about; taken over if absent
    #[arg(long, short = 'm', value_name = "TEXT", allow_hyphen_values = true)]
    pub summary: Option<Prose>,
    /// The same on one line
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub title: Option<Title>,
    /// What it is called beside others of its line of work
    #[arg(long, value_name = "TEXT")]
    pub label: Option<OneLine>,
    /// The line of work it begins; that of the other session if absent
    #[arg(long, value_name = "TEXT")]
    pub timeline: Option<Prose>,
    /// What it takes over: decisions, pointers, references, notes, environment (these if absent), next, blockers,
    /// checklist, tasks, tags, body; all, or none
    #[arg(long, value_name = "PARTS")]
    pub inherit: Option<Inherit>,
    /// A task it concerns; may be given several times
    #[arg(long = "task", value_name = "TASK")]
    #[serde(default)]
    pub related_task_ids: Vec<TaskRef>,
    #[arg(skip)]
    #[serde(skip)]
    seen: Seen,
}

impl Operation for ForkSession {
    const NAME: &'static str = "session.fork";
    const TOOL: &'static str = "handoff_fork_session";
    const SET: ToolSet = ToolSet::Sessions;
    const EFFECT: Effect = Effect::Write;
    type Outcome = SessionView;

    fn example() -> Value {
        json!({
            "source_session_id": "77c01b9d", "summary": "Try opaque tokens", "label": "opaque",
            "timeline": "tokens", "inherit": ["decisions"]
        })
    }

    fn prepare(&mut self, project: &mut Project) -> Result<(), OpError> {
        let found = project.store().session(&self.source_session_id)?;
        // What a file was when somebody pointed to it is known better from then.
        let unknown = found.session.pointers.iter().filter(|pointer| pointer.blob.is_none());
        let pointed: Vec<String> = unknown.map(|pointer| pointer.path.clone()).collect();
        self.seen = change::look(project, &pointed);
        self.seen.blobs.retain(|path, _| pointed.contains(path));
        Ok(())
    }

    fn run(self, project: &mut Project) -> Result<SessionView, OpError> {
        let found = project.store().session(&self.source_session_id)?;
        let parts = self.inherit.unwrap_or_default();
        let mut session = change::begin(project, SessionKind::Session)?;
        let recorded = super::recorded::Recorded::read(project)?;
        let source = recorded.items().without_ended(&found.name, &found.session);
        let from = Party { name: &found.name, session: &source };
        session.inherit(from, &parts, &recorded.decisions());
        session.timeline.clone_from(&found.session.timeline);
        if self.summary.is_none() {
            session.summary.clone_from(&found.session.summary);
            session.title.clone_from(&found.session.title);
        }
        let find = |reference: &TaskRef| Ok(project.store().find(reference)?.task.id);
        let edit = SessionEdit {
            summary: self.summary.map_or(Change::Keep, Change::Set),
            title: self.title.map_or(Change::Keep, Change::Set),
            label: self.label.map_or(Change::Keep, Change::Set),
            timeline: self.timeline.map_or(Change::Keep, Change::Set),
            add_tasks: self.related_task_ids.iter().map(find).collect::<Result<Vec<_>, OpError>>()?,
            ..SessionEdit::default()
        };
        let body = if parts.has(Part::Body) { project.store().session_body(&found)? } else { None };
        let body = body.map_or(Change::Keep, Change::Set);
        let changing = Changing { edit, body, seen: self.seen, ..Changing::to(SessionStatus::Active) };
        let changed = change::create(project, session, changing)?;
        let mut view = SessionView::saved(project, &changed.found, &format!("forked {} as", found.name));
        view.warnings.extend(changed.warnings);
        Ok(view)
    }
}
