//! `handoff session close`

use clap::Args;
use handoff_model::change::Change;
use handoff_model::id::SessionRef;
use handoff_model::rev::Rev;
use handoff_model::session::{SessionEdit, SessionStatus};
use handoff_model::text::Prose;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::SessionView;
use super::change::{self, Changing, Seen};
use super::form;
use crate::timer::still_running;
use crate::{Effect, OpError, Operation, Project, ToolSet};

/// End a session: what it says is the handoff, and stays as it is
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CloseSession {
    /// Session to close; your own if absent
    #[arg(value_name = "SESSION")]
    #[serde(alias = "session_id")]
    pub session: Option<SessionRef>,
    /// What was done and where it stands; the present summary if absent
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub summary: Option<Prose>,
    /// A next step to add; may be given several times
    #[arg(long = "next", value_name = "TEXT", allow_hyphen_values = true)]
    #[serde(default)]
    pub add_next: Vec<Prose>,
    /// Close it only if it is still at this revision
    #[arg(long, value_name = "REV")]
    pub if_rev: Option<Rev>,
    #[arg(skip)]
    #[serde(skip)]
    seen: Seen,
}

impl Operation for CloseSession {
    const NAME: &'static str = "session.close";
    const TOOL: &'static str = "handoff_close_session";
    const SET: ToolSet = ToolSet::Sessions;
    const EFFECT: Effect = Effect::Write;
    type Outcome = SessionView;

    fn example() -> Value {
        json!({"session": "a3f9c12e", "summary": "Token parser extracted", "add_next": ["Run race tests"]})
    }

    fn prepare(&mut self, project: &mut Project) -> Result<(), OpError> {
        let sessions = project.store().handoffs()?;
        let found = change::named_or_mine(project, &sessions, self.session.as_ref(), None)?;
        let pointed: Vec<String> = found.session.pointers.iter().map(|pointer| pointer.path.clone()).collect();
        self.seen = change::look(project, &pointed);
        Ok(())
    }

    fn run(self, project: &mut Project) -> Result<SessionView, OpError> {
        let sessions = project.store().handoffs()?;
        let found = change::named_or_mine(project, &sessions, self.session.as_ref(), self.if_rev)?;
        let edit = SessionEdit {
            summary: self.summary.map_or(Change::Keep, Change::Set),
            add_next: self.add_next,
            ..SessionEdit::default()
        };
        let changing = Changing { edit, seen: self.seen, ..Changing::to(SessionStatus::Closed) };
        let body = project.store().session_body(&found)?;
        let changed = change::change(project, &found, changing)?;
        change::archive_old(project, &[&changed.found])?;
        let mut view = SessionView::changed(project, &changed.found, "closed");
        view.warnings.extend(changed.warnings);
        view.warnings.extend(form::told(project, &changed.found.session, body.as_deref()));
        view.warnings.extend(still_running(project));
        Ok(view)
    }
}
