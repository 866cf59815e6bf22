//! `handoff timer discard`

use clap::Args;
use handoff_model::text::Name;
use handoff_model::timer::Command;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::TimerChange;
use super::command::{follow, name, person};
use crate::{Effect, OpError, Operation, Project, ToolSet};

/// Throw away what the timer counted since it was last started, and stop it
///
/// What a pause or a switch logged before stays in the log.
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DiscardTimer {
    /// Whose timer; your own if absent
    #[arg(long, value_name = "NAME")]
    pub who: Option<Name>,
}

impl Operation for DiscardTimer {
    const NAME: &'static str = "timer.discard";
    const TOOL: &'static str = "handoff_timer_discard";
    const SET: ToolSet = ToolSet::Time;
    const EFFECT: Effect = Effect::Write;
    type Outcome = TimerChange;

    fn example() -> Value {
        json!({"who": "bob"})
    }

    fn run(self, project: &mut Project) -> Result<TimerChange, OpError> {
        let who = person(project, self.who)?;
        let followed = follow(project, who, |_, _| Ok(Command::Discard))?;
        let task = followed.before.as_ref().map(|timer| name(project, timer.task)).unwrap_or_default();
        Ok(TimerChange::of(project, format!("discarded the timer on {task}"), followed))
    }
}
