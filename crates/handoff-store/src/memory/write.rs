//! Staging changes of memories.

use handoff_model::conflict;
use handoff_model::memory::MemoryRecord;
use handoff_model::problem::Problem;
use handoff_model::rev::Rev;

use super::read::FoundMemory;
use crate::error::{Result, StoreError};
use crate::layout::MEMORY;
use crate::root::join;
use crate::step::Step;
use crate::store::{Store, check_size};

impl Store {
    /// Stages a new memory.
    pub fn create_memory(&mut self, record: MemoryRecord) -> Result<FoundMemory> {
        let file = join(MEMORY, &record.file_name());
        let text = record.print();
        check_size(&file, &text)?;
        let rev = Rev::of(text.as_bytes());
        self.change.steps.push(Step::Put { path: file.clone(), before: None, after: text });
        Ok(FoundMemory { record, rev, file })
    }

    /// Stages a change of a memory. One that was changed since it was found is refused.
    pub fn save_memory(&mut self, found: &FoundMemory, record: MemoryRecord) -> Result<FoundMemory> {
        let path = found.file.clone();
        let before = self.root.read_text(&path).map_err(|source| StoreError::read(&path, source))?;
        let before = before.ok_or_else(|| StoreError::ChangedUnderway { path: path.clone() })?;
        let rev = Rev::of(before.as_bytes());
        if rev != found.rev {
            let what = format!("memory `{}`", found.record.id);
            return Err(StoreError::Changed { what, expected: found.rev, found: rev });
        }
        if let Some(sides) = conflict::split(&before) {
            let reason = "git left conflict markers; resolve them to change this memory";
            return Err(StoreError::Damaged(Problem::damaged(&path, reason).at_line(Some(sides.line))));
        }
        let after = record.write_over(&before).map_err(|error| {
            let reason = format!("cannot be changed: {}", error.reason);
            StoreError::Damaged(Problem::damaged(&path, reason).at_line(error.line))
        })?;
        check_size(&path, &after)?;
        let rev = Rev::of(after.as_bytes());
        if before != after {
            self.change.steps.push(Step::Put { path: path.clone(), before: Some(before), after });
        }
        Ok(FoundMemory { record, rev, file: path })
    }
}
