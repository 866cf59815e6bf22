//! One opened store: reading what is there, and gathering a change until it is committed.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use handoff_model::conflict;
use handoff_model::id::TaskId;
use handoff_model::name::{Layout, read_name};
use handoff_model::pause::PausePlace;
use handoff_model::problem::Problem;
use handoff_model::rev::Rev;
use serde::Deserialize;

use crate::commit;
use crate::error::{Result, StoreError};
use crate::layout::{CONFIG, MEMORY, SESSIONS, TASKS};
use crate::limits;
use crate::local::LocalRules;
use crate::locator::{Highest, Located, Locator};
use crate::lock::Lock;
use crate::log::{Kind as ChangeKind, Signature};
use crate::pause::{self, Pause, PauseFile};
use crate::place::has_records;
use crate::root::{Root, split};
use crate::session::index::Kept;
use crate::session::package::NewBodies;
use crate::step::Step;
use crate::stop::Stop;
use crate::sys::Stamp;
use crate::task::find::Found;
use crate::task::forest::Forest;
use crate::task::moves::Move;
use crate::task::read::is_ignored;
use crate::warm::Warm;

mod indexed;
mod reading;
mod words;

pub(crate) use indexed::WORTH_KEEPING;
pub(crate) use reading::{Others, TasksRead};
pub use words::RecordWords;

/// A `.handoff/` directory, or the user store, which has the same layout.
#[derive(Debug)]
pub struct Store {
    pub(crate) root: Root,
    layout: Cell<Layout>,
    locator: RefCell<Option<Rc<Locator>>>,
    lock: Option<Lock>,
    pub(crate) stop: Stop,
    pub(crate) warm: Option<Arc<Warm>>,
    uses_index: bool,
    pub(crate) change: Change,
    pub(crate) signature: Signature,
    pub(crate) log_failure: Option<StoreError>,
    /// Problems in archives, time logs and bodies that were read for an answer
    noticed: RefCell<Vec<Problem>>,
    /// What was kept of the sessions, with the stamp of the file it was read from
    pub(crate) kept_sessions: RefCell<Option<(Stamp, Rc<Kept>)>>,
    /// Local directories that were set aside and not reported yet
    pub(crate) unreported: Vec<String>,
}

/// Whether a store without its `config.toml` is one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Settings {
    Needed,
    MayBeLost,
}

/// What was staged and not yet committed.
#[derive(Debug, Default)]
pub(crate) struct Change {
    /// What the log calls it
    pub(crate) kind: ChangeKind,
    /// Bodies of new sessions, and what they say: on disk before anything else
    pub(crate) bodies: Vec<(String, String)>,
    pub(crate) steps: Vec<Step>,
    /// Directories of tasks that go elsewhere, after everything else
    pub(crate) moves: Vec<Move>,
    /// Whether a task gets another parent or number
    pub(crate) has_moved: bool,
    /// Directories whose name should follow what their file says; tried after the commit
    pub(crate) views: Vec<(String, String)>,
    pub(crate) located: Vec<Located>,
    pub(crate) highest: Vec<KnownHighest>,
    pub(crate) forget_locator: bool,
    /// Files that can be made anew at any time, written after the commit
    pub(crate) loose: Vec<(String, String)>,
    /// Tasks as they will be, for what else is staged in the same change
    pub(crate) staged: Vec<Found>,
    /// Where each of them stands in that list, so that a change of thousands of tasks takes no look at all of them for each
    pub(crate) staged_at: HashMap<TaskId, usize>,
}

/// A parent whose highest child number is known, to be written down with the time its directory has after the commit.
#[derive(Clone, Debug)]
pub(crate) struct KnownHighest {
    pub(crate) parent: Option<TaskId>,
    pub(crate) dir: String,
    pub(crate) ordinal: u32,
}

impl Store {
    /// Opens the store in a directory that has a `config.toml`.
    pub fn open(path: &Path) -> Result<Store> {
        Store::open_by(path, &LocalRules::default())
    }

    /// Opens a store, with what decides whose its `local/` is.
    pub fn open_by(path: &Path, rules: &LocalRules) -> Result<Store> {
        Store::open_with(path, rules, None, Settings::Needed)
    }

    /// Opens a store that may have lost its `config.toml`, to mend it.
    pub fn open_to_mend(path: &Path, rules: &LocalRules) -> Result<Store> {
        Store::open_with(path, rules, None, Settings::MayBeLost)
    }

    /// Opens a store of which a long-lived process remembers what it read.
    pub fn open_warm(path: &Path, warm: &Arc<Warm>) -> Result<Store> {
        Store::open_warm_by(path, &LocalRules::default(), warm)
    }

    /// The same, with what decides whose its `local/` is.
    pub fn open_warm_by(path: &Path, rules: &LocalRules, warm: &Arc<Warm>) -> Result<Store> {
        Store::open_with(path, rules, Some(warm.clone()), Settings::Needed)
    }

    fn open_with(path: &Path, rules: &LocalRules, warm: Option<Arc<Warm>>, settings: Settings) -> Result<Store> {
        // A directory that is no store is not to be changed, so that is found out first.
        let plain = match Root::open(path) {
            Err(StoreError::Unusable { source, .. }) if source.kind() == std::io::ErrorKind::NotFound => {
                return Err(StoreError::NoProject { path: path.to_owned() });
            }
            opened => opened?,
        };
        match plain.kind(CONFIG) {
            Ok(None) if !has_records(path) => return Err(StoreError::NoProject { path: path.to_owned() }),
            Ok(None) if settings == Settings::Needed => return Err(StoreError::NoConfig { path: path.to_owned() }),
            // Whatever it is, the tasks beside it can be read; asking for the settings says what is wrong with it.
            Ok(_) => {}
            Err(source) => return Err(StoreError::read(CONFIG, source)),
        }
        let (root, unreported) = plain.guarded(rules);
        let store = Store {
            root,
            layout: Cell::new(Layout::Status),
            locator: RefCell::new(None),
            lock: None,
            stop: Stop::never(),
            warm,
            uses_index: true,
            change: Change::default(),
            signature: Signature::default(),
            log_failure: None,
            noticed: RefCell::new(Vec::new()),
            kept_sessions: RefCell::new(None),
            unreported,
        };
        store.layout.set(store.read_layout());
        Ok(store)
    }

    /// Remembers problems for [`Store::take_noticed`].
    pub fn notice<'a>(&self, problems: impl IntoIterator<Item = &'a Problem>) {
        let mut noticed = self.noticed.borrow_mut();
        for problem in problems {
            if !noticed.contains(problem) {
                noticed.push(problem.clone());
            }
        }
    }

    /// Returns the problems met since the last call in files that hold part of an answer: archives, time logs, bodies.
    ///
    /// An answer that shows a sum or a choice out of many files has no place of its own for them.
    pub fn take_noticed(&self) -> Vec<Problem> {
        self.noticed.take()
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
        let text = self.root.read_text(CONFIG).ok().flatten();
        let told = text.and_then(|text| match &self.warm {
            Some(warm) => warm.layout(text, told_layout),
            None => told_layout(&text),
        });
        told.unwrap_or_else(|| {
            let entries = self.root.dir(TASKS).and_then(|dir| dir.list()).unwrap_or_default();
            let stable = entries.iter().any(|entry| read_name(&entry.name).id.is_some());
            if stable { Layout::Stable } else { Layout::Status }
        })
    }

    /// The pause of this store, if there is one.
    pub fn paused(&self) -> Option<Pause> {
        PauseFile::within(PausePlace::Project, self.path()).look()
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
        self.signature = Signature::default();
        self.lock = None;
    }

    pub(crate) fn is_locked(&self) -> bool {
        self.lock.is_some()
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

    /// The text of a file of the store, as far as its bytes are text.
    pub fn damaged_text(&self, path: &str) -> Option<String> {
        let bytes = self.root.read(path).ok().flatten()?;
        Some(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// The names of the files in a directory of the store that end like this, in order. A directory that is not there
    /// has none.
    pub fn names_in(&self, dir: &str, ending: &str) -> Result<Vec<String>> {
        let entries = match self.root.dir(dir).and_then(|dir| dir.list()) {
            Ok(entries) => entries,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(source) => return Err(StoreError::read(dir, source)),
        };
        let files = entries.into_iter().filter(|entry| entry.name.ends_with(ending) && !is_ignored(&entry.name));
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
        !self.change.steps.is_empty() || !self.change.moves.is_empty()
    }

    /// Whether something is staged that decides how the work stands: a task, a session or a memory.
    pub fn changes_state(&self) -> bool {
        let decides = |step: &Step| {
            let (top, _) = step.path().split_once('/').unwrap_or((step.path(), ""));
            [TASKS, SESSIONS, MEMORY].contains(&top)
        };
        !self.change.moves.is_empty() || self.change.steps.iter().any(decides)
    }

    /// Forgets what was staged: nothing was changed.
    pub fn forget_changes(&mut self) {
        self.change = Change::default();
    }

    /// Makes what was staged durable: all of it, or none.
    pub fn commit(&mut self, progress: impl FnMut(usize, usize)) -> Result<()> {
        assert!(self.lock.is_some(), "a change is committed under the lock");
        // The last moment to stop: from here on the change is finished.
        self.stop.check()?;
        pause::refuse(self.path())?;
        let mut change = std::mem::take(&mut self.change);
        let mut steps = change.all_steps(&self.root);
        let kind = if steps.is_empty() { ChangeKind::Names } else { std::mem::take(&mut change.kind) };
        let head = self.head_of(kind, &steps);
        limits::check_change(&steps, &change.bodies)?;
        let bodies = NewBodies::write(&self.root, &change.bodies)?;
        let is_mixed = change.is_mixed();
        let views = change.views.iter().filter(|_| !is_mixed);
        let views = views.map(|(from, to)| Step::MoveDir { from: from.clone(), to: to.clone() });
        let planned = bodies.steps().into_iter().chain(steps.iter().cloned()).chain(views).collect();
        let announced = self.announce(&head, &steps, planned);
        if let Err(error) = commit::commit(&self.root, &steps, Some(&head), progress) {
            bodies.take_back(&error);
            if let Some(announced) = announced {
                announced.retract(&error);
            }
            return Err(error);
        }
        bodies.stay();
        // From here on the change is made; what follows is only a view of it.
        let renamed = if is_mixed {
            change.forget_locator = true;
            self.put_names_right()
        } else {
            let mut views = std::mem::take(&mut change.views);
            views.retain(|(from, to)| self.root.rename_to_free(from, to).is_ok());
            views
        };
        steps.extend(renamed.into_iter().map(|(from, to)| Step::MoveDir { from, to }));
        steps.splice(0..0, bodies.steps());
        self.log(head, announced, &steps);
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

/// The layout a configuration asks for; `None` where it cannot be read, or says nothing at all, as after a power loss.
pub(crate) fn told_layout(config: &str) -> Option<Layout> {
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
    if text.trim().is_empty() {
        return None;
    }
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
