//! What an agent's hook tells, in one shape for all agents.

use std::borrow::Cow;
use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::{Fill, Todo};
use crate::rev::Rev;

/// A moment in an agent's session at which handoff is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum HookEvent {
    SessionStart,
    Prompt,
    /// A file was looked at or changed
    Edit,
    TurnEnd,
    /// The context is about to be compacted
    Compact,
    SessionEnd,
}

/// A word that is no moment of a session.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no event: use session-start, prompt, edit, turn-end, compact or session-end")]
pub struct NotAHookEvent(String);

impl HookEvent {
    pub const ALL: [HookEvent; 6] = [
        HookEvent::SessionStart,
        HookEvent::Prompt,
        HookEvent::Edit,
        HookEvent::TurnEnd,
        HookEvent::Compact,
        HookEvent::SessionEnd,
    ];

    pub const fn word(self) -> &'static str {
        match self {
            HookEvent::SessionStart => "session-start",
            HookEvent::Prompt => "prompt",
            HookEvent::Edit => "edit",
            HookEvent::TurnEnd => "turn-end",
            HookEvent::Compact => "compact",
            HookEvent::SessionEnd => "session-end",
        }
    }
}

impl fmt::Display for HookEvent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

impl FromStr for HookEvent {
    type Err = NotAHookEvent;

    fn from_str(text: &str) -> Result<Self, NotAHookEvent> {
        HookEvent::ALL.into_iter().find(|event| event.word() == text).ok_or_else(|| NotAHookEvent(text.to_owned()))
    }
}

/// Why a session starts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StartSource {
    #[default]
    Startup,
    /// An earlier conversation goes on, with what it was told still in it
    Resume,
    /// The conversation was emptied
    Clear,
    /// The conversation was compacted; what it was told is gone
    Compact,
    /// A copy of an earlier conversation goes on
    Fork,
}

/// The longest id of a conversation that is kept as it is; those of agents have 40 characters or fewer.
const LONGEST_ID: usize = 128;

/// The agent's id of a conversation as it is remembered: one that is too long becomes its beginning and what tells it
/// from others that begin so.
pub fn remembered_id(id: &str) -> Cow<'_, str> {
    if id.len() <= LONGEST_ID {
        return Cow::Borrowed(id);
    }
    let beginning: String = id.chars().take(16).collect();
    Cow::Owned(format!("{beginning}~{}", Rev::of(id.as_bytes())))
}

/// What the host said when it called; what it did not say is absent.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Heard {
    /// The host's id of the conversation
    pub session: Option<String>,
    pub transcript: Option<PathBuf>,
    /// The directory the agent works in
    pub cwd: Option<PathBuf>,
    /// Why the session starts
    pub source: StartSource,
    pub model: Option<String>,
    /// What the person asked
    pub prompt: Option<String>,
    /// Files that a tool looked at or changed
    pub files: Vec<PathBuf>,
    /// Whether those files were changed, not only looked at
    pub is_change: bool,
    /// A command that a tool ran
    pub command: Option<String>,
    /// What a tool or the turn failed with
    pub failure: Option<String>,
    /// The list of things to do, where the tool was about it
    pub todos: Vec<Todo>,
    /// What the agent said last
    pub answer: Option<String>,
    /// How full the context is, where the host says so
    pub fill: Option<Fill>,
    /// Whether a sub-agent is meant, whose work belongs to the session that started it
    pub is_subagent: bool,
    /// Whether the turn goes on because a hook wanted it to
    pub is_repeated: bool,
    /// Why the session ends, or what set the compaction off
    pub reason: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_event_is_found_by_its_word() {
        for event in HookEvent::ALL {
            assert_eq!(event.word().parse(), Ok(event));
        }
        assert!("stop".parse::<HookEvent>().unwrap_err().to_string().contains("turn-end"));
    }

    #[test]
    fn an_id_without_end_is_remembered_in_short_and_told_from_others() {
        assert_eq!(remembered_id("e01eb16d-743e-4733-ab5c-2d3ced54786e"), "e01eb16d-743e-4733-ab5c-2d3ced54786e");
        let long = "ä".repeat(10_000);
        let (one, other) = (remembered_id(&long), format!("{long}x"));
        assert!(one.len() < LONGEST_ID && one != remembered_id(&other), "{one}");
        assert_eq!(remembered_id(&one), one, "it stands for itself");
    }
}
