//! What setup did to each file, so that it can be taken back byte for byte.
//!
//! **Invariant:** a record holds what was put in and what that replaced, never a copy of a file: settings may hold secrets.
//! A difference is only taken back from exactly the bytes that it led to.

use std::path::{Path, PathBuf};

use handoff_model::rev::sha256;
use serde::{Deserialize, Serialize};

use super::FileChange;
use super::edit::Hunk;

/// Everything setup did on this machine and was not taken back yet.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Record {
    format: u32,
    #[serde(default)]
    files: Vec<FileRecord>,
}

/// What was done to one file, one difference after the other.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct FileRecord {
    path: PathBuf,
    /// Directories that were made for it, the outermost first
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    made: Vec<PathBuf>,
    /// Whether the first difference began at what was there before any setup
    #[serde(default = "yes")]
    is_whole: bool,
    differences: Vec<Difference>,
}

/// How one content of a file became another.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Difference {
    /// Hash of what was there; absent: no file
    #[serde(default, skip_serializing_if = "Option::is_none")]
    before: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    after: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    hunks: Vec<Hunk>,
}

fn yes() -> bool {
    true
}

/// What taking back comes to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Unwound {
    /// `None`: no file
    pub(crate) text: Option<String>,
    /// Whether that is what was there before any setup, to the byte
    pub(crate) is_original: bool,
}

const FORMAT: u32 = 1;

impl Default for Record {
    fn default() -> Record {
        Record { format: FORMAT, files: Vec::new() }
    }
}

impl Record {
    /// Reads a record; one of a newer format, or a damaged one, is none.
    pub fn read(text: &str) -> Option<Record> {
        serde_json::from_str(text).ok().filter(|record: &Record| record.format == FORMAT)
    }

    pub fn print(&self) -> String {
        format!("{}\n", serde_json::to_string_pretty(self).expect("a record can be written as JSON"))
    }

    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    fn file(&self, path: &Path) -> Option<&FileRecord> {
        self.files.iter().find(|file| file.path == path)
    }

    /// The directories that were made for a file, the outermost first.
    pub fn made(&self, path: &Path) -> &[PathBuf] {
        self.file(path).map_or(&[], |file| &file.made)
    }

    /// Whether the file was not there before setup.
    pub(crate) fn was_made(&self, path: &Path) -> bool {
        let first = self.file(path).and_then(|file| file.differences.first());
        first.is_some_and(|difference| difference.before.is_none())
    }

    /// Notes a change that is about to be made, and the directories that have to be made for it.
    pub fn note(&mut self, change: &FileChange, made: &[PathBuf]) {
        let (before, after) = (
            change.before.as_deref().map(|text| sha256(text.as_bytes())),
            change.after.as_deref().map(|text| sha256(text.as_bytes())),
        );
        let difference = Difference { before: before.clone(), after, hunks: change.hunks.clone() };
        let Some(file) = self.files.iter_mut().find(|file| file.path == change.path) else {
            let (path, made) = (change.path.clone(), made.to_vec());
            return self.files.push(FileRecord { path, made, is_whole: true, differences: vec![difference] });
        };
        file.made.extend(made.iter().filter(|dir| !file.made.contains(dir)).cloned().collect::<Vec<_>>());
        match file.reaches(before.as_ref()) {
            Some(count) => file.differences.truncate(count),
            None => {
                // Somebody edited the file since; what was ours in it then is not known byte for byte.
                file.is_whole = !change.had_ours;
                if !change.had_ours {
                    file.differences.clear();
                }
            }
        }
        file.differences.push(difference);
    }

    /// The files that something is noted of.
    pub fn paths(&self) -> impl Iterator<Item = &Path> {
        self.files.iter().map(|file| file.path.as_path())
    }

    /// Notes of a file what an earlier record did: what was noted since was not done.
    pub fn take_back(&mut self, path: &Path, earlier: &Record) {
        self.forget(path);
        self.files.extend(earlier.file(path).cloned());
    }

    /// Forgets a file.
    pub fn forget(&mut self, path: &Path) {
        self.files.retain(|file| file.path != path);
    }

    /// Whether the file has the bytes that setup left there; `None` where nothing is noted.
    pub(crate) fn is_untouched(&self, path: &Path, current: &str) -> Option<bool> {
        let last = self.file(path)?.differences.last()?;
        Some(last.after.as_deref() == Some(sha256(current.as_bytes()).as_str()))
    }

    /// Takes back as much as can be taken back byte for byte.
    pub(crate) fn unwind(&self, path: &Path, current: Option<&str>) -> Option<Unwound> {
        let file = self.file(path)?;
        let mut text = current.map(str::to_owned);
        let mut count = file.reaches(current.map(|text| sha256(text.as_bytes())).as_ref())?;
        while count > 0 {
            let Difference { before, after, hunks } = &file.differences[count - 1];
            if text.as_deref().map(|text| sha256(text.as_bytes())) != *after {
                return Some(Unwound { text, is_original: false });
            }
            text = match (before, text) {
                (None, _) => None,
                (Some(before), Some(mut text)) => {
                    let is_undone = hunks.iter().rev().all(|hunk| hunk.undo(&mut text));
                    if !is_undone || sha256(text.as_bytes()) != *before {
                        return None;
                    }
                    Some(text)
                }
                (Some(_), None) => return None,
            };
            count -= 1;
        }
        Some(Unwound { text, is_original: file.is_whole })
    }

    /// Puts back what ours replaced, wherever ours still stands as it was put in, in a file that was edited since.
    pub(crate) fn put_back(&self, path: &Path, text: &str) -> Vec<(String, String)> {
        let hunks = self.file(path).into_iter().flat_map(|file| file.differences.iter().rev());
        let replaced = hunks.flat_map(|difference| difference.hunks.iter().rev());
        let replaced = replaced.filter(|hunk| !hunk.removed.trim().is_empty() && !hunk.inserted.trim().is_empty());
        let unique = replaced.filter(|hunk| text.matches(hunk.inserted.as_str()).count() == 1);
        unique.map(|hunk| (hunk.inserted.clone(), hunk.removed.clone())).collect()
    }
}

impl FileRecord {
    /// How many of the differences lead to this content. A crash may have come between noting and writing, so the
    /// content before a difference counts as well.
    fn reaches(&self, content: Option<&String>) -> Option<usize> {
        let after = self.differences.iter().rposition(|difference| difference.after.as_ref() == content);
        let before = || self.differences.iter().rposition(|difference| difference.before.as_ref() == content);
        after.map(|index| index + 1).or_else(before)
    }
}
