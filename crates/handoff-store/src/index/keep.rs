//! Writing an index of what was read.

use std::collections::HashSet;
use std::io;

use handoff_model::MAX_DEPTH;
use handoff_model::checksum::checksum;
use handoff_model::id::TaskId;

use super::Header;
use super::entry::{DIRECTORY_SETTLED, FILE_SETTLED, HAS_DIRECTORIES, HAS_FILE, NewEntry, SIZE, put_below, put_quiet};
use super::pack::{pack_task, pack_trouble};
use crate::layout::INDEX;
use crate::packed::{Packer, short_checksum};
use crate::root::Root;
use crate::task::dir::Said;
use crate::task::tree::{Branch, Key, Tree, Trouble};

/// Puts an index of what was read in the place of the one before. Only the holder of the lock does, and nobody depends
/// on it: it is not even made sure that it reaches the disk.
pub(crate) fn keep(root: &Root, tree: &Tree) -> io::Result<()> {
    let Some(store) = root.handle().identity() else { return Ok(()) };
    let mut draft = Draft { copied: copied_ids(tree), is_told_by_places: is_told_by_places(tree), ..Draft::default() };
    if let Some(top) = tree.top {
        draft.add(tree, top, 0, 0).ok_or_else(|| io::Error::from(io::ErrorKind::FileTooLarge))?;
    }
    let Draft { entries, heap, bodies, count, .. } = draft;
    let mut body = entries;
    let (heap_length, bodies_length) = (heap.0.len() as u64, bodies.len() as u64);
    body.extend(heap.0);
    let header = Header { count, heap: heap_length, bodies: bodies_length, sum: checksum(&body), store };
    root.replace_loose(INDEX, &[header.write(), body, bodies].concat())
}

#[derive(Default)]
struct Draft {
    entries: Vec<u8>,
    heap: Packer,
    bodies: Vec<u8>,
    count: u64,
    /// Ids that several tasks have
    copied: HashSet<TaskId>,
    is_told_by_places: bool,
}

impl Draft {
    /// Adds a directory and all below it, and tells whether nothing is to be said of it beside other quiet ones; `None`
    /// when it is more than an index can hold.
    fn add(&mut self, tree: &Tree, key: Key, depth: u8, above: u32) -> Option<bool> {
        let Some(branch) = tree.get(key) else { return Some(false) };
        let mut entry = self.entry(branch, depth)?;
        entry.above(above);
        let (number, at) = (u32::try_from(self.count).ok()?, self.entries.len());
        self.entries.extend(entry.0);
        self.count += 1;
        let is_numbered = are_numbered(tree, branch);
        let mut is_quiet = self.is_plain(branch, depth);
        for child in &branch.below {
            let at = self.entries.len();
            let is_child_quiet = self.add(tree, *child, depth.checked_add(1)?, number)? && is_numbered;
            if is_child_quiet {
                put_quiet(&mut self.entries[at..at + SIZE]);
            }
            is_quiet &= is_child_quiet;
        }
        let below = u32::try_from(self.count).ok()? - number - 1;
        put_below(&mut self.entries[at..at + SIZE], below);
        Some(is_quiet)
    }

    /// Whether a task is finished and all that is said of it agrees.
    fn is_plain(&self, branch: &Branch, depth: u8) -> bool {
        let Branch { name, record, trouble, .. } = branch;
        let is_well = *trouble == Trouble::default() && record.trouble == Trouble::default();
        record.task.as_ref().is_some_and(|task| {
            let is_said = Said::by(name).status == Some(task.status);
            let is_one = self.is_told_by_places && !self.copied.contains(&task.id);
            is_well && is_said && is_one && task.status.is_finished() && usize::from(depth) <= MAX_DEPTH
        })
    }

    fn entry(&mut self, branch: &Branch, depth: u8) -> Option<NewEntry> {
        let Branch { name, above: _, below: _, record, trouble, has_directories, stamp, watch: _ } = branch;
        let mut entry = NewEntry::new(depth, record.mark);
        // What failed may be well another time, so it is looked at in any case.
        entry.flag(DIRECTORY_SETTLED, stamp.is_some() && trouble.failed.is_none());
        entry.flag(FILE_SETTLED, record.stamp.is_some() && record.trouble.failed.is_none());
        entry.flag(HAS_DIRECTORIES, *has_directories);
        entry.flag(HAS_FILE, record.is_there);
        entry.stamps(*stamp, record.stamp);
        entry.name(self.heap_at()?, name.len().try_into().ok()?, Said::by(name));
        self.heap.0.extend(name.as_bytes());
        let dependencies = record.task.as_ref().map_or(&[][..], |task| &task.dependencies);
        if !dependencies.is_empty() || !trouble.problems.is_empty() || !record.trouble.problems.is_empty() {
            let at = self.heap_at()?;
            self.heap.list(dependencies, |to, id| to.id(*id));
            pack_trouble(&mut self.heap, trouble);
            pack_trouble(&mut self.heap, &record.trouble);
            entry.more(at, self.heap_at()? - at);
        }
        if let Some(task) = &record.task {
            entry.say(task);
            // The bytes an older index has, or made anew.
            let body = task.body().unwrap_or_else(|| pack_task(task));
            entry.body(self.bodies.len() as u64, body.len().try_into().ok()?, short_checksum(&body));
            self.bodies.extend(body);
        }
        Some(entry)
    }

    fn heap_at(&self) -> Option<u32> {
        self.heap.0.len().try_into().ok()
    }
}

/// Whether the directories in one are all of tasks, each with a number of its own by its name.
fn are_numbered(tree: &Tree, branch: &Branch) -> bool {
    let ordinal = |key: &Key| {
        let child = tree.get(*key)?;
        child.record.task.as_ref()?;
        Said::by(&child.name).ordinal
    };
    let ordinals: Option<Vec<u32>> = branch.below.iter().map(ordinal).collect();
    ordinals.is_some_and(|mut ordinals| {
        ordinals.sort_unstable();
        ordinals.windows(2).all(|pair| pair[0] != pair[1])
    })
}

/// Whether directories alone tell what lies where: no task says by a field where it belongs.
fn is_told_by_places(tree: &Tree) -> bool {
    tree.tasks().all(|task| task.parent.is_none() && task.number.is_none())
}

fn copied_ids(tree: &Tree) -> HashSet<TaskId> {
    let mut ids: Vec<TaskId> = tree.tasks().map(|task| task.id).collect();
    ids.sort_unstable();
    ids.windows(2).filter(|pair| pair[0] == pair[1]).map(|pair| pair[0]).collect()
}
