//! The words of a store's records, as far as they are known, put right for this moment.
//!
//! Known are those of one large segment, which is also kept in a file, and of smaller ones that a long-lived process
//! made since. What is said of records that changed is left aside, and they are taken in anew: into a further small
//! segment, or, when that is much, all together into a large one.

use std::sync::Arc;

use handoff_model::search::{Builder, Document, Part, Segment};
use handoff_store::{RecordWords, Store};

use crate::Project;
use crate::server_cache::Segments;

/// Records whose words are looked through, sorted by key.
pub(crate) trait IndexedRecords {
    /// The file their words are kept in.
    const WORDS: RecordWords;

    fn store(&self) -> &Store;

    fn len(&self) -> usize;

    /// The letters of the key of a record. Keys are text, and each is that of one record.
    fn key_bytes(&self, place: usize) -> &[u8];

    /// Changes whenever what a record says does.
    fn mark(&self, place: usize) -> u64;

    fn documents(&self, place: usize) -> Vec<Document<'_>>;
}

/// All words of some records.
pub(crate) struct Index {
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

/// Fewer records are taken in each time rather than kept in a file.
const WORTH_KEEPING: usize = 256;
/// As many small segments are looked through before they are put together.
const MOST_SMALL: usize = 6;

/// A record that is in no segment.
const NOWHERE: (usize, usize) = (usize::MAX, 0);

impl Index {
    pub(crate) fn of<C: IndexedRecords>(corpus: &C, project: &Project) -> Index {
        let path = corpus.store().path();
        let remembered = project.server_cache.as_ref().map(|cache| cache.words(path, C::WORDS)).unwrap_or_default();
        let known = if remembered.is_empty() { kept(corpus) } else { remembered };
        let index = Index::from(corpus, &known);
        if let Some(cache) = &project.server_cache {
            cache.keep_words(path, C::WORDS, index.segments.iter().map(|indexed| indexed.segment.clone()).collect());
        }
        index
    }

    fn from<C: IndexedRecords>(corpus: &C, known: &[Arc<Segment>]) -> Index {
        let mut index = Index { segments: Vec::new(), places: vec![NOWHERE; corpus.len()] };
        if let Some(large) = known.first() {
            index.add(large.clone(), corpus);
        }
        let beside = index.missing(corpus).len();
        let gone = known.first().map_or(0, |large| large.sources() + beside - corpus.len());
        if index.segments.is_empty() || beside > most_beside(corpus.len()) || gone > most_gone(corpus.len()) {
            let all: Vec<usize> = (0..corpus.len()).collect();
            let mut index = Index { segments: Vec::new(), places: vec![NOWHERE; corpus.len()] };
            index.take_in(corpus, &all);
            if corpus.len() >= WORTH_KEEPING {
                corpus.store().keep_words(C::WORDS, index.segments[0].segment.bytes());
            }
            return index;
        }
        if known.len() <= MOST_SMALL {
            for small in &known[1..] {
                index.add(small.clone(), corpus);
            }
        }
        let missing = index.missing(corpus);
        if !missing.is_empty() {
            index.take_in(corpus, &missing);
        }
        index
    }

    fn missing<C: IndexedRecords>(&self, corpus: &C) -> Vec<usize> {
        (0..corpus.len()).filter(|place| self.places[*place] == NOWHERE).collect()
    }

    /// Makes a segment of some records.
    fn take_in<C: IndexedRecords>(&mut self, corpus: &C, records: &[usize]) {
        let mut builder = Builder::default();
        for record in records {
            let key = std::str::from_utf8(corpus.key_bytes(*record)).expect("keys are text");
            builder.add(key, corpus.mark(*record), &corpus.documents(*record));
        }
        self.add(Arc::new(builder.finish()), corpus);
    }

    /// Adds what a segment says of records that are still what they were.
    fn add<C: IndexedRecords>(&mut self, segment: Arc<Segment>, corpus: &C) {
        let (number, count) = (self.segments.len(), segment.sources());
        let (mut is_live, mut records) = (vec![false; count], vec![usize::MAX; count]);
        let mut source = 0;
        // Both are sorted by key.
        for record in 0..corpus.len() {
            let key = corpus.key_bytes(record);
            while source < count && segment.key_bytes(source) < key {
                source += 1;
            }
            let is_same =
                source < count && segment.key_bytes(source) == key && segment.mark(source) == corpus.mark(record);
            if is_same && self.places[record] == NOWHERE {
                (is_live[source], records[source]) = (true, record);
                self.places[record] = (number, source);
            }
        }
        self.segments.push(Indexed { segment, is_live, records });
    }

    pub(crate) fn parts(&self) -> impl Iterator<Item = Part<'_>> {
        self.segments.iter().map(|indexed| Part { segment: &indexed.segment, is_live: &indexed.is_live })
    }

    pub(super) fn len(&self) -> usize {
        self.segments.len()
    }

    /// The record that a source is.
    pub(crate) fn record(&self, part: usize, source: usize) -> usize {
        self.segments[part].records[source]
    }

    /// The part and the source that a record is.
    pub(super) fn place(&self, record: usize) -> (usize, usize) {
        self.places[record]
    }
}

/// As many records may be beside the large segment before all are taken in anew.
fn most_beside(count: usize) -> usize {
    64 + count / 16
}

/// As many records of the large segment may be gone or changed.
fn most_gone(count: usize) -> usize {
    64 + count / 2
}

/// What the file has, if it is whole.
fn kept<C: IndexedRecords>(corpus: &C) -> Segments {
    let bytes = corpus.store().kept_words(C::WORDS);
    bytes.and_then(Segment::open).map(Arc::new).into_iter().collect()
}
