//! `handoff plan`, `handoff plan show`

use clap::Args;
use handoff_model::plan::PresentDates;
use handoff_model::when::Day;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::page::count;
use super::planned::{Planned, Wish};
use super::view::{Form, PlanView};
use crate::{Effect, OpError, Operation, Project, ToolSet};

/// Show the plan: who does what on which days, and which dates it would change
///
/// Whoever is free takes the first of their ready tasks: what is begun, what a milestone needs now, then by priority,
/// present dates and place in the tree. Pinned tasks stay. Nothing is written; `handoff plan apply` does that.
#[derive(Clone, Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ShowPlan {
    /// Only tasks of this person; everybody's are planned all the same
    #[arg(long, value_name = "NAME")]
    pub assignee: Option<String>,
    /// First day to plan; today if absent
    #[arg(long = "from", value_name = "DATE")]
    pub start_date: Option<Day>,
    /// Plan as if tasks that are not pinned had no dates yet
    #[arg(long)]
    #[serde(default)]
    pub forget_dates: bool,
    /// Weeks that the picture shows; all if absent
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=520))]
    pub weeks: Option<u32>,
    /// Tasks that are shown; 40 if absent
    #[arg(long, short = 'n', value_name = "N")]
    pub limit: Option<usize>,
}

/// As many tasks as are shown unless more are asked for.
const SHOWN: usize = 40;

impl Operation for ShowPlan {
    const NAME: &'static str = "plan.show";
    const TOOL: &'static str = "handoff_show_plan";
    const SET: ToolSet = ToolSet::Planning;
    const EFFECT: Effect = Effect::Read;
    const SHEET: bool = true;
    type Outcome = PlanView;

    fn example() -> Value {
        json!({"assignee": "alice", "weeks": 8})
    }

    fn run(self, project: &mut Project) -> Result<PlanView, OpError> {
        if self.limit == Some(0) || self.weeks.is_some_and(|weeks| !(1..=520).contains(&weeks)) {
            return Err(OpError::usage("there is nothing to show: give a `limit` of 1 or more, and 1 to 520 `weeks`"));
        }
        let mut asked = json!({});
        if let Some(name) = &self.assignee {
            asked["assignee"] = json!(name);
        }
        if let Some(day) = self.start_date {
            asked["start_date"] = json!(day);
        }
        if self.forget_dates {
            asked["forget_dates"] = json!(true);
        }
        let wish = Wish { assignee: self.assignee, from: self.start_date, present: present(self.forget_dates) };
        let planned = Planned::of(project, wish)?;
        let theirs = |who: Option<&str>| planned.assignee.is_none() || who == planned.assignee.as_deref();
        let ends = planned.plan.tasks.iter().filter(|task| theirs(task.who.as_deref())).map(|task| task.end);
        let (scheduled, end) = (ends.clone().count(), ends.max());
        let whose = planned.assignee.as_ref().map(|name| format!(" of {name}")).unwrap_or_default();
        let message = match end {
            Some(end) => {
                let tasks = count(scheduled, "task", "tasks");
                format!("{tasks}{whose} from {}, finished on {end}", planned.from)
            }
            None => format!("nothing{whose} to plan: no open task has a place"),
        };
        let form = Form::Plan { weeks: self.weeks, limit: self.limit.unwrap_or(SHOWN), asked };
        Ok(PlanView::of(planned, form, true, message))
    }
}

pub(super) fn present(forget: bool) -> PresentDates {
    if forget { PresentDates::Forgotten } else { PresentDates::Wished }
}
