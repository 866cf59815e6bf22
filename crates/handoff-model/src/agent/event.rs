//! One thing that happened in an agent's session, as its transcript tells it.

use serde::{Deserialize, Serialize};

use crate::when::Moment;

/// One thing that happened.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    pub at: Option<Moment>,
    /// Line of the transcript, counted from 1, where that is known; a row of a database counts as a line
    pub line: Option<u64>,
    pub what: What,
}

/// What happened.
#[derive(Clone, Debug, PartialEq)]
pub enum What {
    /// The session says who and where it is; what is absent stays as it was
    About(About),
    /// A person asked for something; the start of a turn
    Prompt(String),
    /// The agent said something
    Answer(String),
    /// A file was changed
    Changed { path: String, change: FileChange },
    /// A file was looked at
    Looked { path: String },
    /// A command was started; its outcome comes later under the same id
    Command { id: String, command: String },
    /// A call began that counts only if it succeeds; its outcome comes later under the same id
    Call {
        id: String,
        /// What it is called, where its failure is worth telling; `handoff_…` is a tool of handoff
        name: Option<String>,
        /// What it does to files
        touches: Vec<Touch>,
    },
    /// A command or a call ended. `output` may be long
    Outcome { id: String, exit: Option<i32>, is_failure: bool, output: String },
    /// The whole list of things to do
    Todos(Vec<super::Todo>),
    /// One of the things to do; what is absent stays as it was
    Todo { id: String, text: Option<String>, status: Option<TodoStatus> },
    /// A plan the agent wrote
    Plan(String),
    /// Tokens of one answer of the model
    Spent(Usage),
    /// Tokens of the whole session so far
    SpentInAll(Usage),
    /// How full the context is
    Context(Fill),
    /// Something failed that was no command: a tool, the model, the network
    Failed(String),
    /// A tool of handoff was called and did its work, by its own name such as `handoff_save_context`
    Handoff { id: String, tool: String },
    /// The conversation was compacted
    Compacted,
    /// The latest prompts were taken back, as if they had not been asked
    Withdrawn { prompts: u32 },
    /// What was asked is answered. A second end of one turn counts its seconds only
    TurnEnded { seconds: Option<u64> },
    /// The turn was broken off, by a person or an error, so what was asked is not answered
    TurnStopped { seconds: Option<u64> },
}

/// What a call does to a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Touch {
    pub path: String,
    /// None where the file is only looked at
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub change: Option<FileChange>,
}

/// Who and where a session is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct About {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// The session it was forked from, or the one that started it as a sub-agent
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<String>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_subagent: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Version of the agent
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
}

/// How a file was changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FileChange {
    Added,
    Updated,
    Deleted,
    Moved { to: String },
}

/// How far a thing to do is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TodoStatus {
    Pending,
    InProgress,
    Completed,
    Cancelled,
}

/// Tokens, as the agent counts them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// Fed in, what came from a cache included
    pub input: u64,
    /// Of those, what came from a cache
    pub cached: u64,
    pub output: u64,
}

/// How full the context is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fill {
    pub used: u64,
    /// How much fits, where the agent says so
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub window: Option<u64>,
}
