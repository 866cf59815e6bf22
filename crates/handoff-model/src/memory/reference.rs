//! Ids of memories, and the ways to name one.

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::MemoryRecord;
use crate::id::{NotAnId, TaskId, shorten};

/// Identity of a memory: eight lower-case letters and digits, the first a letter.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct MemoryId(TaskId);

impl MemoryId {
    /// Makes an id from eight random bytes.
    pub fn from_random(random: [u8; 8]) -> MemoryId {
        MemoryId(TaskId::from_random(random))
    }

    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }
}

impl From<TaskId> for MemoryId {
    fn from(id: TaskId) -> MemoryId {
        MemoryId(id)
    }
}

impl FromStr for MemoryId {
    type Err = NotAnId;

    fn from_str(text: &str) -> Result<Self, NotAnId> {
        text.parse().map(MemoryId)
    }
}

impl fmt::Display for MemoryId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl fmt::Debug for MemoryId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Name of a memory as a person or an agent gives it: its id, the beginning of one, its file name, or the id it had in
/// the system it was imported from.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
#[schemars(with = "String")]
pub struct MemoryRef(String);

/// A text that cannot name a memory.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` does not name a memory: give an id such as `k7f3q2ma`, or the beginning of one")]
pub struct NotAMemoryRef(String);

/// Bytes of the longest name: a slug, an id, and what is between them.
const MAX_REF_BYTES: usize = 100;

impl MemoryRef {
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns whether it is all of this memory's id, or all that it was called elsewhere.
    pub fn is_name_of(&self, memory: &MemoryRecord) -> bool {
        let own = memory.id.as_str();
        let is_file = self.0.strip_suffix(".md").is_some_and(|stem| stem.ends_with(&format!("-{own}")));
        let had_before = memory.origin.as_ref().is_some_and(|origin| origin.id.eq_ignore_ascii_case(&self.0));
        self.0 == own || is_file || had_before
    }

    /// Returns whether this memory's id begins with it.
    pub fn is_beginning_of(&self, memory: &MemoryRecord) -> bool {
        memory.id.as_str().starts_with(&self.0)
    }
}

impl FromStr for MemoryRef {
    type Err = NotAMemoryRef;

    fn from_str(text: &str) -> Result<Self, NotAMemoryRef> {
        let name = text.trim().trim_start_matches("memory/").to_lowercase();
        let is_name = !name.is_empty()
            && name.len() <= MAX_REF_BYTES
            && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | '.'));
        if is_name { Ok(MemoryRef(name)) } else { Err(NotAMemoryRef(shorten(text.trim()))) }
    }
}

impl TryFrom<String> for MemoryRef {
    type Error = NotAMemoryRef;

    fn try_from(text: String) -> Result<Self, NotAMemoryRef> {
        text.parse()
    }
}

impl From<MemoryRef> for String {
    fn from(reference: MemoryRef) -> String {
        reference.0
    }
}

impl From<MemoryId> for MemoryRef {
    fn from(id: MemoryId) -> MemoryRef {
        MemoryRef(id.as_str().to_owned())
    }
}

impl fmt::Display for MemoryRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
