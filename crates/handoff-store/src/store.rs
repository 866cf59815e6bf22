//! One opened store: reading what is there, and gathering a change until it is committed.

use std::cell::{Cell, RefCell};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};

use handoff_model::conflict;
use handoff_model::id::TaskId;
use handoff_model::name::{Layout, read_name};
use handoff_model::problem::Problem;
use handoff_model::rev::Rev;
use serde::Deserialize;

use crate::commit::{self, Generation};
use crate::error::{Result, StoreError};
use crate::layout::{CONFIG, PAUSE, STATE, TASKS};
use crate::locator::{Highest, Located, Locator};
use crate::lock::Lock;
use crate::root::{Root, split};
use crate::step::Step;
use crate::stop::Stop;
use crate::sys::Kind;
use crate::task::find::Found;
use crate::task::forest::Forest;
use crate::task::scan::Scan;
use crate::warm::Warm;

/// A `.handoff/` directory, or the user store, which has the same layout.
#[derive(Debug)]
pub struct Store {
    pub(crate) root: Root,
    layout: Cell<Layout>,
    locator: RefCell<Option<Rc<Locator>>>,
    lock: Option<Lock>,
    pub(crate) stop: Stop,
    pub(crate) warm: Option<Arc<Warm>>,
    pub(crate) change: Change,
}

/// What was staged and not yet committed.
#[derive(Debug, Default)]
pub(crate) struct Change {
    pub(crate) steps: Vec<Step>,
    /// Directories whose name should follow what their file says; tried after the commit
    pub(crate) views: Vec<(String, String)>,
    pub(crate) located: Vec<Located>,
    pub(crate) highest: Vec<KnownHighest>,
    pub(crate) forget_locator: bool,
    /// Files that can be made anew at any time, written after the commit
    pub(crate) loose: Vec<(String, String)>,
    /// Tasks as they will be, for what else is staged in the same change
    pub(crate) staged: Vec<Found>,
}

/// A parent whose highest child number is known, to be written down with the time its directory has after the commit.
#[derive(Clone, Debug)]
pub(crate) struct KnownHighest {
    pub(crate) parent: Option<TaskId>,
    pub(crate) dir: String,
    pub(crate) ordinal: u32,
}

/// How long waits for others may take while only reading.
const READER_WAIT: Duration = Duration::from_secs(10);
/// How long a reader that wants the writers off waits before it looks whether it still must.
const READER_LOOKS_AGAIN: Duration = Duration::from_millis(100);

/// The tasks at a moment.
#[derive(Debug)]
pub(crate) struct TasksRead {
    pub(crate) forest: Arc<Forest>,
    /// Whether no name is about to follow its file
    pub(crate) is_calm: bool,
}

impl Store {
    /// Opens the store in a directory that has a `config.toml`.
    pub fn open(path: &Path) -> Result<Store> {
        Store::open_with(path, None)
    }

    /// Opens a store of which a long-lived process remembers what it read.
    pub fn open_warm(path: &Path, warm: &Arc<Warm>) -> Result<Store> {
        Store::open_with(path, Some(warm.clone()))
    }

    fn open_with(path: &Path, warm: Option<Arc<Warm>>) -> Result<Store> {
        let root = match Root::open(path) {
            Err(StoreError::Unusable { source, .. }) if source.kind() == std::io::ErrorKind::NotFound => {
                return Err(StoreError::NoProject { path: path.to_owned() });
            }
            opened => opened?,
        };
        match root.kind(CONFIG) {
            // Whatever it is, the tasks beside it can be read; asking for the settings says what is wrong with it.
            Ok(Some(_)) => {}
            Ok(None) => return Err(StoreError::NoProject { path: path.to_owned() }),
            Err(source) => return Err(StoreError::read(CONFIG, source)),
        }
        let store = Store {
            root,
            layout: Cell::new(Layout::Status),
            locator: RefCell::new(None),
            lock: None,
            stop: Stop::never(),
            warm,
            change: Change::default(),
        };
        store.layout.set(store.read_layout());
        Ok(store)
    }

    /// Lets whoever holds the other end stop what is done with this store, as long as no change is being committed.
    #[must_use]
    pub fn stopped_by(mut self, stop: Stop) -> Store {
        self.stop = stop;
        self
    }

    /// The directory of this store.
    pub fn path(&self) -> &Path {
        &self.root.path
    }

    /// The directory of a file of this store, for showing it to people.
    pub fn path_of(&self, relative: &str) -> PathBuf {
        self.root.path.join(relative)
    }

    pub fn layout(&self) -> Layout {
        self.layout.get()
    }

    /// The layout the configuration asks for; where that cannot be read, the one the directories show.
    fn read_layout(&self) -> Layout {
        let text = self.root.read_text(CONFIG).ok().flatten().unwrap_or_default();
        let told = match &self.warm {
            Some(warm) => warm.layout(text, told_layout),
            None => told_layout(&text),
        };
        told.unwrap_or_else(|| {
            let entries = self.root.dir(TASKS).and_then(|dir| dir.list()).unwrap_or_default();
            let stable = entries.iter().any(|entry| read_name(&entry.name).id.is_some());
            if stable { Layout::Stable } else { Layout::Status }
        })
    }

    /// Why writing is paused: the text of the `PAUSE` file, perhaps empty.
    pub fn paused(&self) -> Option<String> {
        match self.root.kind(PAUSE) {
            Ok(None) | Err(_) => None,
            Ok(Some(_)) => Some(self.root.read_text(PAUSE).ok().flatten().unwrap_or_default().trim().to_owned()),
        }
    }

    /// Takes the lock, and finishes or undoes what a crash left behind before anything else happens.
    pub fn lock(&mut self, holder: &str, wait: Duration) -> Result<()> {
        if self.lock.is_none() {
            self.lock = Some(Lock::take(&self.root, holder, wait, &self.stop)?);
            commit::recover(&self.root)?;
            // Another process may have changed both before we had the lock.
            self.locator.take();
            self.layout.set(self.read_layout());
        }
        Ok(())
    }

    /// Gives the lock back and forgets what was staged.
    pub fn unlock(&mut self) {
        self.change = Change::default();
        self.lock = None;
    }

    /// Every task, as of one moment.
    pub fn forest(&self) -> Result<Arc<Forest>> {
        self.forest_of(&[])
    }

    /// Every task, after a look at the files of some themselves: what is written through a memory map, or through
    /// another name of a file, is told to no watcher.
    pub fn forest_of(&self, looked_at: &[TaskId]) -> Result<Arc<Forest>> {
        if self.lock.is_some() {
            return self.read_tasks(looked_at).map(|read| read.forest);
        }
        let give_up = Instant::now() + READER_WAIT;
        for attempt in 1.. {
            match self.settle() {
                Err(StoreError::Stopped(why)) => return Err(StoreError::Stopped(why)),
                Err(error) => return self.scan_beside(&error),
                Ok(()) => {}
            }
            let before = Generation::read(&self.root);
            let read = self.read_tasks(looked_at)?;
            let after = Generation::read(&self.root);
            let is_whole = before == after && after.is_multiple_of(2) && !commit::is_pending(&self.root);
            if is_whole && read.is_calm {
                return Ok(read.forest);
            }
            if !is_whole && attempt < 8 {
                continue;
            }
            // Tasks are being moved faster than they can be read, or a name is about to follow its file: hold the
            // writers off for one reading, or look again.
            match Lock::take(&self.root, "reading", READER_LOOKS_AGAIN, &self.stop) {
                Ok(_lock) => return self.read_tasks_calmly(looked_at),
                Err(StoreError::Stopped(why)) => return Err(StoreError::Stopped(why)),
                Err(StoreError::Locked { .. }) if Instant::now() < give_up => {}
                Err(_) => return Ok(read.forest),
            }
        }
        unreachable!("the loop has no end")
    }

    /// Every task, for a change that concerns several: an error when one of them could not be read this time.
    pub fn whole_forest(&self) -> Result<Arc<Forest>> {
        let forest = self.forest()?;
        forest.check_complete()?;
        Ok(forest)
    }

    /// What is there beside a change that cannot be finished, which is told as a problem.
    fn scan_beside(&self, unsettled: &StoreError) -> Result<Arc<Forest>> {
        let mut forest = self.scan_tasks()?;
        let (path, reason) = match unsettled {
            StoreError::Read { path, source } | StoreError::Write { path, source } => {
                (path.as_str(), source.to_string())
            }
            other => (STATE, other.to_string()),
        };
        forest.problems.push(Problem::damaged(path, format!("a change that was cut off cannot be finished: {reason}")));
        Ok(Arc::new(forest))
    }

    /// The tasks as they lie there now, from memory as far as that is known to be true.
    fn read_tasks(&self, looked_at: &[TaskId]) -> Result<TasksRead> {
        if let Some(warm) = &self.warm {
            let is_held = self.lock.is_some();
            if let Some(read) = warm.tasks(&self.root, self.layout(), looked_at, is_held, &self.stop)? {
                return Ok(read);
            }
        }
        let forest = Arc::new(self.scan_tasks()?);
        Ok(TasksRead { is_calm: !forest.has_lagging_name, forest })
    }

    /// The tasks while nobody else writes.
    fn read_tasks_calmly(&self, looked_at: &[TaskId]) -> Result<Arc<Forest>> {
        let Some(warm) = &self.warm else { return self.scan_tasks().map(Arc::new) };
        match warm.tasks(&self.root, self.layout(), looked_at, true, &self.stop)? {
            Some(read) => Ok(read.forest),
            None => self.scan_tasks().map(Arc::new),
        }
    }

    fn scan_tasks(&self) -> Result<Forest> {
        let scan = match self.root.dir(TASKS) {
            Ok(dir) => Scan::below(&dir, TASKS, &self.stop)?,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Scan::default(),
            Err(error) => Scan::of_nothing(TASKS, &error),
        };
        Ok(Forest::build(scan, self.layout()))
    }

    /// Waits for a change of several records that is under way, and finishes one that was cut off.
    pub(crate) fn settle(&self) -> Result<()> {
        let is_unsettled = || commit::is_pending(&self.root) || Generation::read(&self.root) % 2 == 1;
        if self.lock.is_some() || !is_unsettled() {
            return Ok(());
        }
        match Lock::take_while(&self.root, "finishing a change", READER_WAIT, &self.stop, is_unsettled) {
            Ok(Some(_lock)) => commit::recover(&self.root),
            // The one who made it has finished; or nothing can be written here, so that nothing can be finished either,
            // and what is there is shown.
            Ok(None) | Err(StoreError::Write { .. }) => Ok(()),
            Err(error) => Err(error),
        }
    }

    pub(crate) fn locator(&self) -> Rc<Locator> {
        self.locator.borrow_mut().get_or_insert_with(|| Rc::new(Locator::read(&self.root))).clone()
    }

    /// Writes down where everything was found, for the next time. Only while writing: readers leave no traces.
    pub(crate) fn remember(&self, forest: &Forest) {
        if self.lock.is_some() {
            let highest = self.highest_of_all(forest);
            Locator::rebuild(&self.root, forest, &highest);
            self.locator.take();
        }
    }

    /// The text of a file at the top of the store, with its revision.
    pub fn file(&self, path: &str) -> Result<Option<(String, Rev)>> {
        let text = self.root.read_text(path).map_err(|source| StoreError::read(path, source))?;
        Ok(text.map(|text| {
            let rev = Rev::of(text.as_bytes());
            (text, rev)
        }))
    }

    /// The names of the files in a directory of the store that end like this, in order. A directory that is not there
    /// has none.
    pub fn names_in(&self, dir: &str, ending: &str) -> Result<Vec<String>> {
        let entries = match self.root.dir(dir).and_then(|dir| dir.list()) {
            Ok(entries) => entries,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(source) => return Err(StoreError::read(dir, source)),
        };
        let files = entries.into_iter().filter(|entry| entry.kind == Kind::File && entry.name.ends_with(ending));
        let mut names: Vec<String> = files.map(|entry| entry.name).collect();
        names.sort_unstable();
        Ok(names)
    }

    /// Stages the new text of a file at the top of the store, such as `config.toml`.
    pub fn put_file(&mut self, path: &str, text: String) -> Result<()> {
        check_size(path, &text)?;
        let before = self.file(path)?.map(|(text, _)| text);
        if before.as_deref() != Some(&text) {
            self.change.steps.push(Step::Put { path: path.to_owned(), before, after: text });
        }
        Ok(())
    }

    /// Whether anything is staged.
    pub fn has_changes(&self) -> bool {
        !self.change.steps.is_empty()
    }

    /// Makes what was staged durable: all of it, or none.
    pub fn commit(&mut self, progress: impl FnMut(usize, usize)) -> Result<()> {
        assert!(self.lock.is_some(), "a change is committed under the lock");
        // The last moment to stop: from here on the change is finished.
        self.stop.check()?;
        let change = std::mem::take(&mut self.change);
        commit::commit(&self.root, &change.steps, progress)?;
        // From here on the change is made; what follows is only a view of it.
        for (from, to) in &change.views {
            let _ = self.root.rename_to_free(from, to);
        }
        for (path, text) in &change.loose {
            let _ = self.root.replace_loose(path, text.as_bytes());
        }
        if change.forget_locator {
            Locator::forget(&self.root);
        } else {
            let known = change.highest.iter().filter_map(|known| {
                let changed_at = self.root.dir(&known.dir).and_then(|dir| dir.changed_at()).ok()?;
                Some((known.parent, Highest { changed_at, ordinal: known.ordinal }))
            });
            let known: Vec<_> = known.collect();
            self.locator().append(&self.root, &change.located, &known);
        }
        self.locator.take();
        Ok(())
    }
}

/// The layout a configuration asks for; `None` where it cannot be read.
fn told_layout(config: &str) -> Option<Layout> {
    #[derive(Deserialize, Default)]
    struct Head {
        #[serde(default)]
        settings: Settings,
    }
    #[derive(Deserialize, Default)]
    struct Settings {
        task_dirs: Option<Layout>,
    }
    let sides = conflict::split(config);
    let text = sides.as_ref().map_or(config, |sides| &sides.ours);
    toml::from_str::<Head>(text).ok().map(|head| head.settings.task_dirs.unwrap_or_default())
}

pub(crate) fn check_size(path: &str, text: &str) -> Result<()> {
    if text.len() > handoff_model::MAX_FILE_BYTES {
        return Err(StoreError::TooLarge { path: path.to_owned(), size: text.len() });
    }
    Ok(())
}

/// The last name of a path.
pub(crate) fn name_of(path: &str) -> &str {
    split(path).1
}
