//! The operation log: what was changed, by whom, and what was there before.
//!
//! **Invariant:** the log is a witness, never the truth: what an entry says was written is compared with what lies there
//! before anything is taken back. Every entry has a checksum.
//!
//! **Invariant:** an entry is written before its change, and is on disk before it, so that no change can be there whose
//! entry is lost. The one exception is a new task, which has no sync to spare: its own `created_at` tells that it is newer
//! than the log (see `unlogged.rs`). After the change the entry is settled by an empty line behind it; one that is not
//! settled is compared with the disk by whoever takes the lock next, and dropped when its change was never made.
//!
//! It lies in segments named by the number of their first entry. Appending touches the last one only, whatever the size of
//! the rest; the oldest go as a whole when a new one is begun.

use std::io;

use handoff_model::history::ChangeId;
use handoff_model::when::Moment;
use serde::{Deserialize, Serialize};

use crate::commit::finish_move;
use crate::error::StoreError;
use crate::layout::{LOG, TASK_FILE};
use crate::root::{Root, is_absent, split};
use crate::step::Step;
use crate::store::Store;

mod ahead;
mod entry;
mod history;
mod plan;
mod segment;
mod unlogged;

use entry::Naming;
pub use entry::{Entry, Head, Kind};
pub(crate) use entry::{LoggedStep, came_from};
pub use history::{History, Logged, State};
pub use plan::Undo;
pub(crate) use segment::PendingEntry;
use segment::{Room, Segment};

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
const FULL: Room = Room { entries: ENTRIES, bytes: SEGMENT_BYTES };
/// What a segment holds at most while changes come that cannot afford the sync of a new name.
const OVERFULL: Room = Room { entries: 4 * ENTRIES, bytes: 4 * SEGMENT_BYTES };
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

/// What a change can spend on its entry: a change of one record makes three syncs at most.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Care {
    durability: Durability,
    room: Room,
}

impl Care {
    const SYNCED: Care = Care { durability: Durability::Synced, room: FULL };
    const LOOSE: Care = Care { durability: Durability::Loose, room: FULL };

    fn of(steps: &[Step]) -> Care {
        match steps {
            // Its file, its directory and the one above are synced.
            [Step::NewDir { name, .. }] if name == TASK_FILE => Care { durability: Durability::Loose, room: OVERFULL },
            [Step::Put { .. } | Step::NewDir { .. }] => Care { durability: Durability::Synced, room: OVERFULL },
            [Step::MoveDir { from, to }] if split(from).0 != split(to).0 => {
                Care { durability: Durability::Synced, room: OVERFULL }
            }
            _ => Care::SYNCED,
        }
    }
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

    /// Makes the log of a new store, so that no change has to pay for its first segment.
    pub(crate) fn create(&self) -> io::Result<()> {
        self.make_dir()?;
        if self.segments()?.is_empty() {
            Segment { first: 1 }.begin(self.root)?;
            self.root.sync_dir(LOG)?;
        }
        Ok(())
    }

    fn make_dir(&self) -> io::Result<()> {
        if !self.root.exists(LOG) {
            self.root.private_dir_made(LOG)?;
            self.root.sync_dir(split(LOG).0)?;
        }
        Ok(())
    }

    /// Adds the entry of a change that was made.
    pub(crate) fn append(&self, entry: &Entry) -> io::Result<()> {
        self.begin(entry, Care::LOOSE)?.settle()
    }

    /// Adds an entry for these steps, on disk before this returns.
    pub(crate) fn append_synced(&self, head: &Head, steps: &[Step]) -> io::Result<()> {
        let mut entry = Entry::of(head.clone(), steps);
        entry.name_tasks(self.root, Naming::AfterChange);
        self.begin(&entry, Care::SYNCED)?.settle()
    }

    /// Writes the entry of a change that is about to be made.
    fn begin(&self, entry: &Entry, Care { durability, room }: Care) -> io::Result<PendingEntry> {
        let line = entry.line();
        let segments = self.segments()?;
        let size = line.len() as u64;
        if let Some(last) = segments.last().filter(|last| last.has_room(self.root, entry.head.number, size, room)) {
            return last.append(self.root, &line, durability);
        }
        self.make_dir()?;
        let first = entry.head.number.max(segments.last().map_or(0, |last| last.first + 1));
        let pending = Segment { first }.append(self.root, &line, durability)?;
        // Also for an entry that may be lost: the ones behind it may not, and only their file is synced.
        self.root.sync_dir(LOG)?;
        self.trim(&segments, size);
        Ok(pending)
    }

    /// Drops what a crash cut short at the end.
    pub(crate) fn drop_torn(&self) -> io::Result<()> {
        self.segments()?.last().map_or(Ok(()), |last| last.drop_torn(self.root))
    }

    /// Drops the last entry when its change was announced and never made, and finishes a move of which only the new place
    /// reached the disk. To be asked when no journal is left. Tells whether an entry was dropped.
    pub(crate) fn settle_last(&self) -> io::Result<bool> {
        let is_unmade = |entry: &Entry| {
            for (from, to) in entry.moves() {
                let _ = finish_move(self.root, &from, &to);
            }
            entry.is_unmade(self.root)
        };
        // One that was retracted or dropped may have been the only one of its segment.
        let last = self.segments()?.into_iter().rev().find(|segment| segment.size(self.root) > 0);
        last.map_or(Ok(false), |last| last.settle_last(self.root, is_unmade))
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

    /// Writes down what is about to be done. A log that cannot be written does not stand in the way of the change.
    ///
    /// `planned` is what the commit does, `steps`, and what goes with it.
    pub(crate) fn announce(&self, head: &Head, steps: &[Step], planned: Vec<Step>) -> Option<Announced> {
        // What takes others back is written with its journal.
        if steps.is_empty() || head.is_reversal() {
            return None;
        }
        let care = Care::of(steps);
        let mut entry = Entry::of(head.clone(), &planned);
        entry.name_tasks(&self.root, Naming::BeforeChange);
        // Where this fails it is tried again after the change, which then reports the failure.
        let pending = Log::new(&self.root).begin(&entry, care).ok()?;
        Some(Announced { pending, steps: planned })
    }

    /// Writes down what was done, where that is not what was announced.
    pub(crate) fn log(&mut self, head: Head, announced: Option<Announced>, steps: &[Step]) {
        if steps.is_empty() || head.is_reversal() {
            return;
        }
        let written = match announced {
            Some(announced) if announced.steps == steps => announced.pending.settle(),
            announced => {
                let mut entry = Entry::of(head, steps);
                entry.name_tasks(&self.root, Naming::AfterChange);
                match announced {
                    Some(announced) => announced.pending.settle_as(&entry),
                    None => Log::new(&self.root).append(&entry),
                }
            }
        };
        self.log_failure = written.err().map(|source| StoreError::write(LOG, source));
    }
}

/// A change that stands in the log and is about to be made.
pub(crate) struct Announced {
    pending: PendingEntry,
    steps: Vec<Step>,
}

impl Announced {
    /// Takes it out of the log, unless the next command may have to finish it.
    pub(crate) fn retract(self, error: &StoreError) {
        if !matches!(error, StoreError::HalfDone { .. }) {
            // An entry that stays is compared with the disk by the next command.
            let _ = self.pending.retract();
        }
    }
}

#[cfg(test)]
mod tests;
