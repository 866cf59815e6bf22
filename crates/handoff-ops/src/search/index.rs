//! The words of a store's records, as far as they are known, put right for this moment.

use std::sync::Arc;

use handoff_model::search::{Builder, Part, Segment};

use super::corpus::Corpus;
use crate::Project;

/// What is kept of a store's words from one request to the next.
pub(crate) type Kept = Option<Arc<Segment>>;

/// All words of a store: those that were known, and those of records that are new or changed.
pub(super) struct Index {
    segments: Vec<Indexed>,
    /// For each record of the corpus, in which segment it is, and where
    places: Vec<(usize, usize)>,
}

struct Indexed {
    segment: Arc<Segment>,
    is_live: Vec<bool>,
    /// For each source the record it is
    records: Vec<usize>,
}

impl Index {
    pub(super) fn of(corpus: &Corpus<'_>, _project: &Project) -> Index {
        let known: Kept = None;
        let mut index = Index { segments: Vec::new(), places: vec![(usize::MAX, 0); corpus.len()] };
        if let Some(known) = known {
            index.add(known, corpus);
        }
        let missing: Vec<usize> = (0..corpus.len()).filter(|place| index.places[*place].0 == usize::MAX).collect();
        if !missing.is_empty() || index.segments.is_empty() {
            let mut builder = Builder::default();
            for place in missing {
                corpus.add_to(&mut builder, place);
            }
            index.add(Arc::new(builder.finish()), corpus);
        }
        index
    }

    /// Adds what a segment says of records that are still what they were.
    fn add(&mut self, segment: Arc<Segment>, corpus: &Corpus<'_>) {
        let (number, count) = (self.segments.len(), segment.sources());
        let (mut is_live, mut records) = (vec![false; count], vec![usize::MAX; count]);
        let mut source = 0;
        // Both are sorted by key.
        for record in 0..corpus.len() {
            let key = corpus.key(record);
            while source < count && segment.key(source) < key {
                source += 1;
            }
            if source < count && segment.key(source) == key && segment.mark(source) == corpus.mark(record) {
                (is_live[source], records[source]) = (true, record);
                self.places[record] = (number, source);
            }
        }
        self.segments.push(Indexed { segment, is_live, records });
    }

    pub(super) fn parts(&self) -> impl Iterator<Item = Part<'_>> {
        self.segments.iter().map(|indexed| Part { segment: &indexed.segment, is_live: &indexed.is_live })
    }

    pub(super) fn len(&self) -> usize {
        self.segments.len()
    }

    /// The record that a source is.
    pub(super) fn record(&self, part: usize, source: usize) -> usize {
        self.segments[part].records[source]
    }

    /// The part and the source that a record is.
    pub(super) fn place(&self, record: usize) -> (usize, usize) {
        self.places[record]
    }
}
