//! Reading directories, with their task files, into a tree.
//!
//! A watch is set before a directory is read, so that no change after the reading goes unnoticed.

use std::collections::{HashMap, HashSet};
use std::io;

use handoff_model::MAX_FILE_BYTES;
use handoff_model::problem::Problem;
use handoff_model::rev::Rev;

use super::lazy::LazyTask;
use super::scan::{DEEPEST, read_leniently};
use super::tree::{Branch, Key, Record, Tree, Trouble};
use crate::error::{Result, StoreError};
use crate::index::Doubt;
use crate::layout::TASK_FILE;
use crate::root::into_text;
use crate::stop::Stop;
use crate::sys::{Clock, Handle, Kind, Listed, Stamp, Watch, Watcher};

mod apart;

/// How often a directory is listed again because its entries moved while they were read.
const PASSES: usize = 50;

/// What is read, beside what, and under which watch.
pub(crate) struct Reader<'a> {
    stop: &'a Stop,
    watcher: Option<&'a mut Watcher>,
    clock: Clock,
    /// What was there before, unless that is the tree itself; files that did not change since are not read again
    known: Option<&'a Tree>,
    hands: Hands,
    /// How many files and directories were read that another time need not be
    pub(crate) fresh: usize,
    /// Whether anything is other than it was known
    pub(crate) found_changes: bool,
    /// Whether a directory could not be watched
    pub(crate) lost_watch: bool,
}

/// How many read at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Hands {
    One,
    /// Several threads read what lies in one directory
    Several,
    /// One of those threads
    OneOfSeveral,
}

/// What happened to names in a directory.
pub(crate) type Mentions = HashMap<String, Mention>;

/// What happened to a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Mention {
    /// Something came, went or was written under it
    Touched,
    /// What may be done with it changed, and so perhaps what can be read below it
    Anew,
}

impl<'a> Reader<'a> {
    pub(crate) fn new(stop: &'a Stop) -> Reader<'a> {
        Reader {
            stop,
            watcher: None,
            clock: Clock::Any,
            known: None,
            hands: Hands::One,
            fresh: 0,
            found_changes: false,
            lost_watch: false,
        }
    }

    pub(crate) fn watching(self, watcher: Option<&'a mut Watcher>) -> Reader<'a> {
        Reader { watcher, ..self }
    }

    pub(crate) fn knowing(self, known: &'a Tree) -> Reader<'a> {
        Reader { known: Some(known), ..self }
    }

    /// For reading much of which nothing is known, on several threads.
    pub(crate) fn in_bulk(self) -> Reader<'a> {
        Reader { hands: Hands::Several, ..self }
    }

    /// For looking at a few of the directories below one.
    pub(crate) fn beside(self, dir: &Handle) -> Reader<'a> {
        Reader { clock: clock_of(dir), ..self }
    }

    /// Reads a directory and all below it.
    pub(crate) fn tree(&mut self, dir: &Handle, path: &str, depth: usize) -> Result<Tree> {
        let mut tree = Tree::default();
        self.clock = clock_of(dir);
        let known = self.known.and_then(|known| known.top);
        let top = self.directory(&mut tree, dir, path, None, depth, known);
        self.stop.check()?;
        tree.top = Some(top.map_err(|source| StoreError::read(path, source))?);
        Ok(tree)
    }

    fn directory(
        &mut self,
        tree: &mut Tree,
        dir: &Handle,
        name: &str,
        above: Option<Key>,
        depth: usize,
        known: Option<Key>,
    ) -> io::Result<Key> {
        if self.stop.is_due() {
            return Err(io::ErrorKind::Interrupted.into());
        }
        let watch = self.watch(dir);
        let stamp = self.stamp_of(dir);
        let entries = dir.list()?;
        let was = known.and_then(|key| self.known.unwrap_or(tree).get(key)).cloned();
        self.fresh += usize::from(stamp.is_some() && was.as_ref().is_none_or(|was| was.stamp != stamp));
        let is_there = entries.iter().any(|entry| entry.name == TASK_FILE);
        let record = if is_there { self.record(dir, was.as_ref().map(|was| &was.record)) } else { Record::default() };
        let has_directories = entries.iter().any(|entry| entry.kind == Kind::Directory);
        let (below, trouble) = (Vec::new(), Trouble::default());
        let name = name.to_owned();
        let key = tree.add(Branch { name, above, below, record, trouble, has_directories, stamp, watch });
        let read = if is_looked_into(has_directories, depth) {
            self.children(tree, dir, key, entries, depth, known)
        } else {
            Ok((Vec::new(), Trouble::default()))
        };
        match read {
            Ok((below, trouble)) => {
                let branch = tree.get_mut(key).expect("it was just added");
                (branch.below, branch.trouble) = (below, trouble);
                self.found_changes |= was.is_none_or(|was| {
                    let same = was.record == branch.record && was.trouble == branch.trouble;
                    !same || was.has_directories != has_directories || was.below.len() != branch.below.len()
                });
                Ok(key)
            }
            Err(error) => {
                self.forget(tree, key);
                Err(error)
            }
        }
    }

    fn children(
        &mut self,
        tree: &mut Tree,
        dir: &Handle,
        key: Key,
        mut entries: Vec<Listed>,
        depth: usize,
        known: Option<Key>,
    ) -> io::Result<(Vec<Key>, Trouble)> {
        let mut trouble = odd_entries(&entries);
        let mut below = Vec::new();
        // A rename between listing and opening makes a name vanish; the directory is then under another name, which a
        // further look finds by its inode.
        let mut seen = HashSet::new();
        let mut named = HashSet::new();
        for pass in 0..PASSES {
            let mut moved = false;
            if pass > 0 {
                entries = dir.list()?;
            }
            entries.sort_unstable_by(|a, b| a.name.cmp(&b.name));
            let mut apart = if pass == 0 { self.read_apart(dir, &entries, depth) } else { HashMap::new() };
            for entry in entries.drain(..).filter(is_ours) {
                let is_known = match entry.inode {
                    0 => named.contains(&entry.name),
                    inode => seen.contains(&inode),
                };
                if is_known {
                    continue;
                }
                let was = self.was(tree, known, &entry);
                let read = match apart.remove(&entry.name).and_then(|apart| tree.graft(apart, key)) {
                    Some(child) => Ok(child),
                    None => dir
                        .open_dir(&entry.name)
                        .and_then(|inner| self.directory(tree, &inner, &entry.name, Some(key), depth + 1, was)),
                };
                match read {
                    Ok(child) => below.push(child),
                    Err(error) if error.kind() == io::ErrorKind::NotFound => {
                        moved = true;
                        continue;
                    }
                    Err(error) if self.stop.is_due() => return Err(error),
                    Err(error) => trouble.fail(&entry.name, &error),
                }
                seen.insert(entry.inode);
                named.insert(entry.name);
            }
            if !moved {
                break;
            }
        }
        let name = |key: &Key| tree.get(*key).map(|branch| branch.name.as_str());
        below.sort_by(|a, b| name(a).cmp(&name(b)));
        Ok((below, trouble))
    }

    /// Reads again what happened in one directory, as the watcher tells; what is below it stays, as far as it is the
    /// same directory still.
    pub(crate) fn again(
        &mut self,
        tree: &mut Tree,
        dir: &Handle,
        key: Key,
        depth: usize,
        mentions: &Mentions,
    ) -> io::Result<()> {
        let Some(known) = tree.get(key).map(|branch| &branch.record) else { return Ok(()) };
        let is_touched = mentions.contains_key(TASK_FILE) || known.trouble.failed.is_some() || !known.is_there;
        let file = if is_touched { Doubted::Wholly } else { Doubted::No };
        self.list_again(tree, dir, key, depth, file, &|entry, _| mentions.get(&entry.name).copied())
    }

    /// Brings what an index said to what is on disk, given what is in doubt; the index was made of the same tree. An
    /// error when it changes meanwhile: then all must be read.
    pub(crate) fn mend(&mut self, tree: &mut Tree, tasks: &Handle, doubts: &[Doubt]) -> io::Result<()> {
        self.clock = clock_of(tasks);
        for Doubt { key, names } in doubts {
            // One that went away did so with a directory above it.
            let Some(branch) = tree.get(*key) else { continue };
            if self.stop.is_due() {
                return Err(io::ErrorKind::Interrupted.into());
            }
            let (path, depth) = tree.path(*key);
            let dir = tasks.descend(path.split_once('/').map_or("", |(_, below)| below))?;
            if *names {
                self.list_again(tree, &dir, *key, depth, Doubted::Perhaps, &|entry, child| {
                    (!is_same(&dir, entry, child.and_then(|child| child.stamp))).then_some(Mention::Touched)
                })?;
            } else {
                let record = self.record(&dir, Some(&branch.record));
                tree.get_mut(*key).into_iter().for_each(|branch| branch.record = record.clone());
            }
        }
        Ok(())
    }

    /// Lists a directory again, and reads what in it is new or other than it was.
    fn list_again(
        &mut self,
        tree: &mut Tree,
        dir: &Handle,
        key: Key,
        depth: usize,
        file: Doubted,
        happened: &dyn Fn(&Listed, Option<&Branch>) -> Option<Mention>,
    ) -> io::Result<()> {
        let Some(was) = tree.get(key).cloned() else { return Ok(()) };
        let listing = self.list(dir, was.stamp, &was.record, file, depth)?;
        let Listing { stamp, record, trouble, has_directories, is_looked_into, ours: mut entries } = listing;
        let mut branch = Branch { record, trouble, below: Vec::new(), has_directories, stamp, ..was.clone() };
        let mut kept: HashSet<Key> = HashSet::new();
        if is_looked_into {
            // Those nothing happened to go first: the others may take their names.
            entries.retain(|entry| match tree.child(key, &entry.name) {
                Some(child) if happened(entry, tree.get(child)).is_none() => !kept.insert(child),
                _ => true,
            });
            for entry in &entries {
                let mention = happened(entry, tree.child(key, &entry.name).and_then(|child| tree.get(child)));
                match self.child_again(tree, dir, entry, key, depth, mention) {
                    Ok(child) => {
                        kept.insert(child);
                    }
                    // Another message tells where it went.
                    Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                    Err(error) if self.stop.is_due() => return Err(error),
                    Err(error) => branch.trouble.fail(&entry.name, &error),
                }
            }
        }
        branch.below.extend(&kept);
        let name = |key: &Key| tree.get(*key).map(|branch| branch.name.as_str());
        branch.below.sort_by(|a, b| name(a).cmp(&name(b)));
        for child in was.below.iter().filter(|child| !kept.contains(child)) {
            self.forget(tree, *child);
        }
        if branch != was {
            self.found_changes = true;
        }
        if let Some(place) = tree.get_mut(key) {
            *place = branch;
        }
        Ok(())
    }

    /// Lists a directory that may be other than it was known.
    pub(crate) fn look_again(
        &mut self,
        dir: &Handle,
        stamp: Option<Stamp>,
        known: &Record,
        depth: usize,
    ) -> io::Result<Listing> {
        self.list(dir, stamp, known, Doubted::Perhaps, depth)
    }

    fn list(
        &mut self,
        dir: &Handle,
        known_stamp: Option<Stamp>,
        known: &Record,
        file: Doubted,
        depth: usize,
    ) -> io::Result<Listing> {
        let stamp = self.stamp_of(dir);
        let mut entries = dir.list()?;
        entries.sort_unstable_by(|a, b| a.name.cmp(&b.name));
        self.fresh += usize::from(stamp.is_some() && known_stamp != stamp);
        let is_there = entries.iter().any(|entry| entry.name == TASK_FILE);
        let record = match (is_there, file) {
            (false, _) => Record::default(),
            (true, Doubted::No) => known.clone(),
            (true, Doubted::Perhaps) => self.record(dir, Some(known)),
            (true, Doubted::Wholly) => self.record(dir, Some(&Record { stamp: None, ..known.clone() })),
        };
        let has_directories = entries.iter().any(|entry| entry.kind == Kind::Directory);
        let is_looked_into = is_looked_into(has_directories, depth);
        let trouble = if is_looked_into { odd_entries(&entries) } else { Trouble::default() };
        entries.retain(|entry| is_looked_into && is_ours(entry));
        Ok(Listing { stamp, record, trouble, has_directories, is_looked_into, ours: entries })
    }

    /// A directory that came, or was renamed: by its watch it is known again.
    fn child_again(
        &mut self,
        tree: &mut Tree,
        dir: &Handle,
        entry: &Listed,
        key: Key,
        depth: usize,
        mention: Option<Mention>,
    ) -> io::Result<Key> {
        let name = entry.name.as_str();
        let inner = dir.open_dir(name)?;
        let known = self.watch(&inner).and_then(|watch| tree.watched(watch));
        let is_same = |child: &Key| tree.get(*child).is_some_and(|branch| branch.above == Some(key));
        if let Some(child) = known.filter(is_same)
            && mention != Some(Mention::Anew)
        {
            let branch = tree.get_mut(child).expect("it is in the tree");
            if branch.name != name {
                name.clone_into(&mut branch.name);
                self.found_changes = true;
            }
            return Ok(child);
        }
        self.found_changes = true;
        let was = self.was(tree, Some(key), entry);
        self.directory(tree, &inner, name, Some(key), depth + 1, was)
    }

    /// The directory as it was known: the one of its name, or one that had its inode.
    fn was(&mut self, tree: &Tree, above: Option<Key>, entry: &Listed) -> Option<Key> {
        let known = self.known.unwrap_or(tree);
        let named = above.and_then(|above| known.child(above, &entry.name));
        let inode = |key: &Key| known.get(*key).and_then(|branch| branch.stamp).map(|stamp| stamp.inode);
        let is_it = |key: &Key| inode(key).is_none_or(|inode| inode == entry.inode);
        let was = named.filter(is_it).or_else(|| known.with_inode(entry.inode)).or(named);
        self.found_changes |= was != named;
        was
    }

    /// The stamp of a directory that is about to be listed.
    fn stamp_of(&self, dir: &Handle) -> Option<Stamp> {
        dir.own_stamp().ok().and_then(|stamp| stamp.settled(self.clock))
    }

    /// Reads the file of a task, unless it is as it was known.
    pub(crate) fn record(&mut self, dir: &Handle, known: Option<&Record>) -> Record {
        if let Some(known) = known
            && let Some(stamp) = known.stamp
            && matches!(dir.stamp(TASK_FILE), Ok(Some(now)) if now == stamp)
        {
            return known.clone();
        }
        let mut record = Record { is_there: true, ..Record::default() };
        match dir.read_stamped(TASK_FILE, MAX_FILE_BYTES).and_then(|(bytes, stamp)| Ok((into_text(bytes)?, stamp))) {
            Err(error) => record.trouble.fail(TASK_FILE, &error),
            Ok((text, stamp)) => {
                record.stamp = stamp.settled(self.clock);
                self.fresh += usize::from(record.stamp.is_some());
                let (task, problem) = read_leniently(&text, TASK_FILE);
                record.task = task.map(if self.hands == Hands::OneOfSeveral { LazyTask::packed } else { LazyTask::of });
                record.trouble.problems.extend(problem);
                record.mark = Rev::of(text.as_bytes()).as_number();
            }
        }
        match known {
            Some(known) if *known == record => Record { stamp: record.stamp, ..known.clone() },
            _ => record,
        }
    }

    /// Watches a directory, if watching is what is wanted and possible.
    pub(crate) fn watch(&mut self, dir: &Handle) -> Option<Watch> {
        let watch = self.watcher.as_mut()?.watch(dir);
        if watch.is_none() {
            self.watcher = None;
            self.lost_watch = true;
        }
        watch
    }

    fn forget(&mut self, tree: &mut Tree, key: Key) {
        tree.remove(key, |watch| {
            if let Some(watcher) = &mut self.watcher {
                watcher.forget(watch);
            }
        });
    }
}

fn clock_of(dir: &Handle) -> Clock {
    if dir.identity().is_some() { Clock::Own } else { Clock::Any }
}

/// What stands in a directory.
pub(crate) struct Listing {
    stamp: Option<Stamp>,
    pub(crate) record: Record,
    pub(crate) trouble: Trouble,
    pub(crate) has_directories: bool,
    is_looked_into: bool,
    /// The directories in it that may be those of tasks, sorted by name; none where it is not looked into
    pub(crate) ours: Vec<Listed>,
}

/// Whether what a list tells of is the directory that had this stamp.
pub(crate) fn is_same(dir: &Handle, listed: &Listed, stamp: Option<Stamp>) -> bool {
    // Some file systems tell another inode in a list than of the directory itself.
    stamp.is_some_and(|stamp| {
        stamp.inode == listed.inode || matches!(dir.stamp(&listed.name), Ok(Some(now)) if now == stamp)
    })
}

/// How much a file that is known must be looked at.
#[derive(Clone, Copy)]
enum Doubted {
    No,
    /// Its stamp tells
    Perhaps,
    Wholly,
}

/// What stands among directories and is neither one nor a file.
fn odd_entries(entries: &[Listed]) -> Trouble {
    let odd = entries.iter().filter(|entry| !is_ignored(&entry.name)).filter_map(|entry| match entry.kind {
        Kind::File if super::scan::is_of_a_task(&entry.name) => {
            Some(Problem::damaged(&entry.name, "a file stands where the directory of a task belongs"))
        }
        Kind::Directory | Kind::File => None,
        Kind::Link => Some(Problem::damaged(&entry.name, "a symbolic link; links are never followed")),
        Kind::Other => Some(Problem::damaged(&entry.name, "neither a file nor a directory; left alone")),
    });
    Trouble { problems: odd.collect(), failed: None }
}

/// The place itself always is; a directory of it where there is something to see, and not too deep.
fn is_looked_into(has_directories: bool, depth: usize) -> bool {
    depth == 0 || (has_directories && depth < DEEPEST)
}

fn is_ours(entry: &Listed) -> bool {
    entry.kind == Kind::Directory && !is_ignored(&entry.name)
}

/// Names that are not ours: hidden ones, and copies that file synchronisers make.
pub(crate) fn is_ignored(name: &str) -> bool {
    name.starts_with('.') || name.contains(".sync-conflict-") || name.contains("conflicted copy")
}
