//! Choice of the memories that matter for what is at hand.
//!
//! **Invariant:** what is chosen depends on the memories and the surroundings alone. A memory that is retired, or limited
//! to another branch, is never chosen.

use super::{MemoryKind, MemoryRecord};
use crate::relevant::{Candidate, Kind, Query, Why, relevant_among};

/// What is at hand: the words of a prompt, files, the branch, labels of the tasks.
#[derive(Clone, Copy, Debug, Default)]
pub struct MemorySurroundings<'a> {
    pub words: &'a str,
    /// Files at hand, relative to the project
    pub paths: &'a [String],
    pub branch: Option<&'a str>,
    pub labels: &'a [String],
    /// How many memories there are where only those are given that share a word with the prompt; a word is the rarer the
    /// more there are without it
    pub total: Option<usize>,
}

/// Why a memory matters, the strongest reason first.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum MemoryReason {
    /// It applies to this file
    Governs(String),
    /// It names this file, or was itself named like this
    Names(String),
    /// It shares these words
    Words(Vec<String>),
    /// It applies to this label
    Label(String),
    /// It is a rule or a gotcha for the whole project
    Standing,
}

impl MemoryReason {
    /// Returns whether the words or files at hand are the reason.
    pub fn is_by_prompt(&self) -> bool {
        matches!(self, MemoryReason::Governs(_) | MemoryReason::Names(_) | MemoryReason::Words(_))
    }
}

/// A memory that matters.
#[derive(Clone, Debug, PartialEq)]
pub struct RelevantMemory {
    /// Place among those that were given
    pub place: usize,
    pub reason: MemoryReason,
}

/// Chooses memories, the best first, as many as a budget of tokens allows. `cost` says what one takes up.
pub fn relevant_memories(
    at_hand: &MemorySurroundings<'_>,
    memories: &[&MemoryRecord],
    budget_tokens: usize,
    cost: impl Fn(&MemoryRecord) -> usize,
) -> Vec<RelevantMemory> {
    let applying: Vec<usize> = (0..memories.len())
        .filter(|place| memories[*place].is_in_force() && memories[*place].applies_on(at_hand.branch))
        .collect();
    let candidates: Vec<Candidate> = applying.iter().map(|place| memories[*place].candidate()).collect();
    let query = Query { words: at_hand.words, paths: at_hand.paths };
    let mut reasons: Vec<Option<MemoryReason>> =
        applying.iter().map(|place| standing(at_hand, memories[*place])).collect();
    let mut ranks = vec![usize::MAX; applying.len()];
    let total = at_hand.total.unwrap_or_default().max(candidates.len());
    for (rank, hit) in relevant_among(&query, &candidates, usize::MAX, total).into_iter().enumerate() {
        let reason = match hit.why {
            Why::Governs(path) => MemoryReason::Governs(path),
            Why::Names(name) => MemoryReason::Names(name),
            Why::Words(words) => MemoryReason::Words(words),
        };
        (reasons[hit.place], ranks[hit.place]) = (Some(reason), rank);
    }
    let mut chosen: Vec<(usize, RelevantMemory)> = Vec::new();
    for (own, reason) in reasons.into_iter().enumerate() {
        if let Some(reason) = reason {
            chosen.push((ranks[own], RelevantMemory { place: applying[own], reason }));
        }
    }
    chosen.sort_by(|(rank, one), (other_rank, other)| {
        let newest = |found: &RelevantMemory| std::cmp::Reverse(memories[found.place].created_at);
        let kind = |found: &RelevantMemory| memories[found.place].kind;
        order(&one.reason).cmp(&order(&other.reason)).then(rank.cmp(other_rank)).then_with(|| {
            (kind(one), newest(one), memories[one.place].id).cmp(&(
                kind(other),
                newest(other),
                memories[other.place].id,
            ))
        })
    });
    let mut left = budget_tokens;
    let fits = |found: &RelevantMemory| match left.checked_sub(cost(memories[found.place])) {
        Some(rest) => {
            left = rest;
            true
        }
        None => false,
    };
    chosen.into_iter().map(|(_, found)| found).filter(fits).collect()
}

/// The reason that holds without any word of the prompt, if there is one.
fn standing(at_hand: &MemorySurroundings<'_>, memory: &MemoryRecord) -> Option<MemoryReason> {
    let label = memory.tags.iter().find(|tag| at_hand.labels.iter().any(|label| label.eq_ignore_ascii_case(tag)));
    if let Some(label) = label {
        return Some(MemoryReason::Label(label.clone()));
    }
    let binds = matches!(memory.kind, MemoryKind::Rule | MemoryKind::Gotcha);
    (binds && memory.paths.is_empty()).then_some(MemoryReason::Standing)
}

fn order(reason: &MemoryReason) -> u8 {
    match reason {
        MemoryReason::Governs(_) => 0,
        MemoryReason::Names(_) => 1,
        MemoryReason::Words(_) => 2,
        MemoryReason::Label(_) => 3,
        MemoryReason::Standing => 4,
    }
}

impl MemoryRecord {
    /// What it can be found by.
    pub fn candidate(&self) -> Candidate {
        let more = self.title.iter().filter(|_| !self.text.is_empty()).chain(&self.tags).chain(&self.keywords);
        Candidate {
            key: self.id.to_string(),
            kind: Kind::Memory,
            text: self.says().to_owned(),
            more: more.cloned().collect::<Vec<_>>().join("\n"),
            paths: self.paths.clone(),
        }
    }
}
