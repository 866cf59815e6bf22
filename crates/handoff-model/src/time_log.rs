//! The time log: intervals of work, one file per person and month.
//!
//! Entries are appended and corrected by further entries, never changed. What they come to is in [`sum()`].

use jiff::tz::TimeZone;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::document::{self, Unreadable};
use crate::id::TaskId;
use crate::slug::slug;
use crate::task::words;
use crate::when::Moment;

mod checks;
mod length;
mod sum;

pub use length::{NotALength, WorkLength};
pub use sum::{Cell, Odd, Overlap, TimeSums, sum};

/// The file `time/<year>-<month>-<person>.toml`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TimeLog {
    /// Version of the file format
    #[serde(default = "written_format")]
    pub format: u32,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub intervals: Vec<Interval>,
}

fn written_format() -> u32 {
    crate::FORMAT
}

/// One stretch of time on a task, or a correction of earlier ones.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Interval {
    pub task: TaskId,
    pub who: String,
    pub source: TimeSource,
    pub started_at: Moment,
    /// Absent in a correction, which has `minutes` instead
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<Moment>,
    /// Minutes to add, or to take away when negative
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub minutes: Option<i64>,
    /// Full name of the session it was worked in
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

words!(
    /// Where an interval comes from.
    TimeSource, "source of time", {
        Timer = "timer",
        Manual = "manual",
        Transcript = "transcript",
    }
);

impl Interval {
    /// A correction of what is logged for a task.
    pub fn correction(task: TaskId, who: &str, at: Moment, minutes: i64) -> Interval {
        Interval {
            task,
            who: who.to_owned(),
            source: TimeSource::Manual,
            started_at: at,
            ended_at: None,
            minutes: Some(minutes),
            session: None,
            note: None,
        }
    }

    /// Time that was worked without anybody having watched the clock: only how long it was is known.
    pub fn minutes(task: TaskId, who: &str, at: Moment, minutes: u32) -> Interval {
        Interval::correction(task, who, at, i64::from(minutes))
    }

    /// How long it is; one that ends before it starts counts nothing, and one that has not ended only its correction.
    pub fn length_minutes(&self) -> i64 {
        let worked = self.span().map_or(0, |(from, to)| from.until(to).as_secs() / 60);
        worked.saturating_add(self.minutes.unwrap_or(0))
    }

    /// The same to the second.
    pub fn length_seconds(&self) -> i64 {
        let worked = self.span().map_or(0, |(from, to)| from.until(to).as_secs());
        worked.saturating_add(self.minutes.unwrap_or(0).saturating_mul(60))
    }

    /// Where it lies on the clock, unless it is a correction or ends before it starts.
    pub fn span(&self) -> Option<(Moment, Moment)> {
        self.ended_at.filter(|&end| end > self.started_at).map(|end| (self.started_at, end))
    }

    /// The name of the file it belongs in: one for each person and month.
    pub fn file_name(&self) -> String {
        let day = self.started_at.timestamp().to_zoned(TimeZone::UTC).date();
        format!("{:04}-{:02}-{}.toml", day.year(), day.month(), slug(&self.who))
    }
}

impl TimeLog {
    /// The minutes logged for a task.
    pub fn minutes_on(&self, task: TaskId) -> i64 {
        let lengths = self.intervals.iter().filter(|interval| interval.task == task).map(Interval::length_minutes);
        lengths.fold(0, i64::saturating_add)
    }

    pub fn read(text: &str) -> Result<TimeLog, Unreadable> {
        let log: TimeLog = document::read(text)?;
        if log.format > crate::FORMAT {
            return Err(document::newer_format(log.format));
        }
        Ok(log)
    }

    pub fn print(&self) -> String {
        document::print(self)
    }

    /// Appends entries, with their checksums, to the text of a log; an empty text begins a new one.
    pub fn append(text: &str, intervals: Vec<Interval>) -> Result<String, Unreadable> {
        let mut log = TimeLog::read(text)?;
        let from = log.intervals.len();
        log.intervals.extend(intervals);
        let written = if text.is_empty() { log.print() } else { log.write_over(text)? };
        Ok(checks::add_checks(&written, &log, from))
    }

    /// The text of this log's file, made from the file as it stands.
    pub fn write_over(&self, text: &str) -> Result<String, Unreadable> {
        document::edit(text, &TimeLog::read(text)?, self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = r#"format = 1

[[intervals]]
task = "k7f3q2ma"
who = "alice"
source = "timer"
started_at = 2026-11-15T09:00:00Z
ended_at = 2026-11-15T10:30:00Z
session = "2026-11-15-a3f9c12e"

[[intervals]]
task = "k7f3q2ma"
who = "alice"
source = "manual"
started_at = 2026-11-15T10:30:00Z
minutes = -15
note = "lunch"
"#;

    #[test]
    fn the_documented_file_reads_and_prints_to_the_same_bytes() {
        assert_eq!(TimeLog::read(FILE).unwrap().print(), FILE);
    }

    #[test]
    fn the_minutes_of_a_task_are_its_intervals_and_their_corrections() {
        let log = TimeLog::read(FILE).unwrap();
        assert_eq!(log.minutes_on("k7f3q2ma".parse().unwrap()), 75);
        assert_eq!(log.minutes_on("m2x9a4te".parse().unwrap()), 0);
        let backwards = FILE.replace("10:30:00Z\nsession", "08:30:00Z\nsession");
        assert_eq!(TimeLog::read(&backwards).unwrap().minutes_on("k7f3q2ma".parse().unwrap()), -15);
    }

    #[test]
    fn an_interval_belongs_in_the_file_of_its_person_and_month() {
        let at = "2026-11-30T23:59:59Z".parse().unwrap();
        let interval = Interval::correction("k7f3q2ma".parse().unwrap(), "../Ada Lovelace", at, 30);
        assert_eq!(interval.file_name(), "2026-11-ada-lovelace.toml");
    }

    #[test]
    fn appending_keeps_comments() {
        let text = FILE.replace("note = \"lunch\"", "note = \"lunch\" # long one");
        let mut log = TimeLog::read(&text).unwrap();
        log.intervals.push(log.intervals[0].clone());
        let written = log.write_over(&text).unwrap();
        assert!(written.contains("# long one"), "{written}");
        assert_eq!(TimeLog::read(&written).unwrap().intervals.len(), 3);
    }
}
