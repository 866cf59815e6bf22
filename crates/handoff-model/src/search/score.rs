//! Which documents answer best, by what of the query stands in them and near them.
//!
//! BM25F: a word counts the more the weightier the text it stands in and the fewer documents have it, less with each
//! time it is repeated, and less in long documents. Two words in a row count more where they stand so. Notes of one
//! record are a conversation: what stands next to a note counts for it too. The rest of a record counts a little for each of its documents, and a task is lent the title of the
//! task above it. How old a record is makes no difference.

use std::collections::HashMap;

use super::document::{Item, Kind, Weight};
use super::query::{Query, Role};
use super::tally::{GONE, Part, Tallies, Tally};

/// A document that answers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ranked {
    pub part: usize,
    /// Which source of the part
    pub source: usize,
    /// Which part of its record
    pub item: Item,
    pub score: f64,
}

/// Tells the part and the source that stand above another, if any do.
pub trait Lent: Fn(usize, usize) -> Option<(usize, usize)> {}

impl<F: Fn(usize, usize) -> Option<(usize, usize)>> Lent for F {}

/// How soon repeating a word stops to count.
const REPEATED: f64 = 0.9;
/// How much the length of a document counts.
const LENGTH: f64 = 0.4;
/// What the words of documents next to one count, and of those after next.
const NEAR: [f64; 2] = [0.5, 0.2];
/// What the title of the task above counts.
const ABOVE: f64 = 0.3;
/// What the rest of the record counts, and how soon more of it stops to.
const RECORD: f64 = 0.15;
const RECORD_REPEATED: f64 = 4.0;
/// What a word counts that only holds sentences together.
const WEAK: f64 = 0.25;
/// How much better a document is that has all that is asked for.
const ALL: f64 = 1.25;
/// So many words make a question: what stands right beside them may be the answer.
const QUESTION: usize = 3;
/// For so few words each neighbour lends in full; for each word more, its share of them counts once more.
const REMEMBERED: usize = 3;
/// More words than this describe what is looked for by themselves: neighbours would only add noise.
const MAX_LENDING_WORDS: usize = 12;

pub(super) fn rank(query: &Query, tallies: &Tallies, parts: &[Part<'_>], above: &impl Lent) -> Vec<Ranked> {
    let scoring = Scoring::new(query, tallies, parts);
    let mut records = HashMap::new();
    let mut ranked: Vec<(Ranked, &[u8])> = Vec::new();
    for document in scoring.candidates() {
        let place = &tallies.places[tallies.place_of[document] as usize];
        let part = parts[place.part].segment;
        let item = part.item(document - scoring.firsts[place.part]);
        let lender = if item == Item::Task { above(place.part, place.source) } else { None };
        let lender = lender.map(|(part, source)| scoring.firsts[part] + parts[part].segment.documents_of(source).start);
        let record = records.entry(tallies.place_of[document]).or_insert_with(|| scoring.record(document));
        let score = scoring.score(document, lender, record);
        ranked.push((Ranked { part: place.part, source: place.source, item, score }, part.key_bytes(place.source)));
    }
    ranked.sort_unstable_by(|(one, key), (other, other_key)| {
        let by_score = other.score.total_cmp(&one.score);
        by_score.then_with(|| (key, one.item, one.part).cmp(&(other_key, other.item, other.part)))
    });
    ranked.into_iter().map(|(ranked, _)| ranked).collect()
}

/// What one scoring needs to know.
struct Scoring<'a> {
    tallies: &'a Tallies,
    /// For each group the role, and its terms
    groups: Vec<(Role, std::ops::Range<usize>)>,
    /// For each term what it counts at most
    worth: Vec<f64>,
    /// The number of the first document of each part
    firsts: Vec<usize>,
    usual_length: f64,
    /// For each document whether neighbours lend to it and it to them
    is_lent: Vec<bool>,
    /// For each document how much of its words it lends
    lends: Vec<f64>,
}

impl<'a> Scoring<'a> {
    fn new(query: &Query, tallies: &'a Tallies, parts: &[Part<'_>]) -> Scoring<'a> {
        let mut groups = Vec::new();
        let mut worth = Vec::new();
        for group in &query.groups {
            let first = worth.len();
            let share = if group.role == Role::Weak { WEAK } else { 1.0 };
            for term in &group.terms {
                let found = tallies.terms[worth.len()].iter().filter(|tally| tally.all > 0).count();
                worth.push(share * term.weight * rarity(tallies.count, found));
            }
            // Few pairs stand anywhere, and the others would be asked for in each document.
            if group.role != Role::Pair || tallies.terms[first].iter().any(|tally| tally.all > 0) {
                groups.push((group.role, first..worth.len()));
            }
        }
        let mut firsts = Vec::with_capacity(parts.len());
        let mut first = 0;
        for part in parts {
            firsts.push(first);
            first += part.segment.documents();
        }
        let usual_length = (number(tallies.length) / number(tallies.count as u64).max(1.0)).max(1.0);
        let items =
            parts.iter().flat_map(|part| (0..part.segment.documents()).map(|document| part.segment.item(document)));
        let wanted = groups.iter().filter(|(role, _)| *role == Role::Wanted).count();
        let is_lent = items.map(|item| item.kind() == Kind::Note && wanted <= MAX_LENDING_WORDS).collect();
        let mut scoring = Scoring { tallies, groups, worth, firsts, usual_length, is_lent, lends: Vec::new() };
        if wanted <= MAX_LENDING_WORDS {
            scoring.lends = scoring.lending(query);
        }
        scoring
    }

    /// How much each document lends. A question is lent for in full, since its answer need not have its words. Any
    /// other text describes what it looks for, and a document that lacks much of that says little about those beside
    /// it: chance explains a common word better, the longer the text.
    fn lending(&self, query: &Query) -> Vec<f64> {
        let sought = query.groups.iter().filter(|group| group.role == Role::Wanted);
        let words: usize = sought.filter_map(|group| group.terms.first()).map(|term| term.steps.len()).sum();
        let Some(more) = words.checked_sub(REMEMBERED).filter(|more| *more > 0 && !query.is_question) else {
            return vec![1.0; self.is_lent.len()];
        };
        let (mut lends, mut asked) = (vec![0.0; self.is_lent.len()], f64::MIN_POSITIVE);
        for (_, terms) in self.groups.iter().filter(|(role, _)| *role == Role::Wanted) {
            let tallied = || terms.clone().map(|term| (&self.tallies.terms[term], self.worth[term]));
            let known = tallied().filter(|(tallied, _)| tallied.iter().any(|tally| tally.all > 0));
            asked += known.map(|(_, worth)| worth).fold(0.0, f64::max);
            for (document, answered) in lends.iter_mut().enumerate() {
                let there = tallied().filter(|(tallied, _)| tallied[document].all > 0);
                *answered += there.map(|(_, worth)| worth).fold(0.0, f64::max);
            }
        }
        for share in lends.iter_mut().filter(|share| **share > 0.0) {
            *share = (*share / asked).powi(i32::try_from(more).unwrap_or(i32::MAX));
        }
        lends
    }

    /// The documents that may answer, in their order.
    fn candidates(&self) -> Vec<usize> {
        let has = |document: usize, terms: &std::ops::Range<usize>| {
            terms.clone().any(|term| self.tallies.terms[term][document].all > 0)
        };
        let of = |wanted: Role| self.groups.iter().filter(move |(role, _)| *role == wanted).map(|(_, terms)| terms);
        let (wanted, required) = (of(Role::Wanted).count(), of(Role::Required).count());
        let is_live = |document: &usize| self.tallies.place_of[*document] != GONE;
        let answers = |document: usize| {
            if required > 0 {
                of(Role::Required).all(|terms| has(document, terms))
            } else {
                of(Role::Wanted).any(|terms| has(document, terms))
            }
        };
        let all = 0..self.tallies.place_of.len();
        let mut candidates: Vec<usize> = all.filter(is_live).filter(|document| answers(*document)).collect();
        if required == 0 && wanted >= QUESTION {
            let near = |document: &usize| self.neighbours(*document).map(|(other, _)| other);
            let neighbours: Vec<usize> = candidates.iter().flat_map(near).collect();
            candidates.extend(neighbours);
            candidates.sort_unstable();
            candidates.dedup();
        }
        candidates.retain(|document| !of(Role::Excluded).any(|terms| has(*document, terms)));
        candidates
    }

    /// The notes around a note in its record, and what they lend. Other records stand for themselves: what was decided
    /// before and after a decision is about something else.
    fn neighbours(&self, document: usize) -> impl Iterator<Item = (usize, f64)> {
        let around = self.tallies.places[self.tallies.place_of[document] as usize].documents.clone();
        let around = if self.is_lent[document] { around } else { document..document };
        (1..).zip(NEAR).flat_map(move |(step, share)| {
            let around = around.clone();
            let both = [document.checked_sub(step), document.checked_add(step)].into_iter().flatten();
            let both = both.filter(move |other| around.contains(other) && self.is_lent[*other]);
            both.map(move |other| (other, share * self.lends[other]))
        })
    }

    /// What all documents of a record say, for each term.
    fn record(&self, document: usize) -> Vec<f64> {
        let documents = &self.tallies.places[self.tallies.place_of[document] as usize].documents;
        let said = |term| documents.clone().map(|document| self.said(term, document)).sum();
        (0..self.worth.len()).map(said).collect()
    }

    fn said(&self, term: usize, document: usize) -> f64 {
        self.measured(self.tallies.terms[term][document], document, |tally| tally.all)
    }

    fn measured(&self, tally: Tally, document: usize, of: impl Fn(Tally) -> u16) -> f64 {
        match of(tally) {
            0 => 0.0,
            units => {
                let length = f64::from(self.tallies.lengths[document]) / self.usual_length;
                f64::from(units) / f64::from(Weight::UNIT) / (1.0 - LENGTH + LENGTH * length)
            }
        }
    }

    fn score(&self, document: usize, lender: Option<usize>, record: &[f64]) -> f64 {
        let (mut score, mut asked, mut answered) = (0.0, 0, 0);
        for (role, terms) in self.groups.iter().filter(|(role, _)| *role != Role::Excluded) {
            let mut is_there = false;
            for term in terms.clone() {
                let own = self.said(term, document);
                let near: f64 = self.neighbours(document).map(|(other, share)| share * self.said(term, other)).sum();
                let above = lender.map_or(0.0, |lender| {
                    ABOVE * self.measured(self.tallies.terms[term][lender], lender, |tally| tally.title)
                });
                let said = own + near + above;
                let rest = (record[term] - own).max(0.0);
                is_there |= said > 0.0;
                score += self.worth[term] * said / (REPEATED + said);
                score += RECORD * self.worth[term] * rest / (RECORD_REPEATED + rest);
            }
            if !matches!(role, Role::Weak | Role::Pair) {
                asked += 1;
                answered += usize::from(is_there);
            }
        }
        if asked > 1 && asked == answered { score * ALL } else { score }
    }
}

/// How much a word tells that this many of all documents have.
fn rarity(all: usize, found: usize) -> f64 {
    let (all, found) = (number(all as u64), number(found as u64));
    (1.0 + (all - found + 0.5) / (found + 0.5)).ln()
}

#[expect(clippy::cast_precision_loss, reason = "no store has 2^52 words")]
fn number(count: u64) -> f64 {
    count as f64
}
