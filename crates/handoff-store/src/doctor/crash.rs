//! What a crash left behind. Whoever takes the lock puts it right, so it is told before that.

use std::io;

use handoff_model::heal::{Finding, Kind};

use super::cure::Circumstances;
use crate::agents::is_staged;
use crate::commit::{self, Generation};
use crate::error::Result;
use crate::layout::{AGENTS, BACKUP, GENERATION, JOURNAL, TMP, UNDO_JOURNAL};
use crate::lock::Lock;
use crate::root::{join, split};
use crate::store::Store;

impl Store {
    /// What a crash left behind. While somebody writes, nothing is.
    pub fn left_by_crash(&self) -> Result<Vec<Finding>> {
        let mut findings = Vec::new();
        if self.is_locked() || Lock::is_held(&self.root) {
            return Ok(findings);
        }
        for (path, fix) in [(JOURNAL, "finished"), (UNDO_JOURNAL, "taken back")] {
            if !self.root.exists(path) {
                continue;
            }
            let finding = match commit::journal_fault(&self.root, path) {
                None => Finding::new(Kind::Journal, path, "a change of several records was cut off").fixed_by(fix),
                Some(why) => {
                    let what =
                        format!("a change of several records was cut off, and its journal cannot be read: {why}");
                    Finding::new(Kind::Journal, path, what).fixed_by("the journal is moved into the backup")
                }
            };
            findings.push(finding);
        }
        let staged = self.root.dir(TMP).and_then(|dir| dir.list()).unwrap_or_default();
        for entry in staged {
            let finding = Finding::new(Kind::Leftover, join(TMP, &entry.name), "a write that was cut off left it");
            findings.push(finding.fixed_by("removed: it never became part of anything"));
        }
        if Generation::read(&self.root) % 2 == 1 && findings.is_empty() {
            let finding = Finding::new(Kind::Leftover, GENERATION, "it says that a change is under way, and none is");
            findings.push(finding.fixed_by("set right"));
        }
        let agents = self.root.dir(AGENTS).and_then(|dir| dir.list()).unwrap_or_default();
        for entry in agents.iter().filter(|entry| is_staged(&entry.name)) {
            let finding = Finding::new(Kind::Leftover, join(AGENTS, &entry.name), "a write that was cut off left it");
            findings.push(finding.fixed_by("removed: it never became part of anything"));
        }
        Ok(findings)
    }

    /// Takes a journal that cannot be read out of the way: until then nothing can be written at all.
    pub fn set_journal_aside(&self, around: &Circumstances) -> Result<()> {
        let unreadable: Vec<&str> = [JOURNAL, UNDO_JOURNAL]
            .into_iter()
            .filter(|path| self.root.exists(path) && commit::journal_fault(&self.root, path).is_some())
            .collect();
        if unreadable.is_empty() {
            return Ok(());
        }
        let _lock = Lock::take(&self.root, "doctor", std::time::Duration::from_secs(10), &self.stop)?;
        let stamp = around.now.in_seconds().to_string().replace(['-', ':'], "");
        for path in unreadable {
            let dir = join(BACKUP, &format!("{stamp}-journal"));
            let moved = || -> io::Result<()> {
                self.root.dir_made(&dir)?;
                self.root.rename_to_free(path, &join(&dir, split(path).1))?;
                self.root.sync_dir(&dir)?;
                self.root.sync_dir(split(path).0)
            };
            moved().map_err(|source| crate::error::StoreError::write(path, source))?;
        }
        Ok(())
    }
}
