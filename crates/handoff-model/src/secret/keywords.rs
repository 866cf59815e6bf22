//! Where the keywords of rules stand: the whole table is asked in one pass over the text.

use std::sync::OnceLock;

use super::rules::{self, Place, Ready};

/// A keyword of a rule, found in a text.
pub(super) struct Hit {
    pub(super) at: usize,
    pub(super) ready: &'static Ready,
    pub(super) keyword: &'static str,
}

/// All keywords, by their first three letters.
struct Index {
    /// Whether any keyword begins like this, so that almost every place is passed over with one look
    may_begin: Vec<u64>,
    /// Sorted; of keywords that begin alike, those of earlier rules come first
    entries: Vec<(u32, &'static str, &'static Ready)>,
}

const BITS: u32 = 16;

/// Calls `found` for each keyword, in the order they stand in the text.
pub(super) fn each(text: &str, mut found: impl FnMut(&Hit)) {
    let index = index();
    let bytes = text.as_bytes();
    let mut beginning = 0;
    for (end, byte) in bytes.iter().enumerate() {
        beginning = (beginning << 8 | u32::from(byte.to_ascii_lowercase())) & 0x00ff_ffff;
        if end < 2 || !index.may_begin(beginning) {
            continue;
        }
        let at = end - 2;
        let first = index.entries.partition_point(|(start, _, _)| *start < beginning);
        for (_, keyword, ready) in index.entries[first..].iter().take_while(|(start, _, _)| *start == beginning) {
            let Some(written) = bytes.get(at..at + keyword.len()) else { continue };
            let is_it = match ready.rule.place {
                // What a service gives out has its mark in the letters it was given out with.
                Place::Mark | Place::Exact => written == keyword.as_bytes(),
                Place::Here | Place::Name => written.eq_ignore_ascii_case(keyword.as_bytes()),
            };
            if is_it {
                found(&Hit { at, ready, keyword });
            }
        }
    }
}

impl Index {
    fn may_begin(&self, beginning: u32) -> bool {
        let slot = slot(beginning);
        self.may_begin[slot / 64] >> (slot % 64) & 1 == 1
    }
}

fn index() -> &'static Index {
    static INDEX: OnceLock<Index> = OnceLock::new();
    INDEX.get_or_init(|| {
        let mut may_begin = vec![0; 1 << (BITS - 6)];
        let mut entries = Vec::new();
        for ready in rules::ready() {
            for keyword in ready.rule.keywords {
                let beginning = keyword
                    .bytes()
                    .take(3)
                    .fold(0, |beginning, byte| beginning << 8 | u32::from(byte.to_ascii_lowercase()));
                let slot = slot(beginning);
                may_begin[slot / 64] |= 1_u64 << (slot % 64);
                entries.push((beginning, *keyword, ready));
            }
        }
        // Stable: the order of the tables decides among those that begin alike.
        entries.sort_by_key(|(beginning, _, _)| *beginning);
        Index { may_begin, entries }
    })
}

fn slot(beginning: u32) -> usize {
    (beginning.wrapping_mul(0x9e37_79b1) >> (32 - BITS)) as usize
}
