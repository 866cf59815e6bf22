//! `handoff session show`

use clap::Args;
use handoff_model::id::SessionRef;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{SessionView, elsewhere};
use crate::{Effect, OpError, Operation, Project, ToolSet};

/// Show all about a session, archived or not
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ShowSession {
    /// Session to show: an id, the beginning of one, a name, a date, or `latest`
    #[arg(value_name = "SESSION")]
    #[serde(alias = "session_id")]
    pub session: SessionRef,
}

impl Operation for ShowSession {
    const NAME: &'static str = "session.show";
    const TOOL: &'static str = "handoff_get_session";
    const SET: ToolSet = ToolSet::Sessions;
    const EFFECT: Effect = Effect::Read;
    type Outcome = SessionView;

    fn example() -> Value {
        json!({"session": "latest"})
    }

    fn run(self, project: &mut Project) -> Result<SessionView, OpError> {
        let found = elsewhere::find(project, &self.session)?;
        let mut view = SessionView::new(project, &found);
        view.body = elsewhere::body(project, &found)?;
        Ok(view)
    }
}
