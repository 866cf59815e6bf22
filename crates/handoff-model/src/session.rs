//! A session: one stretch of work, and the handoff it leaves behind.
//!
//! Only the shape of the file is settled here; the operations on sessions come on top of it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::document::{self, Unreadable};
use crate::id::{SessionId, TaskId};
use crate::task::LinkType;
use crate::task::words;
use crate::when::Moment;

/// One session, as it stands in `sessions/<date>-<id>.toml`; its free-form body lies beside it as `.md`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Session {
    /// Version of the file format
    #[serde(default = "written_format")]
    pub format: u32,
    pub id: SessionId,
    #[serde(default)]
    pub kind: SessionKind,
    #[serde(default)]
    pub status: SessionStatus,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    #[serde(default)]
    pub summary: String,
    /// The tool it was worked in, such as `codex`
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub author: Option<String>,
    /// A name to fetch it by; not unique
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeline: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub started_at: Option<Moment>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<Moment>,
    /// When it stops being shown; it is removed only by `gc`
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<Moment>,
    /// Full name of the session it continues
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub continues: Option<String>,
    /// Next steps
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub next: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub blockers: Vec<String>,
    /// Ids of the tasks it concerns
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tasks: Vec<TaskId>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub decisions: Vec<Decision>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub checklist: Vec<ChecklistItem>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<SessionNote>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub references: Vec<Reference>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pointers: Vec<Pointer>,
    #[serde(default, skip_serializing_if = "serde_json::Map::is_empty", deserialize_with = "facts")]
    pub environment: serde_json::Map<String, serde_json::Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub git: Option<GitFacts>,
}

fn written_format() -> u32 {
    crate::FORMAT
}

/// Free facts, in which a native TOML time is read as its text.
fn facts<'de, D: serde::Deserializer<'de>>(
    deserializer: D,
) -> Result<serde_json::Map<String, serde_json::Value>, D::Error> {
    use serde_json::{Map, Value};

    /// How serde sees a native time of TOML.
    const NATIVE_TIME: &str = "$__toml_private_datetime";

    fn plain(value: Value) -> Value {
        match value {
            Value::Array(items) => items.into_iter().map(plain).collect(),
            Value::Object(mut map) if map.len() == 1 && map.contains_key(NATIVE_TIME) => {
                map.remove(NATIVE_TIME).unwrap_or_default()
            }
            Value::Object(map) => map.into_iter().map(|(key, value)| (key, plain(value))).collect(),
            other => other,
        }
    }

    let map = Map::deserialize(deserializer)?;
    Ok(map.into_iter().map(|(key, value)| (key, plain(value))).collect())
}

words!(
    /// Which way a session came in.
    #[derive(Default)]
    SessionKind, "kind of session", {
        #[default]
        Session = "session",
        Record = "record",
        Package = "package",
    }
);

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
        #[default]
        Confirmed = "confirmed",
        Estimated = "estimated",
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

impl Session {
    pub fn read(text: &str) -> Result<Session, Unreadable> {
        let session: Session = document::read(text)?;
        if session.format > crate::FORMAT {
            return Err(document::newer_format(session.format));
        }
        Ok(session)
    }

    pub fn print(&self) -> String {
        document::print(self)
    }

    /// The text of this session's file, made from the file as it stands.
    pub fn write_over(&self, text: &str) -> Result<String, Unreadable> {
        document::edit(text, &Session::read(text)?, self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = r#"format = 1
id = "a3f9c12e"
kind = "session"
status = "closed"
title = "Refactor auth middleware"
summary = "Token parser extracted, refresh tests fail"
tool = "codex"
author = "alice"
name = "project-state"
tags = ["api", "auth"]
project = "my-app"
started_at = 2026-11-15T09:00:00Z
ended_at = 2026-11-15T12:10:00Z
expires_at = 2026-11-29T12:10:00Z
continues = "2026-11-14-77c01b9d"
next = ["Fix refresh test matrix", "Run race tests"]
blockers = ["waiting for the staging key"]
tasks = ["k7f3q2ma"]

[[decisions]]
id = "d1"
decision = "JWT over server sessions"
reason = "stateless API"
confidence = "confirmed"
paths = ["src/auth/"]
supersedes = "2026-11-10-0b5e11d2#d3"

[[checklist]]
item = "verify on staging"
checked = false
owner = "user"

[[notes]]
note = "the test database runs on port 5433"
category = "caution"

[[references]]
type = "issue"
label = "Refresh bug"
uri = "https://example.com/issues/31"

[[pointers]]
path = "src/auth/middleware.rs"
lines = "42-78"
reason = "resume here"
blob = "9f2c1e7"

[git]
branch = "feature/auth"
commit = "8dc6cc0"
recent = ["8dc6cc0 extract token parser"]
dirty = ["M src/auth/middleware.rs"]
"#;

    #[test]
    fn the_documented_file_reads_and_prints_to_the_same_bytes() {
        assert_eq!(Session::read(FILE).unwrap().print(), FILE);
    }

    #[test]
    fn unknown_keys_and_comments_survive_a_change() {
        let text = format!("# mine\nmood = \"good\"\n{FILE}\n[weather]\nsun = true # really\n");
        let mut session = Session::read(&text).unwrap();
        session.next.remove(0);
        session.checklist[0].checked = true;
        let written = session.write_over(&text).unwrap();
        for kept in ["# mine\n", "mood = \"good\"", "sun = true # really"] {
            assert!(written.contains(kept), "{written}");
        }
        assert_eq!(Session::read(&written).unwrap(), session);
    }
}
