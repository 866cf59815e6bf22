//! Memories that answer a question, ranked by words and scope, within a budget.

use std::collections::{HashMap, HashSet};

use handoff_model::memory::{MemoryId, MemoryKind, MemoryRecord, MemorySurroundings, relevant_memories};
use handoff_model::relevant::NamedPlaces;
use handoff_model::rev::Rev;
use handoff_store::FoundMemory;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};

use super::scope::{MemoryFilter, governs};
use super::{ListMemories, LoadedMemories, MemoryUse};
use crate::page::{Role, Text};
use crate::published::Budget;
use crate::{Hint, OpError, Page, Project, Report};

/// What is asked.
#[derive(Clone, Debug, Default)]
pub(crate) struct MemoryQuestion {
    pub(crate) words: String,
    /// Files at hand, relative to the project; memories for them, and for what the words name, answer although they share
    /// no word
    pub(crate) paths: Vec<String>,
    pub(crate) filter: MemoryFilter,
    pub(crate) limit: usize,
    /// The conversation that asks by itself, with every prompt: only what surely matters is given, and each thing once
    pub(crate) conversation: Option<String>,
}

/// Memories that answer, the best first.
#[derive(Debug, Serialize, JsonSchema)]
pub struct FoundMemories {
    pub memories: Vec<MemoryHit>,
    /// How many are given
    pub injected_count: usize,
    /// How many more answer
    #[serde(skip_serializing_if = "is_none")]
    pub left_out: usize,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// A memory that answers.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct MemoryHit {
    pub id: MemoryId,
    pub kind: MemoryKind,
    pub text: String,
    /// How well it answers, compared with the others
    pub score: f64,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub keywords: Vec<String>,
    /// Files, directories or globs it applies to
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub paths: Vec<String>,
    /// Set for one that no longer holds
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub retired: bool,
    #[serde(skip)]
    pub(crate) rev: Rev,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_none(count: &usize) -> bool {
    *count == 0
}

/// Score of a memory that applies to a file at hand, beside that of its words.
const SCOPE_SCORE: f64 = 4.0;
/// Share of the best score below which a memory does not answer.
const RELATIVE_FLOOR: f64 = 0.3;

/// Finds memories that answer.
pub(crate) fn ask(project: &Project, question: &MemoryQuestion) -> Result<FoundMemories, OpError> {
    let loaded = LoadedMemories::read(project)?;
    let list = &loaded.memories.list;
    let mut scores: HashMap<usize, f64> = loaded.search(&question.words).into_iter().collect();
    let named = NamedPlaces::in_text(&question.words);
    for (place, found) in list.iter().enumerate().filter(|(_, found)| !found.record.paths.is_empty()) {
        if governs(&found.record, &question.paths) || named.has_any_of(&found.record.paths) {
            *scores.entry(place).or_default() += SCOPE_SCORE;
        }
    }
    let used = question.conversation.as_ref().map(|session| MemoryUse::of_conversation(project, session));
    let is_new = |found: &FoundMemory| match (&question.conversation, &used) {
        (Some(session), Some(used)) => !used.was_given(session, found.record.id, found.rev),
        _ => true,
    };
    scores.retain(|place, _| question.filter.accepts(&list[*place].record));
    if question.conversation.is_some() {
        let surely = relevant(question, list.len(), scores.keys().map(|place| (*place, &list[*place].record)));
        scores.retain(|place, _| surely.contains(place) && is_new(&list[*place]));
    }
    let best = scores.values().copied().fold(0.0, f64::max);
    let mut ranked: Vec<(usize, f64)> =
        scores.into_iter().filter(|(_, score)| *score >= RELATIVE_FLOOR * best).collect();
    ranked.sort_by(|(one, score), (other, other_score)| other_score.total_cmp(score).then(one.cmp(other)));
    let warnings: Vec<String> = loaded.memories.problems.iter().map(ToString::to_string).collect();
    let budget = Budget::of(project, &warnings);
    let all = ranked.len();
    let mut memories: Vec<MemoryHit> = Vec::new();
    let mut text = String::new();
    for (place, score) in ranked.into_iter().take(question.limit) {
        let hit = MemoryHit::of(&list[place], score);
        text.push_str(&hit.text);
        text.push_str("\n                    ");
        // The first one always answers; a page that is too long is cut where it is drawn.
        if !memories.is_empty() && !budget.fits(&text) {
            break;
        }
        memories.push(hit);
    }
    let injected_count = memories.len();
    Ok(FoundMemories { left_out: all - injected_count, memories, injected_count, warnings })
}

/// The places of those that matter for the words and paths, by the same rule as hooks.
fn relevant<'m>(
    question: &MemoryQuestion,
    total: usize,
    found: impl Iterator<Item = (usize, &'m MemoryRecord)>,
) -> HashSet<usize> {
    let (places, records): (Vec<usize>, Vec<&MemoryRecord>) = found.unzip();
    let at_hand = MemorySurroundings {
        words: &question.words,
        paths: &question.paths,
        branch: question.filter.branch.as_deref(),
        labels: &question.filter.tags,
        total: Some(total),
    };
    let found = relevant_memories(&at_hand, &records, usize::MAX, |_| 0);
    found.into_iter().filter(|found| found.reason.is_by_prompt()).map(|found| places[found.place]).collect()
}

impl MemoryHit {
    fn of(found: &FoundMemory, score: f64) -> MemoryHit {
        let record = &found.record;
        MemoryHit {
            id: record.id,
            kind: record.kind,
            text: record.says().to_owned(),
            score: (score * 100.0).round() / 100.0,
            keywords: record.keywords.clone(),
            paths: record.paths.clone(),
            retired: !record.is_in_force(),
            rev: found.rev,
        }
    }
}

impl Report for FoundMemories {
    fn page(&self) -> Page {
        if self.memories.is_empty() {
            return Page::new().line(Text::of(Role::Dim, "no memory matches"));
        }
        let mut page = Page::new();
        for hit in &self.memories {
            let mut line = Text::of(Role::Dim, hit.kind.word()).plain(" ").plain(&hit.text).plain(" · ");
            line = line.and(Role::Id, hit.id.to_string());
            if !hit.paths.is_empty() {
                line = line.plain(" · ").and(Role::Dim, hit.paths.join(", "));
            }
            page = page.said(if hit.retired { line.and(Role::Dim, " · retired") } else { line });
        }
        let none: Value = json!({});
        page.more(self.left_out, None).rest(Hint::run_with::<ListMemories>(none))
    }

    fn warnings(&self) -> &[String] {
        &self.warnings
    }
}
