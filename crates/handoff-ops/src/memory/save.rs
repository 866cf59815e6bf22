//! Saving a memory: a new one, one that replaces others, or new words for one that is there.

use std::sync::Arc;

use handoff_model::memory::{
    MemoryEdit, MemoryId, MemoryKind, MemoryLikeness, MemoryRecord, MemoryRef, similar_memories,
};
use handoff_model::session::Confidence;
use handoff_store::{FoundMemory, Memories};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;

use super::{AddMemory, EditMemory, ShowMemory, relative_paths};
use crate::page::{Role, Text};
use crate::session::which;
use crate::{Door, ErrorKind, Facts, Hint, OpError, Page, Project, Report};

/// What is to be saved.
#[derive(Clone, Debug, Default)]
pub(crate) struct MemoryDraft {
    pub(crate) text: String,
    /// Absent: the usual one for a new memory, the one it has for another
    pub(crate) kind: Option<MemoryKind>,
    pub(crate) title: Option<String>,
    pub(crate) tags: Vec<String>,
    pub(crate) keywords: Vec<String>,
    pub(crate) paths: Vec<String>,
    pub(crate) branches: Vec<String>,
    pub(crate) confidence: Option<Confidence>,
    /// The memory that gets the new words
    pub(crate) merge_into: Option<MemoryRef>,
    /// Memories that are retired in favour of this one
    pub(crate) replaces: Vec<MemoryRef>,
    /// Whether it is stored although it is close to others
    pub(crate) force: bool,
}

/// What became of a memory that was to be saved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SaveStatus {
    Saved,
    /// Another one says the same; nothing was written
    DuplicateExact,
    /// Others are close to it or contradict it; nothing was written
    Conflict,
    /// It was put into another one, or took the place of others
    Merged,
}

/// A memory that was saved, or the reason why it was not.
#[derive(Debug, Serialize, JsonSchema)]
pub struct MemorySaved {
    pub status: SaveStatus,
    /// Id of the memory; absent where nothing was written
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<MemoryId>,
    /// Id of the memory that says the same
    #[serde(skip_serializing_if = "Option::is_none")]
    pub existing_id: Option<MemoryId>,
    /// Memories that are close to it, the closest first
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub similar: Vec<SimilarMemoryView>,
    /// Memories that were retired in its favour
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub absorbed_ids: Vec<MemoryId>,
    /// What to do about a conflict
    #[serde(skip_serializing_if = "Option::is_none")]
    pub instruction: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rev: Option<String>,
    pub message: String,
}

/// A memory that is close to one that was to be saved.
#[derive(Debug, Serialize, JsonSchema)]
pub struct SimilarMemoryView {
    pub id: MemoryId,
    pub kind: MemoryKind,
    pub text: String,
    /// Share of their words that both have, from 0 to 1
    pub score: f64,
    /// `contradicts` or `similar`
    pub relation: &'static str,
}

/// Memories of a conflict that are handed back.
const MAX_SIMILAR: usize = 5;

const INSTRUCTION: &str =
    "nothing was stored: replace the old memory, write one text for both, or store the new one beside it";

/// Saves a memory, unless it is close to others and nobody said what to do about them.
pub(crate) fn save(project: &mut Project, mut draft: MemoryDraft) -> Result<MemorySaved, OpError> {
    draft.paths = relative_paths(project, &draft.paths);
    let memories = project.store().memories()?;
    let absorbed = absorbed(&memories, &draft)?;
    if let Some(target) = &draft.merge_into {
        let target = memories.find(target)?;
        return merge(project, &target, &absorbed, draft);
    }
    let mut record = new_record(project, &draft)?;
    let others = memories.list.iter().filter(|found| !absorbed.iter().any(|one| one.record.id == found.record.id));
    let others: Vec<&Arc<FoundMemory>> = others.collect();
    let similar = similar_memories(&record, others.iter().map(|found| &found.record));
    if let Some(same) = similar.first().filter(|first| first.likeness == MemoryLikeness::Same) {
        let id = others[same.place].record.id;
        let message = format!("memory {id} says the same; nothing was stored");
        return Ok(MemorySaved { existing_id: Some(id), ..MemorySaved::new(SaveStatus::DuplicateExact, message) });
    }
    if !similar.is_empty() && !draft.force {
        let view = |found: &handoff_model::memory::SimilarMemory| {
            let record = &others[found.place].record;
            SimilarMemoryView {
                id: record.id,
                kind: record.kind,
                text: record.says().to_owned(),
                score: (found.score * 100.0).round() / 100.0,
                relation: if found.likeness == MemoryLikeness::Contradicts { "contradicts" } else { "similar" },
            }
        };
        let similar: Vec<SimilarMemoryView> = similar.iter().take(MAX_SIMILAR).map(view).collect();
        let instruction = Some(INSTRUCTION);
        let message = match similar.iter().filter(|one| one.relation == "contradicts").count() {
            0 => "nearly the same is remembered already; nothing was stored".to_owned(),
            1 => "this contradicts a memory in force; nothing was stored".to_owned(),
            count => format!("this contradicts {count} memories in force; nothing was stored"),
        };
        return Ok(MemorySaved { similar, instruction, ..MemorySaved::new(SaveStatus::Conflict, message) });
    }
    for found in &absorbed {
        record.absorb(&found.record);
    }
    if let Some(scope) = common_scope(absorbed.iter().map(|found| &found.record)) {
        // Where nothing is said of its scope, it applies where those did that it replaces.
        record.paths = if record.paths.is_empty() { scope.paths } else { record.paths };
        record.branches = if record.branches.is_empty() { scope.branches } else { record.branches };
    }
    let saved = project.store_mut().create_memory(record)?;
    retire_all(project, &absorbed, saved.record.id)?;
    Ok(MemorySaved::stored(&saved, &absorbed))
}

/// The memories that are to be replaced.
fn absorbed(memories: &Memories, draft: &MemoryDraft) -> Result<Vec<Arc<FoundMemory>>, OpError> {
    let mut found: Vec<Arc<FoundMemory>> = Vec::new();
    for wanted in &draft.replaces {
        let one = memories.find(wanted)?;
        if !one.record.is_in_force() {
            return Err(OpError::refused(format!("memory `{}` is retired already", one.record.id)));
        }
        if !found.iter().any(|known| known.record.id == one.record.id) {
            found.push(one);
        }
    }
    Ok(found)
}

/// A memory that applies wherever one of these does.
fn common_scope<'m>(mut records: impl Iterator<Item = &'m MemoryRecord>) -> Option<MemoryRecord> {
    let mut scope = records.next()?.clone();
    records.for_each(|record| scope.widen(record));
    Some(scope)
}

fn new_record(project: &mut Project, draft: &MemoryDraft) -> Result<MemoryRecord, OpError> {
    let (author, now) = (project.by()?, project.now());
    let session = project.store().handoffs().ok();
    let session = session.and_then(|sessions| which::mine(project, &sessions).map(|found| found.name.clone()));
    let id = MemoryId::from(project.new_task_id());
    let mut record = MemoryRecord::new(id, draft.kind.unwrap_or_default(), draft.text.clone(), now);
    record.edit(MemoryEdit {
        tags: Some(draft.tags.clone()),
        keywords: Some(draft.keywords.clone()),
        paths: Some(draft.paths.clone()),
        branches: Some(draft.branches.clone()),
        ..MemoryEdit::default()
    });
    (record.title, record.confidence) = (draft.title.clone(), draft.confidence);
    (record.author, record.session) = (Some(author), session);
    Ok(record)
}

/// Gives a memory new words, with all that it and the absorbed ones were found by.
fn merge(
    project: &mut Project,
    target: &FoundMemory,
    absorbed: &[Arc<FoundMemory>],
    draft: MemoryDraft,
) -> Result<MemorySaved, OpError> {
    let id = target.record.id;
    if !target.record.is_in_force() {
        return Err(OpError::refused(format!("memory `{id}` is retired: add a new one instead")));
    }
    let absorbed: Vec<Arc<FoundMemory>> = absorbed.iter().filter(|found| found.record.id != id).cloned().collect();
    let mut record = target.record.clone();
    record.text.clone_from(&draft.text);
    record.title = draft.title.clone().or(record.title);
    record.confidence = draft.confidence.or(record.confidence);
    record.kind = draft.kind.unwrap_or(record.kind);
    for found in &absorbed {
        record.absorb(&found.record);
        record.widen(&found.record);
    }
    let said = MemoryRecord { tags: draft.tags, keywords: draft.keywords, ..record.clone() };
    record.absorb(&said);
    // What is said of its scope adds to a limit, and is one where there was none.
    record.edit(MemoryEdit {
        paths: Some([record.paths.clone(), draft.paths].concat()),
        branches: Some([record.branches.clone(), draft.branches].concat()),
        ..MemoryEdit::default()
    });
    let saved = project.store_mut().save_memory(target, record)?;
    retire_all(project, &absorbed, id)?;
    let mut outcome = MemorySaved::stored(&saved, &absorbed);
    outcome.status = SaveStatus::Merged;
    outcome.message = format!("memory {id} now says: {}", saved.record.summary());
    Ok(outcome)
}

fn retire_all(project: &mut Project, found: &[Arc<FoundMemory>], by: MemoryId) -> Result<(), OpError> {
    let now = project.now();
    for one in found {
        let mut record = one.record.clone();
        record.retire(now, None, Some(by)).map_err(|error| OpError::refused(error.to_string()))?;
        project.store_mut().save_memory(one, record)?;
    }
    Ok(())
}

impl MemorySaved {
    fn new(status: SaveStatus, message: String) -> MemorySaved {
        MemorySaved {
            status,
            id: None,
            existing_id: None,
            similar: Vec::new(),
            absorbed_ids: Vec::new(),
            instruction: None,
            rev: None,
            message,
        }
    }

    fn stored(saved: &FoundMemory, absorbed: &[Arc<FoundMemory>]) -> MemorySaved {
        let absorbed_ids: Vec<MemoryId> = absorbed.iter().map(|found| found.record.id).collect();
        let status = if absorbed_ids.is_empty() { SaveStatus::Saved } else { SaveStatus::Merged };
        let record = &saved.record;
        let mut message = format!("remembered {} {}: {}", record.kind, record.id, record.summary());
        if !absorbed_ids.is_empty() {
            let ids: Vec<&str> = absorbed_ids.iter().map(MemoryId::as_str).collect();
            message = format!("{message} (replaces {})", ids.join(", "));
        }
        let (id, rev) = (Some(record.id), Some(saved.rev.to_string()));
        MemorySaved { id, absorbed_ids, rev, ..MemorySaved::new(status, message) }
    }
}

impl MemorySaved {
    /// What can be done about a conflict, and how each of it is asked for.
    fn ways_on(&self) -> Vec<(&'static str, Hint)> {
        let Some(SimilarMemoryView { id, .. }) = self.similar.first() else { return Vec::new() };
        vec![
            ("to replace the old one", Hint::run_with::<AddMemory>(json!({"text": "…", "replaces": [id]}))),
            ("to write one text for both", Hint::run_with::<EditMemory>(json!({"id": id, "text": "…"}))),
            ("to store yours beside it", Hint::run_with::<AddMemory>(json!({"text": "…", "force": true}))),
        ]
    }
}

impl Report for MemorySaved {
    fn page(&self) -> Page {
        let mark = if self.id.is_some() { Text::of(Role::Good, "✓ ") } else { Text::default() };
        let mut page = Page::new().line(mark.plain(&self.message));
        for similar in &self.similar {
            let line = Text::of(Role::Dim, similar.relation).plain(" ").and(Role::Id, similar.id.to_string());
            page = page.said(line.plain(format!(" {}: ", similar.kind)).plain(&similar.text));
        }
        for (purpose, hint) in self.ways_on() {
            page = page.advice(format!("{purpose}: "), hint);
        }
        if let Some(id) = self.existing_id {
            page = page.advice("to see it: ", Hint::run_with::<ShowMemory>(json!({"id": id})));
        }
        page
    }

    fn trouble(&self) -> Option<ErrorKind> {
        (self.status == SaveStatus::Conflict).then_some(ErrorKind::Refused)
    }

    fn facts(&self) -> Facts {
        // Only agents read these facts.
        let ways = self.ways_on().into_iter().map(|(purpose, hint)| format!("{purpose}, {}", hint.at(Door::Mcp)));
        let instruction = self.instruction.map(|_| ways.collect::<Vec<_>>().join("; "));
        let status = serde_json::to_value(self.status).ok().and_then(|word| word.as_str().map(str::to_owned));
        let mut more = serde_json::Map::new();
        for (key, value) in [
            ("existing_id", json!(self.existing_id)),
            ("similar", json!(self.similar)),
            ("absorbed_ids", json!(self.absorbed_ids)),
            ("instruction", json!(instruction)),
        ] {
            let is_empty = value.is_null() || value.as_array().is_some_and(Vec::is_empty);
            if !is_empty {
                more.insert(key.to_owned(), value);
            }
        }
        let (message, id) = (self.page().to_markdown(None), self.id.map(|id| id.to_string()));
        Facts { message, id, status, rev: self.rev.clone(), more, ..Facts::default() }
    }
}
