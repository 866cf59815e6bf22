//! Which decisions hold, computed from all sessions.
//!
//! **Invariant:** the answer depends on what the sessions say, never on the order they are given in.
//!
//! A decision is superseded by any other that says so, whatever the clocks of their machines said: a reference can only
//! be written after what it names. Where decisions supersede each other in a circle, the newest of them stands.
//!
//! A decision that several sessions have, because one took it over from another, is one decision: known by where it was
//! decided first, saying what was last changed about it, and superseded when any of its copies is.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};

mod circles;
mod copies;

use super::decision_ref::{DecisionRef, Known, Unknown};
use super::{Decision, Session, SessionKind, life};
use crate::close::close_matches;
use crate::when::Day;

/// The length of a session's full name.
const FULL_NAME: usize = "2026-11-15-a3f9c12e".len();

/// A decision with where it comes from.
#[derive(Clone, Debug, PartialEq)]
pub struct Standing<'a> {
    /// Its full form, `2026-11-10-0b5e11d2#d3`
    pub reference: String,
    /// The day its session began, where that is known
    pub date: Option<Day>,
    pub session: &'a Session,
    pub decision: &'a Decision,
}

/// Whether the decisions in packages count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Packages {
    Ignore,
    Include,
}

/// All decisions, newest first, and what supersedes what.
#[derive(Debug)]
pub struct Decisions<'a> {
    all: Vec<Standing<'a>>,
    places: HashMap<String, usize>,
    /// For each decision the one that it is a copy of, or it itself
    first: Vec<usize>,
    /// For each decision that is no copy those that supersede it or a copy of it, newest first
    superseded_by: Vec<Vec<usize>>,
}

impl<'a> Decisions<'a> {
    /// From sessions with their full names.
    pub fn of(sessions: impl IntoIterator<Item = (&'a str, &'a Session)>, packages: Packages) -> Self {
        let counts = |session: &Session| packages == Packages::Include || session.kind != SessionKind::Package;
        let mut by_name: BTreeMap<&str, &Session> = BTreeMap::new();
        for (name, session) in sessions.into_iter().filter(|(_, session)| counts(session)) {
            let kept = by_name.entry(name).or_insert(session);
            // One name twice is left behind when archiving was cut short; which one is read must not depend on luck.
            if *kept != session && kept.print() < session.print() {
                *kept = session;
            }
        }
        let mut newest_first: Vec<(&str, &Session)> = by_name.into_iter().collect();
        newest_first.sort_by_key(|(name, session)| Reverse((day(name, session), session.started_at, *name)));
        let all: Vec<Standing<'a>> =
            newest_first.into_iter().flat_map(|(name, session)| listed(name, session)).collect();
        let places = all.iter().enumerate().map(|(place, it)| (it.reference.clone(), place)).collect();
        let first = copies::first(&all, &places);
        let mut decisions = Decisions { superseded_by: vec![Vec::new(); all.len()], first, all, places };
        decisions.connect();
        copies::revise(&mut decisions.all, &decisions.first);
        decisions
    }

    /// Those that hold, newest first, each once.
    pub fn in_force(&self) -> impl Iterator<Item = &Standing<'a>> {
        self.originals().filter(|place| self.superseded_by[*place].is_empty()).map(|place| &self.all[place])
    }

    /// Whether the decision with this full reference, or what it is a copy of, holds.
    pub fn holds(&self, reference: &str) -> bool {
        self.places.get(reference).is_some_and(|place| self.superseded_by[self.first[*place]].is_empty())
    }

    /// The full reference of what the decision with this one is a copy of; its own where it is none.
    pub fn original(&self, reference: &str) -> Option<&str> {
        self.places.get(reference).map(|place| self.all[self.first[*place]].reference.as_str())
    }

    /// Those that are no copies, newest first.
    pub fn once(&self) -> impl Iterator<Item = &Standing<'a>> {
        self.originals().map(|place| &self.all[place])
    }

    fn originals(&self) -> impl Iterator<Item = usize> {
        (0..self.all.len()).filter(|place| self.first[*place] == *place)
    }

    /// All of them, newest first, copies too.
    pub fn all(&self) -> &[Standing<'a>] {
        &self.all
    }

    /// The decision with this full reference.
    pub fn get(&self, reference: &str) -> Option<&Standing<'a>> {
        self.places.get(reference).map(|place| &self.all[*place])
    }

    /// What superseded the decision with this full reference, newest first.
    pub fn superseded_by(&self, reference: &str) -> impl Iterator<Item = &Standing<'a>> {
        let by = self.places.get(reference).map(|place| self.superseded_by[self.first[*place]].as_slice());
        by.unwrap_or_default().iter().map(|place| &self.all[*place])
    }

    /// Looks up a decision as an edit asks for it.
    pub fn resolve(&self, wanted: &DecisionRef) -> Result<Known, Unknown> {
        match self.place_of(wanted, None) {
            Some(place) => {
                let place = self.first[place];
                let by = self.superseded_by[place].first().map(|by| self.all[*by].reference.clone());
                Ok(Known { reference: self.all[place].reference.clone(), superseded_by: by })
            }
            None => Err(Unknown { close: self.close_to(wanted) }),
        }
    }

    /// The one decision that is meant, if it is one. A bare id means one of the session `home`.
    fn place_of(&self, wanted: &DecisionRef, home: Option<&str>) -> Option<usize> {
        let exact = match (&wanted.session, home) {
            (Some(session), _) => format!("{session}#{}", wanted.id),
            (None, Some(home)) => format!("{home}#{}", wanted.id),
            (None, None) => return None,
        };
        if let Some(place) = self.places.get(&exact) {
            return Some(*place);
        }
        let session = wanted.session.as_ref()?;
        // Files say full names, many of them of sessions that are not here; only what a hand wrote is looked for.
        if home.is_some() && session.to_string().len() == FULL_NAME {
            return None;
        }
        let means = |reference: &str| {
            reference.rsplit_once('#').is_some_and(|(name, id)| session.matches(name) && wanted.has_id(id))
        };
        let mut found = self.places.iter().filter(|(reference, _)| means(reference)).map(|(_, place)| *place);
        found.next().filter(|_| found.next().is_none())
    }

    fn close_to(&self, wanted: &DecisionRef) -> Vec<String> {
        const SHOWN: usize = 5;
        let references = || self.all.iter().map(|decision| decision.reference.as_str());
        let mut close: Vec<&str> = references()
            .filter(|reference| {
                reference.rsplit_once('#').is_some_and(|(name, id)| match &wanted.session {
                    // Of the right session all are worth showing, without a session all of the right number.
                    Some(session) => session.matches(name),
                    None => wanted.has_id(id),
                })
            })
            .take(SHOWN)
            .collect();
        if close.is_empty() {
            close = close_matches(&wanted.to_string(), references(), SHOWN);
        }
        close.into_iter().map(str::to_owned).collect()
    }

    fn connect(&mut self) {
        let mut targets: Vec<Vec<usize>> = vec![Vec::new(); self.all.len()];
        for (place, decision) in self.all.iter().enumerate() {
            let target = self.target(decision).map(|target| self.first[target]);
            targets[self.first[place]].extend(target);
        }
        let ignored = circles::closing(&targets);
        for (place, targets) in targets.into_iter().enumerate() {
            for target in targets.into_iter().filter(|target| !ignored.contains(&(place, *target))) {
                if self.superseded_by[target].last() != Some(&place) {
                    self.superseded_by[target].push(place);
                }
            }
        }
    }

    fn target(&self, decision: &Standing<'a>) -> Option<usize> {
        let wanted: DecisionRef = decision.decision.supersedes.as_ref()?.parse().ok()?;
        let home = decision.reference.rsplit_once('#').map(|(name, _)| name);
        self.place_of(&wanted, home)
    }
}

/// The day a session began, by what it says or else by its name.
fn day(name: &str, session: &Session) -> Option<Day> {
    let said = session.started_at.map(|at| Day::new(life::date(at)));
    said.or_else(|| name.get(.."2026-11-15".len())?.parse().ok())
}

/// The decisions of one session, newest first, each with a reference of its own.
fn listed<'a>(name: &'a str, session: &'a Session) -> impl Iterator<Item = Standing<'a>> {
    let date = day(name, session);
    let ids = session.decision_ids();
    let decisions = &session.decisions;
    let said_before = move |place: usize| {
        let one: &Decision = &decisions[place];
        // Both sides of a merge may have kept the same decision.
        decisions[..place].iter().any(|other| other.id == one.id && other.decision == one.decision)
    };
    let places = (0..decisions.len()).rev().filter(move |place| !said_before(*place));
    places.map(move |place| Standing {
        reference: format!("{name}#{}", ids[place]),
        date,
        session,
        decision: &decisions[place],
    })
}

#[cfg(test)]
mod tests;
