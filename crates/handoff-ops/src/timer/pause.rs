//! `handoff timer pause`

use clap::Args;
use handoff_model::text::Name;
use handoff_model::timer::{Command, Doubtful};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::TimerChange;
use super::command::{follow, name, person};
use crate::{Effect, OpError, Operation, Project, ToolSet};

/// Pause the timer: what was worked is logged at once
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PauseTimer {
    /// What becomes of time in doubt: keep, discard, or split (an entry of its own)
    #[arg(long, value_name = "CHOICE", default_value = "discard")]
    #[serde(default)]
    pub idle: Doubtful,
    /// Whose timer; your own if absent
    #[arg(long, value_name = "NAME")]
    pub who: Option<Name>,
}

impl Operation for PauseTimer {
    const NAME: &'static str = "timer.pause";
    const TOOL: &'static str = "handoff_timer_pause";
    const SET: ToolSet = ToolSet::Time;
    const EFFECT: Effect = Effect::Write;
    type Outcome = TimerChange;

    fn example() -> Value {
        json!({"who": "bob"})
    }

    fn run(self, project: &mut Project) -> Result<TimerChange, OpError> {
        let (who, idle) = (person(project, self.who)?, self.idle);
        let followed = follow(project, who, |_, _| Ok(Command::Pause(idle)))?;
        let task = followed.before.as_ref().map(|timer| name(project, timer.task)).unwrap_or_default();
        Ok(TimerChange::of(project, format!("paused {task}"), followed))
    }
}
