//! What a stretch of an agent's work came to: small, bounded, and able to be joined with what came before.
//!
//! **Invariant:** reading a transcript in pieces and joining their digests in order gives the same as reading it at once,
//! up to what the bounds cut off (`bounds.rs`). What a stretch alone cannot settle, such as the outcome of a command that
//! was started before it, waits in [`LooseEnds`].

mod add;
mod answers;
mod bounds;
mod crowd;
mod join;
mod loose;
#[cfg(test)]
mod pieces;
mod redacted;

use serde::{Deserialize, Serialize};

pub(super) use self::bounds::MAX_TODOS;
pub use self::crowd::Crowd;
pub use self::loose::LooseEnds;
use super::{About, CheckCommand, Event, FileChange, Fill, LastWords, TodoStatus, Usage};
use crate::when::Moment;

/// What a stretch of work came to.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Digest {
    #[serde(skip_serializing_if = "is_default")]
    pub about: About,
    #[serde(skip_serializing_if = "is_default")]
    pub started_at: Option<Moment>,
    #[serde(skip_serializing_if = "is_default")]
    pub ended_at: Option<Moment>,
    /// What was asked: the first and the latest ones
    #[serde(skip_serializing_if = "is_default")]
    pub prompts: Vec<Prompt>,
    /// How many times something was asked, those that are not kept included
    #[serde(skip_serializing_if = "is_default")]
    pub asked: u32,
    /// What the agent said last
    #[serde(skip_serializing_if = "is_default")]
    pub answer: Option<Said>,
    /// What it said at the end of earlier turns, where that says what was done or is open
    #[serde(skip_serializing_if = "is_default")]
    pub earlier_answers: Vec<Said>,
    /// Files, the one touched last at the end
    #[serde(skip_serializing_if = "is_default")]
    pub files: Vec<TouchedFile>,
    /// Changed files that are not kept any more
    #[serde(skip_serializing_if = "is_default")]
    pub crowded_out: Crowd,
    /// The latest commands
    #[serde(skip_serializing_if = "is_default")]
    pub commands: Vec<Ran>,
    #[serde(skip_serializing_if = "is_default")]
    pub todos: Vec<Todo>,
    #[serde(skip_serializing_if = "is_default")]
    pub plan: Option<Said>,
    /// The latest failures that were no command
    #[serde(skip_serializing_if = "is_default")]
    pub failures: Vec<Failure>,
    #[serde(skip_serializing_if = "is_default")]
    pub tokens: Tally,
    /// Whether tokens, turns and seconds are of the whole conversation although the rest is of its end
    #[serde(skip_serializing_if = "is_default")]
    pub counts_earlier: bool,
    #[serde(skip_serializing_if = "is_default")]
    pub fill: Option<Fill>,
    #[serde(skip_serializing_if = "is_default")]
    pub compactions: u32,
    /// Turns that ended, well or not
    #[serde(skip_serializing_if = "is_default")]
    pub turns: u32,
    /// Seconds that turns took, where the transcript tells
    #[serde(skip_serializing_if = "is_default")]
    pub seconds: u64,
    /// Whether the last thing asked was not answered to its end
    #[serde(skip_serializing_if = "is_default")]
    pub is_unfinished: bool,
    /// Set where the conversation goes on after it is compiled, as it does at a compaction
    #[serde(skip)]
    pub is_under_way: bool,
    /// Calls of handoff's own tools that succeeded, with the time of the latest of each
    #[serde(skip_serializing_if = "is_default")]
    pub handoff_calls: Vec<(String, Option<Moment>)>,
    /// What only an earlier or later stretch settles
    #[serde(skip_serializing_if = "is_default")]
    pub loose: LooseEnds,
}

/// Something a person asked.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Prompt {
    pub text: String,
    #[serde(skip_serializing_if = "is_default")]
    pub at: Option<Moment>,
    #[serde(skip_serializing_if = "is_default")]
    pub line: Option<u64>,
}

/// Something the agent said or planned.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Said {
    pub text: String,
    #[serde(skip_serializing_if = "is_default")]
    pub at: Option<Moment>,
    #[serde(skip_serializing_if = "is_default")]
    pub line: Option<u64>,
    /// How many requests came before it
    #[serde(skip_serializing_if = "is_default")]
    pub turn: u32,
}

/// A file that was looked at or changed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct TouchedFile {
    /// As the agent wrote it: absolute, or relative to its directory
    pub path: String,
    #[serde(skip_serializing_if = "is_default")]
    pub changes: u32,
    #[serde(skip_serializing_if = "is_default")]
    pub looks: u32,
    /// How it was changed last
    #[serde(skip_serializing_if = "is_default")]
    pub change: Option<FileChange>,
    /// Where it was touched last
    #[serde(skip_serializing_if = "is_default")]
    pub line: Option<u64>,
}

/// A command that was run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Ran {
    /// The agent's id of the call, until its outcome is known
    #[serde(skip_serializing_if = "is_default")]
    pub id: Option<String>,
    pub command: String,
    #[serde(skip_serializing_if = "is_default")]
    pub exit: Option<i32>,
    #[serde(skip_serializing_if = "is_default")]
    pub is_failure: bool,
    /// The end of its output, where it failed
    #[serde(skip_serializing_if = "is_default")]
    pub tail: Option<String>,
    #[serde(skip_serializing_if = "is_default")]
    pub at: Option<Moment>,
    #[serde(skip_serializing_if = "is_default")]
    pub line: Option<u64>,
}

/// A thing to do, in the agent's own list.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Todo {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    pub text: String,
    pub status: TodoStatus,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u64>,
}

/// A failure that was no command.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Failure {
    pub what: String,
    #[serde(skip_serializing_if = "is_default")]
    pub at: Option<Moment>,
    #[serde(skip_serializing_if = "is_default")]
    pub line: Option<u64>,
}

/// Tokens as they were told: answer by answer, or in all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Tally {
    #[serde(skip_serializing_if = "is_default")]
    pub sum: Usage,
    #[serde(skip_serializing_if = "is_default")]
    pub in_all: Option<Usage>,
}

impl Tally {
    /// What was spent, by the better of the two ways of telling.
    pub fn spent(self) -> Usage {
        self.in_all.unwrap_or(self.sum)
    }
}

impl Digest {
    /// Whether it was little more than a question: one or two were asked, and nothing was changed, planned, broken or left
    /// undone.
    pub fn is_slight(&self) -> bool {
        const QUESTIONS: u32 = 2;
        let is_changed = self.files.iter().any(|file| file.changes > 0);
        let names_items = self.answers().any(|answer| !LastWords::read(&answer.text).items.is_empty());
        let is_left_open = self.is_unfinished || !self.todos.is_empty() || self.plan.is_some() || names_items;
        let is_broken = !self.failures.is_empty() || self.commands.iter().any(|ran| ran.is_failure);
        self.asked <= QUESTIONS && self.compactions == 0 && !is_changed && !is_left_open && !is_broken
    }

    /// Reports whether a test, build or linter was run.
    pub fn has_checks(&self) -> bool {
        self.commands.iter().filter_map(|ran| CheckCommand::read(&ran.command)).any(|check| check.is_check())
    }

    /// What these events come to.
    pub fn of(events: impl IntoIterator<Item = Event>) -> Digest {
        let mut digest = Digest::default();
        for event in events {
            digest.add(event);
        }
        digest
    }
}

pub(super) fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}
