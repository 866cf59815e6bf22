//! A session: one stretch of work, and the handoff it leaves behind.
//!
//! **Invariant:** a closed session does not change any more, and an id of a decision is never used for another one.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::document::{self, Unreadable};
use crate::id::{SessionId, TaskId};
use crate::origin::Origin;
use crate::when::Moment;

pub mod archive;
pub mod body;
mod bytes;
mod decision_ref;
pub mod diff;
mod edit;
mod fork;
mod in_force;
mod input;
mod item;
mod items;
mod joined;
mod life;
pub mod lineage;
pub mod lint;
mod merge;
pub mod open_items;
mod place;
pub mod sections;
mod settle;
mod unite;

pub use archive::{Archive, Archived};
pub use bytes::{NotBase64, base64};
pub use decision_ref::{DecisionRef, Known, NotADecisionRef, Unknown};
pub use edit::{BadEdit, SessionEdit, Surroundings};
pub use fork::{BadInherit, Inherit, Part};
pub use in_force::{Decisions, Packages, Standing};
pub use input::{ChecklistInput, DecisionInput, NoteInput, PointerInput, ReferenceInput, Which};
pub use item::{EmptyItemRef, ItemEntry, ItemId, ItemKind, ItemRecord, ItemRef, SettledHow, Settlement};
pub use items::{
    ChecklistItem, Confidence, Decision, GitFacts, NoteCategory, Owner, Pointer, Reference, SessionKind, SessionNote,
    SessionStatus,
};
pub use place::{LineRange, NotLines, Outside, inside};
pub use settle::{ItemEnding, SettledBy};
pub use unite::{About, Contradiction, Party, Side, Taken, contradictions, unite};

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
    /// Where the project stands, as somebody put it into words; the latest handoff that has it counts
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<String>,
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
    /// The line of work it belongs to
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeline: Option<String>,
    /// What it is called beside others of its line
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
    /// Full name of the session it branched off from, which goes on by itself
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub forked_from: Option<String>,
    /// Full names of the sessions that were merged into it
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub merged_from: Vec<String>,
    /// Full name of the session it was merged into when it was closed
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub merged_into: Option<String>,
    /// The run of the handover that wrote or closed it
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub handover: Option<String>,
    /// Next steps
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub next: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub blockers: Vec<String>,
    /// Questions that wait for an answer
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub questions: Vec<String>,
    /// Ids of the tasks it concerns
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tasks: Vec<TaskId>,
    /// The highest number a decision was given, where that decision is gone
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_decision: Option<u32>,
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
    /// Ids of the entries above that are open items, and more facts about them
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub items: Vec<ItemRecord>,
    /// Items of any session that were settled during this one
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub settled: Vec<Settlement>,
    /// The body where it is no text, in base64; what lies beside the file is then only as much as can be read of it
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body_base64: Option<String>,
    /// Checksum of the body beside the file, as it was saved; absent where there is none, or an older version wrote it
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body_check: Option<String>,
    /// Where it came from, when another system kept it before
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<Origin>,
}

fn written_format() -> u32 {
    crate::FORMAT
}

/// Free facts, in which a native TOML time is read as its text.
pub(crate) fn facts<'de, D: serde::Deserializer<'de>>(
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
mod tests;
