//! `handoff timer stop`

use clap::Args;
use handoff_model::id::TaskRef;
use handoff_model::text::Name;
use handoff_model::timer::{Command, Doubtful};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::TimerChange;
use super::command::{follow, name, person};
use crate::task::change;
use crate::{Effect, Hint, OpError, Operation, Project, ToolSet};

/// Stop the timer, and log the time
///
/// Time in doubt (no activity, a machine that slept or was started anew) is left out and told, unless `idle` says
/// otherwise.
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StopTimer {
    /// The task it must be running on; whichever it is if absent
    #[arg(value_name = "TASK")]
    pub task_id: Option<TaskRef>,
    /// What becomes of time in doubt: keep, discard, or split (an entry of its own)
    #[arg(long, value_name = "CHOICE", default_value = "discard")]
    #[serde(default)]
    pub idle: Doubtful,
    /// Whose timer; your own if absent
    #[arg(long, value_name = "NAME")]
    pub who: Option<Name>,
}

impl Operation for StopTimer {
    const NAME: &'static str = "timer.stop";
    const TOOL: &'static str = "handoff_timer_stop";
    const SET: ToolSet = ToolSet::Time;
    const EFFECT: Effect = Effect::Write;
    type Outcome = TimerChange;

    fn example() -> Value {
        json!({"task_id": "k7f3q2ma", "who": "bob"})
    }

    fn run(self, project: &mut Project) -> Result<TimerChange, OpError> {
        let who = person(project, self.who)?;
        let idle = self.idle;
        let wanted = self.task_id.map(|task| change::find(project, &task, None)).transpose()?;
        let followed = follow(project, who, |project, timer| match (wanted, timer) {
            (Some(wanted), Some(timer)) if wanted.task.id != timer.task => {
                let (other, running) = (name(project, wanted.task.id), name(project, timer.task));
                let hint = Hint::run_with::<StopTimer>(json!({"task_id": timer.task}));
                Err(OpError::refused(format!("the timer is {} on {running}, not on {other}", timer.phase)).hint(hint))
            }
            _ => Ok(Command::Stop(idle)),
        })?;
        let task = followed.before.as_ref().map(|timer| name(project, timer.task)).unwrap_or_default();
        Ok(TimerChange::of(project, format!("stopped {task}"), followed))
    }
}
