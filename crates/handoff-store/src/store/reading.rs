//! Reading several files as of one moment, without a lock where that can be.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

use handoff_model::id::TaskId;
use handoff_model::problem::Problem;

use super::Store;
use crate::commit::{self, Generation};
use crate::error::{Result, StoreError};
use crate::index::Looked;
use crate::layout::{STATE, TASKS};
use crate::lock::Lock;
use crate::task::forest::{Forest, Node};
use crate::task::scan::Scan;

/// How long waits for others may take while only reading.
const READER_WAIT: Duration = Duration::from_secs(10);
/// How long a reader that wants the writers off waits before it looks whether it still must.
const READER_LOOKS_AGAIN: Duration = Duration::from_millis(100);
/// How often something is read again because a change was made meanwhile, before the writers are held off.
const ATTEMPTS: usize = 8;

/// The tasks at a moment.
#[derive(Clone, Debug)]
pub(crate) struct TasksRead {
    pub(crate) forest: Arc<Forest>,
    /// Whether no name is about to follow its file
    pub(crate) is_calm: bool,
}

/// Who else may write while something is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Others {
    MayWrite,
    HeldOff,
}

/// A change that is under way, or was cut off, and cannot be waited for or finished.
struct Unsettled(StoreError);

impl Store {
    /// Every task, as of one moment. What finished ones say may be older, unless somebody looks at their files.
    pub fn forest(&self) -> Result<Arc<Forest>> {
        self.forest_of(&[])
    }

    /// Every task, after a look at the files of some themselves: what is written through a memory map, or through
    /// another name of a file, is told to no watcher, and what is written into the file of a finished task does not
    /// show in its directory.
    pub fn forest_of(&self, looked_at: &[TaskId]) -> Result<Arc<Forest>> {
        self.forest_looking(Looked::At(&looked_at.iter().copied().collect()))
    }

    /// Every task, with what was chosen to be shown of them: those are as their files say now. Asked again when one
    /// turns out to say something else.
    pub fn forest_showing<T>(&self, choose: impl Fn(&Forest) -> (Vec<TaskId>, T)) -> Result<(Arc<Forest>, T)> {
        let mut forest = self.forest()?;
        let mut looked_at = HashSet::new();
        for _ in 0..ATTEMPTS {
            let (ids, chosen) = choose(&forest);
            let tasks = self.root.dir(TASKS).ok();
            let is_true = |node: &Node| tasks.as_ref().is_none_or(|tasks| node.is_as_its_file(tasks));
            if ids.iter().filter_map(|id| forest.get(*id)).all(is_true) {
                return Ok((forest, chosen));
            }
            // Somebody wrote into the file of a finished task: the next one shall not have to find that out again.
            self.forget_index();
            looked_at.extend(ids);
            forest = self.forest_looking(Looked::At(&looked_at))?;
        }
        let (_, chosen) = choose(&forest);
        Ok((forest, chosen))
    }

    /// Every task that is not finished, with those above it, as of one moment; of the others at least how many there
    /// are. All problems are told.
    pub fn open_forest(&self) -> Result<Arc<Forest>> {
        self.forest_looking(Looked::AtNoMore)
    }

    /// Every task, for a change that concerns several, after a look at every file: an error when one of them could not
    /// be read this time.
    pub fn whole_forest(&self) -> Result<Arc<Forest>> {
        let forest = self.forest_looking(Looked::Everywhere)?;
        forest.check_complete()?;
        Ok(forest)
    }

    pub(crate) fn forest_looking(&self, looked: Looked<'_>) -> Result<Arc<Forest>> {
        let read = |others| {
            let TasksRead { forest, is_calm } = self.read_tasks(looked, others)?;
            Ok((forest, is_calm))
        };
        self.wholly(read).unwrap_or_else(|Unsettled(error)| self.scan_beside(&error))
    }

    /// Reads what belongs together, with no change of several records in between; called again when there was one.
    /// Beside a change that was cut off and cannot be finished, what is there is read.
    pub fn at_one_moment<T>(&self, read: impl Fn() -> Result<T>) -> Result<T> {
        self.wholly(|_| Ok((read()?, true))).unwrap_or_else(|Unsettled(_)| read())
    }

    /// Reads until no change of several records was made meanwhile, and what was read says that it is calm.
    fn wholly<T>(&self, read: impl Fn(Others) -> Result<(T, bool)>) -> std::result::Result<Result<T>, Unsettled> {
        let alone = || read(Others::HeldOff).map(|(value, _)| value);
        if self.lock.is_some() {
            return Ok(alone());
        }
        let give_up = Instant::now() + READER_WAIT;
        let mut attempt = 0;
        loop {
            match self.settle() {
                Err(StoreError::Stopped(why)) => return Ok(Err(StoreError::Stopped(why))),
                Err(error) => return Err(Unsettled(error)),
                Ok(()) => {}
            }
            let before = Generation::read(&self.root);
            let (value, is_calm) = match read(Others::MayWrite) {
                Ok(read) => read,
                Err(error) => return Ok(Err(error)),
            };
            let after = Generation::read(&self.root);
            let is_whole = before == after && after.is_multiple_of(2) && !commit::is_pending(&self.root);
            if is_whole && is_calm {
                return Ok(Ok(value));
            }
            attempt += 1;
            if !is_whole && attempt < ATTEMPTS {
                continue;
            }
            // Records are being moved faster than they can be read, or a name is about to follow its file: hold the
            // writers off for one reading, or look again.
            match Lock::take(&self.root, "reading", READER_LOOKS_AGAIN, &self.stop) {
                Ok(_lock) => return Ok(alone()),
                Err(StoreError::Stopped(why)) => return Ok(Err(StoreError::Stopped(why))),
                Err(StoreError::Locked { .. }) if Instant::now() < give_up => {}
                Err(_) => return Ok(Ok(value)),
            }
        }
    }

    /// What is there beside a change that cannot be finished, which is told as a problem.
    fn scan_beside(&self, unsettled: &StoreError) -> Result<Arc<Forest>> {
        let mut forest = self.scan_tasks(Looked::Everywhere)?;
        let (path, reason) = match unsettled {
            StoreError::Read { path, source }
            | StoreError::Write { path, source }
            | StoreError::Stuck { path, source } => (path.as_str(), source.to_string()),
            StoreError::Damaged(problem) => (problem.path.as_str(), problem.reason.clone()),
            other => (STATE, other.to_string()),
        };
        forest.problems.push(Problem::damaged(path, format!("a change that was cut off cannot be finished: {reason}")));
        Ok(Arc::new(forest))
    }

    /// The tasks as they lie there now, from memory or by the index as far as that is known to be true.
    fn read_tasks(&self, looked: Looked<'_>, others: Others) -> Result<TasksRead> {
        if let Some(warm) = &self.warm
            && let Some(read) = warm.tasks(&self.root, self.layout(), looked, others, &self.stop)?
        {
            self.keep_index(warm.fresh(), || warm.keep_index(&self.root));
            return Ok(read);
        }
        let forest = Arc::new(self.scan_tasks(looked)?);
        Ok(TasksRead { is_calm: !forest.has_lagging_name, forest })
    }

    /// The tasks, if they are in memory as they lie on disk now: finding that out costs next to nothing.
    pub(crate) fn known_forest(&self) -> Option<Arc<Forest>> {
        let warm = self.warm.as_ref()?;
        let known = || warm.known_tasks(&self.root, self.layout()).map(|read| read.forest);
        if self.lock.is_some() {
            return known();
        }
        let is_settled = || !commit::is_pending(&self.root) && Generation::read(&self.root).is_multiple_of(2);
        let before = Generation::read(&self.root);
        let forest = is_settled().then(known)??;
        (is_settled() && Generation::read(&self.root) == before).then_some(forest)
    }

    fn scan_tasks(&self, looked: Looked<'_>) -> Result<Forest> {
        let scan = match self.root.dir(TASKS) {
            Ok(dir) => self.scan(&dir, looked)?,
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
}
