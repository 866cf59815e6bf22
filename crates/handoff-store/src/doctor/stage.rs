//! From a plan to a change that can be committed.

use std::io;

use super::cure::Cure;
use crate::error::{Result, StoreError};
use crate::root::{join, split};
use crate::store::Store;

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
        let back_up = || -> io::Result<()> {
            for dir in picture.needed_dirs() {
                self.root.dir_made(dir)?;
            }
            for (path, text) in picture.written_over() {
                let copy = join(&before, path);
                let (dir, name) = split(&copy);
                let dir = self.root.dir_made(dir)?;
                dir.create_synced(name, text.as_bytes())?;
                dir.sync()?;
            }
            Ok(())
        };
        back_up().map_err(|source| StoreError::write(&cure.backup, source))?;
        self.change.steps.extend(picture.steps().iter().cloned());
        self.change.forget_locator = true;
        Ok(())
    }
}
