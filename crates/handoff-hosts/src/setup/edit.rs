//! Editing a file of somebody else's: only what is ours is put in, changed or taken out.
//!
//! **Invariant:** every change is a splice of exactly the bytes that have to differ, and is written down as a [`Hunk`], so
//! that it can be taken back byte for byte. A file that cannot be understood is refused as it is.

pub(crate) mod block;
pub(crate) mod json;
mod json_text;
pub(crate) mod lines;
pub(crate) mod toml;

use std::ops::Range;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// One splice: at this byte, this was replaced by that.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hunk {
    pub at: usize,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub removed: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub inserted: String,
}

impl Hunk {
    fn ends_at(&self) -> usize {
        self.at + self.inserted.len()
    }

    /// Takes the splice back, if the text still has at that place what was put in.
    pub(crate) fn undo(&self, text: &mut String) -> bool {
        if text.get(self.at..self.ends_at()) != Some(&self.inserted) {
            return false;
        }
        text.replace_range(self.at..self.ends_at(), &self.removed);
        true
    }
}

/// A text that is being edited, and what was done to it so far.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Draft {
    pub(crate) text: String,
    pub(crate) hunks: Vec<Hunk>,
}

impl Draft {
    pub(crate) fn new(text: impl Into<String>) -> Draft {
        Draft { text: text.into(), hunks: Vec::new() }
    }

    /// Replaces a part of the text. What stays the same at both ends of it is no part of the hunk.
    pub(crate) fn replace(&mut self, range: Range<usize>, with: &str) {
        let old = &self.text[range.clone()];
        let start = common(old.chars(), with.chars());
        let end = common(old[start..].chars().rev(), with[start..].chars().rev());
        let (removed, inserted) = (&old[start..old.len() - end], &with[start..with.len() - end]);
        if removed.is_empty() && inserted.is_empty() {
            return;
        }
        let hunk = Hunk { at: range.start + start, removed: removed.to_owned(), inserted: inserted.to_owned() };
        self.text.replace_range(hunk.at..hunk.at + removed.len(), inserted);
        self.hunks.push(hunk);
    }

    pub(crate) fn insert(&mut self, at: usize, text: &str) {
        self.replace(at..at, text);
    }

    pub(crate) fn remove(&mut self, range: Range<usize>) {
        self.replace(range, "");
    }

    /// The line end that this text uses.
    pub(crate) fn line_end(&self) -> &'static str {
        if self.text.contains("\r\n") { "\r\n" } else { "\n" }
    }

    /// The start of the line that a byte is in.
    pub(crate) fn line_start(&self, at: usize) -> usize {
        self.text[..at].rfind('\n').map_or(0, |newline| newline + 1)
    }

    /// The line that a byte is in, counted from 1.
    pub(crate) fn line_number(&self, at: usize) -> usize {
        1 + self.text[..at].matches('\n').count()
    }
}

/// How many bytes two texts have in common from here on.
fn common(one: impl Iterator<Item = char>, other: impl Iterator<Item = char>) -> usize {
    one.zip(other).take_while(|(a, b)| a == b).map(|(a, _)| a.len_utf8()).sum()
}

/// Why a file is left as it is.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    #[error("it cannot be read: {0}")]
    Unreadable(String),
    #[error("it is no valid {language}: line {line}, column {column}: {reason}")]
    Invalid { language: &'static str, line: usize, column: usize, reason: String },
    #[error("`{at}` is {found} where {expected} is expected")]
    Shape { at: String, found: &'static str, expected: &'static str },
    #[error("`{at}` stands there twice")]
    Twice { at: String },
    #[error("{what} (line {line})")]
    Marks { what: &'static str, line: usize },
    #[error("`{at}` is something else than handoff")]
    Taken { at: String },
    #[error("a file with that name is there that handoff did not write")]
    NotOurs,
    #[error("it leads out of the project, to {}", .0.display())]
    LeadsOut(PathBuf),
    #[error("the change would not come out as meant")]
    Unsafe,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hunk_holds_only_what_differs() {
        let mut draft = Draft::new("größe = 'alt'\n");
        draft.replace(0..15, "größe = 'halt'");
        assert_eq!(draft.text, "größe = 'halt'\n");
        assert_eq!(draft.hunks, [Hunk { at: 11, removed: String::new(), inserted: "h".to_owned() }]);
        draft.replace(0..4, "grö");
        assert_eq!(draft.hunks.len(), 1, "what stays the same is no change");
    }

    #[test]
    fn hunks_are_taken_back_in_reverse() {
        let mut draft = Draft::new("one two three");
        draft.replace(4..7, "2");
        draft.insert(0, "zero ");
        draft.remove(7..11);
        let mut text = draft.text.clone();
        assert!(draft.hunks.iter().rev().all(|hunk| hunk.undo(&mut text)));
        assert_eq!(text, "one two three");
        assert!(!draft.hunks[0].undo(&mut "something else".to_owned()));
    }
}
