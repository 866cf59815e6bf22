//! `handoff timer start`

use clap::Args;
use handoff_model::id::TaskRef;
use handoff_model::task::Status;
use handoff_model::text::Name;
use handoff_model::timer::{Command, Phase};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::TimerChange;
use super::command::{follow, name, open_task, person, session};
use crate::{Effect, OpError, Operation, Project, ToolSet};

/// Start the timer on a task
///
/// One timer runs for each person in a project. It is kept in a file, so it goes on whatever becomes of the program that
/// started it. Starting the task it is on already goes on with it.
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StartTimer {
    /// Task to work on, by id, the beginning of one, or number
    #[arg(value_name = "TASK")]
    pub task_id: TaskRef,
    /// Whose timer; your own if absent
    #[arg(long, value_name = "NAME")]
    pub who: Option<Name>,
}

impl Operation for StartTimer {
    const NAME: &'static str = "timer.start";
    const TOOL: &'static str = "handoff_timer_start";
    const SET: ToolSet = ToolSet::Time;
    const EFFECT: Effect = Effect::Write;
    const REPEATABLE: bool = true;
    type Outcome = TimerChange;

    fn example() -> Value {
        json!({"task_id": "k7f3q2ma"})
    }

    fn run(self, project: &mut Project) -> Result<TimerChange, OpError> {
        let who = person(project, self.who)?;
        let found = open_task(project, &self.task_id)?;
        let task = found.task.id;
        let session = session(project, &who);
        let followed = follow(project, who, |_, _| Ok(Command::Start { task, session }))?;
        let what = match followed.before.as_ref().map(|timer| timer.phase) {
            None => "the timer runs on",
            Some(Phase::Running) => "the timer was running already on",
            Some(Phase::Paused) => "the timer runs again on",
        };
        let mut change = TimerChange::of(project, format!("{what} {}", name(project, task)), followed);
        if found.task.status == Status::Todo {
            change.advise_to_begin(task);
        }
        Ok(change)
    }
}
