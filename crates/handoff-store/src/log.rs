//! The operation log: what was changed, by whom, and what was there before.
//!
//! **Invariant:** the log is a witness, never the truth. It is appended to after the change is on disk, without a sync, so
//! what a power cut takes from it only means that this change cannot be taken back. That something was taken back is known
//! from the log alone; such an entry is on disk before the change counts. Every entry has a checksum, and what
//! an entry says was written is compared with what lies there before anything is taken back.
//!
//! It lies in segments named by the number of their first entry. Appending touches the last one only, whatever the size of
//! the rest; the oldest go as a whole when a new one is begun.

use std::io;

use handoff_model::history::ChangeId;
use handoff_model::when::Moment;
use serde::{Deserialize, Serialize};

use crate::error::StoreError;
use crate::layout::LOG;
use crate::root::{Root, is_absent};
use crate::step::Step;
use crate::store::Store;

mod ahead;
mod entry;
mod history;
mod plan;
mod segment;

pub use entry::{Entry, Head, Kind};
pub(crate) use entry::{LoggedStep, came_from};
pub use history::{History, Logged, State};
pub use plan::Undo;
use segment::Segment;

/// Who makes a change, when, and through which door.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Signature {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<Moment>,
    /// Who is written down as acting
    #[serde(default)]
    pub by: String,
    /// `cli`, `mcp`, `http` or `hook`
    #[serde(default)]
    pub door: String,
    /// The tool the agent runs in
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// The operation, such as `task.update`
    #[serde(default)]
    pub operation: String,
}

/// Entries of one segment.
const ENTRIES: u64 = 50;
/// A segment of so many bytes gets no further entry.
const SEGMENT_BYTES: u64 = 1024 * 1024;
/// An entry larger than this is kept without what was there before.
const ENTRY_BYTES: usize = 24 * 1024 * 1024;
/// What is kept altogether.
const MOST_ENTRIES: u64 = 1_000;
const MOST_BYTES: u64 = 64 * 1024 * 1024;

/// Whether an entry must outlive a power failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Durability {
    Loose,
    Synced,
}

/// The log of one store. Whoever appends holds the lock.
pub(crate) struct Log<'a> {
    root: &'a Root,
}

impl<'a> Log<'a> {
    pub(crate) fn new(root: &'a Root) -> Log<'a> {
        Log { root }
    }

    /// The segments, the oldest first.
    pub(crate) fn segments(&self) -> io::Result<Vec<Segment>> {
        let entries = match self.root.dir(LOG).and_then(|dir| dir.list()) {
            Ok(entries) => entries,
            // Where something else stands there is no log either; the doctor says so.
            Err(error) if is_absent(&error) || error.kind() == io::ErrorKind::InvalidInput => return Ok(Vec::new()),
            Err(error) => return Err(error),
        };
        let mut segments: Vec<Segment> = entries.iter().filter_map(|entry| Segment::named(&entry.name)).collect();
        segments.sort_unstable();
        Ok(segments)
    }

    /// The number the next entry gets.
    pub(crate) fn next_number(&self) -> io::Result<u64> {
        Ok(self.segments()?.last().map_or(1, |segment| segment.last_number(self.root) + 1))
    }

    /// Adds an entry.
    pub(crate) fn append(&self, entry: &Entry) -> io::Result<()> {
        self.append_as(entry, Durability::Loose)
    }

    /// Adds an entry for these steps, on disk before this returns.
    pub(crate) fn append_synced(&self, head: &Head, steps: &[Step]) -> io::Result<()> {
        let mut entry = Entry::of(head.clone(), steps);
        entry.name_tasks(self.root);
        self.append_as(&entry, Durability::Synced)
    }

    fn append_as(&self, entry: &Entry, durability: Durability) -> io::Result<()> {
        let line = entry.line();
        let segments = self.segments()?;
        let size = line.len() as u64;
        if let Some(last) = segments.last().filter(|last| last.has_room(self.root, entry.head.number, size)) {
            return last.append(self.root, &line, durability);
        }
        self.root.private_dir_made(LOG)?;
        let first = entry.head.number.max(segments.last().map_or(0, |last| last.first + 1));
        Segment { first }.append(self.root, &line, durability)?;
        if durability == Durability::Synced {
            self.root.sync_dir(LOG)?;
        }
        self.trim(&segments, size);
        Ok(())
    }

    /// Adds an entry that may stand there already, as the last or nearly so.
    pub(crate) fn append_once(&self, head: &Head, steps: &[Step]) -> io::Result<()> {
        let is_there = self.segments()?.iter().rev().take(2).any(|segment| {
            let read = segment.read(self.root);
            read.is_ok_and(|read| read.entries.iter().any(|entry| entry.head.id == head.id))
        });
        if is_there { Ok(()) } else { self.append_synced(head, steps) }
    }

    /// Lets the oldest go, so that what stays has room to grow by another segment. Failing to is made good next time.
    fn trim(&self, before: &[Segment], begun: u64) {
        let (mut entries, mut bytes) = (ENTRIES, begun.max(SEGMENT_BYTES) + SEGMENT_BYTES);
        for (index, segment) in before.iter().enumerate().rev() {
            let next = before.get(index + 1).map_or(segment.first + ENTRIES, |next| next.first);
            entries += next - segment.first;
            bytes += segment.size(self.root);
            if entries > MOST_ENTRIES || bytes > MOST_BYTES {
                segment.remove(self.root);
            }
        }
    }
}

impl Store {
    /// Says who makes the change that is staged, for the log.
    pub fn sign(&mut self, signature: Signature) {
        self.signature = signature;
    }

    /// Why the last change could not be written to the log, if it could not: it is made, and cannot be taken back.
    pub fn take_log_failure(&mut self) -> Option<StoreError> {
        self.log_failure.take()
    }

    /// What the log will say of a change, before it is made.
    pub(crate) fn head_of(&self, kind: Kind, steps: &[Step]) -> Head {
        let number = Log::new(&self.root).next_number().unwrap_or(1);
        let signature = self.signature.clone();
        let names: Vec<String> = steps.iter().flat_map(Step::names).collect();
        let written = serde_json::to_vec(&(number, &kind, &signature, names)).expect("a head is plain data");
        Head { number, id: ChangeId::of(&written), kind, signature }
    }

    /// Writes down what was done, unless that happened with the commit.
    pub(crate) fn log(&mut self, head: Head, steps: &[Step]) {
        if steps.is_empty() || head.is_reversal() {
            return;
        }
        let mut entry = Entry::of(head, steps);
        entry.name_tasks(&self.root);
        let appended = Log::new(&self.root).append(&entry);
        self.log_failure = appended.err().map(|source| StoreError::write(LOG, source));
    }
}

#[cfg(test)]
mod tests;
