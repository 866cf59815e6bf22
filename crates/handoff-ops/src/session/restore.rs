//! `handoff session restore`

use clap::Args;
use handoff_model::id::SessionRef;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::SessionView;
use crate::{Effect, OpError, Operation, Project, ToolSet};

/// Bring a session back from the archive as a file of its own, as it was
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RestoreSession {
    /// Session to bring back
    #[arg(value_name = "SESSION")]
    #[serde(alias = "session_id")]
    pub session: SessionRef,
}

impl Operation for RestoreSession {
    const NAME: &'static str = "session.restore";
    const TOOL: &'static str = "handoff_restore_session";
    const SET: ToolSet = ToolSet::Sessions;
    const EFFECT: Effect = Effect::Write;
    type Outcome = SessionView;

    fn example() -> Value {
        json!({"session": "0b5e11d2"})
    }

    fn run(self, project: &mut Project) -> Result<SessionView, OpError> {
        let found = project.store().session(&self.session)?;
        if found.archive.is_none() {
            return Ok(SessionView::changed(project, &found, "not archived:"));
        }
        let restored = project.store_mut().restore_session(&found)?;
        project.rebuild_current_state();
        Ok(SessionView::changed(project, &restored, "brought back"))
    }
}
