//! What a session's lists are made of, and the words they are written in.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::task::LinkType;
use crate::task::words;

words!(
    /// Which way a session came in.
    #[derive(Default)]
    SessionKind, "kind of session", {
        #[default]
        Session = "session",
        Record = "record",
        Package = "package",
        Ledger = "ledger",
    }
);

impl SessionKind {
    /// Reports whether a session of this kind hands work over. Packages only carry something, ledgers only record questions and settled items.
    pub const fn is_handoff(self) -> bool {
        matches!(self, SessionKind::Session | SessionKind::Record)
    }
}

words!(
    /// Where a session is in its life; `closed` is final.
    #[derive(Default)]
    SessionStatus, "session status", {
        #[default]
        Active = "active",
        Paused = "paused",
        Closed = "closed",
    }
);

words!(
    /// How sure a decision is.
    #[derive(Default)]
    Confidence, "confidence", {
        Confirmed = "confirmed",
        Estimated = "estimated",
        #[default]
        Unverified = "unverified",
    }
);

words!(
    /// Who has to do an item of a checklist.
    Owner, "owner", {
        User = "user",
        Ai = "ai",
    }
);

words!(
    /// What a note is for.
    #[derive(Default)]
    NoteCategory, "category of note", {
        Caution = "caution",
        #[default]
        Context = "context",
        Suggestion = "suggestion",
    }
);

/// Something that was decided; in force until another supersedes it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Decision {
    #[serde(default)]
    pub id: String,
    pub decision: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    #[serde(default)]
    pub confidence: Confidence,
    /// Paths it governs
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub paths: Vec<String>,
    /// The decision it replaces, as `session#id`
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub supersedes: Option<String>,
    /// The same decision in other sessions, as `session#id`: taken over from there, or merged from there
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub same_as: Vec<String>,
    /// Whether something was changed about it since it was taken over
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub revised: bool,
}

/// Something still to be looked at.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ChecklistItem {
    pub item: String,
    #[serde(default)]
    pub checked: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owner: Option<Owner>,
}

/// A remark for whoever comes next.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SessionNote {
    pub note: String,
    #[serde(default)]
    pub category: NoteCategory,
}

/// Something outside that matters here.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Reference {
    #[serde(rename = "type", default)]
    pub kind: LinkType,
    pub label: String,
    pub uri: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub notes: Option<String>,
}

/// A place in the code to go on from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Pointer {
    pub path: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lines: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// What the file was then, so that drift can be seen
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub blob: Option<String>,
}

/// What git said when the session was saved.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct GitFacts {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub recent: Vec<String>,
    /// Changed files, each with git's letters for how; the first ones where there are many
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub dirty: Vec<String>,
    /// How many changed files there were, where not all are listed
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dirty_count: Option<u32>,
    /// The branch that ahead and behind are counted against
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub upstream: Option<String>,
    /// Commits that the upstream branch does not have
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ahead: Option<u32>,
    /// Commits that only the upstream branch has
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub behind: Option<u32>,
    /// What each changed file was, as `blob path`, so that a later change of it can be told from this one
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub blobs: Vec<String>,
}
