//! The words of all records, kept for full-text search.
//!
//! A cache like the index: whoever had to take in much writes it, if nobody must be waited for. What it says is only
//! believed of records that still have the mark they had.

use handoff_model::rev::Rev;

use super::Store;
use crate::layout::{MEMORY_WORDS, TASK_FILE, WORDS};
use crate::root::join;
use crate::task::forest::Node;

/// More than this was not written here.
const LARGEST: usize = 1024 * 1024 * 1024;

/// The records whose words are kept in one file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RecordWords {
    /// Tasks and sessions
    Work,
    Memories,
}

impl RecordWords {
    fn path(self) -> &'static str {
        match self {
            RecordWords::Work => WORDS,
            RecordWords::Memories => MEMORY_WORDS,
        }
    }
}

impl Store {
    /// The bytes that were kept, if any were.
    pub fn kept_words(&self, of: RecordWords) -> Option<Vec<u8>> {
        if !self.uses_index {
            return None;
        }
        self.root.read_up_to(of.path(), LARGEST).ok().flatten()
    }

    /// Keeps bytes for the next time. Where that is not possible, the next time takes longer.
    pub fn keep_words(&self, of: RecordWords, bytes: &[u8]) {
        self.keep_index(usize::MAX, || self.root.replace_loose(of.path(), bytes));
    }

    /// Whether the file of a task still says what was read.
    pub fn still_says(&self, node: &Node) -> bool {
        let text = self.root.read(&join(node.dir(), TASK_FILE)).ok().flatten();
        text.is_some_and(|text| Rev::of(&text).as_number() == node.mark())
    }
}
