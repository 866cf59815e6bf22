//! `handoff timer switch`

use clap::Args;
use handoff_model::id::TaskRef;
use handoff_model::task::Status;
use handoff_model::text::Name;
use handoff_model::timer::{Command, Doubtful};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::TimerChange;
use super::command::{follow, name, open_task, person, session};
use crate::{Effect, OpError, Operation, Project, ToolSet};

/// Log what the timer counted, and go on with another task
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SwitchTimer {
    /// Task to work on from now, by id, the beginning of one, or number
    #[arg(value_name = "TASK")]
    pub task_id: TaskRef,
    /// What becomes of time in doubt: keep, discard, or split (an entry of its own)
    #[arg(long, value_name = "CHOICE", default_value = "discard")]
    #[serde(default)]
    pub idle: Doubtful,
    /// Whose timer; your own if absent
    #[arg(long, value_name = "NAME")]
    pub who: Option<Name>,
}

impl Operation for SwitchTimer {
    const NAME: &'static str = "timer.switch";
    const TOOL: &'static str = "handoff_timer_switch";
    const SET: ToolSet = ToolSet::Time;
    const EFFECT: Effect = Effect::Write;
    type Outcome = TimerChange;

    fn example() -> Value {
        json!({"task_id": "m2x9a4te", "who": "bob"})
    }

    fn run(self, project: &mut Project) -> Result<TimerChange, OpError> {
        let (who, doubtful) = (person(project, self.who)?, self.idle);
        let found = open_task(project, &self.task_id)?;
        let task = found.task.id;
        let session = session(project, &who);
        let followed = follow(project, who, |_, _| Ok(Command::Switch { task, session, doubtful }))?;
        let what = match &followed.before {
            Some(before) if before.task != task => {
                format!("stopped {}, and the timer runs on {}", name(project, before.task), name(project, task))
            }
            _ => format!("the timer runs on {}", name(project, task)),
        };
        let mut change = TimerChange::of(project, what, followed);
        if found.task.status == Status::Todo {
            change.advise_to_begin(task);
        }
        Ok(change)
    }
}
