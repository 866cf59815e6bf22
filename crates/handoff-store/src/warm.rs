//! What a long-lived process remembers of a store, and how it knows that it is true still.
//!
//! **Invariant:** what is handed out is what lay on disk at a moment between the question and the answer. Either the
//! kernel's list of changes was read to its end after the last file was, or every file was looked at.

use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::fmt;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::{Duration, Instant};

use handoff_model::name::Layout;

use crate::error::Result;
use crate::index::Looked;
use crate::layout::{ARCHIVE, CONFIG, MEMORY, PAUSE, SESSIONS, TASKS};
use crate::root::Root;
use crate::stop::Stop;
use crate::store::{Others, TasksRead};
use crate::sys::{Event, Watch, Watcher};

mod files;
mod tasks;

pub use files::{FileReading, ReadFile};
use files::{Folder, Seen};
use tasks::Tasks;

/// The memory of one store, for all threads of a process.
pub struct Warm {
    state: Mutex<State>,
    most_watches: usize,
}

/// Counters that grow when something changes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Marks {
    pub tasks: u64,
    /// Sessions, and what became of them in the archive
    pub sessions: u64,
    /// Settings, and whether writing is paused
    pub config: u64,
}

#[derive(Default)]
struct State {
    watched: Option<Watched>,
    /// Where nothing can be watched, when to try again
    try_again: Option<Instant>,
    tasks: Tasks,
    folders: HashMap<String, Folder>,
    single: HashMap<(String, TypeId), (Seen, Arc<dyn Any + Send + Sync>)>,
    layout: Option<(String, Option<Layout>)>,
    marks: Marks,
}

/// The watcher, and its watch on the store's own directory.
struct Watched {
    watcher: Watcher,
    root: Watch,
}

/// How long to do without watching when it was not to be had.
const TRY_AGAIN: Duration = Duration::from_mins(1);

/// How often what changed while it was read is read again before the writers are held off.
const ROUNDS: usize = 20;

impl Warm {
    pub fn new() -> Arc<Warm> {
        Warm::watching_at_most(usize::MAX)
    }

    /// A memory that watches at most so many directories; where that is not enough, it looks at every file each time.
    pub fn watching_at_most(most_watches: usize) -> Arc<Warm> {
        Arc::new(Warm { state: Mutex::default(), most_watches })
    }

    /// Whether changes are told by the kernel, so that nothing must be looked at.
    pub fn is_watching(&self) -> bool {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).watched.is_some()
    }

    fn state(&self, stop: &Stop) -> Result<MutexGuard<'_, State>> {
        let mut pause = Duration::from_micros(50);
        loop {
            match self.state.try_lock() {
                Ok(state) => return Ok(state),
                // Whoever panicked may have left half of a change.
                Err(TryLockError::Poisoned(poisoned)) => {
                    self.state.clear_poison();
                    let mut state = poisoned.into_inner();
                    *state = State { marks: state.marks, ..State::default() };
                    return Ok(state);
                }
                Err(TryLockError::WouldBlock) => {
                    stop.check()?;
                    std::thread::sleep(pause);
                    pause = (pause * 2).min(Duration::from_millis(4));
                }
            }
        }
    }

    /// The tasks as they lie on disk now; `None` when they change faster than they can be read.
    pub(crate) fn tasks(
        &self,
        root: &Root,
        layout: Layout,
        looked: Looked<'_>,
        others: Others,
        stop: &Stop,
    ) -> Result<Option<TasksRead>> {
        let mut state = self.state(stop)?;
        state.attune(root, self.most_watches);
        state.drain();
        state.look_at(root, looked);
        if !state.refresh_tasks(root, self.most_watches, stop)? {
            return Ok(None);
        }
        Ok(Some(state.tasks.forest(layout, others)))
    }

    /// How many files and directories were read since the index was last kept.
    pub(crate) fn fresh(&self) -> usize {
        self.state.try_lock().map_or(0, |state| state.tasks.fresh)
    }

    /// Writes an index of what is remembered.
    pub(crate) fn keep_index(&self, root: &Root) -> io::Result<()> {
        let Ok(mut state) = self.state.try_lock() else { return Ok(()) };
        state.tasks.keep_index(root)
    }

    /// The tasks, if nothing has to be read for that and nobody has to be waited for.
    pub(crate) fn known_tasks(&self, root: &Root, layout: Layout) -> Option<TasksRead> {
        let mut state = self.state.try_lock().ok()?;
        state.attune(root, self.most_watches);
        state.drain();
        state.watched.as_ref()?;
        state.tasks.known(layout)
    }

    /// What changed up to now.
    pub(crate) fn marks(&self, root: &Root, stop: &Stop) -> Result<Marks> {
        let mut state = self.state(stop)?;
        state.attune(root, self.most_watches);
        state.drain();
        if state.watched.is_none() || !state.tasks.is_sound {
            state.refresh_tasks(root, self.most_watches, stop)?;
        }
        state.mark_rest(root);
        Ok(state.marks)
    }

    /// The layout a configuration asks for, found out once for each text.
    pub(crate) fn layout(&self, text: String, read: impl Fn(&str) -> Option<Layout>) -> Option<Layout> {
        let Ok(mut state) = self.state.try_lock() else { return read(&text) };
        match &state.layout {
            Some((known, layout)) if *known == text => *layout,
            _ => {
                let layout = read(&text);
                state.layout = Some((text, layout));
                layout
            }
        }
    }
}

impl State {
    /// Makes sure that it is this store that is watched, if anything can be.
    fn attune(&mut self, root: &Root, most: usize) {
        if let Some(watched) = &mut self.watched {
            if watched.watcher.watch(root.handle()) == Some(watched.root) {
                return;
            }
            // Another store lies where the one we know was.
            *self = State { marks: self.marks, ..State::default() };
            self.marks = self.marks.all_grown();
        }
        if self.try_again.is_some_and(|at| Instant::now() < at) {
            return;
        }
        // What was seen before there was a watcher may have changed since.
        self.stop_watching();
        self.watched = Watcher::new(root.handle(), most).and_then(|mut watcher| {
            let root = watcher.watch(root.handle())?;
            Some(Watched { watcher, root })
        });
        self.try_again = self.watched.is_none().then(|| Instant::now() + TRY_AGAIN);
    }

    /// Gives up all watches. What is known stays, to be compared with what is there.
    fn stop_watching(&mut self) {
        self.watched = None;
        self.tasks.doubt();
        self.folders.values_mut().for_each(Folder::doubt);
    }

    /// Takes note of all that happened up to now.
    fn drain(&mut self) {
        let Some(Watched { watcher, root }) = &mut self.watched else { return };
        let (tasks, folders, marks) = (&mut self.tasks, &mut self.folders, &mut self.marks);
        let mut is_lost = false;
        watcher.drain(|event| match event {
            Event::Lost => is_lost = true,
            Event::Gone(watch) if watch == *root => is_lost = true,
            Event::Gone(watch) => {
                if tasks.lose(watch) {
                    marks.tasks += 1;
                }
                for (path, folder) in folders.iter_mut().filter(|(_, folder)| folder.watch == Some(watch)) {
                    folder.doubt();
                    marks.sessions += of_sessions(path);
                }
            }
            Event::Named { watch, name, .. } if watch == *root => match name {
                TASKS => {
                    tasks.doubt();
                    marks.tasks += 1;
                }
                SESSIONS | ARCHIVE => {
                    folders.get_mut(name).into_iter().for_each(Folder::doubt);
                    marks.sessions += 1;
                }
                MEMORY => folders.get_mut(name).into_iter().for_each(Folder::doubt),
                CONFIG | PAUSE => marks.config += 1,
                _ => {}
            },
            Event::Named { watch, name, attributes } => {
                if tasks.mention(watch, name, attributes) {
                    marks.tasks += 1;
                }
                for (path, folder) in folders.iter_mut().filter(|(_, folder)| folder.watch == Some(watch)) {
                    folder.touch(name);
                    marks.sessions += of_sessions(path);
                }
            }
        });
        if is_lost {
            self.stop_watching();
            self.marks = self.marks.all_grown();
        }
    }
}

/// Whether a directory counts for the mark of sessions.
fn of_sessions(path: &str) -> u64 {
    u64::from([SESSIONS, ARCHIVE].contains(&path))
}

impl Marks {
    fn all_grown(self) -> Marks {
        Marks { tasks: self.tasks + 1, sessions: self.sessions + 1, config: self.config + 1 }
    }
}

impl fmt::Debug for Warm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Warm").field("most_watches", &self.most_watches).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
