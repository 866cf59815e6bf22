//! `handoff timer decide`

use clap::Args;
use handoff_model::text::Name;
use handoff_model::timer::{Command, Doubtful};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::TimerChange;
use super::command::{follow, name, person};
use crate::{Effect, OpError, Operation, Project, ToolSet};

/// Say what becomes of the time in doubt so far, while the timer goes on
///
/// `keep` counts it, `discard` leaves it out, `split` makes it an entry of its own.
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DecideIdle {
    /// keep, discard or split
    #[arg(value_name = "CHOICE")]
    pub idle: Doubtful,
    /// Whose timer; your own if absent
    #[arg(long, value_name = "NAME")]
    pub who: Option<Name>,
}

impl Operation for DecideIdle {
    const NAME: &'static str = "timer.decide";
    const TOOL: &'static str = "handoff_timer_decide";
    const SET: ToolSet = ToolSet::Time;
    const EFFECT: Effect = Effect::Write;
    type Outcome = TimerChange;

    fn example() -> Value {
        json!({"idle": "keep", "who": "bob"})
    }

    fn run(self, project: &mut Project) -> Result<TimerChange, OpError> {
        let (who, idle) = (person(project, self.who)?, self.idle);
        let followed = follow(project, who, |_, _| Ok(Command::Decide(idle)))?;
        let task = followed.before.as_ref().map(|timer| name(project, timer.task)).unwrap_or_default();
        let what = match idle {
            Doubtful::Keep => "time in doubt counts",
            Doubtful::Discard => "time in doubt is left out",
            Doubtful::Split => "time in doubt is an entry of its own",
        };
        Ok(TimerChange::of(project, format!("{what}; the timer is on {task}"), followed))
    }
}
