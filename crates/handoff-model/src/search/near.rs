//! Words that are there, for those that are not.

use std::collections::BTreeSet;

use super::query::{Query, Role};
use super::segment::Segment;
use super::tally::Part;
use super::text::{self, Sort};
use crate::close::close_matches;

/// How many words are offered.
const OFFERED: usize = 3;
/// Shorter words are like too many others.
const SHORTEST: usize = 3;

/// The known words nearest to those of a query that stand nowhere.
pub(super) fn close_words(query: &Query, parts: &[Part<'_>]) -> Vec<String> {
    let mut known = BTreeSet::new();
    for part in parts {
        known.extend((0..part.segment.words()).map(|word| part.segment.word(word)));
    }
    let live: Vec<Vec<bool>> = parts.iter().map(live_documents).collect();
    let is_live = |word: &str| parts.iter().zip(&live).any(|(part, live)| stands(part.segment, live, word));
    let mut close: Vec<String> = Vec::new();
    for group in query.groups.iter().filter(|group| matches!(group.role, Role::Wanted | Role::Required)) {
        text::each(&group.said, |token| {
            let length = token.word.chars().count();
            if token.sort != Sort::Plain || length < SHORTEST || is_live(token.word) {
                return;
            }
            let alike = known.iter().copied().filter(|word| word.chars().count().abs_diff(length) <= 2);
            let alike = close_matches(token.word, alike, usize::MAX).into_iter().filter(|word| is_live(word));
            close.extend(alike.take(OFFERED).map(str::to_owned));
        });
    }
    let mut seen = BTreeSet::new();
    close.retain(|word| seen.insert(word.clone()));
    close.truncate(OFFERED);
    close
}

/// Which documents of a part are live.
fn live_documents(part: &Part<'_>) -> Vec<bool> {
    let mut live = vec![false; part.segment.documents()];
    let sources = (0..part.segment.sources()).filter(|source| part.is_live.get(*source) == Some(&true));
    for document in sources.flat_map(|source| part.segment.documents_of(source)) {
        live[document] = true;
    }
    live
}

fn stands(segment: &Segment, live: &[bool], word: &str) -> bool {
    let postings = segment.find_word(word).map(|word| segment.postings(word));
    postings.into_iter().flatten().any(|posting| live[posting.document as usize])
}
