//! From a plan to a change that can be committed.

use std::io;

use super::cure::Cure;
use crate::error::{Result, StoreError};
use crate::layout::{BACKUP, TMP};
use crate::root::{Root, join, split};
use crate::step::tmp_name;
use crate::store::Store;
use crate::sys::{Handle, Kind};

impl Cure {
    /// Whether mending changes any file.
    pub fn has_changes(&self) -> bool {
        !self.picture.steps().is_empty()
    }

    /// The files and directories that change, in the order they do.
    pub fn changes(&self) -> Vec<String> {
        self.picture.steps().iter().map(crate::step::Step::in_words).collect()
    }
}

impl Store {
    /// Stages the mending. What is written over is in the backup, on disk, when this returns.
    pub fn stage_cure(&mut self, cure: &Cure) -> Result<()> {
        if !cure.has_changes() {
            return Ok(());
        }
        let picture = &cure.picture;
        let before = join(&cure.backup, "before");
        let staged = join(TMP, &tmp_name());
        let back_up = || -> io::Result<()> {
            // Made first and in the staging directory: what a kill leaves of the backup is then known to be unused.
            self.root.dir_made(&staged)?;
            for dir in picture.needed_dirs() {
                self.root.dir_made(dir)?;
            }
            for (path, text) in picture.written_over() {
                let copy = join(&staged, path);
                let (dir, name) = split(&copy);
                let dir = self.root.dir_made(dir)?;
                dir.create_synced(name, text.as_bytes())?;
                dir.sync()?;
            }
            if picture.written_over().is_empty() {
                return self.root.remove_tree(&staged);
            }
            self.root.dir_made(&cure.backup)?;
            self.root.rename_to_free(&staged, &before)?;
            self.root.sync_dir(&cure.backup)
        };
        back_up().map_err(|source| StoreError::write(&cure.backup, source))?;
        self.change.steps.extend(picture.steps().iter().cloned());
        self.change.forget_locator = true;
        Ok(())
    }
}

/// Removes directories that a mending which was cut off made in the backup and never filled.
pub(crate) fn remove_unused_backups(root: &Root) {
    let Ok(backups) = root.dir(BACKUP) else { return };
    remove_empty_dirs_in(&backups);
}

fn remove_empty_dirs_in(dir: &Handle) {
    let is_dir = |entry: &crate::sys::Listed| entry.kind == Kind::Directory;
    for entry in dir.list().unwrap_or_default().into_iter().filter(is_dir) {
        if let Ok(inner) = dir.open_dir(&entry.name) {
            remove_empty_dirs_in(&inner);
        }
        // One that holds something stays.
        let _ = dir.remove_empty_dir(&entry.name);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::step::put;

    #[test]
    fn what_a_mending_that_was_cut_off_left_is_cleared_by_whoever_takes_the_lock_next() {
        let place = tempfile::tempdir().unwrap();
        let root = Root::open(place.path()).unwrap();
        root.make_dirs("local/state/backup/now/aside/tasks").unwrap();
        put(&root, "local/state/backup/older/before/config.toml", "kept").unwrap();
        root.make_dirs("local/state/tmp/1-1").unwrap();
        put(&root, "local/state-in-the-way", "somebody's").unwrap();
        crate::commit::recover(&root).unwrap();
        assert!(!root.exists("local/state/backup/now") && !root.exists("local/state/tmp/1-1"));
        assert!(root.exists("local/state/backup/older/before/config.toml"));
        assert!(!root.exists("local/state-in-the-way"));
        let aside = root.read_text("local/state/backup/in-the-way-1/state").unwrap();
        assert_eq!(aside.as_deref(), Some("somebody's"));
    }
}
