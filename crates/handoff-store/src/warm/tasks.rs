//! The task tree in memory.

use std::collections::HashMap;
use std::io;
use std::sync::Arc;

use handoff_model::name::Layout;

use super::{ROUNDS, State, Watched};
use crate::error::Result;
use crate::index::{self, Index, Looked};
use crate::layout::{TASK_FILE, TASKS};
use crate::root::Root;
use crate::stop::Stop;
use crate::store::{Others, TasksRead};
use crate::sys::Watch;
use crate::task::forest::{Forest, Node};
use crate::task::read::{Mention, Mentions, Reader};
use crate::task::tree::{Branch, Key, Tree, Trouble};

/// What is known of the tasks.
#[derive(Default)]
pub(super) struct Tasks {
    tree: Tree,
    /// Why not even the directory of all of them could be read
    trouble: Option<Trouble>,
    /// Whether the tree, with what is noted below, tells what is on disk
    pub(super) is_sound: bool,
    /// Directories in which something happened since they were read
    touched: HashMap<Key, Mentions>,
    /// Directories that could not be read whole
    failed: Vec<Key>,
    forest: Option<Known>,
    /// How many files and directories were read since the index was last kept
    pub(super) fresh: usize,
}

struct Known {
    forest: Arc<Forest>,
    layout: Layout,
    /// Whether it was read while nobody wrote
    was_held: bool,
}

impl Tasks {
    pub(super) fn keep_index(&mut self, root: &Root) -> io::Result<()> {
        self.fresh = 0;
        index::keep(root, &self.tree)
    }

    /// From here on the tree is only what was there once.
    pub(super) fn doubt(&mut self) {
        self.is_sound = false;
        self.touched.clear();
        self.failed.clear();
    }

    /// Notes that something happened to a name in a directory, if that is one of these.
    pub(super) fn mention(&mut self, watch: Watch, name: &str, attributes: bool) -> bool {
        let Some(key) = self.tree.watched(watch) else { return false };
        self.touch(key, name, if attributes { Mention::Anew } else { Mention::Touched });
        true
    }

    fn touch(&mut self, key: Key, name: &str, mention: Mention) {
        let mentions = self.touched.entry(key).or_default();
        match mentions.get_mut(name) {
            Some(known) => *known = mention.max(*known),
            None => {
                mentions.insert(name.to_owned(), mention);
            }
        }
    }

    /// Notes that a directory is gone, if it is one of these.
    pub(super) fn lose(&mut self, watch: Watch) -> bool {
        let Some(key) = self.tree.watched(watch) else { return false };
        self.tree.unwatched(watch);
        match self.tree.get(key).map(|branch| (branch.above, branch.name.clone())) {
            Some((Some(above), name)) => self.touch(above, &name, Mention::Anew),
            _ => self.doubt(),
        }
        true
    }

    /// The tree as it stands, if that is what is on disk and was put together already.
    pub(super) fn known(&self, layout: Layout) -> Option<TasksRead> {
        let is_true = self.is_sound && self.touched.is_empty() && self.failed.is_empty();
        let known = self.forest.as_ref().filter(|known| is_true && known.layout == layout)?;
        Some(known.read()).filter(|read| read.is_calm)
    }

    /// The tree as it stands, put together unless that was done already.
    pub(super) fn forest(&mut self, layout: Layout, others: Others) -> TasksRead {
        if self.forest.as_ref().is_none_or(|known| known.layout != layout) {
            let mut scan = self.tree.scan_below();
            if let Some(trouble) = &self.trouble {
                trouble.tell(TASKS, &mut scan);
            }
            let forest = Arc::new(Forest::build(scan, layout));
            self.forest = Some(Known { forest, layout, was_held: false });
        }
        let known = self.forest.as_mut().expect("it was just put together");
        // A name that lags behind while nobody writes was left so by a person: it will not follow by itself.
        known.was_held |= others == Others::HeldOff;
        known.read()
    }
}

impl Known {
    fn read(&self) -> TasksRead {
        let is_calm = self.was_held || !self.forest.has_lagging_name;
        TasksRead { forest: self.forest.clone(), is_calm }
    }
}

impl State {
    /// Brings the tree to what is on disk; false when it changes faster than it can be read.
    pub(super) fn refresh_tasks(&mut self, root: &Root, most: usize, stop: &Stop) -> Result<bool> {
        for key in std::mem::take(&mut self.tasks.failed) {
            self.tasks.touched.entry(key).or_default();
        }
        if self.watched.is_none() {
            self.tasks.doubt();
        }
        for _ in 0..ROUNDS {
            if !self.tasks.is_sound {
                self.sweep(root, most, stop)?;
                if self.watched.is_none() {
                    return Ok(true);
                }
            } else if self.tasks.touched.is_empty() {
                return Ok(true);
            } else if let Err(error) = self.read_touched(root, stop) {
                self.tasks.doubt();
                return Err(error);
            }
            self.drain();
        }
        self.tasks.doubt();
        Ok(false)
    }

    /// Reads everything, except for files that are known and did not change.
    fn sweep(&mut self, root: &Root, most: usize, stop: &Stop) -> Result<()> {
        // Watches on what was there before would only tell of what is none of ours.
        if self.tasks.tree.top.is_some() && self.watched.is_some() {
            self.stop_watching();
            self.attune(root, most);
        }
        let mut known = std::mem::take(&mut self.tasks.tree);
        // The files themselves tell how much of it is true.
        if known.top.is_none()
            && let Some(tree) = Index::open(root).and_then(|index| index.tree())
        {
            known = tree;
        }
        let watcher = self.watched.as_mut().map(|watched| &mut watched.watcher);
        let mut reader = Reader::new(stop).watching(watcher).knowing(&known);
        let read = match root.dir(TASKS) {
            Ok(dir) => reader.tree(&dir, TASKS, 0).map(|tree| (tree, None)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok((Tree::default(), None)),
            Err(error) => {
                let mut trouble = Trouble::default();
                trouble.fail("", &error);
                Ok((Tree::default(), Some(trouble)))
            }
        };
        let (found_changes, lost_watch, fresh) = (reader.found_changes, reader.lost_watch, reader.fresh);
        match read {
            Err(error) => {
                self.tasks.tree = known;
                Err(error)
            }
            Ok((tree, trouble)) => {
                let is_same = !found_changes && tree.len() == known.len() && trouble == self.tasks.trouble;
                if !is_same {
                    self.tasks.forest = None;
                    self.marks.tasks += 1;
                }
                self.tasks.fresh += fresh;
                self.tasks.failed = tree.failed();
                // Where nobody tells of changes it is true for this moment only.
                self.tasks.is_sound = trouble.is_none() && self.watched.is_some();
                (self.tasks.tree, self.tasks.trouble) = (tree, trouble);
                if lost_watch {
                    self.do_without_watching();
                }
                Ok(())
            }
        }
    }

    /// Reads again the directories in which something happened, those above first.
    fn read_touched(&mut self, root: &Root, stop: &Stop) -> Result<()> {
        let Some(Watched { watcher, .. }) = &mut self.watched else { return Ok(()) };
        let tasks = &mut self.tasks;
        let mut touched: Vec<(usize, Key, Mentions)> = std::mem::take(&mut tasks.touched)
            .into_iter()
            .filter(|(key, _)| tasks.tree.get(*key).is_some())
            .map(|(key, mentions)| (tasks.tree.path(key).1, key, mentions))
            .collect();
        touched.sort_unstable_by_key(|(depth, key, _)| (*depth, *key));
        let mut reader = Reader::new(stop).watching(Some(watcher));
        for (depth, key, mentions) in touched {
            let Some(branch) = tasks.tree.get(key) else { continue };
            let (above, name, watch) = (branch.above, branch.name.clone(), branch.watch);
            let dir = root.dir(&tasks.tree.path(key).0);
            let is_read = match dir {
                // Another directory may have its name by now; a message about that is on its way.
                Ok(dir) if reader.watch(&dir) == watch && watch.is_some() => {
                    reader.again(&mut tasks.tree, &dir, key, depth, &mentions).is_ok()
                }
                _ => false,
            };
            stop.check()?;
            if !is_read {
                tasks.touched.entry(key).or_default().extend(mentions);
                match above {
                    Some(above) => tasks.touch(above, &name, Mention::Anew),
                    None => tasks.is_sound = false,
                }
            } else if tasks.tree.get(key).is_some_and(Branch::has_failed) {
                tasks.failed.push(key);
            }
        }
        if reader.found_changes {
            tasks.forest = None;
        }
        if reader.lost_watch {
            self.do_without_watching();
        }
        Ok(())
    }

    fn do_without_watching(&mut self) {
        self.stop_watching();
        self.try_again = Some(std::time::Instant::now() + super::TRY_AGAIN);
    }

    /// Looks at the files of some tasks themselves, and has those read again that are not as they were.
    pub(super) fn look_at(&mut self, root: &Root, looked: Looked<'_>) {
        let tasks = &mut self.tasks;
        let Some(known) = tasks.forest.as_ref().filter(|_| tasks.is_sound) else { return };
        let forest = known.forest.clone();
        let nodes: Vec<&Node> = match looked {
            Looked::At(ids) => ids.iter().filter_map(|id| forest.get(*id)).collect(),
            Looked::AtNoMore | Looked::Everywhere => Vec::new(),
        };
        for node in nodes {
            let names = node.dir().split('/').skip(1);
            let key = names.fold(tasks.tree.top, |key, name| key.and_then(|key| tasks.tree.child(key, name)));
            let Some((key, record)) = key.and_then(|key| Some((key, &tasks.tree.get(key)?.record))) else { continue };
            let now = root.dir(node.dir()).and_then(|dir| dir.stamp(TASK_FILE)).ok().flatten();
            if now.is_none() || now != record.stamp {
                tasks.touch(key, TASK_FILE, Mention::Touched);
            }
        }
    }
}
