//! `handoff_auto_schedule`

use clap::Args;
use handoff_model::plan::PresentDates;
use handoff_model::when::Day;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::schema;
use super::words::given;
use crate::plan::{PlanView, Wish, Writing, carry_out};
use crate::{Door, Effect, OpError, Operation, Project, ToolSet};

/// Plan all open tasks: dates by dependencies, people's hours, priorities and milestones
///
/// Tells what would change; with dry_run false, writes it as one change.
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = schema::brief)]
pub struct AutoSchedule {
    /// Default true
    #[arg(long)]
    #[serde(default = "only_told")]
    pub dry_run: bool,
    /// Write only this person's tasks
    #[arg(long)]
    #[schemars(schema_with = "schema::text")]
    #[serde(default)]
    pub assignee_filter: Option<String>,
    /// First day, YYYY-MM-DD; today if absent
    #[arg(long)]
    #[schemars(schema_with = "schema::text")]
    #[serde(default)]
    pub start_date: Option<Day>,
}

fn only_told() -> bool {
    true
}

impl Operation for AutoSchedule {
    const NAME: &'static str = "plan.auto";
    const TOOL: &'static str = "handoff_auto_schedule";
    const SET: ToolSet = ToolSet::Planning;
    const EFFECT: Effect = Effect::Amend;
    const DOORS: &'static [Door] = &[Door::Mcp, Door::Http];
    type Outcome = PlanView;

    fn example() -> Value {
        json!({"dry_run": true})
    }

    fn effect(&self) -> Effect {
        if self.dry_run { Effect::Read } else { Effect::Amend }
    }

    fn run(self, project: &mut Project) -> Result<PlanView, OpError> {
        let wish = Wish { assignee: given(self.assignee_filter), from: self.start_date, present: PresentDates::Wished };
        carry_out(project, wish, if self.dry_run { Writing::OnlyTold } else { Writing::Done })
    }
}
