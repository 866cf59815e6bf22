//! Writing what was planned.

use std::path::{Path, PathBuf};

use handoff_hosts::setup::{FileChange, Plan, Record};
use handoff_model::agent::Host;
use handoff_store::{NewFile, change_outside, missing_dirs, read_outside, remove_empty_dirs};

use super::Setup;
use crate::OpError;

/// Hosts for which something could not be written, and why.
pub(super) type Failures = Vec<(Host, String)>;

impl Setup {
    /// Writes what was planned. Where that fails for a host, what was written for it is taken back.
    pub(super) fn carry_out(&self, plan: &Plan) -> Result<Failures, OpError> {
        let mut record = self.record();
        // Noted first: whatever happens from here on, it is known what may have been done.
        let made: Vec<(&Path, Vec<PathBuf>)> = plan
            .files
            .iter()
            .map(|file| {
                let made = missing_dirs(&file.path);
                let is_gone = plan.done_with.contains(&file.path);
                if !is_gone {
                    record.note(file, &made);
                }
                (file.path.as_path(), made)
            })
            .collect();
        if !plan.files.is_empty() {
            self.write_record(&record)?;
        }
        let mut failures: Failures = Vec::new();
        let mut written: Vec<&FileChange> = Vec::new();
        for file in &plan.files {
            if file.hosts.iter().all(|host| failures.iter().any(|(failed, _)| failed == host)) {
                continue;
            }
            match write(file) {
                Ok(()) => written.push(file),
                Err(error) => {
                    let why = format!("cannot write {}: {error}", self.shown(&file.path));
                    failures.extend(file.hosts.iter().map(|host| (*host, why.clone())));
                }
            }
        }
        if !failures.is_empty() {
            let is_failed = |host: &Host| failures.iter().any(|(failed, _)| failed == host);
            for file in written.iter().rev().filter(|file| file.hosts.iter().all(is_failed)) {
                take_back(file);
                let made = made.iter().find(|(path, _)| *path == file.path).map(|(_, made)| made.as_slice());
                remove_empty_dirs(made.unwrap_or_default());
            }
        }
        self.forget(plan, record, &failures)?;
        Ok(failures)
    }

    /// Forgets the files in which nothing of ours is left, and removes the directories that were made for them.
    fn forget(&self, plan: &Plan, mut record: Record, failures: &Failures) -> Result<(), OpError> {
        let before = record.clone();
        let is_failed = |path: &PathBuf| {
            let file = plan.files.iter().find(|file| file.path == *path);
            file.is_some_and(|file| file.hosts.iter().any(|host| failures.iter().any(|(failed, _)| failed == host)))
        };
        for path in plan.done_with.iter().filter(|path| !is_failed(path)) {
            let is_removed = plan.files.iter().any(|file| file.path == *path && file.after.is_none());
            if is_removed {
                remove_empty_dirs(record.made(path));
                // Without a record: a directory of ours has our name.
                let own = path.parent().filter(|dir| dir.file_name().is_some_and(|name| name == "handoff"));
                remove_empty_dirs(&own.map(Path::to_owned).into_iter().collect::<Vec<_>>());
            }
            record.forget(path);
        }
        if record == before { Ok(()) } else { self.write_record(&record) }
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
        change_outside(&self.record_path, before.as_deref(), after.as_deref(), NewFile::Secret).map_err(fail)?;
        if after.is_none() {
            // Where nothing else was ever kept, nothing stays behind.
            remove_empty_dirs(&self.record_path.parent().map(Path::to_owned).into_iter().collect::<Vec<_>>());
        }
        Ok(())
    }
}

fn write(file: &FileChange) -> std::io::Result<()> {
    let new = if file.is_executable { NewFile::Program } else { NewFile::Usual };
    let (before, after) = (file.before.as_deref().map(str::as_bytes), file.after.as_deref().map(str::as_bytes));
    change_outside(&file.path, before, after, new)
}

fn take_back(file: &FileChange) {
    let (before, after) = (file.before.as_deref().map(str::as_bytes), file.after.as_deref().map(str::as_bytes));
    // What cannot be taken back is in the record, and goes with `--uninstall`.
    let _ = change_outside(&file.path, after, before, NewFile::Usual);
}
