//! `handoff timer activity`

use clap::Args;
use handoff_model::id::TaskId;
use handoff_model::text::Name;
use handoff_model::timer::{Phase, Sign};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::command::person;
use super::status::TimerState;
use crate::{Effect, OpError, Operation, Page, Project, Report, ToolSet};

/// Report a sign of life: for editors, as often as they like
///
/// From then on silence means something for this timer. It takes no lock and makes no change that could be undone.
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReportActivity {
    /// Whose timer; your own if absent
    #[arg(long, value_name = "NAME")]
    pub who: Option<Name>,
}

/// How the timer is.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Activity {
    pub who: String,
    pub state: TimerState,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task_id: Option<TaskId>,
}

impl Operation for ReportActivity {
    const NAME: &'static str = "timer.activity";
    const TOOL: &'static str = "handoff_timer_activity";
    const SET: ToolSet = ToolSet::Time;
    const EFFECT: Effect = Effect::Steps;
    const REPEATABLE: bool = true;
    type Outcome = Activity;

    fn example() -> Value {
        json!({"who": "bob"})
    }

    fn run(self, project: &mut Project) -> Result<Activity, OpError> {
        let who = person(project, self.who)?;
        let Some(kept) = project.store().timer(&who)? else {
            return Ok(Activity { who, state: TimerState::Stopped, task_id: None });
        };
        if kept.timer.phase == Phase::Running {
            project.store().note_sign(&kept, &Sign { reading: project.reading(), watches: true })?;
        }
        Ok(Activity { who, state: kept.timer.phase.into(), task_id: Some(kept.timer.task) })
    }
}

impl Report for Activity {
    fn page(&self) -> Page {
        let on = self.task_id.map(|task| format!(" on {task}")).unwrap_or_default();
        Page::new().line(format!("the timer of {} is {}{on}", self.who, self.state.word()))
    }
}
