//! `handoff time correct`

use std::str::FromStr;

use clap::Args;
use handoff_model::id::{TaskId, TaskRef};
use handoff_model::text::{Name, OneLine};
use handoff_model::time_log::{self, Interval, NotALength, WorkLength};
use handoff_model::when::Day;
use jiff::tz::TimeZone;
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer};
use serde_json::{Value, json};

use super::range::at_noon_of;
use super::spent::{LoggedTime, spent_on};
use super::words::{hours, length};
use crate::task::change;
use crate::{Breaks, Effect, OpError, Operation, Project, ToolSet, visible};

/// Correct the time logged for a task, by one more entry
///
/// What was logged stays as it is; the entry adds minutes or takes them away.
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CorrectTime {
    /// Task, by id, the beginning of one, or number
    #[arg(value_name = "TASK")]
    pub task_id: TaskRef,
    /// Minutes to add, or to take away with a minus
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub minutes: Option<i64>,
    /// What the task is to have altogether: hours such as 1.5, or 1h30m
    #[arg(long, value_name = "HOURS", allow_negative_numbers = true)]
    pub total: Option<Total>,
    /// The day it is about; today if absent
    #[arg(long, value_name = "DATE")]
    pub day: Option<Day>,
    /// Why, on one line
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub note: Option<OneLine>,
    /// Whose time; your own if absent
    #[arg(long, value_name = "NAME")]
    pub who: Option<Name>,
}

/// A length of work, or none at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, JsonSchema)]
#[schemars(with = "f64", extend("minimum" = 0, "maximum" = 1_000))]
pub struct Total(u32);

impl FromStr for Total {
    type Err = NotALength;

    fn from_str(text: &str) -> Result<Self, NotALength> {
        if ["0", "0h", "0m"].contains(&text.trim()) {
            return Ok(Total(0));
        }
        text.parse::<WorkLength>().map(|length| Total(length.minutes()))
    }
}

impl<'de> Deserialize<'de> for Total {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = match Value::deserialize(deserializer)? {
            Value::String(text) => text,
            other => other.to_string().trim_end_matches(".0").to_owned(),
        };
        text.parse().map_err(serde::de::Error::custom)
    }
}

const MOST_MINUTES: i64 = 60_000;

impl Operation for CorrectTime {
    const NAME: &'static str = "time.correct";
    const TOOL: &'static str = "handoff_correct_time";
    const SET: ToolSet = ToolSet::Time;
    const EFFECT: Effect = Effect::Write;
    type Outcome = LoggedTime;

    fn example() -> Value {
        json!({"task_id": "k7f3q2ma", "total": 2.5, "note": "forgot the review"})
    }

    fn run(self, project: &mut Project) -> Result<LoggedTime, OpError> {
        let found = change::find(project, &self.task_id, None)?;
        let task = found.task.id;
        let logged = spent_on(project, task, None)?.actual;
        let minutes = match (self.minutes, self.total) {
            (Some(minutes), None) if minutes != 0 && (-MOST_MINUTES..=MOST_MINUTES).contains(&minutes) => minutes,
            (None, Some(Total(total))) => i64::from(total) - logged,
            (Some(minutes), None) => {
                let message = format!("`{minutes}` minutes are no correction: give -{MOST_MINUTES} to {MOST_MINUTES}");
                return Err(OpError::usage(message));
            }
            _ => return Err(OpError::usage("give `minutes` to add or take away, or the `total` it is to have")),
        };
        if minutes == 0 {
            return Err(OpError::refused(format!(
                "{} h are logged already: there is nothing to correct",
                hours(logged)
            )));
        }
        if logged + minutes < 0 {
            return Err(OpError::refused(format!(
                "only {} is logged for {}: less than nothing cannot be worked",
                length(logged * 60),
                found.number
            )));
        }
        let (zone, now) = (project.zone(), project.now());
        let today = now.day_in(&zone);
        let at = match self.day {
            Some(day) if day > today => return Err(OpError::usage(format!("{day} lies in the future"))),
            Some(day) if day != today => at_noon_of(day, &zone)?,
            _ => now,
        };
        let who = self.who.map_or_else(|| project.author(), |name| Ok(name.into()))?;
        let own = minutes_of(project, task, &who)?;
        if minutes < 0 && own + minutes < 0 {
            return Err(OpError::refused(format!(
                "{} has only {} on {}: say whose time it is, with `who`",
                visible(&who, Breaks::Mark),
                length(own * 60),
                found.number
            )));
        }
        let interval = Interval { note: self.note.map(String::from), ..Interval::correction(task, &who, at, minutes) };
        let what = if minutes > 0 { "added" } else { "took off" };
        LoggedTime::add(project, &found, interval, &format!("{what} {} on", length(minutes.abs() * 60)))
    }
}

/// The minutes that a person has logged for a task.
fn minutes_of(project: &Project, task: TaskId, who: &str) -> Result<i64, OpError> {
    let log = project.store().intervals_about(task, Some(who))?;
    Ok(time_log::sum(&log, &TimeZone::UTC).minutes_on(task).get(who).copied().unwrap_or(0))
}
