//! `handoff time log`

use clap::Args;
use handoff_model::id::TaskRef;
use handoff_model::text::{Name, OneLine};
use handoff_model::time_log::{Interval, TimeSource, WorkLength};
use handoff_model::when::{Day, Moment};
use jiff::SignedDuration;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::at::TimeGiven;
use super::range::at_noon_of;
use super::spent::LoggedTime;
use super::words::length;
use crate::session::which;
use crate::task::change;
use crate::{Effect, OpError, Operation, Project, ToolSet};

/// Log time that was worked on a task
///
/// Say how long (`1.5`, `1h30m`, `90m`), or from when to when. Entries are never changed: `time correct` adds another.
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LogTime {
    /// Task that was worked on, by id, the beginning of one, or number
    #[arg(value_name = "TASK")]
    pub task_id: TaskRef,
    /// How long: hours such as 1.5, or 1h30m or 90m
    #[arg(value_name = "HOURS", allow_negative_numbers = true)]
    pub hours: Option<WorkLength>,
    /// How long, in minutes
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub minutes: Option<i64>,
    /// When it began: 09:30, 2026-11-15T09:30, or with a zone
    #[arg(long, value_name = "TIME")]
    pub from: Option<TimeGiven>,
    /// When it ended
    #[arg(long, value_name = "TIME")]
    pub to: Option<TimeGiven>,
    /// The day it was; today if absent
    #[arg(long, value_name = "DATE")]
    pub day: Option<Day>,
    /// What was done, on one line
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub note: Option<OneLine>,
    /// Who worked; you if absent
    #[arg(long, value_name = "NAME")]
    pub who: Option<Name>,
}

/// No stretch of work is longer.
const LONGEST: SignedDuration = SignedDuration::from_hours(24);
const MOST_MINUTES: i64 = 60_000;

impl Operation for LogTime {
    const NAME: &'static str = "time.log";
    const TOOL: &'static str = "handoff_log_time";
    const SET: ToolSet = ToolSet::Time;
    const EFFECT: Effect = Effect::Write;
    type Outcome = LoggedTime;

    fn example() -> Value {
        json!({"task_id": "k7f3q2ma", "hours": 1.5})
    }

    fn run(self, project: &mut Project) -> Result<LoggedTime, OpError> {
        let worked = self.worked(project)?;
        let found = change::find(project, &self.task_id, None)?;
        let own = project.author()?;
        let who = self.who.map_or_else(|| own.clone(), String::from);
        let session = if who == own { own_session(project) } else { None };
        let note = self.note.map(String::from);
        let task = found.task.id;
        let (interval, seconds) = match worked {
            Worked::Minutes { at, minutes } => (Interval::minutes(task, &who, at, minutes), i64::from(minutes) * 60),
            Worked::Span { from, to } => {
                let base = Interval::correction(task, &who, from, 0);
                (Interval { ended_at: Some(to), minutes: None, ..base }, from.until(to).as_secs())
            }
        };
        let interval = Interval { source: TimeSource::Manual, session, note, ..interval };
        LoggedTime::add(project, &found, interval, &format!("logged {} on", length(seconds)))
    }
}

/// When somebody worked, as far as they say.
enum Worked {
    Minutes { at: Moment, minutes: u32 },
    Span { from: Moment, to: Moment },
}

impl LogTime {
    fn worked(&self, project: &Project) -> Result<Worked, OpError> {
        let (zone, now) = (project.zone(), project.now());
        let today = now.day_in(&zone);
        let day = self.day.unwrap_or(today);
        if day > today {
            return Err(OpError::usage(format!("{day} lies in the future: time is logged when it was worked")));
        }
        let minutes = self.length()?;
        let moment = |given: Option<TimeGiven>, flag: &str| match given {
            None => Ok(None),
            Some(given) => given
                .on(day, &zone)
                .map(Some)
                .ok_or_else(|| OpError::usage(format!("`{flag}` is no moment of the calendar"))),
        };
        let (from, to) = (moment(self.from, "from")?, moment(self.to, "to")?);
        let by = |minutes: u32| SignedDuration::from_mins(i64::from(minutes));
        let (from, to) = match (from, to, minutes) {
            (None, None, Some(minutes)) => {
                let at = if day == today { now } else { at_noon_of(day, &zone)? };
                return Ok(Worked::Minutes { at, minutes });
            }
            (None, None, None) => {
                return Err(OpError::usage("say how long it was: hours such as `1.5` or `1h30m`, or `from` and `to`"));
            }
            (Some(from), Some(to), None) => (from, to),
            (Some(_), Some(_), Some(_)) => {
                return Err(OpError::usage("`from` and `to` say how long it was: leave out the hours"));
            }
            (Some(from), None, Some(minutes)) => (from, from.later(by(minutes))),
            (None, Some(to), Some(minutes)) => (to.later(-by(minutes)), to),
            (Some(_), None, None) | (None, Some(_), None) => {
                return Err(OpError::usage("`from` and `to` go together, or one of them with how long it was"));
            }
        };
        if from >= to {
            return Err(OpError::usage(format!("it ends ({to}) before it begins ({from}), or at once")));
        }
        if to > now {
            return Err(OpError::usage(format!("{to} lies in the future: time is logged when it was worked")));
        }
        if from.until(to) > LONGEST {
            return Err(OpError::usage("that is longer than a day: log each day, or only how long it was"));
        }
        Ok(Worked::Span { from, to })
    }

    fn length(&self) -> Result<Option<u32>, OpError> {
        match (self.hours, self.minutes) {
            (Some(_), Some(_)) => Err(OpError::usage("give hours or `minutes`, not both")),
            (Some(length), None) => Ok(Some(length.minutes())),
            (None, Some(minutes)) if (1..=MOST_MINUTES).contains(&minutes) => Ok(u32::try_from(minutes).ok()),
            (None, Some(minutes)) => {
                Err(OpError::usage(format!("`{minutes}` is no number of minutes to log: give 1 to {MOST_MINUTES}")))
            }
            (None, None) => Ok(None),
        }
    }
}

/// The session of whoever asks, as far as it is known.
fn own_session(project: &Project) -> Option<String> {
    let sessions = project.store().handoffs().ok()?;
    which::mine(project, &sessions).map(|found| found.name.clone())
}
