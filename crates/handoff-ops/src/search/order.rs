//! The order of answers, and which of them are one thing in several sessions.

use std::cell::OnceCell;
use std::cmp::Reverse;
use std::collections::HashMap;
use std::ops::Range;

use handoff_model::search::Item;
use handoff_model::session::lineage::families;
use handoff_model::session::{Decisions, Packages, Party};
use handoff_model::text::plain_form;

use super::corpus::{Corpus, Seen};
use super::filter;
use super::index::IndexedRecords as _;
use super::view::reference;

/// A record that answers.
#[derive(Clone)]
pub(super) struct Answer {
    pub(super) store: usize,
    pub(super) record: usize,
    pub(super) item: Item,
    /// As it is told: what is equal in it is in the order of time
    pub(super) score: f64,
    /// Other records that have it too, since one took it over from another
    pub(super) also_in: Vec<usize>,
}

impl Answer {
    pub(super) fn new(store: usize, record: usize, item: Item, score: f64) -> Answer {
        Answer { store, record, item, score: (score * 1000.0).round() / 1000.0, also_in: Vec::new() }
    }
}

/// What the sessions of a store are to one another; found out when it is asked for.
pub(super) struct Kinship<'c> {
    corpus: &'c Corpus<'c>,
    decisions: OnceCell<Decisions<'c>>,
    /// The family of each session, by its place among the records
    families: OnceCell<HashMap<usize, usize>>,
}

/// What makes answers one thing.
#[derive(PartialEq, Eq, Hash)]
enum Said {
    /// By what it is a copy of
    Decision(String),
    /// By the family of its session, and its text
    Note(usize, String),
}

impl<'c> Kinship<'c> {
    pub(super) fn of(corpus: &'c Corpus<'c>) -> Kinship<'c> {
        Kinship { corpus, decisions: OnceCell::new(), families: OnceCell::new() }
    }

    /// The decisions of all sessions. Those in packages are not in force anywhere.
    pub(super) fn decisions(&self) -> &Decisions<'c> {
        self.decisions.get_or_init(|| {
            let sessions = self.corpus.sessions().map(|(_, found)| (found.name.as_str(), &found.session));
            Decisions::of(sessions, Packages::Ignore)
        })
    }

    fn family(&self, record: usize) -> Option<usize> {
        let families = self.families.get_or_init(|| {
            let sessions: Vec<_> = self.corpus.sessions().collect();
            let party = |(_, found): &(usize, &'c handoff_store::FoundSession)| Party {
                name: &found.name,
                session: &found.session,
            };
            let families = families(&sessions.iter().map(party).collect::<Vec<_>>());
            sessions.iter().map(|(place, _)| *place).zip(families).collect()
        });
        families.get(&record).copied()
    }

    fn said(&self, answer: &Answer, text: String) -> Option<Said> {
        match answer.item {
            Item::Decision(_) => {
                let own = reference(self.corpus.see(answer.record), answer.item);
                Some(Said::Decision(self.decisions().original(&own)?.to_owned()))
            }
            Item::SessionNote(_) => Some(Said::Note(self.family(answer.record)?, text)),
            Item::Task | Item::TaskNote(_) | Item::Session | Item::Memory => None,
        }
    }
}

/// Lets a decision or note that sessions took over from one another answer once, for the newest that has it.
pub(super) fn fold(answers: Vec<Answer>, stores: &[Kinship<'_>]) -> Vec<Answer> {
    let text = |answer: &Answer| {
        let Seen::Session(found) = stores[answer.store].corpus.see(answer.record) else { return None };
        let said = match answer.item {
            Item::Decision(place) => &found.session.decisions.get(place)?.decision,
            Item::SessionNote(place) => &found.session.notes.get(place)?.note,
            Item::Task | Item::TaskNote(_) | Item::Session | Item::Memory => return None,
        };
        Some((answer.store, answer.item.kind(), plain_form(said)))
    };
    let texts: Vec<_> = answers.iter().map(text).collect();
    let mut counts: HashMap<_, usize> = HashMap::new();
    for text in texts.iter().flatten() {
        *counts.entry(text).or_default() += 1;
    }
    let mut same: HashMap<(usize, Said), Vec<usize>> = HashMap::new();
    for (place, answer) in answers.iter().enumerate() {
        // Only what says the same can be the same.
        let Some(text) = texts[place].as_ref().filter(|text| counts[text] > 1) else { continue };
        if let Some(said) = stores[answer.store].said(answer, text.2.clone()) {
            same.entry((answer.store, said)).or_default().push(place);
        }
    }
    let mut also_in: HashMap<usize, Vec<usize>> = HashMap::new();
    let mut is_folded = vec![false; answers.len()];
    for places in same.into_values() {
        let age = |place: &usize| {
            let Answer { store, record, item, .. } = answers[*place];
            let corpus = stores[store].corpus;
            // Not the last that was changed: merging ends the sessions it takes from.
            let began = match corpus.see(record) {
                Seen::Session(found) => found.session.started_at,
                Seen::Task(_) | Seen::Packed(_) | Seen::Memory(_) => None,
            };
            (began, corpus.key_bytes(record), Reverse(item))
        };
        let Some(newest) = places.iter().copied().max_by_key(age) else { continue };
        let mut records: Vec<usize> = places.iter().map(|place| answers[*place].record).collect();
        records.retain(|record| *record != answers[newest].record);
        records.sort_unstable();
        records.dedup();
        places.iter().filter(|place| **place != newest).for_each(|place| is_folded[*place] = true);
        also_in.insert(newest, records);
    }
    let kept = answers.into_iter().enumerate().filter(|(place, _)| !is_folded[*place]);
    kept.map(|(place, answer)| Answer { also_in: also_in.remove(&place).unwrap_or_default(), ..answer }).collect()
}

/// Puts those that answer equally well around a place into the order of time, the newest first, and tells which they are.
pub(super) fn newest_first(answers: &mut [Answer], place: usize, stores: &[Kinship<'_>]) -> Range<usize> {
    let score = answers[place].score;
    let is_other = |answer: &Answer| answer.score.total_cmp(&score).is_ne();
    let start = answers[..place].iter().rposition(is_other).map_or(0, |before| before + 1);
    let end = answers[place..].iter().position(is_other).map_or(answers.len(), |after| place + after);
    answers[start..end].sort_by_cached_key(|answer| {
        let corpus = stores[answer.store].corpus;
        let at = filter::at(corpus.see(answer.record), answer.item);
        (Reverse(at), corpus.key_bytes(answer.record), answer.item, answer.store)
    });
    start..end
}
