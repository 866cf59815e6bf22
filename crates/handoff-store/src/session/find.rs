//! Finding one session by what people and agents call it.
//!
//! Of thousands only the one that is meant is read: which that is, its summary tells.

use std::sync::Arc;

use handoff_model::close::close_matches;
use handoff_model::id::SessionRef;

use super::index::{Looked, Row};
use super::read::FoundSession;
use super::summary::{SessionSummary, Summaries};
use crate::error::{Result, SessionLine, StoreError};
use crate::store::Store;

impl Store {
    /// Finds a session: among those that are files of their own first, then in the archives.
    pub fn session(&self, wanted: &SessionRef) -> Result<FoundSession> {
        // One that is brought back between two looks would be in neither place.
        self.at_one_moment(|| self.look_for(wanted))
    }

    fn look_for(&self, wanted: &SessionRef) -> Result<FoundSession> {
        let (mut live, mut found) = self.live(wanted, looked_at(wanted))?;
        if !matches!(the_one(wanted, &live), Ok(Some(_))) && !self.reads_all_sessions() {
            // It may be one that somebody wrote into.
            (live, found) = self.live(wanted, Looked::Everywhere)?;
        }
        the_one(wanted, &live)?;
        if let Some(found) = found.pop() {
            return Ok(Arc::unwrap_or_clone(found));
        }
        let archive = self.archived_sessions()?;
        let archived = Summaries::of(&archive);
        if let Some(one) = the_one(wanted, &archived)? {
            return Ok((*archive.list[one.place()]).clone());
        }
        let concerns = |path: &str| {
            let stem = crate::store::name_of(path).strip_suffix(super::read::SUFFIX).unwrap_or_default();
            !stem.is_empty() && wanted.matches(stem)
        };
        if let Some(problem) = live.problems.iter().find(|problem| concerns(&problem.path)) {
            return Err(StoreError::Damaged(problem.clone()));
        }
        // What is close may be an id, or a name that somebody gave.
        let mut names: Vec<(String, &SessionSummary)> = Vec::new();
        for summary in live.list.iter().chain(&archived.list) {
            let given = [summary.name(), summary.label()].into_iter().flatten().map(str::to_owned);
            let called = std::iter::once(summary.id().to_string()).chain(given);
            names.extend(called.map(|name| (name, summary)));
        }
        let close = close_matches(&wanted.to_string(), names.iter().map(|(name, _)| name.as_str()), 5);
        let line = |name: &str| names.iter().find(|(known, _)| known == name).map(|(_, summary)| line(summary));
        let close = close.iter().filter_map(|name| line(name)).collect();
        Err(StoreError::NoSuchSession { wanted: wanted.clone(), close })
    }

    /// The sessions that are files of their own, and the one that is meant, if it is one.
    fn live(&self, wanted: &SessionRef, looked: Looked) -> Result<(Summaries, Vec<Arc<FoundSession>>)> {
        let choose = |live: &Summaries| the_one(wanted, live).ok().flatten().into_iter().cloned().collect();
        self.read_chosen(looked, choose)
    }
}

/// The session that is meant; an error when it could be one of several.
fn the_one<'a>(wanted: &SessionRef, summaries: &'a Summaries) -> Result<Option<&'a SessionSummary>> {
    match summaries.matching(wanted).as_slice() {
        [] => Ok(None),
        [one] => Ok(Some(one)),
        several => {
            let candidates = several.iter().map(|summary| line(summary)).collect();
            Err(StoreError::AmbiguousSession { wanted: wanted.clone(), candidates })
        }
    }
}

/// What must be known to be true to tell which session is meant. Ids are told by the names of files.
fn looked_at(wanted: &SessionRef) -> Looked {
    match wanted {
        SessionRef::Given(_) => Looked::Everywhere,
        SessionRef::Latest => Looked::At(|row: Row<'_>| row.kind().is_handoff()),
        SessionRef::Id(_) | SessionRef::Name(_) => Looked::At(|_| false),
    }
}

impl Summaries {
    /// The sessions a reference could mean.
    fn matching(&self, wanted: &SessionRef) -> Vec<&SessionSummary> {
        match wanted {
            SessionRef::Latest => self.list.iter().find(|summary| summary.is_handoff()).into_iter().collect(),
            SessionRef::Given(given) => self.given(given).into_iter().collect(),
            wanted => {
                let found: Vec<_> = self.list.iter().filter(|summary| wanted.matches(summary.full_name())).collect();
                // What reads like the beginning of an id may be a name all the same.
                if found.is_empty() { self.given(&wanted.to_string()).into_iter().collect() } else { found }
            }
        }
    }

    /// The last session that was given this name, else the last with this label, else the one that was called so by the
    /// system it came from.
    fn given(&self, given: &str) -> Option<&SessionSummary> {
        let given = given.to_lowercase();
        let is = |called: Option<&str>| called.is_some_and(|called| called.trim().to_lowercase() == given);
        let named = self.list.iter().find(|summary| is(summary.name()));
        let labelled = || self.list.iter().find(|summary| is(summary.label()));
        named.or_else(labelled).or_else(|| self.list.iter().find(|summary| is(summary.origin_id())))
    }
}

fn line(summary: &SessionSummary) -> SessionLine {
    let title = summary.title().filter(|title| !title.trim().is_empty()).unwrap_or(summary.summary());
    let title = title.lines().next().unwrap_or_default().chars().take(80).collect();
    SessionLine { name: summary.full_name().to_owned(), status: summary.status(), title }
}
