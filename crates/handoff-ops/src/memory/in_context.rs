//! Memories that matter for what is at hand, for loading and for hooks.

use std::sync::Arc;

use handoff_model::memory::{MemoryId, MemoryKind, MemoryReason, MemoryRecord, MemorySurroundings, relevant_memories};
use handoff_model::problem::Problem;
use handoff_model::relevant::Candidate;
use handoff_model::tokens::estimate;
use handoff_store::{FoundMemory, Memories};
use schemars::JsonSchema;
use serde::Serialize;

use super::scope::current_branch;
use super::view::memory_line;
use crate::{OpError, Project};

/// A memory as a context shows it.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct MemoryInContext {
    pub id: MemoryId,
    pub kind: MemoryKind,
    /// What it says in one line
    pub summary: String,
    /// Set where the text says more than the summary
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub has_more: bool,
    /// Files, directories or globs it applies to
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub paths: Vec<String>,
    /// Why it is shown, such as `for src/api.rs`
    #[serde(skip_serializing_if = "Option::is_none")]
    pub because: Option<String>,
}

impl MemoryInContext {
    fn of(found: &FoundMemory, reason: Option<&MemoryReason>) -> MemoryInContext {
        let record = &found.record;
        let because = reason.and_then(|reason| match reason {
            MemoryReason::Governs(path) => Some(format!("for {path}")),
            MemoryReason::Names(name) => Some(format!("names {name}")),
            MemoryReason::Label(label) => Some(format!("for {label}")),
            MemoryReason::Words(_) | MemoryReason::Standing => None,
        });
        MemoryInContext {
            id: record.id,
            kind: record.kind,
            summary: record.summary(),
            has_more: !record.is_said_by_summary(),
            paths: record.paths.clone(),
            because,
        }
    }
}

impl MemoryInContext {
    /// Returns whether it warns or binds, like a caution.
    pub(crate) fn is_binding(&self) -> bool {
        matches!(self.kind, MemoryKind::Rule | MemoryKind::Gotcha)
    }
}

/// What is at hand when memories are chosen for a context.
#[derive(Clone, Debug, Default)]
pub(crate) struct MemoriesAtHand<'a> {
    pub(crate) words: &'a str,
    /// Files at hand, relative to the project
    pub(crate) paths: &'a [String],
    /// Labels of the tasks at hand
    pub(crate) labels: &'a [String],
    pub(crate) budget_tokens: usize,
}

/// The memories of a context.
#[derive(Debug, Default)]
pub(crate) struct ContextMemories {
    /// The best first
    pub(crate) shown: Vec<MemoryInContext>,
    /// How many are in force here and not among them
    pub(crate) left_out: usize,
    /// What is wrong in the files
    pub(crate) problems: Vec<Problem>,
}

/// Chooses memories for a context.
pub(crate) fn in_context(project: &Project, at_hand: &MemoriesAtHand<'_>) -> Result<ContextMemories, OpError> {
    let Memories { list, problems } = project.store().memories()?;
    if list.is_empty() {
        return Ok(ContextMemories { problems, ..ContextMemories::default() });
    }
    let branch = current_branch(project);
    let surroundings = MemorySurroundings {
        words: at_hand.words,
        paths: at_hand.paths,
        branch: branch.as_deref(),
        labels: at_hand.labels,
        total: None,
    };
    let records: Vec<_> = list.iter().map(|found| &found.record).collect();
    let cost = |record: &MemoryRecord| estimate(&memory_line(record).said_in_markdown()) + 1;
    let chosen = relevant_memories(&surroundings, &records, at_hand.budget_tokens, cost);
    let applies = |record: &&&MemoryRecord| record.is_in_force() && record.applies_on(branch.as_deref());
    let left_out = records.iter().filter(applies).count().saturating_sub(chosen.len());
    let shown = chosen.iter().map(|found| MemoryInContext::of(&list[found.place], Some(&found.reason))).collect();
    Ok(ContextMemories { shown, left_out, problems })
}

/// Every memory that could come to matter here, with what each can be found by.
pub(crate) fn candidates(project: &Project) -> Result<Vec<(MemoryInContext, Candidate)>, OpError> {
    let Memories { list, .. } = project.store().memories()?;
    if list.is_empty() {
        return Ok(Vec::new());
    }
    let branch = current_branch(project);
    let applies = |found: &&Arc<FoundMemory>| found.record.is_in_force() && found.record.applies_on(branch.as_deref());
    let both = |found: &Arc<FoundMemory>| (MemoryInContext::of(found, None), found.record.candidate());
    Ok(list.iter().filter(applies).map(both).collect())
}
