//! Making a segment.

use std::collections::HashMap;

use super::super::document::Document;
use super::super::text;
use super::{DOCUMENT, HEADER, MAGIC, SOURCE, STEM, Segment, WORD, code_of, push_number};
use crate::checksum::checksum;
use crate::words::stem;

/// Takes in sources, one after the other.
#[derive(Debug, Default)]
pub struct Builder {
    sources: Vec<Source>,
    documents: Vec<(u32, u32)>,
    words: HashMap<Box<str>, usize>,
    lists: Vec<List>,
}

#[derive(Debug)]
struct Source {
    key: String,
    mark: u64,
    first: usize,
    count: usize,
}

/// The postings of one word.
#[derive(Debug, Default)]
struct List {
    bytes: Vec<u8>,
    document: u32,
    place: u32,
    is_begun: bool,
}

/// Places left free between texts, so that no phrase reaches from one into the next.
const GAP: u32 = 2;

/// As much as places are told apart.
const FARTHEST: u32 = u32::MAX >> 3;

impl Builder {
    /// Takes in a source; one with a key that was taken in before counts as another.
    pub fn add(&mut self, key: &str, mark: u64, documents: &[Document<'_>]) {
        let first = self.documents.len();
        for document in documents {
            self.document(document);
        }
        self.sources.push(Source { key: key.to_owned(), mark, first, count: documents.len() });
    }

    fn document(&mut self, document: &Document<'_>) {
        let number = count(self.documents.len());
        let (words, lists) = (&mut self.words, &mut self.lists);
        let (mut start, mut length) = (0_u32, 0_u32);
        for (weight, text) in &document.fields {
            let used = text::each(text, |token| {
                let word = words.get(token.word).copied().unwrap_or_else(|| {
                    words.insert(token.word.into(), lists.len());
                    lists.push(List::default());
                    lists.len() - 1
                });
                length = length.saturating_add(weight.units());
                lists[word].push(number, start.saturating_add(token.place).min(FARTHEST), *weight as u32);
            });
            start = start.saturating_add(used).saturating_add(GAP);
        }
        self.documents.push((code_of(document.item), length));
    }

    /// The segment of all that was taken in.
    pub fn finish(mut self) -> Segment {
        self.sources.sort_by(|one, other| one.key.cmp(&other.key));
        let mut words: Vec<(Box<str>, usize)> = std::mem::take(&mut self.words).into_iter().collect();
        words.sort_unstable();
        let mut stems: Vec<(String, u32)> = Vec::with_capacity(words.len());
        for (place, (word, _)) in words.iter().enumerate() {
            let mut stemmed = word.to_string();
            stem(&mut stemmed);
            stems.push((stemmed, count(place)));
        }
        stems.sort_unstable();

        let (mut tables, mut heap, mut postings) = (Vec::new(), String::new(), Vec::new());
        let keep = |letters: &str, heap: &mut String| {
            let from = heap.len();
            heap.push_str(letters);
            [count(from), count(letters.len())].map(u32::to_le_bytes).concat()
        };
        for source in &self.sources {
            tables.extend(keep(&source.key, &mut heap));
            tables.extend(source.mark.to_le_bytes());
            tables.extend([count(source.first), count(source.count), 0].map(u32::to_le_bytes).concat());
        }
        for (item, length) in &self.documents {
            tables.extend([*item, *length].map(u32::to_le_bytes).concat());
        }
        for (word, list) in &words {
            let list = &self.lists[*list].bytes;
            tables.extend(keep(word, &mut heap));
            tables.extend([count(postings.len()), count(list.len())].map(u32::to_le_bytes).concat());
            postings.extend_from_slice(list);
        }
        for (stemmed, word) in &stems {
            tables.extend(keep(stemmed, &mut heap));
            tables.extend(word.to_le_bytes());
        }
        let counts = [self.sources.len(), self.documents.len(), words.len(), stems.len(), heap.len(), postings.len()];
        debug_assert_eq!(tables.len(), counts[0] * SOURCE + counts[1] * DOCUMENT + counts[2] * WORD + counts[3] * STEM);
        let mut bytes = Vec::with_capacity(HEADER + tables.len() + heap.len() + postings.len());
        bytes.extend_from_slice(MAGIC);
        bytes.extend([0; 8]);
        bytes.extend(counts.map(|number| count(number).to_le_bytes()).concat());
        bytes.extend(tables);
        bytes.extend(heap.into_bytes());
        bytes.extend(postings);
        let sum = checksum(&bytes[24..]);
        bytes[16..24].copy_from_slice(&sum.to_le_bytes());
        Segment::open(bytes).expect("what was just made is whole")
    }
}

impl List {
    fn push(&mut self, document: u32, place: u32, weight: u32) {
        if self.is_begun && self.document == document {
            push_number(&mut self.bytes, (place - self.place) << 3 | weight << 1);
        } else {
            push_number(&mut self.bytes, place << 3 | weight << 1 | 1);
            push_number(&mut self.bytes, document - self.document);
        }
        (self.document, self.place, self.is_begun) = (document, place, true);
    }
}

/// Everything here is counted in 32 bits: records of one store are far from four thousand million bytes.
fn count(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}
