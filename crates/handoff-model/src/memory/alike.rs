//! Comparison of memories: those that say the same, nearly the same, or the opposite.
//!
//! **Invariant:** nothing is merged here. What is found is handed to whoever saves or cleans up, who decides.

use std::collections::{BTreeSet, HashMap};

use unicode_normalization::UnicodeNormalization;

use super::MemoryRecord;
use crate::words::common::is_of_sentences;
use crate::words::{Script, fold, is_part, stem};

/// Relation of one memory to another, the closest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum MemoryLikeness {
    /// The same words
    Same,
    /// The same subject, with a negation, a number or an opposite word of difference
    Contradicts,
    /// Most of the words
    Similar,
}

/// A memory that is close to another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SimilarMemory {
    /// Place in the list that was compared with
    pub place: usize,
    pub likeness: MemoryLikeness,
    /// Share of their words that both have, from 0 to 1
    pub score: f64,
}

/// Share of words from which on two memories are nearly the same.
const SIMILAR_SHARE: f64 = 0.72;
/// Share of words from which on two memories are about the same thing.
const SUBJECT_SHARE: f64 = 0.5;
/// Fewer shared words say nothing about a subject.
const MIN_SHARED_WORDS: usize = 2;

const NEGATIONS: &[&str] = &[
    "not",
    "no",
    "never",
    "dont",
    "doesnt",
    "didnt",
    "isnt",
    "arent",
    "wasnt",
    "cannot",
    "cant",
    "mustnt",
    "shouldnt",
    "wont",
    "without",
    "neither",
    "nor",
    "nicht",
    "nie",
    "niemals",
    "kein",
    "keine",
    "keinen",
    "ohne",
    "ne",
    "pas",
    "jamais",
    "sans",
    "nunca",
    "sin",
    "nao",
    "sem",
    "não",
    "не",
    "нет",
    "никогда",
    "нельзя",
    "без",
];
/// Signs of a negation in scripts that do not separate words.
const NEGATION_SIGNS: &[&str] = &["不", "别", "勿", "禁止", "ない", "ません", "않", "금지"];
const OPPOSITES: &[(&str, &str)] = &[
    ("enable", "disable"),
    ("allow", "forbid"),
    ("allow", "deny"),
    ("before", "after"),
    ("use", "avoid"),
    ("on", "off"),
    ("true", "false"),
    ("tabs", "spaces"),
    ("sync", "async"),
    ("add", "remove"),
    ("keep", "remove"),
    ("include", "exclude"),
    ("manual", "automatic"),
    ("public", "private"),
    ("mutable", "immutable"),
];

/// Memories among `others` that are close to `memory`, the closest first. Only those in force are compared.
pub fn similar_memories<'m>(
    memory: &MemoryRecord,
    others: impl IntoIterator<Item = &'m MemoryRecord>,
) -> Vec<SimilarMemory> {
    let own = ComparedWords::of(memory);
    let compared = others.into_iter().enumerate().filter(|(_, other)| other.is_in_force() && other.id != memory.id);
    let mut similar: Vec<SimilarMemory> = compared
        .filter_map(|(place, other)| {
            let (likeness, score) = own.likeness(&ComparedWords::of(other))?;
            Some(SimilarMemory { place, likeness, score })
        })
        .collect();
    similar.sort_by(|one, other| one.likeness.cmp(&other.likeness).then(other.score.total_cmp(&one.score)));
    similar
}

/// Groups of memories that are close to one another, each with the closest relation in it. Places in a group ascend.
///
/// Only pairs that share one of their rarest words are compared: two sets of which half is shared always do.
pub fn groups_of_similar(memories: &[&MemoryRecord]) -> Vec<(MemoryLikeness, Vec<usize>)> {
    let words: Vec<ComparedWords> = memories.iter().map(|memory| ComparedWords::of(memory)).collect();
    let mut frequency: HashMap<&str, usize> = HashMap::new();
    for word in words.iter().flat_map(|words| &words.subject) {
        *frequency.entry(word).or_default() += 1;
    }
    let mut groups = DisjointSets::new(memories.len());
    let mut closest: HashMap<usize, MemoryLikeness> = HashMap::new();
    let mut seen: HashMap<&str, Vec<usize>> = HashMap::new();
    for (place, own) in words.iter().enumerate().filter(|(place, _)| memories[*place].is_in_force()) {
        let mut rarest: Vec<&str> = own.subject.iter().map(String::as_str).collect();
        rarest.sort_by_key(|word| (frequency[word], *word));
        rarest.truncate(rarest.len() / 2 + 1);
        let candidates: BTreeSet<usize> = rarest.iter().filter_map(|word| seen.get(word)).flatten().copied().collect();
        for other in candidates {
            if let Some((likeness, _)) = own.likeness(&words[other]) {
                let (one, two) = (groups.find(place), groups.find(other));
                let known = [closest.remove(&one), closest.remove(&two)].into_iter().flatten();
                let likeness = known.chain([likeness]).min().unwrap_or(likeness);
                closest.insert(groups.unite(one, two), likeness);
            }
        }
        for word in rarest {
            seen.entry(word).or_default().push(place);
        }
    }
    let mut members: HashMap<usize, Vec<usize>> = HashMap::new();
    for place in 0..memories.len() {
        members.entry(groups.find(place)).or_default().push(place);
    }
    let mut found: Vec<(MemoryLikeness, Vec<usize>)> =
        members.into_iter().filter_map(|(root, places)| Some((*closest.get(&root)?, places))).collect();
    found.sort();
    found
}

/// The words of a memory in the form in which they are compared.
#[derive(Debug)]
struct ComparedWords {
    /// All words, in order
    all: Vec<String>,
    /// The words that tell what it is about
    subject: BTreeSet<String>,
    /// Numbers, versions, ports
    values: BTreeSet<String>,
    is_negated: bool,
}

impl ComparedWords {
    fn of(memory: &MemoryRecord) -> ComparedWords {
        let text = memory.says();
        let mut words =
            ComparedWords { all: Vec::new(), subject: BTreeSet::new(), values: BTreeSet::new(), is_negated: false };
        words.is_negated = NEGATION_SIGNS.iter().any(|sign| text.contains(sign));
        let plain: String = text.nfkc().filter(|c| !matches!(c, '\'' | '’')).collect();
        for run in plain.split(|c: char| !is_part(c) && c != '.') {
            let run = run.trim_matches('.');
            if !run.is_empty() {
                words.add(run);
            }
        }
        words
    }

    fn add(&mut self, run: &str) {
        let is_letters = run.chars().all(|c| Script::of(c) == Script::Letters);
        if !is_letters {
            let letters: Vec<char> = run.chars().collect();
            let pairs = letters.windows(2).map(|pair| pair.iter().collect::<String>());
            let words: Vec<String> = if letters.len() < 2 { vec![run.to_owned()] } else { pairs.collect() };
            self.all.extend(words.iter().cloned());
            self.subject.extend(words);
            return;
        }
        let mut word = String::new();
        fold(run, &mut word);
        if NEGATIONS.contains(&word.as_str()) {
            self.is_negated = true;
            self.all.push(word);
        } else if word.bytes().any(|byte| byte.is_ascii_digit()) {
            self.all.push(word.clone());
            self.values.insert(word);
        } else if is_of_sentences(&word) && !has_opposite(&word) {
            self.all.push(word);
        } else {
            if !has_opposite(&word) {
                stem(&mut word);
            }
            self.all.push(word.clone());
            self.subject.insert(word);
        }
    }

    fn likeness(&self, other: &ComparedWords) -> Option<(MemoryLikeness, f64)> {
        if self.all == other.all && !self.all.is_empty() {
            return Some((MemoryLikeness::Same, 1.0));
        }
        let opposed = self.opposed(other);
        let shared = self.subject.intersection(&other.subject).count();
        let all = self.subject.union(&other.subject).count();
        // An opposite pair is one difference, not two words that only one of them has.
        let share = ratio(shared, all.saturating_sub(2 * opposed));
        if shared < MIN_SHARED_WORDS.min(self.subject.len()).max(1) || share < SUBJECT_SHARE {
            return None;
        }
        let values = [&self.values, &other.values];
        let other_values = values.iter().all(|values| !values.is_empty()) && self.values != other.values;
        if opposed > 0 || self.is_negated != other.is_negated || (other_values && share >= SIMILAR_SHARE) {
            return Some((MemoryLikeness::Contradicts, share));
        }
        (share >= SIMILAR_SHARE).then_some((MemoryLikeness::Similar, share))
    }

    /// How many words of one have their opposite in the other, and are not in both.
    fn opposed(&self, other: &ComparedWords) -> usize {
        let is_only_in = |word: &str, one: &ComparedWords, two: &ComparedWords| {
            one.subject.contains(word) && !two.subject.contains(word)
        };
        let is_opposed = |(left, right): &&(&str, &str)| {
            (is_only_in(left, self, other) && is_only_in(right, other, self))
                || (is_only_in(right, self, other) && is_only_in(left, other, self))
        };
        OPPOSITES.iter().filter(is_opposed).count()
    }
}

fn has_opposite(word: &str) -> bool {
    OPPOSITES.iter().any(|(left, right)| *left == word || *right == word)
}

#[expect(clippy::cast_precision_loss, reason = "no memory has 2^52 words")]
fn ratio(part: usize, all: usize) -> f64 {
    if all == 0 { 0.0 } else { part as f64 / all as f64 }
}

/// Union-find over places.
struct DisjointSets(Vec<usize>);

impl DisjointSets {
    fn new(count: usize) -> DisjointSets {
        DisjointSets((0..count).collect())
    }

    fn find(&mut self, place: usize) -> usize {
        let mut root = place;
        while self.0[root] != root {
            self.0[root] = self.0[self.0[root]];
            root = self.0[root];
        }
        root
    }

    fn unite(&mut self, one: usize, other: usize) -> usize {
        let (one, other) = (self.find(one), self.find(other));
        self.0[one.max(other)] = one.min(other);
        one.min(other)
    }
}
