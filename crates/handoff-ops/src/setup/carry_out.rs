//! Writing what was planned.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::Duration;

use handoff_hosts::setup::{FileChange, Plan, Record};
use handoff_model::agent::Host;
use handoff_store::{
    NewFile, OutsideLock, change_outside, has_other_names, missing_dirs, read_outside, remove_empty_dirs, sweep_outside,
};

use super::Setup;
use super::disk::real;
use crate::OpError;
use crate::setup::Scope;

/// Hosts for which something could not be written, and why.
pub(super) type Failures = Vec<(Host, String)>;

/// How long another setup is waited for. One writes some files and is done.
const PATIENCE: Duration = Duration::from_secs(30);

impl Setup {
    /// Waits until no other setup changes anything. From the look at the record to the last write nobody may come between.
    pub(super) fn alone(&self, scope: Scope) -> Result<OutsideLock, OpError> {
        self.refuse_paused(scope)?;
        let path = self.record_path.with_extension("lock");
        let lock = OutsideLock::take(&path, "setting up agents", PATIENCE).map_err(OpError::from)?;
        // Somebody may have paused while this one waited.
        self.refuse_paused(scope)?;
        Ok(lock)
    }

    /// Writes what was planned. Where that fails for a host, what was written for it is taken back.
    pub(super) fn carry_out(&self, plan: &Plan, _alone: &OutsideLock) -> Result<Failures, OpError> {
        let before = self.record()?;
        self.sweep(plan, &before);
        let mut record = before.clone();
        // Noted first: whatever happens from here on, it is known what may have been done.
        let mut made: BTreeMap<&Path, Vec<PathBuf>> = BTreeMap::new();
        for file in &plan.files {
            let missing = missing_dirs(&file.path);
            if !plan.done_with.contains(&file.path) {
                record.note(file, &missing);
            }
            made.insert(&file.path, missing);
        }
        if !plan.files.is_empty() {
            self.write_record(&record)?;
        }
        let mut failures: Failures = Vec::new();
        let mut written: Vec<&Path> = Vec::new();
        for file in &plan.files {
            if file.hosts.iter().all(|host| failures.iter().any(|(failed, _)| failed == host)) {
                continue;
            }
            match write(file) {
                Ok(()) => written.push(&file.path),
                Err(error) => {
                    // It may have failed when all but the last was done.
                    if is_as_wished(file) {
                        written.push(&file.path);
                    }
                    let why = format!("cannot write {}: {error}", self.shown(&file.path));
                    failures.extend(file.hosts.iter().map(|host| (*host, why.clone())));
                }
            }
        }
        let is_failed = |host: &Host| failures.iter().any(|(failed, _)| failed == host);
        for file in plan.files.iter().rev().filter(|file| file.hosts.iter().all(is_failed)) {
            // What cannot be taken back stays in the record, and goes with `--uninstall`.
            if !written.contains(&file.path.as_path()) || take_back(file).is_ok() {
                record.take_back(&file.path, &before);
            }
            remove_empty_dirs(&made[file.path.as_path()]);
        }
        self.forget(plan, record, &failures)?;
        Ok(failures)
    }

    /// Removes what a setup that was killed left beside the files it was writing.
    fn sweep(&self, plan: &Plan, record: &Record) {
        let parts = plan.hosts.iter().flat_map(|host| &host.parts).map(|part| real(&part.path));
        let changed = plan.files.iter().map(|file| file.path.clone());
        let noted = record.paths().map(Path::to_owned);
        let all: BTreeSet<PathBuf> = parts.chain(changed).chain(noted).chain([self.record_path.clone()]).collect();
        for path in &all {
            sweep_outside(path);
        }
    }

    /// Forgets the files in which nothing of ours is left, and removes the directories that were made for them.
    fn forget(&self, plan: &Plan, mut record: Record, failures: &Failures) -> Result<(), OpError> {
        let is_failed = |path: &PathBuf| {
            let file = plan.files.iter().find(|file| file.path == *path);
            file.is_some_and(|file| file.hosts.iter().any(|host| failures.iter().any(|(failed, _)| failed == host)))
        };
        for path in plan.done_with.iter().filter(|path| !is_failed(path)) {
            if path.symlink_metadata().is_err() {
                remove_empty_dirs(record.made(path));
            }
            if plan.files.iter().any(|file| file.path == *path && file.after.is_none()) {
                // Without a record: a directory of ours has our name.
                let own = path.parent().filter(|dir| dir.file_name().is_some_and(|name| name == "handoff"));
                remove_empty_dirs(&own.map(Path::to_owned).into_iter().collect::<Vec<_>>());
            }
            record.forget(path);
        }
        self.write_record(&record)
    }

    pub(super) fn write_record(&self, record: &Record) -> Result<(), OpError> {
        let fail = |error| {
            OpError::failure(format!("cannot note in {} what setup does", self.shown(&self.record_path)))
                .caused_by(error)
        };
        let before = read_outside(&self.record_path).map_err(fail)?;
        let after = (!record.is_empty()).then(|| record.print().into_bytes());
        if before == after {
            return Ok(());
        }
        change_outside(&self.record_path, before.as_deref(), after.as_deref(), NewFile::Secret).map_err(fail)
    }
}

/// Why a file with several names is left alone.
pub(super) const HARD_LINK: &str =
    "it is a hard link, and its other names would keep what they have; make it a file of its own, or a symbolic link";

/// Whether a file that is to be replaced has another name.
pub(super) fn is_hard_link(file: &FileChange) -> bool {
    file.before.is_some() && has_other_names(&file.path)
}

fn write(file: &FileChange) -> std::io::Result<()> {
    if is_hard_link(file) {
        return Err(std::io::Error::other(HARD_LINK));
    }
    let new = if file.is_executable { NewFile::Program } else { NewFile::Usual };
    let (before, after) = (file.before.as_deref().map(str::as_bytes), file.after.as_deref().map(str::as_bytes));
    change_outside(&file.path, before, after, new)
}

fn is_as_wished(file: &FileChange) -> bool {
    let after = file.after.as_deref().map(str::as_bytes);
    read_outside(&file.path).is_ok_and(|now| now.as_deref() == after)
}

fn take_back(file: &FileChange) -> std::io::Result<()> {
    let (before, after) = (file.before.as_deref().map(str::as_bytes), file.after.as_deref().map(str::as_bytes));
    change_outside(&file.path, after, before, NewFile::Usual)
}
