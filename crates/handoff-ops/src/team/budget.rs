//! `handoff team budget`

use clap::Args;
use handoff_model::change::Change;
use handoff_model::rev::Rev;
use handoff_model::text::Hours;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::change::{Draft, TeamChange};
use crate::published::schema;
use crate::{Effect, OpError, Operation, Project, ToolSet};

/// Set how many hours the project may cost in all
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = schema::brief)]
pub struct SetBudget {
    /// Hours; `none` clears them
    #[arg(value_name = "HOURS", allow_negative_numbers = true)]
    #[serde(default)]
    #[schemars(schema_with = "schema::number")]
    pub total_hours: Change<Hours>,
    /// Only if config.toml is still at this revision
    #[arg(long, value_name = "REV")]
    #[schemars(schema_with = "schema::text")]
    #[serde(default)]
    pub if_rev: Option<Rev>,
}

impl Operation for SetBudget {
    const NAME: &'static str = "team.budget";
    const TOOL: &'static str = "handoff_set_budget";
    const SET: ToolSet = ToolSet::Team;
    const EFFECT: Effect = Effect::Write;
    const REPEATABLE: bool = true;
    type Outcome = TeamChange;

    fn example() -> Value {
        json!({"total_hours": 400})
    }

    fn run(self, project: &mut Project) -> Result<TeamChange, OpError> {
        let message = match &self.total_hours {
            Change::Set(hours) => format!("the project may cost {} h", hours.value()),
            Change::Clear => "the project has no budget of hours".to_owned(),
            Change::Keep => return Err(OpError::usage("`total_hours` is missing: give hours, or null to clear them")),
        };
        let mut draft = Draft::of(["effort_budget"]);
        draft.set("total_hours", self.total_hours);
        draft.carry_out(project, self.if_rev, |_| message)
    }
}
