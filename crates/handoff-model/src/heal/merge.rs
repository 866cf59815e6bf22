//! Two versions of one record become one, value by value.
//!
//! The same function mends a file with conflict markers, joins two copies with one id, and can drive git's merges.
//!
//! **Invariant:** nothing is lost silently. Lists are united, notes and history never shrink, and where only one of two
//! values can stand the other is kept as a note in the record, or told. Which side is called ours makes no difference
//! but for the order of lists that have no times.

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value as Json, json};

use crate::config::to_json;
use crate::document::{self, Unreadable};
use crate::id::shorten;
use crate::memory::MemoryRecord;
use crate::session::Session;
use crate::task::Task;
use crate::time_log::TimeLog;
use crate::when::Moment;

mod decisions;
mod lists;
mod memories;
mod rules;
mod values;

use values::Merging;

/// What sort of file it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecordKind {
    Task,
    Session,
    Memory,
    TimeLog,
    Config,
}

/// The versions of a file. The base is what both began with, where that is known.
#[derive(Clone, Copy, Debug)]
pub struct Sides<'a> {
    pub base: Option<&'a str>,
    pub ours: &'a str,
    pub theirs: &'a str,
}

/// One file made of two.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Merged {
    pub text: String,
    /// Where only one of two values could stand
    pub disputes: Vec<Dispute>,
}

/// Two values for one place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dispute {
    /// The place, such as `schedule.due_date`
    pub field: String,
    pub kept: String,
    pub other: String,
}

impl std::fmt::Display for Dispute {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "`{}` was also {}", self.field, self.other)
    }
}

/// Why two versions cannot become one.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unmergeable {
    #[error("one side cannot be read: {}", .0.reason)]
    Unreadable(Unreadable),
    #[error("the two sides are different records")]
    DifferentIds,
    #[error("both sides changed the text")]
    DifferentTexts,
}

impl From<Unreadable> for Unmergeable {
    fn from(error: Unreadable) -> Self {
        Unmergeable::Unreadable(error)
    }
}

/// Makes one version of two. `at` dates what is noted where neither side tells any time.
pub fn merge(record: RecordKind, sides: Sides<'_>, at: Moment) -> Result<Merged, Unmergeable> {
    let Sides { base, ours, theirs } = sides;
    for side in [ours, theirs] {
        check(record, side)?;
    }
    if ours == theirs || base == Some(theirs) {
        return Ok(Merged { text: ours.to_owned(), disputes: Vec::new() });
    }
    if base == Some(ours) {
        return Ok(Merged { text: theirs.to_owned(), disputes: Vec::new() });
    }
    if record == RecordKind::Memory {
        return memories::merge(sides, at);
    }
    merge_tables(record, sides, at)
}

/// Makes one version of two tables, which is all there is in every record but a memory.
fn merge_tables(record: RecordKind, sides: Sides<'_>, at: Moment) -> Result<Merged, Unmergeable> {
    let Sides { base, ours, theirs } = sides;
    let (Said(our_values), Said(mut their_values)) = (document::read(ours)?, document::read(theirs)?);
    // A base that cannot be read helps nobody, and is done without.
    let is_whole = |base: &&str| record == RecordKind::Memory || check(record, base).is_ok();
    let base = base.filter(is_whole).and_then(|base| document::read::<Said>(base).ok());
    let base = base.map(|Said(values)| values);
    if matches!(record, RecordKind::Task | RecordKind::Session | RecordKind::Memory)
        && our_values.get("id") != their_values.get("id")
    {
        return Err(Unmergeable::DifferentIds);
    }
    let mut ours_renamed = our_values.clone();
    if record == RecordKind::Session {
        decisions::keep_apart(base.as_ref(), &mut ours_renamed, &mut their_values);
    }
    let mut merging = Merging::between(&ours_renamed, &their_values);
    let rule = match record {
        RecordKind::Task => rules::TASK,
        RecordKind::Session => rules::SESSION,
        RecordKind::Memory => rules::MEMORY,
        RecordKind::TimeLog => rules::TIME_LOG,
        RecordKind::Config => &[],
    };
    let mut merged = merging.tables(rule, base.as_ref(), &ours_renamed, &their_values);
    let (latest, disputes) = (merging.latest().unwrap_or(at), merging.disputes);
    note(record, &mut merged, &disputes, latest);
    let text = document::edit_object(ours, &our_values, &Said(merged))?;
    if record != RecordKind::Memory {
        check(record, &text)?;
    }
    Ok(Merged { text, disputes })
}

fn check(record: RecordKind, text: &str) -> Result<(), Unreadable> {
    match record {
        RecordKind::Task => Task::read(text).map(drop),
        RecordKind::Session => Session::read(text).map(drop),
        RecordKind::Memory => MemoryRecord::read(text).map(drop),
        RecordKind::TimeLog => TimeLog::read(text).map(drop),
        RecordKind::Config => document::read::<toml::Table>(text).map(drop),
    }
}

/// Keeps the values that could not stand where readers of the record find them.
fn note(record: RecordKind, merged: &mut Map<String, Json>, disputes: &[Dispute], at: Moment) {
    // Where a task stands is seen and easily put right; all else would be gone for those who did not see the report.
    let worth_it = |dispute: &&Dispute| !matches!(dispute.field.as_str(), "number" | "order" | "format");
    let texts = disputes.iter().filter(worth_it).map(|dispute| format!("two versions were joined; {dispute}"));
    let notes: Vec<Json> = match record {
        RecordKind::Task => texts.map(|text| json!({"at": at, "by": "handoff", "text": text})).collect(),
        RecordKind::Session => texts.map(|text| json!({"note": text, "category": "context"})).collect(),
        RecordKind::Memory | RecordKind::TimeLog | RecordKind::Config => return,
    };
    if notes.is_empty() {
        return;
    }
    let list = merged.entry("notes").or_insert_with(|| json!([]));
    if let Json::Array(list) = list {
        list.extend(notes.into_iter().filter(|note| !list.contains(note)).collect::<Vec<_>>());
        if record == RecordKind::Task {
            lists::sort_by_time(list, "at");
        }
    }
}

/// A value as it is told to people.
fn shown(value: &Json) -> String {
    match value {
        Json::String(text) if text.len() > 400 => format!("{:?}", shorten(text)),
        other => other.to_string(),
    }
}

/// All a file says, known or not; times are texts.
#[derive(Clone, Debug, PartialEq, Serialize)]
struct Said(Map<String, Json>);

impl<'de> Deserialize<'de> for Said {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let table = toml::Table::deserialize(deserializer)?;
        Ok(Said(table.iter().map(|(key, value)| (key.clone(), to_json(value))).collect()))
    }
}

#[cfg(test)]
mod tests;
