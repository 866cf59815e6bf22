//! Reading tasks by the index, and keeping it.
//!
//! Whoever had to read much writes the index anew, so that the next need not. That may be a reader too: it is the one
//! trace readers leave, under the lock if that is free, and nothing depends on whether it succeeds. A writer does not
//! touch the index: what it changed shows by the stamps, and is read again until somebody has read enough.

use std::collections::HashSet;
use std::io;
use std::time::Duration;

use super::Store;
use crate::error::Result;
use crate::index::{self, Doubt, Index, Looked, Quiet};
use crate::layout::{INDEX, TASK_FILE, TASKS};
use crate::lock::Lock;
use crate::root::join;
use crate::sys::Handle;
use crate::task::read::Reader;
use crate::task::scan::Scan;
use crate::task::tree::Tree;

/// As many files and directories are read again and again rather than write an index.
pub(crate) const WORTH_KEEPING: usize = 256;

impl Store {
    /// Reads every file as if there were no index, and leaves it alone.
    #[must_use]
    pub fn without_index(mut self) -> Store {
        self.uses_index = false;
        self
    }

    pub(crate) fn uses_index(&self) -> bool {
        self.uses_index
    }

    /// Looks at every file and directory, tells which files were changed without anything but they themselves showing
    /// it, and puts the index right. Those are the edits that an answer may not have seen.
    pub fn sweep(&self) -> Result<Vec<String>> {
        let cold = self.stale_in_index()?;
        if !cold.is_empty() {
            self.rebuild_index()?;
        }
        Ok(cold)
    }

    /// The files that were changed without anything but they themselves showing it. Changes nothing.
    pub(crate) fn stale_in_index(&self) -> Result<Vec<String>> {
        let sessions = self.stale_sessions();
        let Some(index) = Index::open(&self.root) else { return Ok(sessions) };
        let unseen = HashSet::new();
        let seen = index.doubts(Looked::At(&unseen), &self.stop).unwrap_or_default();
        let all = index.doubts(Looked::Everywhere, &self.stop).unwrap_or_default();
        self.stop.check()?;
        let tree = index.tree().unwrap_or_default();
        let cold = all.into_iter().filter(|doubt| seen.binary_search_by_key(&doubt.key, |seen| seen.key).is_err());
        let tasks = cold.map(|Doubt { key, .. }| join(&tree.path(key).0, TASK_FILE));
        Ok(tasks.chain(sessions).collect())
    }

    /// Takes the index away: the next one who reads much makes it anew.
    pub fn forget_index(&self) {
        let _ = self.root.remove_file(INDEX);
    }

    /// Reads everything and writes the index anew, unless somebody else is writing.
    pub fn rebuild_index(&self) -> Result<()> {
        self.rebuild_session_index();
        let Ok(dir) = self.root.dir(TASKS) else { return Ok(()) };
        let tree = Reader::new(&self.stop).in_bulk().tree(&dir, TASKS, 0)?;
        self.keep_index(usize::MAX, || index::keep(&self.root, &tree));
        Ok(())
    }

    /// The tasks as they are now.
    pub(super) fn scan(&self, dir: &Handle, looked: Looked<'_>) -> Result<Scan> {
        if self.uses_index
            && let Some(scan) = self.indexed_scan(looked)
        {
            return Ok(scan);
        }
        Ok(self.read_tree(dir, looked)?.scan_below())
    }

    /// The tasks as the index has them, with what changed since, as long as that is little.
    fn indexed_scan(&self, looked: Looked<'_>) -> Option<Scan> {
        let index = Index::open(&self.root)?;
        let quiet = if matches!(looked, Looked::AtNoMore) { Quiet::Counted } else { Quiet::Told };
        let (doubts, tasks) = index.doubts_while(looked, &self.stop, || index.tasks(quiet))?;
        let is_little = |count: usize| count < WORTH_KEEPING && !self.stop.is_due();
        if !is_little(doubts.len()) {
            return None;
        }
        let (scan, fresh) = index
            .scan(tasks?, &doubts, quiet, &self.stop)
            .or_else(|| index.scan(Vec::new(), &doubts, Quiet::Told, &self.stop))?;
        is_little(fresh).then_some(scan)
    }

    /// The directories of the tasks as they are now.
    fn read_tree(&self, dir: &Handle, looked: Looked<'_>) -> Result<Tree> {
        if self.uses_index
            && let Some((tree, fresh)) = self.indexed_tree(dir, looked)
        {
            self.keep_index(fresh, || index::keep(&self.root, &tree));
            return Ok(tree);
        }
        self.stop.check()?;
        let mut reader = Reader::new(&self.stop).in_bulk();
        let tree = reader.tree(dir, TASKS, 0)?;
        self.keep_index(reader.fresh, || index::keep(&self.root, &tree));
        Ok(tree)
    }

    /// The directories as the index has them, with what changed since, and how much that was. `None` where there is no
    /// use in the index, or things changed while they were looked at.
    fn indexed_tree(&self, dir: &Handle, looked: Looked<'_>) -> Option<(Tree, usize)> {
        let index = Index::open(&self.root)?;
        let (doubts, tree) = index.doubts_while(looked, &self.stop, || index.tree())?;
        let mut tree = tree?;
        let mut reader = Reader::new(&self.stop);
        reader.mend(&mut tree, dir, &doubts).ok()?;
        Some((tree, reader.fresh))
    }

    /// Writes the index, if so much was read that it is worth it and nobody must be waited for.
    pub(crate) fn keep_index(&self, fresh: usize, keep: impl FnOnce() -> io::Result<()>) {
        if fresh < WORTH_KEEPING || !self.uses_index || self.stop.is_due() {
            return;
        }
        let lock = match self.lock {
            Some(_) => None,
            None => match Lock::take(&self.root, "keeping the index", Duration::ZERO, &self.stop) {
                Ok(lock) => Some(lock),
                Err(_) => return,
            },
        };
        // It can be made anew at any time, so nobody has to know that it was not.
        let _ = keep();
        drop(lock);
    }
}
