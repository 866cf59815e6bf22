//! The time log: intervals of work, one file per person and month.
//!
//! Only the shape of the file is settled here. Entries are appended and corrected by further entries, never changed.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::document::{self, Unreadable};
use crate::id::TaskId;
use crate::task::words;
use crate::when::Moment;

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

impl TimeLog {
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
    fn appending_keeps_comments() {
        let text = FILE.replace("note = \"lunch\"", "note = \"lunch\" # long one");
        let mut log = TimeLog::read(&text).unwrap();
        log.intervals.push(log.intervals[0].clone());
        let written = log.write_over(&text).unwrap();
        assert!(written.contains("# long one"), "{written}");
        assert_eq!(TimeLog::read(&written).unwrap().intervals.len(), 3);
    }
}
