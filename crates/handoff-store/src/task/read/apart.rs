//! Reading what lies in one directory on several threads.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::{Hands, Reader, is_ours};
use crate::several::at_once;
use crate::sys::{Handle, Listed};
use crate::task::tree::Tree;

/// Fewer are read before another thread has started.
const WORTH_A_THREAD: usize = 32;

impl Reader<'_> {
    /// Reads directories apart from each other, where there are many. Those that could not be read so are left for
    /// another attempt.
    pub(super) fn read_apart(&mut self, dir: &Handle, entries: &[Listed], depth: usize) -> HashMap<String, Tree> {
        if self.hands != Hands::Several || entries.len() < WORTH_A_THREAD {
            return HashMap::new();
        }
        let (stop, clock, next) = (self.stop, self.clock, AtomicUsize::new(0));
        let work = || {
            let mut reader = Reader { clock, hands: Hands::OneOfSeveral, ..Reader::new(stop) };
            let mut read = Vec::new();
            while let Some(entry) = entries.get(next.fetch_add(1, Ordering::Relaxed)) {
                let mut tree = Tree::default();
                let inner = if is_ours(entry) { dir.open_dir(&entry.name).ok() } else { None };
                tree.top = inner
                    .and_then(|inner| reader.directory(&mut tree, &inner, &entry.name, None, depth + 1, None).ok());
                if tree.top.is_some() {
                    read.push((entry.name.clone(), tree));
                }
            }
            (read, reader.fresh)
        };
        let (shares, ()) = at_once(true, work, || ());
        let shares: Vec<_> = shares.into_iter().flatten().collect();
        self.fresh += shares.iter().map(|(_, fresh)| fresh).sum::<usize>();
        self.found_changes = true;
        shares.into_iter().flat_map(|(read, _)| read).collect()
    }
}
