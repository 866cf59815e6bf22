//! How often what is asked for stands in each document.

use std::ops::Range;

use super::document::Weight;
use super::query::{Query, Step, Term, Wanted};
use super::segment::{Posting, Segment};

/// A segment, and which of its sources are still what they were when it was made.
#[derive(Clone, Copy, Debug)]
pub struct Part<'a> {
    pub segment: &'a Segment,
    /// One for each source
    pub is_live: &'a [bool],
}

/// What of a query stands where. Documents are counted through all parts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Tallies {
    /// For each term of the query in turn, for each document
    pub(super) terms: Vec<Vec<Tally>>,
    /// The live sources
    pub(super) places: Vec<Place>,
    /// The place of each document's source; [`GONE`] for those that are not live
    pub(super) place_of: Vec<u32>,
    /// The weighed length of each document
    pub(super) lengths: Vec<u32>,
    /// How many live documents there are, and how long they are together
    pub(super) count: usize,
    pub(super) length: u64,
}

/// For a document whose source is not what it was.
pub(super) const GONE: u32 = u32::MAX;

/// Where a source is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) part: usize,
    pub(super) source: usize,
    /// Its documents
    pub(super) documents: Range<usize>,
}

/// How much a term stands in a document, in units of weight.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Tally {
    pub(super) all: u16,
    /// Of that in the title
    pub(super) title: u16,
}

impl Tally {
    fn add(&mut self, weight: Weight) {
        let units = u16::try_from(weight.units()).unwrap_or(u16::MAX);
        self.all = self.all.saturating_add(units);
        if weight == Weight::Title {
            self.title = self.title.saturating_add(units);
        }
    }
}

pub(super) fn tally(query: &Query, parts: &[Part<'_>]) -> Tallies {
    let all: usize = parts.iter().map(|part| part.segment.documents()).sum();
    let mut tallies = Tallies {
        terms: Vec::new(),
        places: Vec::new(),
        place_of: vec![GONE; all],
        lengths: vec![0; all],
        count: 0,
        length: 0,
    };
    let mut first = 0;
    for (number, part) in parts.iter().enumerate() {
        tallies.take_in(number, part, first);
        first += part.segment.documents();
    }
    let terms = query.groups.iter().flat_map(|group| &group.terms);
    let place_of = &tallies.place_of;
    let count = |term: &Term| {
        let mut tallied = vec![Tally::default(); all];
        let mut first = 0;
        for part in parts {
            term.stands(part.segment, |posting| {
                let document = first + posting.document as usize;
                if place_of[document] != GONE {
                    tallied[document].add(posting.weight);
                }
            });
            first += part.segment.documents();
        }
        tallied
    };
    tallies.terms = terms.map(count).collect();
    tallies
}

impl Tallies {
    /// Takes in the live documents of a part, counted from `first` on.
    fn take_in(&mut self, number: usize, part: &Part<'_>, first: usize) {
        let segment = part.segment;
        for source in (0..segment.sources()).filter(|source| part.is_live.get(*source) == Some(&true)) {
            let documents = segment.documents_of(source);
            let place = u32::try_from(self.places.len()).unwrap_or(GONE);
            for document in documents.clone() {
                self.place_of[first + document] = place;
                self.lengths[first + document] = segment.length(document);
                self.length += u64::from(segment.length(document));
                self.count += 1;
            }
            let documents = first + documents.start..first + documents.end;
            self.places.push(Place { part: number, source, documents });
        }
    }
}

impl Term {
    /// Calls for each place where it stands.
    fn stands(&self, segment: &Segment, mut call: impl FnMut(Posting)) {
        if let [step] = self.steps.as_slice() {
            for word in step.words(segment) {
                segment.postings(word).for_each(&mut call);
            }
            return;
        }
        let Some((first, rest)) = self.steps.split_first() else { return };
        let mut stands = first.postings(segment);
        for step in rest {
            if stands.is_empty() {
                return;
            }
            let others = step.postings(segment);
            let mut at = 0;
            stands.retain(|posting| {
                let wanted = (posting.document, posting.place.saturating_add(step.after));
                while others.get(at).is_some_and(|other| (other.document, other.place) < wanted) {
                    at += 1;
                }
                others.get(at).is_some_and(|other| (other.document, other.place) == wanted)
            });
        }
        stands.into_iter().for_each(call);
    }
}

impl Step {
    fn words(&self, segment: &Segment) -> Vec<usize> {
        match &self.word {
            Wanted::Exactly(word) => segment.find_word(word).into_iter().collect(),
            Wanted::Form(stem) => segment.words_of(stem).collect(),
            Wanted::Beginning(letters) => segment.words_from(letters).collect(),
        }
    }

    /// Where it stands, in the order of documents and places, each place once.
    fn postings(&self, segment: &Segment) -> Vec<Posting> {
        let words = self.words(segment);
        let mut postings: Vec<Posting> = words.iter().flat_map(|word| segment.postings(*word)).collect();
        if words.len() > 1 {
            postings.sort_unstable();
            postings.dedup();
        }
        postings
    }
}
