//! What can be told of handovers at a glance: a few looks at the disk, without opening the store.
//!
//! **Invariant:** looking makes nothing and waits for nobody. What is no ordinary file is never opened to read in it.

use std::io;
use std::path::Path;

use handoff_model::problem::Problem;
use handoff_model::session::Session;
use handoff_model::when::Moment;

use super::LARGEST;
use crate::error::{Result, StoreError};
use crate::layout::{CHECKPOINT, CONFIG, LOCAL, QUEUE, RUN_LOCK, SESSIONS, STATE};
use crate::local::{ForeignLocal, LocalRules};
use crate::lock::read_holder;
use crate::root::{Root, into_text, is_absent, join, split};
use crate::sys::Kind;

/// A store that is only looked at.
#[derive(Debug)]
pub struct Glance {
    root: Root,
}

impl Glance {
    /// Looks into the directory of a store.
    pub fn at(store: &Path, rules: &LocalRules) -> Result<Glance> {
        let root = Root::open(store)?;
        match root.handle().kind(CONFIG) {
            Ok(Some(_)) => {
                // Looking makes nothing, so a `local/` that was not made here stays where it is.
                let rules = LocalRules { foreign: ForeignLocal::Ignore, ..rules.clone() };
                Ok(Glance { root: root.guarded(&rules).0 })
            }
            Ok(None) => Err(StoreError::NoConfig { path: store.to_owned() }),
            Err(source) => Err(StoreError::read(CONFIG, source)),
        }
    }

    /// What was written down of the last run; `None` where there was none.
    pub fn checkpoint(&self) -> Result<Option<Vec<u8>>> {
        self.root.checkpoint()
    }

    /// The requests that wait, and whatever else has a name among them.
    pub fn queued_runs(&self) -> Result<Vec<String>> {
        self.root.queued_runs()
    }

    /// A request that waits; `None` if it does not any more.
    pub fn queued_run(&self, name: &str) -> Result<Option<Vec<u8>>> {
        self.root.queued_run(name)
    }

    /// Whether somebody drives a run at this moment, and who.
    pub fn run_driver(&self) -> Option<String> {
        self.root.run_driver()
    }

    /// Changes when a session is made, changed or taken away.
    pub fn sessions_stamp(&self) -> Option<String> {
        self.root.sessions_stamp()
    }

    /// Whether a session or a record was begun after a moment. Files of earlier days are not looked at.
    pub fn has_session_after(&self, moment: Moment) -> bool {
        let day = moment.day().to_string();
        let names = self.root.dir(SESSIONS).and_then(|dir| dir.list()).unwrap_or_default();
        let is_late =
            |name: &str| name.strip_suffix(".toml").is_some() && name.get(..day.len()).is_some_and(|own| *own >= *day);
        let is_newer = |name: &str| {
            let text = self.root.read(&join(SESSIONS, name)).ok().flatten().and_then(|bytes| into_text(bytes).ok());
            let session = text.and_then(|text| Session::read(&text).ok());
            session.is_some_and(|session| session.kind.is_handoff() && session.started_at.is_some_and(|at| at > moment))
        };
        let late = names.iter().filter(|entry| entry.kind == Kind::File && is_late(&entry.name));
        late.map(|entry| entry.name.as_str()).any(is_newer)
    }
}

impl Root {
    pub(super) fn checkpoint(&self) -> Result<Option<Vec<u8>>> {
        self.read_kept(CHECKPOINT)
    }

    /// What waits, the oldest first. What begins with a dot is being written, or none of ours.
    pub(super) fn queued_runs(&self) -> Result<Vec<String>> {
        let listed = match self.dir(QUEUE).and_then(|dir| dir.list()) {
            Ok(listed) => listed,
            Err(source) => {
                return match self.misfit_of_queue() {
                    Some(misfit) => Err(misfit),
                    None if is_absent(&source) => Ok(Vec::new()),
                    None => Err(StoreError::read(QUEUE, source)),
                };
            }
        };
        let names = listed.into_iter().map(|entry| entry.name);
        let mut names: Vec<String> = names.filter(|name| !name.starts_with('.')).collect();
        names.sort_unstable();
        Ok(names)
    }

    pub(super) fn queued_run(&self, name: &str) -> Result<Option<Vec<u8>>> {
        self.read_kept(&join(QUEUE, name))
    }

    /// What stands where the queue belongs, if that is no directory.
    pub(super) fn misfit_of_queue(&self) -> Option<StoreError> {
        let found = [LOCAL, STATE, QUEUE].into_iter().find_map(|path| match self.kind(path).ok().flatten()? {
            Kind::Directory => None,
            kind => Some((path, kind)),
        });
        let (path, kind) = found?;
        let what = match kind {
            Kind::File => "a file stands where a directory belongs",
            Kind::Link => "a symbolic link stands where a directory belongs; links are never followed",
            Kind::Directory | Kind::Other => "something stands there that is neither a file nor a directory",
        };
        Some(StoreError::Damaged(Problem::damaged(path, what)))
    }

    /// Reads what a handover keeps. What is no ordinary file of a size we would write is damage; what the system does not
    /// let us read may be in order.
    fn read_kept(&self, path: &str) -> Result<Option<Vec<u8>>> {
        let bytes = self.read_up_to(path, LARGEST).map_err(|source| {
            let is_other = self.kind(path).is_ok_and(|kind| kind.is_some_and(|kind| kind != Kind::File));
            match source.kind() {
                io::ErrorKind::FileTooLarge => StoreError::Damaged(Problem::damaged(path, source.to_string())),
                _ if is_other => StoreError::Damaged(Problem::damaged(path, source.to_string())),
                _ => StoreError::read(path, source),
            }
        })?;
        bytes.map(|bytes| Ok(self.unsealed(path, bytes)?.into_bytes())).transpose()
    }

    pub(super) fn run_driver(&self) -> Option<String> {
        if !self.exists(RUN_LOCK) {
            return None;
        }
        let mut file = self.dir(STATE).and_then(|dir| dir.open_lock(split(RUN_LOCK).1)).ok()?;
        match file.try_lock() {
            Ok(()) => {
                let _ = file.unlock();
                None
            }
            Err(_) => Some(read_holder(&mut file)),
        }
    }

    pub(super) fn sessions_stamp(&self) -> Option<String> {
        let stamp = self.handle().stamp(SESSIONS).ok().flatten()?;
        Some(format!("{}-{}-{}", stamp.inode, stamp.modified, stamp.changed))
    }
}
