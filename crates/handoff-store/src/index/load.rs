//! An index as the tree of directories it was made from.

use std::sync::Arc;

use handoff_model::id::TaskId;

use super::Index;
use super::entry::{Entry, HAS_DIRECTORIES};
use super::pack::unpack_trouble;
use crate::packed::Unpacker;
use crate::sys::check_name;
use crate::task::tree::{Branch, Tree, Trouble};

impl Index {
    /// The directories as they were; the place of each among the entries is its key. `None` when it says what
    /// cannot be.
    pub(crate) fn tree(self: &Arc<Index>) -> Option<Tree> {
        let mut branches: Vec<Branch> = Vec::with_capacity(self.count);
        // The directory each depth was last seen at
        let mut path: Vec<usize> = Vec::new();
        for number in 0..self.count {
            let entry = self.entry(number)?;
            let depth = usize::from(entry.depth());
            if depth > path.len() || (depth == 0) != (number == 0) {
                return None;
            }
            path.truncate(depth);
            let branch = self.branch(number, entry, path.last().copied())?;
            if let Some(above) = path.last() {
                let above = branches.get_mut(*above)?;
                above.below.push(number);
            }
            branches.push(branch);
            path.push(number);
        }
        Some(Tree::of(branches))
    }

    fn branch(self: &Arc<Index>, number: usize, entry: Entry<'_>, above: Option<usize>) -> Option<Branch> {
        let name = std::str::from_utf8(self.name(entry)?).ok()?;
        check_name(name).ok()?;
        let (record, trouble) = self.known(entry, self.task(number, entry)?)?;
        Some(Branch {
            name: name.to_owned(),
            above,
            below: Vec::new(),
            record,
            trouble,
            has_directories: entry.has(HAS_DIRECTORIES),
            stamp: entry.settled_directory(),
            watch: None,
        })
    }

    /// Dependencies, and what is wrong with a directory and with the file in it.
    pub(super) fn more(&self, entry: Entry<'_>) -> Option<(Vec<TaskId>, Trouble, Trouble)> {
        let (at, length) = entry.more();
        if length == 0 {
            return Some(Default::default());
        }
        let mut from = Unpacker(self.heap(at, length)?);
        Some((from.list(Unpacker::id)?, unpack_trouble(&mut from)?, unpack_trouble(&mut from)?))
    }
}
