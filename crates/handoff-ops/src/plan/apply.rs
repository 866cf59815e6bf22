//! `handoff plan apply`

use clap::Args;
use handoff_model::when::Day;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::page::count;
use super::planned::{Planned, Wish, write};
use super::show::present;
use super::view::{Form, PlanView};
use crate::{Door, Effect, OpError, Operation, Project, ToolSet};

/// Write the dates of the plan into the tasks
///
/// Start and due dates of every task that the plan moves are written, and those of the parents above, which reach from
/// the first to the last day of what is below them. Pinned and finished tasks are never written. All of it is one
/// change: `handoff undo` takes it back. Applied again, it changes nothing.
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ApplyPlan {
    /// Write only tasks of this person; everybody's are planned all the same
    #[arg(long, value_name = "NAME")]
    pub assignee: Option<String>,
    /// First day to plan; today if absent
    #[arg(long = "from", value_name = "DATE")]
    pub start_date: Option<Day>,
    /// Plan as if tasks that are not pinned had no dates yet
    #[arg(long)]
    #[serde(default)]
    pub forget_dates: bool,
    /// Only show what would change
    #[arg(long)]
    #[serde(default)]
    pub dry_run: bool,
}

impl Operation for ApplyPlan {
    const NAME: &'static str = "plan.apply";
    const TOOL: &'static str = "handoff_apply_plan";
    const SET: ToolSet = ToolSet::Planning;
    const EFFECT: Effect = Effect::Amend;
    // Agents have `handoff_auto_schedule`, which only tells what would change unless it is told otherwise.
    const DOORS: &'static [Door] = &[Door::Cli, Door::Http];
    const SHEET: bool = true;
    type Outcome = PlanView;

    fn example() -> Value {
        json!({"dry_run": true})
    }

    fn effect(&self) -> Effect {
        if self.dry_run { Effect::Read } else { Effect::Amend }
    }

    fn run(self, project: &mut Project) -> Result<PlanView, OpError> {
        let wish = Wish { assignee: self.assignee, from: self.start_date, present: present(self.forget_dates) };
        carry_out(project, wish, if self.dry_run { Writing::OnlyTold } else { Writing::Done })
    }
}

/// Whether dates are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Writing {
    OnlyTold,
    Done,
}

/// Plans, and writes what changes.
pub(crate) fn carry_out(project: &mut Project, wish: Wish, writing: Writing) -> Result<PlanView, OpError> {
    let planned = Planned::of(project, wish)?;
    if writing == Writing::Done {
        write(project, &planned.changes)?;
    }
    let tasks = count(planned.changes.len(), "task", "tasks");
    let message = match (planned.changes.len(), writing) {
        (0, _) if planned.plan.tasks.is_empty() && !planned.plan.problems.is_empty() => {
            "nothing to change: no task has a place in the plan".to_owned()
        }
        (0, _) => "nothing to change: the dates are as planned".to_owned(),
        (_, Writing::OnlyTold) => format!("would change the dates of {tasks}; nothing was written"),
        (_, Writing::Done) => format!("changed the dates of {tasks}; `handoff undo` takes it back"),
    };
    Ok(PlanView::of(planned, Form::Changes, writing == Writing::OnlyTold, message))
}
