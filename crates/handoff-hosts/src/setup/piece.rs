//! Putting a piece into a text, and taking it out again.

mod hooks;
mod value;

use std::path::Path;

use super::edit::lines::whole_lines;
use super::edit::{Draft, Refusal, block, json};
use super::{Entry, Piece};
use crate::foreign::{self, Foreign};

/// How a piece was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum State {
    /// It is there as it should be
    Current,
    /// Another tool that handoff can take the place of has something there; it was left
    Foreign,
    /// An older form of it is there
    Outdated,
    /// It is not there
    Missing,
}

/// How far putting in may go.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Leave<'a> {
    /// The program that is set up
    pub(crate) program: &'a Path,
    /// Whether what another such tool put there may be replaced
    pub(crate) replaces: bool,
    /// Whether anything may be replaced that has the name of ours
    pub(crate) forces: bool,
}

/// Which language the entries of a settings file are in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Language {
    Json,
    Toml,
}

/// What was found and done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Found {
    pub(crate) state: State,
    /// What other tools have there, in words
    pub(crate) foreign: Vec<String>,
    /// The program that is started in the place of ours
    pub(crate) starts: Option<String>,
}

impl Found {
    pub(crate) fn plain(state: State) -> Found {
        Found { state, foreign: Vec::new(), starts: None }
    }

    /// What several findings come to: what is wrong with one is wrong with all, and half of it there is outdated.
    fn join(all: Vec<Found>) -> Found {
        let mut states: Vec<State> = all.iter().map(|found| found.state).collect();
        states.sort_unstable();
        let is_partly_missing = states.last() == Some(&State::Missing) && states.first() != Some(&State::Missing);
        let state = if is_partly_missing { State::Outdated } else { states.last().copied().unwrap_or(State::Current) };
        let starts = all.iter().find_map(|found| found.starts.clone());
        Found { state, foreign: all.into_iter().flat_map(|found| found.foreign).collect(), starts }
    }
}

/// Puts a piece into a text.
pub(crate) fn put(piece: &Piece, draft: &mut Draft, leave: Leave<'_>) -> Result<Found, Refusal> {
    let before = draft.hunks.len();
    let mut found = match piece {
        Piece::Json(entries) => put_entries(Language::Json, entries, draft, leave)?,
        Piece::Toml(entries) => put_entries(Language::Toml, entries, draft, leave)?,
        Piece::Block(text) => put_block(text, draft, leave)?,
        // A whole file is no matter of what is in it.
        Piece::File { .. } => Found::plain(State::Current),
    };
    // Ours may be as it should be where something of others had to go.
    if found.state == State::Current && draft.hunks.len() > before {
        found.state = State::Outdated;
    }
    Ok(found)
}

/// Takes a piece out of a text. Says whether it was there.
pub(crate) fn take(piece: &Piece, draft: &mut Draft, program: &Path) -> Result<bool, Refusal> {
    let before = draft.hunks.len();
    match piece {
        Piece::Json(entries) => take_entries(Language::Json, entries, draft, program)?,
        Piece::Toml(entries) => take_entries(Language::Toml, entries, draft, program)?,
        Piece::Block(_) => block::remove(draft)?,
        Piece::File { .. } => {}
    }
    Ok(draft.hunks.len() > before)
}

fn put_entries(language: Language, entries: &[Entry], draft: &mut Draft, leave: Leave<'_>) -> Result<Found, Refusal> {
    let mut found = Vec::new();
    for entry in entries {
        match entry {
            Entry::Value { at, value } => found.push(value::put(language, at, value, draft, leave)?),
            Entry::Items { at, items } => found.push(hooks::put(at, items, draft, leave)?),
            Entry::Needed { at, value } => {
                if value::get(language, draft, at)?.is_none() {
                    value::set(language, draft, at, value)?;
                }
            }
        }
    }
    let mut peers = Vec::new();
    for at in hooks::other_lists(entries, draft)? {
        if hooks::take(&at, draft)? {
            found.push(Found::plain(State::Outdated));
        }
        if let Some(peer) = hooks::replace_peers(&at, draft, leave)? {
            peers.push(peer);
            json::prune(draft, &at)?;
        }
    }
    let mut found = Found::join(found);
    found.foreign.extend(peers);
    Ok(found)
}

fn take_entries(language: Language, entries: &[Entry], draft: &mut Draft, program: &Path) -> Result<(), Refusal> {
    for entry in entries {
        match entry {
            Entry::Value { at, value } => value::take(language, at, value, draft, program)?,
            Entry::Items { at, .. } => drop(hooks::take(at, draft)?),
            Entry::Needed { .. } => {}
        }
    }
    for at in hooks::other_lists(entries, draft)? {
        hooks::take(&at, draft)?;
    }
    // What the file needed for our sake goes with us, unless somebody else needs it, too.
    let needed = entries.iter().filter_map(|entry| match entry {
        Entry::Needed { at, value } => Some((at, value)),
        _ => None,
    });
    let needed: Vec<_> = needed.collect();
    if language == Language::Json && !needed.is_empty() {
        let is_ours = |name: &String| needed.iter().any(|(at, _)| at.first() == Some(name));
        if json::names(draft, &[])?.iter().all(is_ours) {
            for (at, value) in needed {
                if json::get(draft, at)?.as_ref() == Some(value) {
                    json::remove_property(draft, at)?;
                }
            }
        }
    }
    Ok(())
}

fn put_block(text: &str, draft: &mut Draft, leave: Leave<'_>) -> Result<Found, Refusal> {
    let state = match block::is_current(draft, text)? {
        Some(true) => State::Current,
        Some(false) => State::Outdated,
        None => State::Missing,
    };
    let others = foreign::find(&draft.text);
    let mut place = None;
    if leave.replaces {
        let mut whole: Vec<&Foreign> = others.iter().filter(|other| other.is_whole).collect();
        // Ours takes the place of the first, unless it has one of its own.
        if state == State::Missing && !whole.is_empty() {
            let first = &whole.remove(0).range;
            place = Some(first.start..first.start + draft.text[first.clone()].trim_end().len());
        }
        for other in whole.into_iter().rev() {
            let text = other.range.start..other.range.start + draft.text[other.range.clone()].trim_end().len();
            draft.remove(whole_lines(draft, text, true));
        }
    }
    block::put(draft, text, place)?;
    let words = |Foreign { tool, line, is_whole, .. }: &Foreign| {
        let half = if *is_whole { "" } else { ", of which one mark is missing, so that a person has to look at it" };
        format!("instructions of {tool} in line {line}{half}")
    };
    Ok(Found { foreign: others.iter().map(words).collect(), ..Found::plain(state) })
}
