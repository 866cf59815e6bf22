//! Every directory below a place as it was last read, so that only what changed is read again.

use std::cell::OnceCell;
use std::collections::HashMap;
use std::io;
use std::sync::Arc;

use handoff_model::problem::Problem;

use super::dir::Said;
use super::lazy::LazyTask;
use super::scan::{Above, Scan};
use crate::root::{join, split};
use crate::sys::{Stamp, Watch};

/// The directories below a place, and the place itself.
#[derive(Debug, Default)]
pub(crate) struct Tree {
    branches: Vec<Option<Branch>>,
    free: Vec<Key>,
    by_watch: HashMap<Watch, Key>,
    /// Where each inode was when this was last asked for
    by_inode: OnceCell<HashMap<u64, Key>>,
    pub(crate) top: Option<Key>,
}

/// The place of a directory in its tree.
pub(crate) type Key = usize;

/// One directory.
#[derive(Clone, Debug)]
pub(crate) struct Branch {
    pub(crate) name: String,
    pub(crate) above: Option<Key>,
    /// Sorted by name
    pub(crate) below: Vec<Key>,
    pub(crate) record: Record,
    pub(crate) trouble: Trouble,
    pub(crate) has_directories: bool,
    /// Its own stamp before it was listed; absent where it could change without showing it
    pub(crate) stamp: Option<Stamp>,
    pub(crate) watch: Option<Watch>,
}

impl PartialEq for Branch {
    fn eq(&self, other: &Branch) -> bool {
        let Branch { name, above, below, record, trouble, has_directories, stamp: _, watch } = self;
        (name, above, below, record) == (&other.name, &other.above, &other.below, &other.record)
            && (trouble, has_directories, watch) == (&other.trouble, &other.has_directories, &other.watch)
    }
}

/// What the file of a task said.
#[derive(Clone, Debug, Default)]
pub(crate) struct Record {
    pub(crate) is_there: bool,
    pub(crate) task: Option<Arc<LazyTask>>,
    /// Tells the text of the file from any other; 0 where it could not be read
    pub(crate) mark: u64,
    /// Absent where the file could change without showing it
    pub(crate) stamp: Option<Stamp>,
    pub(crate) trouble: Trouble,
}

impl PartialEq for Record {
    fn eq(&self, other: &Record) -> bool {
        // The same text says the same; where there is none, there is no task.
        let Record { is_there, task: _, mark, stamp: _, trouble } = self;
        (is_there, mark, trouble) == (&other.is_there, &other.mark, &other.trouble)
    }
}

/// What went wrong in a directory; paths are relative to it, since it may be renamed.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Trouble {
    pub(crate) problems: Vec<Problem>,
    /// Something that could not be read although it may be in order; another look may find it so
    pub(crate) failed: Option<Box<Failure>>,
}

/// An error of input or output that can be told more than once.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Failure {
    path: String,
    kind: io::ErrorKind,
    code: Option<i32>,
    reason: String,
}

impl Trouble {
    pub(crate) fn fail(&mut self, path: &str, error: &io::Error) {
        // What is there and is not what it should be is damage; all else may be well another time.
        let is_damage = matches!(
            error.kind(),
            io::ErrorKind::InvalidInput
                | io::ErrorKind::InvalidData
                | io::ErrorKind::FileTooLarge
                | io::ErrorKind::NotADirectory
                | io::ErrorKind::IsADirectory
        );
        let reason = if is_damage { error.to_string() } else { format!("cannot be read: {error}") };
        self.problems.push(Problem::damaged(path, reason));
        if !is_damage {
            let (kind, code, reason) = (error.kind(), error.raw_os_error(), error.to_string());
            self.failed.get_or_insert(Box::new(Failure { path: path.to_owned(), kind, code, reason }));
        }
    }

    pub(crate) fn tell(&self, dir: &str, scan: &mut Scan) {
        let place = |path: &str| if path.is_empty() { dir.to_owned() } else { join(dir, path) };
        let told = self.problems.iter().map(|problem| Problem { path: place(&problem.path), ..problem.clone() });
        scan.problems.extend(told);
        if let Some(Failure { path, kind, code, reason }) = self.failed.as_deref()
            && scan.failed.is_none()
        {
            let error = code.map_or_else(|| io::Error::new(*kind, reason.clone()), io::Error::from_raw_os_error);
            scan.failed = Some((place(path), error));
        }
    }
}

impl Branch {
    pub(crate) fn has_failed(&self) -> bool {
        self.trouble.failed.is_some() || self.record.trouble.failed.is_some()
    }
}

impl Tree {
    /// A tree whose directories know each other already; the first is its top.
    pub(crate) fn of(branches: Vec<Branch>) -> Tree {
        let top = (!branches.is_empty()).then_some(0);
        Tree { branches: branches.into_iter().map(Some).collect(), top, ..Tree::default() }
    }

    /// The directory that had an inode when it was read, wherever it lies.
    pub(crate) fn with_inode(&self, inode: u64) -> Option<Key> {
        let by_inode = self.by_inode.get_or_init(|| {
            let known = self.branches.iter().enumerate();
            known.filter_map(|(key, branch)| Some((branch.as_ref()?.stamp?.inode, key))).collect()
        });
        let key = by_inode.get(&inode).copied()?;
        self.get(key)?.stamp.filter(|stamp| stamp.inode == inode).map(|_| key)
    }

    pub(crate) fn add(&mut self, branch: Branch) -> Key {
        let watch = branch.watch;
        let key = match self.free.pop() {
            Some(key) => {
                self.branches[key] = Some(branch);
                key
            }
            None => {
                self.branches.push(Some(branch));
                self.branches.len() - 1
            }
        };
        // A directory that came from elsewhere brings its watch along; it is this one's from now on.
        if let Some(watch) = watch {
            self.by_watch.insert(watch, key);
        }
        key
    }

    /// Takes over what was read apart, as a directory in one of this.
    pub(super) fn graft(&mut self, apart: Tree, above: Key) -> Option<Key> {
        let offset = self.branches.len();
        let Tree { branches, free, top, .. } = apart;
        self.branches.extend(branches.into_iter().map(|branch| {
            let mut branch = branch?;
            branch.above = branch.above.map_or(Some(above), |above| Some(above + offset));
            branch.below.iter_mut().for_each(|below| *below += offset);
            Some(branch)
        }));
        self.free.extend(free.into_iter().map(|key| key + offset));
        top.map(|top| top + offset)
    }

    pub(crate) fn get(&self, key: Key) -> Option<&Branch> {
        self.branches.get(key)?.as_ref()
    }

    pub(crate) fn get_mut(&mut self, key: Key) -> Option<&mut Branch> {
        self.branches.get_mut(key)?.as_mut()
    }

    /// The directory a watch is on.
    pub(crate) fn watched(&self, watch: Watch) -> Option<Key> {
        self.by_watch.get(&watch).copied()
    }

    /// Notes that a watch is no more.
    pub(crate) fn unwatched(&mut self, watch: Watch) {
        self.by_watch.remove(&watch);
    }

    /// The directory of this name in another.
    pub(crate) fn child(&self, key: Key, name: &str) -> Option<Key> {
        let below = &self.get(key)?.below;
        let named = |key: &Key| self.get(*key).map_or("", |branch| branch.name.as_str());
        below.binary_search_by(|child| named(child).cmp(name)).ok().map(|index| below[index])
    }

    /// Takes out a directory with all below it, and hands over the watches that were on them.
    pub(crate) fn remove(&mut self, key: Key, mut unwatch: impl FnMut(Watch)) {
        let mut open = vec![key];
        while let Some(key) = open.pop() {
            let Some(branch) = self.branches.get_mut(key).and_then(Option::take) else { continue };
            self.free.push(key);
            open.extend(branch.below);
            if let Some(watch) = branch.watch
                && self.by_watch.get(&watch) == Some(&key)
            {
                self.by_watch.remove(&watch);
                unwatch(watch);
            }
        }
    }

    /// The path of a directory, and how many lie above it; the place itself has the name it was read by.
    pub(crate) fn path(&self, key: Key) -> (String, usize) {
        let mut names = Vec::new();
        let mut at = self.get(key);
        while let Some(branch) = at {
            names.push(branch.name.as_str());
            at = branch.above.and_then(|above| self.get(above));
        }
        names.reverse();
        (names.join("/"), names.len().saturating_sub(1))
    }

    /// The directories that could not be read whole, and might be another time.
    pub(crate) fn failed(&self) -> Vec<Key> {
        let branches = self.branches.iter().enumerate();
        branches.filter(|(_, branch)| branch.as_ref().is_some_and(Branch::has_failed)).map(|(key, _)| key).collect()
    }

    /// Every task that was read.
    pub(crate) fn tasks(&self) -> impl Iterator<Item = &Arc<LazyTask>> {
        self.branches.iter().flatten().filter_map(|branch| branch.record.task.as_ref())
    }

    /// How many directories there are.
    pub(crate) fn len(&self) -> usize {
        self.branches.len() - self.free.len()
    }

    /// The tasks in the directories of a place that is none itself.
    pub(crate) fn scan_below(&self) -> Scan {
        let mut scan = Scan::default();
        if let Some(top) = self.top.and_then(|top| self.get(top)) {
            top.trouble.tell(&top.name, &mut scan);
            self.gather_below(top, &top.name, Above::TOP, &mut scan);
        }
        scan
    }

    /// The task in the place itself, and those below it.
    pub(crate) fn scan_at(&self) -> Scan {
        let mut scan = Scan::default();
        self.add_to(Above::TOP, &mut scan);
        scan
    }

    fn gather_below(&self, branch: &Branch, path: &str, above: Above, scan: &mut Scan) {
        for child in branch.below.iter().filter_map(|key| self.get(*key)) {
            self.gather(child, &join(path, &child.name), above, scan);
        }
    }

    /// What was read of the place itself and all below it, as part of a greater scan.
    pub(crate) fn add_to(&self, above: Above, scan: &mut Scan) {
        if let Some(top) = self.top.and_then(|top| self.get(top)) {
            self.gather(top, &top.name, above, scan);
        }
    }

    fn gather(&self, branch: &Branch, path: &str, above: Above, scan: &mut Scan) {
        let Branch { record, trouble, has_directories, .. } = branch;
        let said = Said::by(split(path).1);
        let below = scan.take(record.clone(), said, path.to_owned().into(), above, *has_directories);
        trouble.tell(path, scan);
        if let Some(below) = below {
            self.gather_below(branch, path, below, scan);
        }
    }
}
