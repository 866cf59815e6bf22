//! Which directories and files are no longer as an index has them.
//!
//! A look at a name costs a microsecond, and there are thousands of them, so several threads share them. Names are
//! looked up from the directory of all tasks down, and the last part of a path is never followed. A link put in the
//! middle of one shows at the directory it took the place of: that has another inode.

use std::collections::HashSet;
use std::ops::Range;

use handoff_model::id::TaskId;

use super::Index;
use super::entry::{Entry, HAS_FILE};
use crate::layout::TASK_FILE;
use crate::several::shares_of;
use crate::stop::Stop;
use crate::task::tree::Key;

/// The files that are looked at beside those of tasks that are not finished.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Looked<'a> {
    At(&'a HashSet<TaskId>),
    /// None: of finished tasks only how many there are is wanted
    AtNoMore,
    /// All of them, as a sweep does
    Everywhere,
}

/// A directory that is not as it was, or may not be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Doubt {
    pub(crate) key: Key,
    /// Whether its names are in doubt too, not only the file of its task
    pub(crate) names: bool,
}

/// Fewer than this are looked at before another thread has started.
const WORTH_A_THREAD: usize = 512;

impl Index {
    /// What is not as it was, in the order of the entries; `None` when the index says what cannot be.
    pub(crate) fn doubts(&self, looked: Looked<'_>, stop: &Stop) -> Option<Vec<Doubt>> {
        self.doubts_while(looked, stop, || ()).map(|(doubts, ())| doubts)
    }

    /// The same, with something else done meanwhile.
    pub(crate) fn doubts_while<T>(
        &self,
        looked: Looked<'_>,
        stop: &Stop,
        meanwhile: impl FnOnce() -> T,
    ) -> Option<(Vec<Doubt>, T)> {
        let look = |share: Range<usize>, doubts: &mut Vec<Doubt>| self.look(share, looked, doubts);
        let (mut doubts, done) = shares_of(self.count, WORTH_A_THREAD, stop, look, meanwhile)?;
        doubts.sort_unstable();
        Some((doubts, done))
    }

    /// Looks at one share.
    fn look(&self, share: Range<usize>, looked: Looked<'_>, doubts: &mut Vec<Doubt>) -> Option<()> {
        let mut path = self.path(share.start)?;
        // How long the path of the directory at each depth is
        let mut ends = vec![0];
        ends.extend(path.iter().enumerate().filter(|(_, byte)| **byte == b'/').map(|(place, _)| place));
        for key in share {
            let entry = self.entry(key)?;
            let depth = usize::from(entry.depth());
            if depth > 0 {
                ends.truncate(depth);
                path.truncate(*ends.get(depth - 1)?);
                if depth > 1 {
                    path.push(b'/');
                }
                path.extend(self.name(entry)?);
                ends.push(path.len());
            }
            doubts.extend(self.doubt(key, entry, &mut path, looked));
        }
        Some(())
    }

    fn doubt(&self, key: Key, entry: Entry<'_>, path: &mut Vec<u8>, looked: Looked<'_>) -> Option<Doubt> {
        let directory = entry.settled_directory();
        if directory.is_none() || self.tasks.stamp_below(path) != directory {
            return Some(Doubt { key, names: true });
        }
        if !entry.has(HAS_FILE) {
            return None;
        }
        let Some(file) = entry.settled_file() else { return Some(Doubt { key, names: false }) };
        let is_looked_at = !entry.is_finished()
            || match looked {
                Looked::Everywhere => true,
                Looked::AtNoMore => false,
                Looked::At(ids) => !ids.is_empty() && entry.id().is_some_and(|id| ids.contains(&id)),
            };
        if !is_looked_at {
            return None;
        }
        let length = path.len();
        if length > 0 {
            path.push(b'/');
        }
        path.extend(TASK_FILE.as_bytes());
        let now = self.tasks.stamp_below(path);
        path.truncate(length);
        (now != Some(file)).then_some(Doubt { key, names: false })
    }
}
