//! What a crash left behind. Whoever takes the lock puts it right, so it is told before that.

use std::io;
use std::time::Duration;

use handoff_model::heal::{Finding, Kind};

use super::cure::Circumstances;
use crate::agents::is_staged;
use crate::commit::{self, Fault, Generation};
use crate::error::{Result, StoreError};
use crate::layout::{AGENTS, GENERATION, JOURNAL, TMP, UNDO_JOURNAL};
use crate::lock::Lock;
use crate::root::{join, split};
use crate::store::Store;

/// How long somebody who writes is waited for.
const WAIT: Duration = Duration::from_secs(10);

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
            let what = "a change of several records was cut off";
            let finding = match commit::journal_fault(&self.root, path) {
                None => Finding::new(Kind::Journal, path, what).fixed_by(fix),
                Some(Fault::Hopeless(why)) => unfinishable(path, &why),
                Some(Fault::Newer(why)) => {
                    Finding::new(Kind::Journal, path, format!("{what}: {why}")).advising("update handoff")
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

    /// Finishes what a crash left, and takes a journal that nobody can finish out of the way: until then nothing can be
    /// written at all. What was found before is told as it went.
    pub fn settle_journals(&self, around: &mut Circumstances) -> Result<()> {
        if !commit::is_pending(&self.root) {
            return Ok(());
        }
        let _lock = Lock::take(&self.root, "doctor", WAIT, &self.stop)?;
        while let Err(error) = commit::recover(&self.root) {
            let StoreError::Stuck { path, source } = error else { return Err(error) };
            self.move_aside(&path, around).map_err(|source| StoreError::write(path.as_str(), source))?;
            around.done.retain(|finding| finding.path != path);
            around.done.push(unfinishable(&path, &source.to_string()));
        }
        Ok(())
    }

    /// Moves something of this machine into the backup, outside any change: it stands in the way of all of them.
    pub(super) fn move_aside(&self, path: &str, around: &mut Circumstances) -> io::Result<()> {
        self.move_aside_as(path, path, around)
    }

    /// The same under another name than the one it has at the moment.
    pub(super) fn move_aside_as(&self, path: &str, name: &str, around: &mut Circumstances) -> io::Result<()> {
        let now = around.now;
        let backup = around.backup.get_or_insert_with(|| self.free_backup(now));
        let to = join(&join(backup, "aside"), name);
        self.root.dir_made(split(&to).0)?;
        self.root.rename_to_free(path, &to)?;
        self.root.sync_dir(split(&to).0)?;
        self.root.sync_dir(split(path).0)
    }
}

fn unfinishable(path: &str, why: &str) -> Finding {
    let what = format!("a change of several records was cut off, and cannot be finished: {why}");
    Finding::new(Kind::Journal, path, what).fixed_by("the journal is moved into the backup")
}
