//! What answers the questions: the search that ships, and plain BM25 over the same texts.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use handoff_model::search::{Builder, Item, Part, Query, Ranked, Segment, of_session, search, stems};

use super::data::RecallSet;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RecallSystem {
    Shipped,
    PlainBm25,
}

impl RecallSystem {
    pub(crate) const ALL: [RecallSystem; 2] = [RecallSystem::PlainBm25, RecallSystem::Shipped];

    pub(crate) fn title(self) -> &'static str {
        match self {
            RecallSystem::Shipped => "`handoff search`",
            RecallSystem::PlainBm25 => "plain BM25 with stems",
        }
    }
}

/// Everything that was written before a question, ready to be searched.
pub(crate) struct SearchedUnits {
    known: usize,
    shipped: ShippedIndex,
    plain: PlainIndex,
}

impl SearchedUnits {
    pub(crate) fn before(set: &RecallSet, known: usize) -> SearchedUnits {
        SearchedUnits { known, shipped: ShippedIndex::of(set, known), plain: PlainIndex::of(set, known) }
    }

    /// Whether these are the units before a question.
    pub(crate) fn are_before(&self, known: usize) -> bool {
        self.known == known
    }

    /// The units that answer a question best, the best first.
    pub(crate) fn answers(&self, system: RecallSystem, text: &str, most: usize) -> Vec<usize> {
        match system {
            RecallSystem::Shipped => self.shipped.answers(text, most),
            RecallSystem::PlainBm25 => self.plain.answers(text, most),
        }
    }
}

/// The index that the product makes.
struct ShippedIndex {
    segment: Segment,
    /// The unit behind each record, by the key of its session
    units: BTreeMap<String, BTreeMap<Item, usize>>,
}

impl ShippedIndex {
    fn of(set: &RecallSet, known: usize) -> ShippedIndex {
        let mut builder = Builder::default();
        let mut units = BTreeMap::new();
        for (session, body, items) in set.sessions(known) {
            let key = format!("session {}", session.id);
            builder.add(&key, 1, &of_session(&session, body.as_deref()));
            units.insert(key, items);
        }
        ShippedIndex { segment: builder.finish(), units }
    }

    fn answers(&self, text: &str, most: usize) -> Vec<usize> {
        let is_live = vec![true; self.segment.sources()];
        let parts = [Part { segment: &self.segment, is_live: &is_live }];
        let found = search(&Query::parse(text), &parts, |_, _| None);
        // As with `--kind`: only records of the kind that was asked for.
        let unit = |ranked: &Ranked| self.units[self.segment.key(ranked.source)].get(&ranked.item).copied();
        found.ranked.iter().filter_map(unit).take(most).collect()
    }
}

/// The stems of each unit, counted.
struct PlainIndex {
    units: Vec<HashMap<String, u32>>,
    lengths: Vec<f64>,
    usual_length: f64,
    /// For each stem the number of units that have it
    spread: HashMap<String, u32>,
}

/// How soon repeating a word stops to count, and how much the length of a text counts.
const K1: f64 = 1.2;
const B: f64 = 0.75;

impl PlainIndex {
    fn of(set: &RecallSet, known: usize) -> PlainIndex {
        let mut index =
            PlainIndex { units: Vec::new(), lengths: Vec::new(), usual_length: 1.0, spread: HashMap::new() };
        for unit in &set.units[..known] {
            let (mut counts, mut length) = (HashMap::new(), 0.0);
            for stem in stems(&unit.whole()) {
                *counts.entry(stem).or_insert(0) += 1;
                length += 1.0;
            }
            for stem in counts.keys() {
                *index.spread.entry(stem.clone()).or_default() += 1;
            }
            index.units.push(counts);
            index.lengths.push(length);
        }
        index.usual_length = (index.lengths.iter().sum::<f64>() / index.total().max(1.0)).max(1.0);
        index
    }

    fn total(&self) -> f64 {
        f64::from(u32::try_from(self.units.len()).unwrap_or(u32::MAX))
    }

    fn answers(&self, text: &str, most: usize) -> Vec<usize> {
        let asked: BTreeSet<String> = stems(text).into_iter().collect();
        let score = |(number, counts): (usize, &HashMap<String, u32>)| {
            let length = self.lengths[number] / self.usual_length;
            let of_stem = |stem: &String| {
                let (times, found) = (f64::from(*counts.get(stem)?), f64::from(self.spread[stem]));
                let rarity = (1.0 + (self.total() - found + 0.5) / (found + 0.5)).ln();
                Some(rarity * times * (K1 + 1.0) / (times + K1 * (1.0 - B + B * length)))
            };
            (asked.iter().filter_map(of_stem).sum::<f64>(), number)
        };
        let mut scored: Vec<(f64, usize)> = self.units.iter().enumerate().map(score).collect();
        scored.retain(|(score, _)| *score > 0.0);
        scored.sort_unstable_by(|one, other| other.0.total_cmp(&one.0).then(one.1.cmp(&other.1)));
        scored.into_iter().take(most).map(|(_, number)| number).collect()
    }
}
