//! What a look into every directory would find, by an index and a look into those that are in doubt.

use std::sync::Arc;

use handoff_model::id::TaskId;

use super::Index;
use super::check::Doubt;
use super::entry::{Entry, HAS_DIRECTORIES, HAS_FILE, HAS_TASK, QUIET};
use crate::layout::TASKS;
use crate::root::join;
use crate::stop::Stop;
use crate::sys::Handle;
use crate::task::dir::{Dir, Said};
use crate::task::forest::Node;
use crate::task::lazy::LazyTask;
use crate::task::read::{Listing, Reader, is_same};
use crate::task::scan::{Above, Scan};
use crate::task::tree::{Key, Record, Trouble};

/// What becomes of finished tasks of which there is nothing to say but how many they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Quiet {
    Told,
    Counted,
}

/// A scan that is being put together.
struct Gathering<'a> {
    index: &'a Arc<Index>,
    tasks: Vec<Option<Arc<LazyTask>>>,
    /// In the order of their keys
    doubts: &'a [Doubt],
    quiet: Quiet,
    /// The entries that were only counted, without those below them
    counted: Vec<Key>,
    /// The tasks that were read anew, by their place in the scan
    fresh: Vec<usize>,
    /// The directories that came, by the entry of the one they came into and the number they tell
    came: Vec<(Key, Option<u32>)>,
    reader: Reader<'a>,
    scan: Scan,
}

impl Index {
    /// The task of each entry, if it has one and is wanted; `None` when one says what cannot be.
    pub(crate) fn tasks(self: &Arc<Index>, quiet: Quiet) -> Option<Vec<Option<Arc<LazyTask>>>> {
        let mut tasks = Vec::with_capacity(self.count);
        for number in 0..self.count {
            let entry = self.entry(number)?;
            let is_wanted = quiet == Quiet::Told || !entry.has(QUIET);
            tasks.push(if is_wanted { self.task(number, entry)? } else { None });
        }
        Some(tasks)
    }

    #[expect(clippy::option_option, reason = "what cannot be is something else than what is absent")]
    pub(super) fn task(self: &Arc<Index>, number: usize, entry: Entry<'_>) -> Option<Option<Arc<LazyTask>>> {
        if !entry.has(HAS_TASK) {
            return Some(None);
        }
        entry.task(self.more(entry)?.0, self.kept(number)).map(Some)
    }

    /// What an entry says of the file, and what is wrong with the directory.
    pub(super) fn known(&self, entry: Entry<'_>, task: Option<Arc<LazyTask>>) -> Option<(Record, Trouble)> {
        let (_, trouble, of_file) = self.more(entry)?;
        let (is_there, mark, stamp) = (entry.has(HAS_FILE), entry.mark(), entry.settled_file());
        Some((Record { is_there, task, mark, stamp, trouble: of_file }, trouble))
    }

    /// The scan, and how much was read for it, with those tasks that were understood already. `None` where things
    /// changed while they were looked at, something is to be said of tasks that were only counted, or the index says what
    /// cannot be.
    pub(crate) fn scan(
        self: &Arc<Index>,
        tasks: Vec<Option<Arc<LazyTask>>>,
        doubts: &[Doubt],
        quiet: Quiet,
        stop: &Stop,
    ) -> Option<(Scan, usize)> {
        let scan = Scan::with_room(if quiet == Quiet::Told { self.count } else { 0 });
        let (counted, fresh, came) = (Vec::new(), Vec::new(), Vec::new());
        let reader = Reader::new(stop).beside(&self.tasks);
        let mut gathering = Gathering { index: self, tasks, doubts, quiet, counted, fresh, came, reader, scan };
        gathering.directory(0, None)?;
        gathering.are_counted_quiet().then_some((gathering.scan, gathering.reader.fresh))
    }
}

impl Gathering<'_> {
    /// Takes in a directory and all below it; that of all tasks lies in none.
    fn directory(&mut self, key: Key, above: Option<Above>) -> Option<()> {
        if let Ok(place) = self.doubts.binary_search_by_key(&key, |doubt| doubt.key) {
            return self.doubtful(self.doubts[place], above);
        }
        let entry = self.index.entry(key)?;
        if self.quiet == Quiet::Counted && entry.has(QUIET) && !self.has_doubts_below(key, entry) {
            return self.count(key, entry);
        }
        let (record, trouble) = self.known(key, entry)?;
        if trouble != Trouble::default() {
            trouble.tell(&self.index.kept(key).dir(), &mut self.scan);
        }
        match above {
            None => self.below(key, entry, Above::TOP),
            Some(above) => match self.take(key, entry, record, above) {
                Some(below) => self.below(key, entry, below),
                None => Some(()),
            },
        }
    }

    fn known(&mut self, key: Key, entry: Entry<'_>) -> Option<(Record, Trouble)> {
        let task = match self.tasks.get_mut(key).and_then(Option::take) {
            Some(task) => Some(task),
            None => self.index.task(key, entry)?,
        };
        self.index.known(entry, task)
    }

    fn has_doubts_below(&self, key: Key, entry: Entry<'_>) -> bool {
        let first = self.doubts.partition_point(|doubt| doubt.key < key);
        self.doubts.get(first).is_some_and(|doubt| doubt.key <= key + entry.below())
    }

    /// Counts the tasks from an entry down.
    fn count(&mut self, key: Key, entry: Entry<'_>) -> Option<()> {
        for number in key..=key + entry.below() {
            *self.scan.aside.entry(self.index.entry(number)?.status()?).or_default() += 1;
        }
        self.counted.push(key);
        Some(())
    }

    /// Whether what was read anew has nothing to do with those that were only counted: no id twice, and every number
    /// told by a name.
    fn are_counted_quiet(&self) -> bool {
        if self.counted.is_empty() {
            return true;
        }
        let fresh = self.fresh.iter().map(|place| &self.scan.tasks[*place]);
        let is_plain = |node: &Node| node.task.number.is_none() && node.task.parent.is_none();
        let mut ids: Vec<TaskId> = fresh.clone().map(|node| node.task.id).collect();
        ids.sort_unstable();
        let below = |key: &Key| *key..=key + self.index.entry(*key).map_or(0, Entry::below);
        let mut counted = self.counted.iter().flat_map(below).filter_map(|key| self.index.entry(key)?.id());
        let is_known = |id: TaskId| ids.binary_search(&id).is_ok();
        let is_new = ids.is_empty() || !counted.any(is_known);
        is_new && self.scan.problems.is_empty() && fresh.clone().all(is_plain) && self.are_numbers_free()
    }

    /// Whether each directory that came tells a number that none of those beside it has that were only counted.
    fn are_numbers_free(&self) -> bool {
        let counted = self.counted.iter().filter_map(|key| self.index.entry(*key));
        let mut taken: Vec<(Key, Option<u32>)> = counted.map(|entry| (entry.above(), entry.said().ordinal)).collect();
        taken.sort_unstable();
        self.came.iter().all(|place| place.1.is_some() && taken.binary_search(place).is_err())
    }

    fn take(&mut self, key: Key, entry: Entry<'_>, record: Record, above: Above) -> Option<Above> {
        let dir = Dir::kept(self.index.kept(key));
        self.scan.take(record, entry.said(), dir, above, entry.has(HAS_DIRECTORIES))
    }

    fn below(&mut self, key: Key, entry: Entry<'_>, below: Above) -> Option<()> {
        for child in children(self.index, key, entry) {
            self.directory(child?, Some(below))?;
        }
        Some(())
    }

    /// Looks again at what an entry says.
    fn doubtful(&mut self, Doubt { key, names }: Doubt, above: Option<Above>) -> Option<()> {
        let entry = self.index.entry(key)?;
        let path = String::from_utf8(self.index.path(key)?).ok()?;
        let dir = self.index.tasks.descend(&path).ok()?;
        let (known, trouble) = self.known(key, entry)?;
        if !names {
            let record = self.reader.record(&dir, Some(&known));
            trouble.tell(&self.index.kept(key).dir(), &mut self.scan);
            self.fresh.extend(record.task.as_ref().map(|_| self.scan.tasks.len()));
            let below = self.take(key, entry, record, above?);
            return below.map_or(Some(()), |below| self.below(key, entry, below));
        }
        let mut listing = self.reader.look_again(&dir, entry.settled_directory(), &known, entry.depth().into()).ok()?;
        let path = if path.is_empty() { TASKS.to_owned() } else { join(TASKS, &path) };
        listing.trouble.tell(&path, &mut self.scan);
        let below = match above {
            None => Some(Above::TOP),
            Some(above) => {
                let said = entry.said();
                self.fresh.extend(listing.record.task.as_ref().map(|_| self.scan.tasks.len()));
                self.scan.take(
                    std::mem::take(&mut listing.record),
                    said,
                    path.clone().into(),
                    above,
                    listing.has_directories,
                )
            }
        };
        below.map_or(Some(()), |below| self.listed(key, entry, &dir, &path, listing, below))
    }

    /// Takes in those of a directory that was listed again: as the index says where they are the same still.
    fn listed(
        &mut self,
        key: Key,
        entry: Entry<'_>,
        dir: &Handle,
        path: &str,
        listing: Listing,
        below: Above,
    ) -> Option<()> {
        let index = self.index;
        let children: Vec<Key> = children(index, key, entry).collect::<Option<_>>()?;
        let name = |key: Key| index.entry(key).and_then(|entry| index.name(entry)).unwrap_or_default();
        for listed in listing.ours {
            let known = children.binary_search_by(|child| name(*child).cmp(listed.name.as_bytes())).ok();
            let known = known.map(|place| children[place]);
            let stamp = known.and_then(|child| index.entry(child)).and_then(Entry::settled_directory);
            if let Some(child) = known.filter(|_| is_same(dir, &listed, stamp)) {
                self.directory(child, Some(below))?;
            } else {
                let inner = dir.open_dir(&listed.name).ok()?;
                let depth = usize::from(entry.depth()) + 1;
                let tree = self.reader.tree(&inner, &join(path, &listed.name), depth).ok()?;
                let first = self.scan.tasks.len();
                tree.add_to(below, &mut self.scan);
                self.fresh.extend(first..self.scan.tasks.len());
                self.came.push((key, Said::by(&listed.name).ordinal));
            }
        }
        Some(())
    }
}

/// The entries of the directories in one, in the order of their names.
fn children(index: &Arc<Index>, key: Key, entry: Entry<'_>) -> impl Iterator<Item = Option<Key>> {
    let end = key + 1 + entry.below();
    let mut next = key + 1;
    std::iter::from_fn(move || {
        let child = Some(next).filter(|child| *child < end)?;
        // One whose entries would go on beyond those of the directory it lies in cannot be.
        let after = index.entry(child).map(|entry| child + 1 + entry.below()).filter(|after| *after <= end);
        next = after.unwrap_or(end);
        Some(after.map(|_| child))
    })
}
