//! Which word stands where, as bytes that are looked through where they lie.
//!
//! **Invariant:** any bytes can be opened. Those that are no whole segment of this version are refused, and whatever
//! others say, reading stays within them and ends.
//!
//! ```text
//! magic and version · checksum of all that follows · counts
//! sources   by key: key, mark, first document, number of documents
//! documents in the order of their sources: which part of the record, how long
//! words     by their letters: word, where its postings lie
//! stems     by their letters: stem, word
//! heap      the letters of keys, words and stems
//! postings  of each word in turn: numbers of 7 bits a byte
//! ```
//!
//! A posting is `place since the last one << 3 | weight << 1 | whether it is the first of its document`; the first of a
//! document is followed by the number of documents since the last.

mod build;

use std::cmp::Ordering;
use std::ops::Range;

pub use build::Builder;

use super::document::{Item, Weight};
use crate::checksum::checksum;

const MAGIC: &[u8; 16] = b"handoff search 2";
const HEADER: usize = 48;
const SOURCE: usize = 28;
const DOCUMENT: usize = 8;
const WORD: usize = 16;
const STEM: usize = 12;

/// A part of the index: some sources and all their words.
#[derive(Clone)]
pub struct Segment {
    bytes: Vec<u8>,
    sources: Range<usize>,
    documents: Range<usize>,
    words: Range<usize>,
    stems: Range<usize>,
    heap: Range<usize>,
    postings: Range<usize>,
}

/// One occurrence of a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Posting {
    pub(super) document: u32,
    pub(super) place: u32,
    pub(super) weight: Weight,
}

impl Segment {
    /// The segment that these bytes are; `None` when they are no whole one of this version.
    pub fn open(bytes: Vec<u8>) -> Option<Segment> {
        let header = bytes.get(..HEADER)?;
        if &header[..16] != MAGIC || u64_at(header, 16) != checksum(&bytes[24..]) {
            return None;
        }
        let mut end = HEADER;
        let mut section = |field: usize, size: usize| {
            let length = (u32_at(header, field) as usize).checked_mul(size)?;
            let start = end;
            end = end.checked_add(length).filter(|end| *end <= bytes.len())?;
            Some(start..end)
        };
        let sources = section(24, SOURCE)?;
        let documents = section(28, DOCUMENT)?;
        let words = section(32, WORD)?;
        let stems = section(36, STEM)?;
        let heap = section(40, 1)?;
        let postings = section(44, 1)?;
        if postings.end != bytes.len() || std::str::from_utf8(&bytes[heap.clone()]).is_err() {
            return None;
        }
        Some(Segment { bytes, sources, documents, words, stems, heap, postings })
    }

    /// The bytes, for keeping them.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// How many sources there are.
    pub fn sources(&self) -> usize {
        self.sources.len() / SOURCE
    }

    pub(super) fn documents(&self) -> usize {
        self.documents.len() / DOCUMENT
    }

    pub(super) fn words(&self) -> usize {
        self.words.len() / WORD
    }

    /// The key of a source.
    pub fn key(&self, source: usize) -> &str {
        std::str::from_utf8(self.key_bytes(source)).unwrap_or_default()
    }

    /// The letters of the key of a source, for comparing many.
    pub fn key_bytes(&self, source: usize) -> &[u8] {
        let entry = self.source(source);
        self.in_heap(u32_at(entry, 0), u32_at(entry, 4))
    }

    /// What told the content of a source from any other when it was taken in.
    pub fn mark(&self, source: usize) -> u64 {
        u64_at(self.source(source), 8)
    }

    /// The documents of a source.
    pub(super) fn documents_of(&self, source: usize) -> Range<usize> {
        let entry = self.source(source);
        let (first, count) = (u32_at(entry, 16) as usize, u32_at(entry, 20) as usize);
        let all = self.documents();
        first.min(all)..first.saturating_add(count).min(all)
    }

    /// The source with this key.
    pub fn find(&self, key: &str) -> Option<usize> {
        search(self.sources(), |source| self.key_bytes(source).cmp(key.as_bytes())).ok()
    }

    /// Which part of its record a document is.
    pub(super) fn item(&self, document: usize) -> Item {
        item_of(u32_at(self.document(document), 0))
    }

    /// The weighed length of a document.
    pub(super) fn length(&self, document: usize) -> u32 {
        u32_at(self.document(document), 4)
    }

    pub(super) fn word(&self, word: usize) -> &str {
        let entry = self.entry(&self.words, word, WORD);
        self.letters(u32_at(entry, 0), u32_at(entry, 4))
    }

    /// The word with exactly these letters.
    pub(super) fn find_word(&self, wanted: &str) -> Option<usize> {
        search(self.words(), |word| self.word(word).cmp(wanted)).ok()
    }

    /// The words that begin with these letters.
    pub(super) fn words_from(&self, beginning: &str) -> Range<usize> {
        let first = search(self.words(), |word| self.word(word).cmp(beginning)).unwrap_or_else(|place| place);
        let is_beyond = |word: usize| !self.word(word).starts_with(beginning);
        let last = (first..self.words()).find(|word| is_beyond(*word)).unwrap_or(self.words());
        first..last
    }

    /// The words that have this stem.
    pub(super) fn words_of(&self, stem: &str) -> impl Iterator<Item = usize> {
        let entry = |place: usize| self.entry(&self.stems, place, STEM);
        let letters = move |place: usize| self.letters(u32_at(entry(place), 0), u32_at(entry(place), 4));
        let all = self.stems.len() / STEM;
        // Of equal ones the first.
        let order = |place: usize| letters(place).cmp(stem).then(Ordering::Greater);
        let first = search(all, order).unwrap_or_else(|place| place);
        let same = (first..all).take_while(move |place| letters(*place) == stem);
        same.map(move |place| u32_at(entry(place), 8) as usize)
    }

    /// Where a word stands, in the order of documents and places.
    pub(super) fn postings(&self, word: usize) -> Postings<'_> {
        let entry = self.entry(&self.words, word, WORD);
        let (from, length) = (u32_at(entry, 8) as usize, u32_at(entry, 12) as usize);
        let all = &self.bytes[self.postings.clone()];
        let bytes = all.get(from..from.saturating_add(length)).unwrap_or_default();
        Postings { bytes, document: 0, place: 0, most: self.documents() }
    }

    fn source(&self, source: usize) -> &[u8] {
        self.entry(&self.sources, source, SOURCE)
    }

    fn document(&self, document: usize) -> &[u8] {
        self.entry(&self.documents, document, DOCUMENT)
    }

    fn entry(&self, table: &Range<usize>, place: usize, size: usize) -> &[u8] {
        let start = table.start.saturating_add(place.saturating_mul(size));
        self.bytes[..table.end].get(start..start.saturating_add(size)).unwrap_or_default()
    }

    fn letters(&self, from: u32, length: u32) -> &str {
        std::str::from_utf8(self.in_heap(from, length)).unwrap_or_default()
    }

    fn in_heap(&self, from: u32, length: u32) -> &[u8] {
        let (from, length) = (from as usize, length as usize);
        self.bytes[self.heap.clone()].get(from..from.saturating_add(length)).unwrap_or_default()
    }
}

impl std::fmt::Debug for Segment {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (sources, documents, words) = (self.sources(), self.documents(), self.words());
        write!(f, "Segment({sources} sources, {documents} documents, {words} words, {} bytes)", self.bytes.len())
    }
}

/// Reads postings one by one.
pub(super) struct Postings<'s> {
    bytes: &'s [u8],
    document: u32,
    place: u32,
    most: usize,
}

impl Iterator for Postings<'_> {
    type Item = Posting;

    fn next(&mut self) -> Option<Posting> {
        let head = number(&mut self.bytes)?;
        let (weight, step) = (Weight::ALL[(head >> 1 & 3) as usize], head >> 3);
        if head & 1 == 1 {
            self.document = self.document.saturating_add(number(&mut self.bytes)?);
            self.place = step;
        } else {
            self.place = self.place.saturating_add(step);
        }
        let posting = Posting { document: self.document, place: self.place, weight };
        ((self.document as usize) < self.most).then_some(posting)
    }
}

/// A number of 7 bits a byte, the lowest first.
fn number(bytes: &mut &[u8]) -> Option<u32> {
    let mut value = 0;
    for shift in [0, 7, 14, 21, 28] {
        let (byte, rest) = bytes.split_first()?;
        *bytes = rest;
        value |= u32::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Some(value);
        }
    }
    None
}

/// The lowest seven bits.
fn low(value: u32) -> u8 {
    value.to_le_bytes()[0] & 0x7f
}

fn push_number(bytes: &mut Vec<u8>, mut value: u32) {
    while value >= 0x80 {
        bytes.push(low(value) | 0x80);
        value >>= 7;
    }
    bytes.push(low(value));
}

fn code_of(item: Item) -> u32 {
    let coded = |tag: u32, place: usize| tag | u32::try_from(place).unwrap_or(u32::MAX >> 3) << 3;
    match item {
        Item::Task => 0,
        Item::TaskNote(place) => coded(1, place),
        Item::Session => 2,
        Item::Decision(place) => coded(3, place),
        Item::SessionNote(place) => coded(4, place),
        Item::Memory => 5,
    }
}

fn item_of(code: u32) -> Item {
    let place = (code >> 3) as usize;
    match code & 7 {
        0 => Item::Task,
        1 => Item::TaskNote(place),
        2 => Item::Session,
        3 => Item::Decision(place),
        5 => Item::Memory,
        _ => Item::SessionNote(place),
    }
}

/// Binary search over places.
fn search(count: usize, order: impl Fn(usize) -> Ordering) -> Result<usize, usize> {
    let (mut low, mut high) = (0, count);
    while low < high {
        let middle = low + (high - low) / 2;
        match order(middle) {
            Ordering::Less => low = middle + 1,
            Ordering::Greater => high = middle,
            Ordering::Equal => return Ok(middle),
        }
    }
    Err(low)
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    bytes.get(at..at + 4).and_then(|bytes| bytes.try_into().ok()).map_or(0, u32::from_le_bytes)
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    bytes.get(at..at + 8).and_then(|bytes| bytes.try_into().ok()).map_or(0, u64::from_le_bytes)
}

#[cfg(test)]
mod tests;
