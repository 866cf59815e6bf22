//! What is kept of handovers on this machine: the one under way, those that wait, and those that are over.
//!
//! **Invariant:** one process at a time drives a run, and only that one writes its checkpoint. What is asked for is a file
//! of its own, on disk before anybody acts on it, so nothing that arrives meanwhile is lost. Nothing here takes the lock
//! of the store.

use std::fs::File;
use std::io;
use std::time::Duration;

use crate::error::{Result, StoreError};
use crate::layout::{CHECKPOINT, QUEUE, QUEUE_DAMAGED, RUN_LOCK, RUNS, STATE};
use crate::lock::{Waited, read_holder, wait_for, write_holder};
use crate::root::{is_absent, join, split};
use crate::step::tmp_name;
use crate::store::Store;
use crate::sys::{Handle, Stamp};

mod glance;

pub use glance::Glance;

/// A checkpoint holds the texts it was given; more than this is none.
const LARGEST: usize = 96 * 1024 * 1024;
/// Runs that are remembered after they were over.
const MOST_RUNS: usize = 200;
/// What precedes the name of a file that is being written.
const STAGED: &str = ".new-";

/// The right to drive a run; given back when dropped, or when the process dies.
#[derive(Debug)]
pub struct RunLock {
    file: File,
}

impl Drop for RunLock {
    fn drop(&mut self) {
        let _ = self.file.unlock();
    }
}

impl Store {
    /// Waits at most `wait` for the right to drive a run; the one who has it otherwise.
    pub fn lock_run(&self, holder: &str, wait: Duration) -> Result<std::result::Result<RunLock, String>> {
        let fail = |source| StoreError::write(RUN_LOCK, source);
        let name = split(RUN_LOCK).1;
        let mut file = self.root.dir_made(STATE).and_then(|dir| dir.open_lock(name)).map_err(fail)?;
        match wait_for(&file, wait, &self.stop, || true)? {
            Waited::Locked => {
                write_holder(&mut file, holder);
                Ok(Ok(RunLock { file }))
            }
            Waited::Failed(source) => Err(fail(source)),
            Waited::Busy | Waited::Unneeded => Ok(Err(read_holder(&mut file))),
        }
    }

    /// Whether somebody drives a run at this moment, and who. Looking makes nothing that was not there.
    pub fn run_driver(&self) -> Option<String> {
        self.root.run_driver()
    }

    /// What was written down of the last run; `None` where there was none. What is no file that can be read is damage.
    ///
    /// So is what this installation did not write.
    pub fn checkpoint(&self) -> Result<Option<Vec<u8>>> {
        self.root.checkpoint()
    }

    /// Writes a run down; it is on disk before this returns.
    pub fn put_checkpoint(&self, _held: &RunLock, text: &str) -> Result<()> {
        self.put_sealed(CHECKPOINT, text)
    }

    /// Puts a damaged checkpoint aside, and says where it is now.
    pub fn put_checkpoint_aside(&self, _held: &RunLock) -> Result<String> {
        let dir = self.root.dir(STATE).map_err(|source| StoreError::read(STATE, source))?;
        let name = split(CHECKPOINT).1;
        for number in 1.. {
            let aside = format!("checkpoint-damaged-{number}.json");
            let free = dir.stamp(&aside).map_err(|source| StoreError::read(&aside, source))?.is_none();
            if free {
                let moved = dir.replace(name, &dir, &aside).and_then(|()| dir.sync());
                moved.map_err(|source| StoreError::write(join(STATE, &aside), source))?;
                return Ok(join(STATE, &aside));
            }
        }
        unreachable!("there are more numbers than files")
    }

    /// Puts a request in the queue; it is on disk before this returns.
    pub fn enqueue_run(&self, name: &str, text: &str) -> Result<()> {
        self.put_sealed(&join(QUEUE, name), text).map_err(|error| self.root.misfit_of_queue().unwrap_or(error))
    }

    /// The requests that wait, the oldest first, and whatever else has a name among them.
    pub fn queued_runs(&self) -> Result<Vec<String>> {
        self.root.queued_runs()
    }

    /// A request that waits; `None` if it does not any more.
    pub fn queued_run(&self, name: &str) -> Result<Option<Vec<u8>>> {
        self.root.queued_run(name)
    }

    /// Puts aside what lies in the queue and is no request, whatever it is, and says where it is now; `None` if it is
    /// gone. Whoever drives passes over it, so nobody has to wait for them.
    pub fn put_queued_aside(&self, name: &str) -> Result<Option<String>> {
        let fail = |source| StoreError::write(join(QUEUE, name), source);
        let queue = self.root.dir(QUEUE).map_err(fail)?;
        let aside = self.root.dir_made(QUEUE_DAMAGED).map_err(|source| StoreError::write(QUEUE_DAMAGED, source))?;
        for number in 1.. {
            let new_name = if number == 1 { name.to_owned() } else { format!("{name}-{number}") };
            match queue.rename_to_free(name, &aside, &new_name) {
                Ok(()) => {
                    aside.sync().and_then(|()| queue.sync()).map_err(fail)?;
                    return Ok(Some(join(QUEUE_DAMAGED, &new_name)));
                }
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) if is_absent(&error) => return Ok(None),
                Err(source) => return Err(fail(source)),
            }
        }
        unreachable!("there are more numbers than files")
    }

    /// Takes a request out of the queue.
    pub fn unqueue_run(&self, _held: &RunLock, name: &str) -> Result<()> {
        let path = join(QUEUE, name);
        let removed = self.root.remove_file(&path).and_then(|()| self.root.sync_dir(QUEUE));
        match removed {
            Err(source) if !is_absent(&source) => {
                Err(self.root.misfit_of_queue().unwrap_or_else(|| StoreError::write(path, source)))
            }
            _ => Ok(()),
        }
    }

    /// Remembers a run that is over. A line is a run.
    pub fn remember_run(&self, _held: &RunLock, line: &str) -> Result<()> {
        let mut lines = self.finished_runs()?;
        lines.push(line.to_owned());
        let kept = &lines[lines.len().saturating_sub(MOST_RUNS)..];
        let text: String = kept.iter().flat_map(|line| [line.as_str(), "\n"]).collect();
        self.put_durably(RUNS, &text)
    }

    /// The runs that are remembered, the oldest first.
    pub fn finished_runs(&self) -> Result<Vec<String>> {
        let bytes = self.root.read_up_to(RUNS, LARGEST).map_err(|source| StoreError::read(RUNS, source))?;
        let text = String::from_utf8_lossy(&bytes.unwrap_or_default()).into_owned();
        Ok(text.lines().map(str::to_owned).collect())
    }

    /// When a name was last made, taken away or put anew among the sessions; `None` where that cannot be told.
    pub fn sessions_stamp(&self) -> Option<String> {
        self.root.sessions_stamp()
    }

    /// Takes away what writes that were cut short left behind. Beside the checkpoint only the one who drives writes, so
    /// nobody is about to use it; a request may be another's, on its way at this moment, until it is a day old.
    pub fn sweep_runs(&self, _held: &RunLock) {
        const DAY: i64 = 24 * 60 * 60 * 1_000_000_000;
        let stamp = |dir: &Handle, name: &str| dir.stamp(name).ok().flatten();
        let now = self.root.dir(STATE).ok().and_then(|dir| stamp(&dir, split(RUN_LOCK).1));
        let is_old = |found: Stamp| now.as_ref().is_some_and(|now| now.modified.saturating_sub(found.modified) > DAY);
        for place in [STATE, QUEUE] {
            let Ok(dir) = self.root.dir(place) else { continue };
            for entry in dir.list().unwrap_or_default().iter().filter(|entry| entry.name.starts_with(STAGED)) {
                if place == STATE || stamp(&dir, &entry.name).is_some_and(is_old) {
                    let _ = dir.remove_file(&entry.name);
                }
            }
        }
    }

    /// Writes what is acted on later, so that it is only taken up where this installation wrote it.
    fn put_sealed(&self, path: &str, text: &str) -> Result<()> {
        // A new `local/` has no secret before it is made.
        self.root.dir_made(STATE).map_err(|source| StoreError::write(path, source))?;
        self.put_durably(path, &self.root.sealed(path, text))
    }

    fn put_durably(&self, path: &str, text: &str) -> Result<()> {
        let (above, name) = split(path);
        let staged = format!("{STAGED}{}", tmp_name());
        let put = |dir: Handle| -> io::Result<()> {
            let _ = dir.remove_file(&staged);
            let written = dir.create_synced(&staged, text.as_bytes()).and_then(|()| dir.replace(&staged, &dir, name));
            if written.is_err() {
                let _ = dir.remove_file(&staged);
            }
            written?;
            dir.sync()
        };
        self.root.dir_made(above).and_then(put).map_err(|source| StoreError::write(path, source))
    }
}
