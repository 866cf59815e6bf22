//! What was changed, in words: the names of changes, and what a change of files means.

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::id::{NotAnId, TaskId, shorten};

mod describe;

pub use describe::{Concerned, describe};

/// A file as it was at one moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileState {
    /// Where it lay, relative to `.handoff/`
    pub path: String,
    /// What it said; absent where that was too much to be kept
    pub text: Option<String>,
}

/// What became of one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileChange {
    /// Absent for a file that was made
    pub before: Option<FileState>,
    /// Absent for a file that was removed
    pub after: Option<FileState>,
}

/// A directory that went elsewhere with all that is in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DirectoryMove {
    pub from: String,
    pub to: String,
    /// The task in it, where that is known
    pub task: Option<NamedTask>,
}

impl DirectoryMove {
    /// Whether it is a file after all; the doctor takes those away in the same way.
    pub fn is_file(&self) -> bool {
        let extension = std::path::Path::new(&self.from).extension();
        extension.is_some_and(|extension| extension == "toml" || extension == "md")
    }
}

/// A task by its id and title.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NamedTask {
    pub id: TaskId,
    pub title: String,
}

/// Everything one change did to the files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Changed {
    pub files: Vec<FileChange>,
    pub moves: Vec<DirectoryMove>,
}

/// A change's name: eight lower-case letters and digits, the first a letter, made of what it did.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct ChangeId(TaskId);

impl ChangeId {
    /// The name of a change that is written like this.
    pub fn of(written: &[u8]) -> ChangeId {
        let mut first = [0; 8];
        first.copy_from_slice(&Sha256::digest(written)[..8]);
        ChangeId(TaskId::from_random(first))
    }

    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }
}

impl FromStr for ChangeId {
    type Err = NotAnId;

    fn from_str(text: &str) -> Result<Self, NotAnId> {
        text.parse().map(ChangeId)
    }
}

impl fmt::Display for ChangeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl fmt::Debug for ChangeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// How a person or an agent names a change: its id or the beginning of one.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
#[schemars(with = "String")]
pub struct ChangeRef(String);

/// A text that can name no change.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` names no change: give the id that the log shows, such as `k7f3q2ma`, or the beginning of one")]
pub struct NotAChangeRef(String);

impl ChangeRef {
    pub fn matches(&self, id: ChangeId) -> bool {
        id.as_str().starts_with(&self.0)
    }
}

impl FromStr for ChangeRef {
    type Err = NotAChangeRef;

    fn from_str(text: &str) -> Result<Self, NotAChangeRef> {
        let lower = text.trim().to_ascii_lowercase();
        let is_one = lower.starts_with(|c: char| c.is_ascii_lowercase())
            && lower.len() <= 8
            && lower.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit());
        if is_one { Ok(ChangeRef(lower)) } else { Err(NotAChangeRef(shorten(text))) }
    }
}

impl TryFrom<String> for ChangeRef {
    type Error = NotAChangeRef;

    fn try_from(text: String) -> Result<Self, NotAChangeRef> {
        text.parse()
    }
}

impl From<ChangeRef> for String {
    fn from(reference: ChangeRef) -> String {
        reference.0
    }
}

impl From<ChangeId> for ChangeRef {
    fn from(id: ChangeId) -> Self {
        ChangeRef(id.as_str().to_owned())
    }
}

impl fmt::Display for ChangeRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_is_named_by_what_it_did_and_found_by_the_beginning_of_its_name() {
        let id = ChangeId::of(b"x");
        assert_eq!(id, ChangeId::of(b"x"));
        assert_ne!(id, ChangeId::of(b"y"));
        assert_eq!(id.to_string().parse(), Ok(id));
        let reference: ChangeRef = id.as_str()[..3].to_uppercase().parse().unwrap();
        assert!(reference.matches(id));
        for wrong in ["", "12", "ä", "k7f3q2ma9", "k-7"] {
            assert!(wrong.parse::<ChangeRef>().is_err(), "{wrong:?}");
        }
    }
}
