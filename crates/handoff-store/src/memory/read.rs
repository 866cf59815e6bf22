//! Reading every memory, whatever a person, a crash or a merge left behind.

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;

use handoff_model::conflict;
use handoff_model::document::Unreadable;
use handoff_model::entry_check::emptied;
use handoff_model::memory::{MemoryId, MemoryRecord, MemoryRef, memory_problems};
use handoff_model::problem::Problem;
use handoff_model::rev::Rev;
use handoff_model::when::Moment;

use super::kept;
use crate::error::{MemoryLine, Result, StoreError};
use crate::layout::MEMORY;
use crate::root::join;
use crate::store::Store;
use crate::task::read::is_ignored;
use crate::warm::{FileReading, ReadFile};

pub(crate) const SUFFIX: &str = ".md";

/// A memory as it is on disk at this moment.
#[derive(Clone, Debug, PartialEq)]
pub struct FoundMemory {
    pub record: MemoryRecord,
    pub rev: Rev,
    /// Path of its file, relative to the store
    pub file: String,
}

/// One file of the directory, as it was understood.
#[derive(Clone, Debug, PartialEq)]
pub struct ReadMemory {
    pub(super) found: Option<Arc<FoundMemory>>,
    pub(super) problems: Vec<Problem>,
}

/// The files of the directory, sorted by name. Two answers that are the same allocation have the same content.
pub type MemoryFiles = Arc<Vec<ReadFile<ReadMemory>>>;

/// Memories, the newest first.
#[derive(Clone, Debug, Default)]
pub struct Memories {
    pub list: Vec<Arc<FoundMemory>>,
    pub problems: Vec<Problem>,
}

pub(super) const FILES: FileReading<ReadMemory> = FileReading {
    is_wanted: |name| name.ends_with(SUFFIX) && !is_ignored(name),
    understand: |name, text| {
        let file = join(MEMORY, name);
        let text = match text {
            Ok(text) => text,
            Err(error) => {
                return ReadMemory { found: None, problems: vec![Problem::damaged(&file, error.to_string())] };
            }
        };
        let (record, problems) = read_leniently(text, &file);
        let found = record.map(|record| FoundMemory { record, rev: Rev::of(text.as_bytes()), file });
        ReadMemory { found: found.map(Arc::new), problems }
    },
};

/// Reads a memory as far as it can be read, and says what is wrong with its file.
pub(crate) fn read_leniently(text: &str, file: &str) -> (Option<MemoryRecord>, Vec<Problem>) {
    let damaged = |error: Unreadable| vec![Problem::damaged(file, error.reason).at_line(error.line)];
    if let Some(error) = emptied(text) {
        return (None, damaged(error));
    }
    let error = match MemoryRecord::read(text) {
        // Markers in the text below the fields leave a file that can be read, and would be read out.
        Ok(memory) if conflict::split(text).is_none() => return (Some(memory), memory_problems(file, text)),
        Ok(_) => Unreadable { reason: "git left conflict markers".to_owned(), line: None },
        Err(error) => error,
    };
    let Some(line) = conflict::first_marker(text) else { return (None, damaged(error)) };
    if let Some(sides) = conflict::split(text) {
        for (side, whose) in [(&sides.ours, "our"), (&sides.theirs, "their")] {
            if let Ok(memory) = MemoryRecord::read(side) {
                let reason =
                    format!("git left conflict markers; read as {whose} side. Resolve them to change this memory");
                return (Some(memory), vec![Problem::mended(file, reason).at_line(Some(sides.line))]);
            }
        }
    }
    let reason = "conflict markers that cannot be read as either side; resolve them";
    (None, vec![Problem::damaged(file, reason).at_line(Some(line))])
}

impl Memories {
    /// Puts files in order. Of several files with one id the most credible is shown, and the others are reported.
    pub fn of(files: &MemoryFiles) -> Memories {
        let mut memories = Memories::default();
        let mut shown: HashMap<MemoryId, usize> = HashMap::with_capacity(files.len());
        for file in files.iter() {
            memories.problems.extend(file.content.problems.iter().cloned());
            let Some(found) = &file.content.found else { continue };
            let Some(&place) = shown.get(&found.record.id) else {
                shown.insert(found.record.id, memories.list.len());
                memories.list.push(found.clone());
                continue;
            };
            let mut aside = found.clone();
            if aside.credibility() < memories.list[place].credibility() {
                std::mem::swap(&mut aside, &mut memories.list[place]);
            }
            let first = &memories.list[place].file;
            let reason = format!("has the id `{}` of {first} too, and is kept aside", found.record.id);
            memories.problems.push(Problem::mended(&aside.file, reason));
        }
        memories.list.sort_by(|one, other| {
            (other.record.created_at.cmp(&one.record.created_at)).then_with(|| one.record.id.cmp(&other.record.id))
        });
        memories.problems.sort();
        memories
    }

    /// The memory that is meant.
    pub fn find(&self, wanted: &MemoryRef) -> Result<Arc<FoundMemory>> {
        if let Some(found) = self.list.iter().find(|found| wanted.is_name_of(&found.record)) {
            return Ok(found.clone());
        }
        let mut begun = self.list.iter().filter(|found| wanted.is_beginning_of(&found.record));
        match (begun.next(), begun.next()) {
            (Some(found), None) => Ok(found.clone()),
            (None, _) => Err(match self.hiding(wanted) {
                Some(problem) => StoreError::Damaged(problem.clone()),
                None => StoreError::NoSuchMemory { wanted: wanted.clone() },
            }),
            (Some(first), Some(second)) => {
                let candidates = [first, second].into_iter().chain(begun).map(|found| line_of(&found.record)).collect();
                Err(StoreError::AmbiguousMemory { wanted: wanted.clone(), candidates })
            }
        }
    }

    /// The problem of the file that may hold the wanted memory: its name has the id.
    fn hiding(&self, wanted: &MemoryRef) -> Option<&Problem> {
        let is_its = |problem: &&Problem| {
            let stem = problem.path.strip_suffix(SUFFIX).unwrap_or(&problem.path);
            problem.hides() && (problem.path == MEMORY || stem.ends_with(&format!("-{wanted}")))
        };
        self.problems.iter().find(is_its)
    }
}

impl FoundMemory {
    /// Sorts the file that handoff wrote before a copy that was put beside it: that one has another name or text, or no
    /// time of creation, or a later one.
    fn credibility(&self) -> (bool, bool, Option<Moment>, &str) {
        let is_renamed = self.file != join(MEMORY, &self.record.file_name());
        (self.record.created_at.is_none(), is_renamed, self.record.created_at, &self.file)
    }
}

fn line_of(memory: &MemoryRecord) -> MemoryLine {
    MemoryLine { id: memory.id, summary: memory.summary() }
}

impl Store {
    /// The files of memories, from what was kept of them as far as that still holds.
    pub fn memory_files(&self) -> Result<MemoryFiles> {
        let kept = RefCell::new(None);
        let files = self.files_from(MEMORY, &FILES, &|| {
            let rows = if self.uses_index() { kept::open(&self.root).unwrap_or_default() } else { Vec::new() };
            *kept.borrow_mut() = Some(rows.clone());
            rows
        })?;
        if let Some(kept) = kept.take() {
            let is_kept = |file: &&ReadFile<ReadMemory>| {
                let place = kept.binary_search_by(|row: &ReadFile<ReadMemory>| row.name.cmp(&file.name));
                place.is_ok_and(|place| Arc::ptr_eq(&kept[place].content, &file.content))
            };
            let same = files.iter().filter(is_kept).count();
            let changed = (files.len() - same).max(kept.len() - same);
            self.keep_index(changed, || kept::keep(&self.root, &files));
        }
        Ok(files)
    }

    /// Every memory, retired ones included.
    pub fn memories(&self) -> Result<Memories> {
        match self.memory_files() {
            Err(StoreError::Read { path, source }) => {
                let problem = Problem::damaged(path, format!("cannot be read: {source}"));
                Ok(Memories { list: Vec::new(), problems: vec![problem] })
            }
            files => Ok(Memories::of(&files?)),
        }
    }

    /// The memory that is meant.
    pub fn find_memory(&self, wanted: &MemoryRef) -> Result<Arc<FoundMemory>> {
        self.memories()?.find(wanted)
    }
}
