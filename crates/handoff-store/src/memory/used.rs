//! When memories were used, on this machine only: a line for each answer, as many as are worth keeping.

use crate::error::Result;
use crate::line_log::LineLog;
use crate::store::Store;

const LOG: LineLog = LineLog { file: "memory-use.jsonl", before: "memory-use.jsonl.1" };

impl Store {
    /// Adds a line. A crash may lose it and nothing else.
    pub fn note_memory_use(&self, line: &str) -> Result<()> {
        LOG.add(&self.root, line)
    }

    /// The lines, the oldest first. Nothing depends on those that cannot be read.
    pub fn memory_use_notes(&self) -> Vec<String> {
        LOG.lines(&self.root).0
    }
}
