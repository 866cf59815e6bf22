//! `handoff session pause`

use clap::Args;
use handoff_model::id::SessionRef;
use handoff_model::rev::Rev;
use handoff_model::session::SessionStatus;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::SessionView;
use super::change::{self, Changing};
use crate::{Effect, OpError, Operation, Project, ToolSet};

/// Put a session aside, to be gone on with later
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PauseSession {
    /// Session to pause; your own if absent
    #[arg(value_name = "SESSION")]
    #[serde(alias = "session_id")]
    pub session: Option<SessionRef>,
    /// Pause it only if it is still at this revision
    #[arg(long, value_name = "REV")]
    pub if_rev: Option<Rev>,
}

impl Operation for PauseSession {
    const NAME: &'static str = "session.pause";
    const TOOL: &'static str = "handoff_pause_session";
    const SET: ToolSet = ToolSet::Sessions;
    const EFFECT: Effect = Effect::Write;
    type Outcome = SessionView;

    fn example() -> Value {
        json!({"session": "a3f9c12e"})
    }

    fn run(self, project: &mut Project) -> Result<SessionView, OpError> {
        let sessions = project.store().handoffs()?;
        let found = change::named_or_mine(project, &sessions, self.session.as_ref(), self.if_rev)?;
        let changed = change::change(project, &found, Changing::to(SessionStatus::Paused))?;
        Ok(SessionView::changed(project, &changed.found, "paused"))
    }
}
