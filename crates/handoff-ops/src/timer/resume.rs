//! `handoff timer resume`

use clap::Args;
use handoff_model::text::Name;
use handoff_model::timer::Command;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::TimerChange;
use super::command::{follow, name, person};
use crate::{Effect, OpError, Operation, Project, ToolSet};

/// Go on with a timer that is paused
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ResumeTimer {
    /// Whose timer; your own if absent
    #[arg(long, value_name = "NAME")]
    pub who: Option<Name>,
}

impl Operation for ResumeTimer {
    const NAME: &'static str = "timer.resume";
    const TOOL: &'static str = "handoff_timer_resume";
    const SET: ToolSet = ToolSet::Time;
    const EFFECT: Effect = Effect::Write;
    type Outcome = TimerChange;

    fn example() -> Value {
        json!({"who": "carol"})
    }

    fn run(self, project: &mut Project) -> Result<TimerChange, OpError> {
        let who = person(project, self.who)?;
        let followed = follow(project, who, |_, _| Ok(Command::Resume))?;
        let task = followed.before.as_ref().map(|timer| name(project, timer.task)).unwrap_or_default();
        Ok(TimerChange::of(project, format!("the timer runs again on {task}"), followed))
    }
}
