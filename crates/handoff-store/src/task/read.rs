//! Reading directories, with their task files, into a tree.
//!
//! A watch is set before a directory is read, so that no change after the reading goes unnoticed.

use std::collections::{HashMap, HashSet};
use std::io;
use std::sync::Arc;

use handoff_model::MAX_FILE_BYTES;
use handoff_model::problem::Problem;
use handoff_model::rev::Rev;

use super::scan::{DEEPEST, read_leniently};
use super::tree::{Branch, Key, Record, Tree, Trouble};
use crate::error::{Result, StoreError};
use crate::layout::TASK_FILE;
use crate::root::into_text;
use crate::stop::Stop;
use crate::sys::{Handle, Kind, Listed, Watch, Watcher};

/// How often a directory is listed again because its entries moved while they were read.
const PASSES: usize = 50;

/// What is read, beside what, and under which watch.
pub(crate) struct Reader<'a> {
    stop: &'a Stop,
    watcher: Option<&'a mut Watcher>,
    /// What was there before; files that did not change since are not read again
    known: Option<&'a Tree>,
    /// Whether anything is other than it was known
    pub(crate) found_changes: bool,
    /// Whether a directory could not be watched
    pub(crate) lost_watch: bool,
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
        Reader { stop, watcher: None, known: None, found_changes: false, lost_watch: false }
    }

    pub(crate) fn watching(self, watcher: Option<&'a mut Watcher>) -> Reader<'a> {
        Reader { watcher, ..self }
    }

    pub(crate) fn knowing(self, known: &'a Tree) -> Reader<'a> {
        Reader { known: Some(known), ..self }
    }

    /// Reads a directory and all below it.
    pub(crate) fn tree(&mut self, dir: &Handle, path: &str, depth: usize) -> Result<Tree> {
        let mut tree = Tree::default();
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
        let entries = dir.list()?;
        let was = known.and_then(|key| self.known?.get(key));
        let is_there = entries.iter().any(|entry| entry.name == TASK_FILE);
        let record = if is_there { read_record(dir, was.map(|was| &was.record)) } else { Record::default() };
        let has_directories = entries.iter().any(|entry| entry.kind == Kind::Directory);
        let (below, trouble) = (Vec::new(), Trouble::default());
        let name = name.to_owned();
        let key = tree.add(Branch { name, above, below, record, trouble, has_directories, watch });
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
            for entry in entries.drain(..).filter(is_ours) {
                let is_known = match entry.inode {
                    0 => named.contains(&entry.name),
                    inode => seen.contains(&inode),
                };
                if is_known {
                    continue;
                }
                let was = known.and_then(|key| self.known?.child(key, &entry.name));
                let read = dir
                    .open_dir(&entry.name)
                    .and_then(|inner| self.directory(tree, &inner, &entry.name, Some(key), depth + 1, was));
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

    /// Reads again what happened in one directory; what is below it stays, as far as it is the same directory still.
    pub(crate) fn again(
        &mut self,
        tree: &mut Tree,
        dir: &Handle,
        key: Key,
        depth: usize,
        mentions: &Mentions,
    ) -> io::Result<()> {
        let mut entries = dir.list()?;
        entries.sort_unstable_by(|a, b| a.name.cmp(&b.name));
        let Some(was) = tree.get(key).cloned() else { return Ok(()) };
        let is_there = entries.iter().any(|entry| entry.name == TASK_FILE);
        let is_touched = mentions.contains_key(TASK_FILE) || was.record.trouble.failed.is_some();
        let record = match (is_there, is_touched || !was.record.is_there) {
            (false, _) => Record::default(),
            (true, false) => was.record.clone(),
            (true, true) => read_record(dir, Some(&Record { stamp: None, ..was.record.clone() })),
        };
        let has_directories = entries.iter().any(|entry| entry.kind == Kind::Directory);
        let trouble = Trouble::default();
        let mut branch = Branch { record, trouble, below: Vec::new(), has_directories, ..was.clone() };
        let mut kept: HashSet<Key> = HashSet::new();
        if is_looked_into(has_directories, depth) {
            branch.trouble = odd_entries(&entries);
            entries.retain(is_ours);
            // Those nothing happened to go first: the others may take their names.
            entries.retain(|entry| match tree.child(key, &entry.name) {
                Some(child) if !mentions.contains_key(&entry.name) => !kept.insert(child),
                _ => true,
            });
            for entry in &entries {
                match self.child_again(tree, dir, &entry.name, key, depth, mentions.get(&entry.name)) {
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

    /// A directory that came, or was renamed: by its watch it is known again.
    fn child_again(
        &mut self,
        tree: &mut Tree,
        dir: &Handle,
        name: &str,
        key: Key,
        depth: usize,
        mention: Option<&Mention>,
    ) -> io::Result<Key> {
        let inner = dir.open_dir(name)?;
        let known = self.watch(&inner).and_then(|watch| tree.watched(watch));
        let is_same = |child: &Key| tree.get(*child).is_some_and(|branch| branch.above == Some(key));
        if let Some(child) = known.filter(is_same)
            && mention != Some(&Mention::Anew)
        {
            let branch = tree.get_mut(child).expect("it is in the tree");
            if branch.name != name {
                name.clone_into(&mut branch.name);
                self.found_changes = true;
            }
            return Ok(child);
        }
        self.found_changes = true;
        self.directory(tree, &inner, name, Some(key), depth + 1, None)
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

fn read_record(dir: &Handle, known: Option<&Record>) -> Record {
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
            let (task, problem) = read_leniently(&text, TASK_FILE);
            record.trouble.problems.extend(problem);
            record.mark = Rev::of(text.as_bytes()).as_number();
            record.task = task.map(Arc::new);
            record.stamp = stamp.settled();
        }
    }
    match known {
        Some(known) if *known == record => Record { stamp: record.stamp, ..known.clone() },
        _ => record,
    }
}

/// What stands among directories and is neither one nor a file.
fn odd_entries(entries: &[Listed]) -> Trouble {
    let odd = entries.iter().filter(|entry| !is_ignored(&entry.name)).filter_map(|entry| match entry.kind {
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
