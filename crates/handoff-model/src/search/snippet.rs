//! The part of a text that shows why it was found.
//!
//! **Invariant:** a snippet is cut between characters that stand by themselves, its marks lie within it, and it says
//! nothing that the text does not.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap};

use unicode_normalization::char::is_combining_mark;

use super::document::{Document, Weight};
use super::query::{Query, Role, Step, Wanted};
use super::text;
use crate::words::stem;

/// A piece of text with marks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Snippet {
    /// On one line
    pub text: String,
    /// What was asked for, as bytes from and up to; in order, apart from each other
    pub marks: Vec<(usize, usize)>,
}

/// As much of one text as is looked through for a snippet.
const LOOKED_AT: usize = 256 * 1024;
/// How far a cut may be moved to fall between words.
const TO_A_SPACE: usize = 20;

/// The part of a document, of about so many characters, that has most of what was asked for. Where nothing of it
/// stands there, its beginning. Titles are shown anyway, so they are left out unless there is nothing else.
pub fn snippet(query: &Query, document: &Document<'_>, width: usize) -> Snippet {
    let told = document.fields.iter().filter(|(weight, _)| *weight != Weight::Title);
    let told: Vec<&str> = told.map(|(_, text)| text.as_ref()).collect();
    let mut best: Option<(usize, usize, &str, Vec<Hit>)> = None;
    for text in &told {
        let hits = hits(query, text);
        let (wanted, first) = window(&hits, width);
        if wanted > best.as_ref().map_or(0, |(most, ..)| *most) {
            best = Some((wanted, first, text, hits));
        }
    }
    match best {
        Some((_, first, text, hits)) => cut(text, &hits, hits[first].start, width),
        None => told.first().map(|text| cut(text, &[], 0, width)).unwrap_or_default(),
    }
}

impl Query {
    /// The beginning of a text, on one line, with what was asked for marked in it.
    pub fn marked_up_to(&self, text: &str, width: usize) -> Snippet {
        cut(text, &hits(self, text), 0, width)
    }
}

/// Something asked for, where it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Hit {
    start: usize,
    end: usize,
    group: usize,
}

/// Where something of the query stands in a text, in order.
fn hits(query: &Query, text: &str) -> Vec<Hit> {
    let text = &text[..text.floor_char_boundary(LOOKED_AT)];
    let groups =
        query.groups.iter().enumerate().filter(|(_, group)| !matches!(group.role, Role::Excluded | Role::Pair));
    let terms: Vec<(usize, &[Step])> =
        groups.flat_map(|(place, group)| group.terms.iter().map(move |term| (place, term.steps.as_slice()))).collect();
    // For each step of each term the places where it stands, with their spans.
    let mut stands: Vec<Vec<HashMap<u32, (usize, usize)>>> =
        terms.iter().map(|(_, steps)| vec![HashMap::new(); steps.len()]).collect();
    let mut stemmed = String::new();
    text::each(text, |token| {
        stemmed.clear();
        stemmed.push_str(token.word);
        stem(&mut stemmed);
        for ((_, steps), stands) in terms.iter().zip(&mut stands) {
            for (step, stands) in steps.iter().zip(stands) {
                let fits = match &step.word {
                    Wanted::Exactly(word) => token.word == word,
                    Wanted::Form(form) => stemmed == *form,
                    Wanted::Beginning(letters) => token.word.starts_with(letters.as_str()),
                };
                if fits {
                    stands.insert(token.place, token.span);
                }
            }
        }
    });
    let mut hits = BTreeSet::new();
    for ((group, steps), stands) in terms.iter().zip(&stands) {
        let Some((first, rest)) = stands.split_first() else { continue };
        for (place, (start, end)) in first {
            let followed = rest.iter().zip(&steps[1..]).map(|(stands, step)| stands.get(&(place + step.after)));
            if let Some(spans) = followed.collect::<Option<Vec<_>>>() {
                let end = spans.last().map_or(*end, |(_, last)| *last);
                hits.insert(Hit { start: *start, end, group: *group });
            }
        }
    }
    hits.into_iter().collect()
}

/// How much of what was asked for one window of a text can show, and the hit it begins with.
fn window(hits: &[Hit], width: usize) -> (usize, usize) {
    let mut best = (0, 0);
    for (first, hit) in hits.iter().enumerate() {
        let within = hits[first..].iter().take_while(|other| other.end <= hit.start.saturating_add(width));
        let (mut groups, mut count) = (BTreeSet::new(), 0);
        for hit in within.take(64) {
            groups.insert(hit.group);
            count += 1;
        }
        let worth = (groups.len() * 100 + count).max(1);
        if worth > best.0 {
            best = (worth, first);
        }
    }
    best
}

/// The text around a place, on one line, with the hits in it marked.
fn cut(text: &str, hits: &[Hit], around: usize, width: usize) -> Snippet {
    let (start, end) = bounds(text, around, width);
    let mut snippet = Snippet::default();
    if start > 0 {
        snippet.text.push_str("… ");
    }
    let mut hits = hits.iter().filter(|hit| hit.start >= start && hit.end <= end).peekable();
    let mut open: Option<usize> = None;
    let mut closes_at = 0;
    for (at, c) in text[start..end].char_indices().map(|(at, c)| (start + at, c)) {
        if open.is_some() && at >= closes_at {
            snippet.close(&mut open);
        }
        while let Some(hit) = hits.next_if(|hit| hit.start <= at) {
            open.get_or_insert(snippet.text.len());
            closes_at = closes_at.max(hit.end);
        }
        match c {
            c if c.is_whitespace() => {
                if !snippet.text.is_empty() && !snippet.text.ends_with(' ') {
                    snippet.text.push(' ');
                }
            }
            c => snippet.text.push(c),
        }
    }
    snippet.close(&mut open);
    while snippet.text.ends_with(' ') && snippet.marks.last().is_none_or(|(_, end)| *end < snippet.text.len()) {
        snippet.text.pop();
    }
    if end < text.trim_end().len() {
        snippet.text.push_str(" …");
    }
    snippet
}

impl Snippet {
    fn close(&mut self, open: &mut Option<usize>) {
        if let Some(start) = open.take().filter(|start| *start < self.text.len()) {
            self.marks.push((start, self.text.len()));
        }
    }

    /// The pieces of the text in turn, each with whether it was asked for.
    pub fn pieces(&self) -> impl Iterator<Item = (&str, bool)> {
        let ends = self.marks.iter().flat_map(|(start, end)| [(*start, false), (*end, true)]);
        let ends = ends.chain([(self.text.len(), false)]);
        let mut from = 0;
        ends.filter_map(move |(end, is_marked)| {
            let piece = &self.text[from..end];
            from = end;
            (!piece.is_empty()).then_some((piece, is_marked))
        })
    }

    /// What was asked for, as it stands there, each once.
    pub fn words(&self) -> Vec<Cow<'_, str>> {
        let mut words: Vec<Cow<'_, str>> = Vec::new();
        for (piece, is_marked) in self.pieces() {
            if is_marked && !words.iter().any(|word| word == piece) {
                words.push(piece.into());
            }
        }
        words
    }
}

/// Where a window around a place begins and ends: between words where that can be, else between characters.
fn bounds(text: &str, around: usize, width: usize) -> (usize, usize) {
    if text.chars().nth(width).is_none() {
        return (0, text.len());
    }
    let before = text[..around].char_indices().rev().nth(width / 4).map_or(0, |(at, _)| at);
    let mut start = before;
    if before > 0 {
        let space = text[before..around].char_indices().take(TO_A_SPACE).find(|(_, c)| c.is_whitespace());
        start = space.map_or_else(|| apart(text, before), |(at, c)| before + at + c.len_utf8());
    }
    let mut end = text[start..].char_indices().nth(width).map_or(text.len(), |(at, _)| start + at);
    if end < text.len() {
        let space = text[start..end].char_indices().rev().take(TO_A_SPACE).find(|(_, c)| c.is_whitespace());
        end = space.map_or_else(|| apart(text, end), |(at, _)| start + at);
    }
    (start, end.max(start))
}

/// The next place from one on where a character stands by itself, not joined to the one before.
fn apart(text: &str, from: usize) -> usize {
    let is_joined = |c: char| {
        is_combining_mark(c)
            || matches!(c, '\u{200d}' | '\u{fe00}'..='\u{fe0f}' | '\u{1f3fb}'..='\u{1f3ff}' | '\u{e0020}'..='\u{e007f}')
    };
    let mut joins = text[..from].ends_with('\u{200d}');
    for (at, c) in text[from..].char_indices() {
        if !is_joined(c) && !joins {
            return from + at;
        }
        joins = c == '\u{200d}';
    }
    text.len()
}

#[cfg(test)]
mod tests;
