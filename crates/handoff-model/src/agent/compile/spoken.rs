//! The words of a conversation, turn by turn: what they leave open, and what they say to be done.
//!
//! **Invariant:** an item stays open until a later turn says that it is done or its check passes; a turn that does not
//! mention it changes nothing.

use jiff::Timestamp;

use super::super::last_words::{SettledMention, imperatives};
use super::super::{Digest, LastWords, Said};
use super::endings::{implied_check, last_passed};
use super::{CompiledItem, PassedCheck, words};
use crate::id::SessionId;
use crate::relevant::says_same;
use crate::session::open_items::OpenItems;
use crate::session::{ItemRef, Session, SessionKind};
use crate::when::Moment;

/// The answer at the end of a turn.
pub(super) struct SpokenTurn {
    pub(super) words: LastWords,
    pub(super) at: Option<Moment>,
    pub(super) line: Option<u64>,
}

/// Something that an agent said to be done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpokenEnd {
    pub at: Option<Moment>,
    pub done: SaidDone,
}

/// The way in which it was said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SaidDone {
    /// An entry of a list of finished things
    Entry(String),
    /// A clause in the past form
    Statement(String),
    /// An item, by its id
    Item(SettledMention),
}

impl SaidDone {
    /// The wordings that an item may have which this says to be done; none where it names the item by its id.
    pub(super) fn wordings(&self) -> Vec<String> {
        match self {
            SaidDone::Entry(text) => vec![text.clone()],
            SaidDone::Statement(text) => imperatives(text),
            SaidDone::Item(_) => Vec::new(),
        }
    }
}

pub(super) fn turns(digest: &Digest) -> Vec<SpokenTurn> {
    let turn = |said: &Said| SpokenTurn { words: LastWords::read(&said.text), at: said.at, line: said.line };
    digest.answers().map(turn).collect()
}

/// Everything that was said to be done.
pub(super) fn ends(turns: &[SpokenTurn]) -> impl Iterator<Item = SpokenEnd> {
    turns.iter().flat_map(|turn| {
        let LastWords { done, settled, statements, .. } = &turn.words;
        let entries = done.iter().cloned().map(SaidDone::Entry);
        let statements = statements.iter().cloned().map(SaidDone::Statement);
        let items = settled.iter().cloned().map(SaidDone::Item);
        entries.chain(statements).chain(items).map(|done| SpokenEnd { at: turn.at, done })
    })
}

/// The items that the turns leave open, those of the last one first, each with the line of its turn.
pub(super) fn open(turns: &[SpokenTurn], passed: &[PassedCheck]) -> Vec<(CompiledItem, Option<u64>)> {
    let mut open: Vec<(CompiledItem, Option<u64>)> = Vec::new();
    for turn in turns {
        let listed = listing(&open);
        let known = OpenItems::of([("", &listed)], |_| false);
        for end in ends(std::slice::from_ref(turn)) {
            let alike: Vec<String> = end.done.wordings().iter().filter_map(|text| alike(&known, text)).collect();
            open.retain(|(item, _)| {
                let is_entry = matches!(&end.done, SaidDone::Entry(text) if says_same(text, &item.text));
                !is_entry && !alike.contains(&item.text)
            });
        }
        let mut named: Vec<(CompiledItem, Option<u64>)> = Vec::new();
        for item in turn.words.items.iter().filter(|item| !words::is_about_session(&item.text)) {
            let earlier =
                alike(&known, &item.text).and_then(|text| open.iter().position(|(item, _)| item.text == text));
            // The first wording stays, so that nothing changes for who has seen it.
            let (text, line) = match earlier.map(|place| open.remove(place)) {
                Some((earlier, line)) => (earlier.text, line),
                None => (item.text.clone(), turn.line),
            };
            named.push((CompiledItem { kind: item.kind, text, check: None, at: turn.at }, line));
        }
        open.splice(0..0, named);
    }
    let is_open = |item: &CompiledItem| {
        let is_later = |passed: &&PassedCheck| passed.at.zip(item.at).is_some_and(|(passed, named)| passed > named);
        implied_check(&item.text).is_none_or(|check| last_passed(&check, passed.iter().filter(is_later)).is_none())
    };
    open.retain(|(item, _)| is_open(item));
    open
}

/// A session with these items, for comparing other texts with them in the way in which open items are compared.
fn listing(items: &[(CompiledItem, Option<u64>)]) -> Session {
    let at = Moment::new(Timestamp::UNIX_EPOCH);
    let next = items.iter().map(|(item, _)| item.text.clone()).collect();
    Session { next, ..Session::new(SessionId::from_random([0; 4]), SessionKind::Record, at) }
}

/// The text that says the same.
fn alike(known: &OpenItems<'_>, text: &str) -> Option<String> {
    known.find(&ItemRef::Text(text.to_owned())).ok().map(|item| item.text.to_owned())
}

#[cfg(test)]
mod tests;
