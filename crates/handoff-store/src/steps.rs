//! How the commands of a handover got on: for each attempt an order, a note that it began and a note of its end, and for
//! each step of a run one lock.
//!
//! **Invariant:** whoever runs a command has the lock of its step from before the note of its beginning until after the
//! note of its end. So where there is a beginning without an end and nobody has the lock, nobody will ever write the end.
//! Notes are on disk when writing them returns; orders may be lost. Only their owner can look at them.

use std::collections::BTreeSet;
use std::fmt;
use std::fs::File;
use std::io;
use std::time::Duration;

use handoff_model::rev::Rev;

use crate::error::{Result, StoreError};
use crate::layout::{STATE, STEPS};
use crate::lock::{self, Waited};
use crate::root::{into_text, is_absent, join, split};
use crate::seal::{self, Secret};
use crate::stop::Stop;
use crate::store::Store;
use crate::sys::{Handle, Made};

/// More than the facts that a command is told, and what is kept of what it says.
const MOST_BYTES: usize = 64 * 1024 * 1024;

/// One attempt at one step of one run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StepAttempt {
    run: String,
    step: String,
    attempt: u32,
}

/// What is written about an attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StepNote {
    /// What is to be run
    Order,
    /// It began
    Begun,
    /// It came to an end
    Ended,
}

impl StepNote {
    const fn ending(self) -> &'static str {
        match self {
            StepNote::Order => "order",
            StepNote::Begun => "begun",
            StepNote::Ended => "ended",
        }
    }
}

impl StepAttempt {
    pub fn new(run: &str, step: &str, attempt: u32) -> StepAttempt {
        StepAttempt { run: part(run), step: part(step), attempt }
    }

    /// The attempt with a name that [`Display`](fmt::Display) wrote.
    pub fn named(name: &str) -> Option<StepAttempt> {
        let mut parts = name.split('.');
        let (run, step, attempt) = (parts.next()?, parts.next()?, parts.next()?.parse().ok()?);
        let is_whole =
            parts.next().is_none() && [run, step].iter().all(|part| !part.is_empty() && part.bytes().all(is_plain));
        is_whole.then(|| StepAttempt { run: run.to_owned(), step: step.to_owned(), attempt })
    }

    fn file(&self, note: StepNote) -> String {
        format!("{self}.{}", note.ending())
    }

    fn lock_file(&self) -> String {
        format!("{}.{}.lock", self.run, self.step)
    }
}

impl fmt::Display for StepAttempt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.run, self.step, self.attempt)
    }
}

/// A part of a file name: the text itself where it is plain, else a hash of it.
fn part(text: &str) -> String {
    let begins_plainly = text.bytes().next().is_some_and(|first| first != b'_');
    if text.len() <= 64 && begins_plainly && text.bytes().all(is_plain) {
        return text.to_owned();
    }
    format!("_{}{}", Rev::of(text.as_bytes()), Rev::of(format!("{text}\n").as_bytes()))
}

const fn is_plain(byte: u8) -> bool {
    byte.is_ascii_lowercase() || byte.is_ascii_digit() || matches!(byte, b'-' | b'_')
}

/// The right to run a step; given back when dropped, or when the process dies.
#[derive(Debug)]
pub struct StepLock {
    file: File,
    dir: Handle,
    secret: Secret,
}

impl Drop for StepLock {
    fn drop(&mut self) {
        let _ = self.file.unlock();
    }
}

impl StepLock {
    /// What was written about an attempt; `None` where nothing was.
    pub fn read(&self, attempt: &StepAttempt, note: StepNote) -> Result<Option<String>> {
        let name = attempt.file(note);
        let path = join(STEPS, &name);
        let read = self.dir.read(&name, MOST_BYTES);
        match read {
            // An order names a program to run: only our own counts.
            Ok(bytes) if note == StepNote::Order => seal::unsealed(&self.secret, &path, bytes).map(Some),
            Ok(bytes) => into_text(bytes).map(Some).map_err(|source| StoreError::read(path, source)),
            Err(error) if is_absent(&error) => Ok(None),
            Err(source) => Err(StoreError::read(path, source)),
        }
    }

    /// Writes about an attempt, in the place of what was written before.
    pub fn write(&self, attempt: &StepAttempt, note: StepNote, text: &str) -> Result<()> {
        let name = attempt.file(note);
        let staged = format!("{name}.new");
        let text = match note {
            StepNote::Order => seal::sealed(&self.secret, &join(STEPS, &name), text),
            StepNote::Begun | StepNote::Ended => text.to_owned(),
        };
        let put = || {
            remove(&self.dir, &staged)?;
            self.dir.create_synced(&staged, text.as_bytes())?;
            self.dir.replace(&staged, &self.dir, &name)?;
            self.dir.sync()
        };
        put().map_err(|source| StoreError::write(join(STEPS, &name), source))
    }

    /// Takes away what was written about an attempt.
    pub fn remove(&self, attempt: &StepAttempt, note: StepNote) -> Result<()> {
        let name = attempt.file(note);
        remove(&self.dir, &name).map_err(|source| StoreError::write(join(STEPS, &name), source))
    }
}

impl Store {
    /// Waits at most `wait` for the right to run a step; `None` while another process has it.
    pub fn lock_step(&self, attempt: &StepAttempt, wait: Duration, stop: &Stop) -> Result<Option<StepLock>> {
        let fail = |source| StoreError::write(join(STEPS, &attempt.lock_file()), source);
        let dir = self.steps_dir().map_err(fail)?;
        let file = dir.open_lock(&attempt.lock_file()).map_err(fail)?;
        match lock::wait_for(&file, wait, stop, || true)? {
            Waited::Locked => Ok(Some(StepLock { file, dir, secret: self.root.local_secret() })),
            Waited::Busy | Waited::Unneeded => Ok(None),
            Waited::Failed(source) => Err(fail(source)),
        }
    }

    /// Forgets how the steps of a run got on; what is still being run stays known.
    pub fn forget_steps(&self, run: &str) -> Result<()> {
        let fail = |source| StoreError::write(STEPS, source);
        let dir = match self.root.dir(STEPS) {
            Err(error) if is_absent(&error) => return Ok(()),
            opened => opened.map_err(fail)?,
        };
        let run = part(run);
        let of_run = |name: &str| {
            let (found, rest) = name.split_once('.')?;
            let (step, _) = rest.split_once('.')?;
            (found == run).then(|| step.to_owned())
        };
        let names: Vec<String> = dir.list().map_err(fail)?.into_iter().map(|entry| entry.name).collect();
        let steps: BTreeSet<String> = names.iter().filter_map(|name| of_run(name)).collect();
        for step in steps {
            let attempt = StepAttempt { run: run.clone(), step, attempt: 0 };
            let Some(held) = self.lock_step(&attempt, Duration::ZERO, &Stop::never())? else { continue };
            for name in names.iter().filter(|name| of_run(name).as_ref() == Some(&attempt.step)) {
                remove(&held.dir, name).map_err(fail)?;
            }
        }
        Ok(())
    }

    /// The runs of which something is noted about commands; what cannot be listed has none.
    pub fn runs_with_steps(&self) -> Vec<String> {
        let listed = self.root.dir(STEPS).and_then(|dir| dir.list()).unwrap_or_default();
        let runs: BTreeSet<String> =
            listed.iter().filter_map(|entry| entry.name.split_once('.')).map(|(run, _)| run.to_owned()).collect();
        runs.into_iter().collect()
    }

    fn steps_dir(&self) -> io::Result<Handle> {
        let state = self.root.dir_made(STATE)?;
        let (_, name) = split(STEPS);
        if state.make_private_dir(name)? == Made::New {
            state.sync()?;
        }
        state.open_dir(name)
    }
}

fn remove(dir: &Handle, name: &str) -> io::Result<()> {
    match dir.remove_file(name) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        removed => removed,
    }
}

#[cfg(test)]
mod tests {
    use handoff_model::name::Layout;

    use super::*;
    use crate::NewStore;

    fn store() -> (tempfile::TempDir, Store) {
        let dir = tempfile::tempdir().unwrap();
        let new = NewStore { config: "[project]\nname = \"x\"\n", layout: Layout::Status, private: true };
        let store = Store::create(&dir.path().join(".handoff"), &new).unwrap();
        (dir, store)
    }

    fn now(store: &Store, attempt: &StepAttempt) -> Option<StepLock> {
        store.lock_step(attempt, Duration::ZERO, &Stop::never()).unwrap()
    }

    #[test]
    fn an_attempt_is_found_again_by_its_name_whatever_its_ids_are_made_of() {
        for (run, step) in [("r1", "push"), ("", "../x"), ("a.b", "c"), ("a", "b.c"), ("Ä", "x\ny"), ("_", "A")] {
            let attempt = StepAttempt::new(run, step, 3);
            assert_eq!(StepAttempt::named(&attempt.to_string()), Some(attempt.clone()), "{run} {step}");
            assert_eq!(attempt.to_string().split('.').count(), 3);
        }
        for name in ["", "a.b", "a.b.c", "a.b.1.2", "../a.b.1", "a..1", "a/b.c.1"] {
            assert_eq!(StepAttempt::named(name), None, "{name}");
        }
    }

    #[test]
    fn a_step_is_run_by_one_at_a_time_whichever_attempt_it_is() {
        let (_dir, store) = store();
        let (first, second) = (StepAttempt::new("r", "push", 1), StepAttempt::new("r", "push", 2));
        let held = now(&store, &first).unwrap();
        assert!(now(&store, &second).is_none());
        assert!(now(&store, &StepAttempt::new("r", "note", 1)).is_some());
        drop(held);
        assert!(now(&store, &second).is_some());
    }

    #[test]
    fn a_run_is_forgotten_but_for_the_step_that_is_being_run() {
        let (dir, store) = store();
        let [done, under_way, other] =
            [("r", "push"), ("r", "wait"), ("r2", "push")].map(|(run, step)| StepAttempt::new(run, step, 1));
        for attempt in [&done, &under_way, &other] {
            now(&store, attempt).unwrap().write(attempt, StepNote::Begun, "1").unwrap();
        }
        let held = now(&store, &under_way).unwrap();
        store.forget_steps("r").unwrap();
        let left = |attempt: &StepAttempt| now(&store, attempt).unwrap().read(attempt, StepNote::Begun).unwrap();
        assert_eq!(held.read(&under_way, StepNote::Begun).unwrap().as_deref(), Some("1"));
        drop(held);
        assert_eq!((left(&done), left(&other).as_deref()), (None, Some("1")));
        store.forget_steps("no-such-run").unwrap();
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            let steps = std::fs::metadata(dir.path().join(".handoff/local/state/steps")).unwrap();
            assert_eq!(steps.permissions().mode() & 0o777, 0o700, "what commands say is for nobody else");
        }
        drop(dir);
    }
}
