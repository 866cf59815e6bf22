//! Making a rendering fit its budget: whole items and whole lines, the most value for the tokens.

use std::collections::{BTreeMap, BTreeSet};

use handoff_model::tokens;

use super::layout::{write, write_bare};
use super::outline::{Head, Outline, Part};
use super::said::Passage;
use super::target::Target;
use crate::resume::choose::{Candidate, choose};

/// How much a rendering may cost.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Limit {
    pub(crate) tokens: usize,
    /// Where a host accepts no more
    pub(crate) bytes: usize,
}

impl Limit {
    fn holds(self, text: &str) -> bool {
        text.len() <= self.bytes && tokens::estimate(text) <= self.tokens
    }

    /// More bytes than a text within it can have; what lies beyond need not be looked at.
    pub(super) fn longest(self) -> usize {
        const BYTES: usize = 32;
        const MOST: usize = 2 << 20;
        (self.tokens.saturating_mul(BYTES) + 4_096).min(self.bytes).min(MOST)
    }

    /// The tokens that can be counted on, given both bounds.
    fn room(self) -> usize {
        /// Few texts have fewer bytes for a token.
        const BYTES: usize = 3;
        self.tokens.min(self.bytes / BYTES)
    }
}

/// The parts that share what is left for items, in the order of their groups.
const SHARES: [f64; 4] = [0.45, 0.27, 0.13, 0.08];

fn group(part: Part) -> usize {
    match part {
        Part::UnderWay | Part::Next | Part::Blockers | Part::Questions | Part::Checklist | Part::Tasks => 0,
        Part::Decisions | Part::Notes => 1,
        Part::Pointers | Part::References => 2,
        Part::Git | Part::Changes | Part::Likely => 3,
    }
}

/// The rendering, within its limit.
pub(super) fn fitted(whole: &Outline, target: Target, limit: Limit) -> String {
    let text = write(whole, target);
    if limit.holds(&text) {
        return text;
    }
    let full = |outline: &Outline| write(outline, target);
    let bare = |outline: &Outline| write_bare(outline, target);
    let best =
        filled(whole, limit, full).filter(|(kept, _)| kept.says_what_is_next || whole.items(Part::Next).is_empty());
    let best = best.or_else(|| filled(&only_next(whole), limit, bare)).or_else(|| filled(whole, limit, full));
    best.map_or_else(|| bare(&kept(whole, &Kept::default())), |(_, text)| text)
}

/// What of an outline is shown.
#[derive(Debug, Clone, Default)]
struct Kept {
    items: BTreeSet<(Part, usize)>,
    /// Lines of each summary
    summaries: Vec<usize>,
    body: usize,
    says_what_is_next: bool,
}

/// The outline with nothing to choose from but next steps; what else there is is only counted.
fn only_next(whole: &Outline) -> Outline {
    let mut outline = kept(whole, &Kept::default());
    if let Some(next) = whole.parts.get(&Part::Next) {
        outline.left_out.remove(&Part::Next);
        outline.left_out.extend(whole.left_out.get_key_value(&Part::Next).map(|(part, count)| (*part, *count)));
        outline.parts.insert(Part::Next, next.clone());
    }
    outline
}

/// As much as fits; `None` when not even the frame does.
fn filled(whole: &Outline, limit: Limit, write: impl Fn(&Outline) -> String) -> Option<(Kept, String)> {
    let empty = Kept { summaries: vec![0; whole.heads.len()], ..Kept::default() };
    let frame = tokens::estimate(&write(&kept(whole, &empty)));
    let room = limit.room().checked_sub(frame)?;
    let mut fitting = empty;
    let mut left = room;
    // A package is its text; of a record the text is what is left to say.
    let for_body = if whole.body.lines.is_empty() { 0 } else { room * if whole.is_package() { 17 } else { 4 } / 20 };
    let for_summaries = room / (3 * whole.heads.len().max(1));
    for (index, head) in whole.heads.iter().enumerate() {
        let (lines, cost) = leading(&head.summary, for_summaries.min(left.saturating_sub(for_body)));
        fitting.summaries[index] = lines;
        left -= cost;
    }
    let places: Vec<(Part, usize)> =
        whole.parts.iter().flat_map(|(part, items)| (0..items.len()).map(move |index| (*part, index))).collect();
    let candidates: Vec<Candidate> = places
        .iter()
        .map(|(part, index)| {
            let item = &whole.items(*part)[*index];
            // The mark of quotation and that of the list count too, on every line.
            let lines = item.text.as_str().lines().count();
            let cost = tokens::estimate(item.text.as_str()) + 3 * lines.max(1);
            Candidate { group: group(*part), cost, value: item.value }
        })
        .collect();
    let mut chosen = choose(&candidates, &SHARES, left.saturating_sub(for_body));
    left -= chosen.iter().map(|index| candidates[*index].cost).sum::<usize>();
    fitting.body = leading(&whole.body, left).0;
    loop {
        fitting.items = chosen.iter().map(|index| places[*index]).collect();
        fitting.says_what_is_next = fitting.items.iter().any(|(part, _)| *part == Part::Next);
        let text = write(&kept(whole, &fitting));
        if limit.holds(&text) {
            return Some((fitting, text));
        }
        // Estimates of parts do not quite add up to that of the whole.
        if fitting.body > 0 {
            fitting.body -= (fitting.body / 10).max(1);
        } else if let Some(lines) = fitting.summaries.iter_mut().filter(|lines| **lines > 0).max() {
            *lines -= (*lines / 10).max(1);
        } else if chosen.is_empty() {
            return None;
        } else {
            chosen.truncate(chosen.len() - (chosen.len() / 20).max(1));
        }
    }
}

/// How many lines of a passage can be had for so many tokens, and what they cost.
fn leading(passage: &Passage, room: usize) -> (usize, usize) {
    let mut cost = 0;
    let mut lines = 0;
    for line in &passage.lines {
        let more = tokens::estimate(line) + 2;
        if cost + more > room {
            break;
        }
        cost += more;
        lines += 1;
    }
    (lines, cost)
}

/// The outline with this alone, and the rest counted.
fn kept(whole: &Outline, kept: &Kept) -> Outline {
    let mut outline = Outline { parts: BTreeMap::new(), body: whole.body.first(kept.body), ..clone_frame(whole) };
    for (index, head) in outline.heads.iter_mut().enumerate() {
        head.summary = whole.heads[index].summary.first(kept.summaries.get(index).copied().unwrap_or(0));
    }
    for (part, items) in &whole.parts {
        let shown: Vec<_> = items
            .iter()
            .enumerate()
            .filter(|(index, _)| kept.items.contains(&(*part, *index)))
            .map(|(_, item)| item.clone())
            .collect();
        let missing = items.len() - shown.len();
        if missing > 0 {
            *outline.left_out.entry(*part).or_default() += missing;
        }
        if !shown.is_empty() {
            outline.parts.insert(*part, shown);
        }
    }
    outline
}

/// The outline without its long parts.
fn clone_frame(whole: &Outline) -> Outline {
    let heads = whole.heads.iter().map(|head| Head { summary: Passage::default(), ..head.clone() });
    Outline {
        subject: whole.subject,
        heads: heads.collect(),
        parts: BTreeMap::new(),
        body: Passage::default(),
        left_out: whole.left_out.clone(),
        whole: whole.whole.clone(),
        is_past: whole.is_past,
    }
}
