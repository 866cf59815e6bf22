//! Finding one session by what people and agents call it.

use handoff_model::close::close_matches;
use handoff_model::id::SessionRef;

use super::read::FoundSession;
use crate::error::{Result, SessionLine, StoreError};
use crate::store::Store;

impl Store {
    /// Finds a session: among those that are files of their own first, then in the archives.
    pub fn session(&self, wanted: &SessionRef) -> Result<FoundSession> {
        // One that is brought back between two looks would be in neither place.
        self.at_one_moment(|| self.look_for(wanted))
    }

    fn look_for(&self, wanted: &SessionRef) -> Result<FoundSession> {
        let live = self.sessions()?;
        if let Some(found) = the_one(wanted, &live.matching(wanted))? {
            return Ok(found);
        }
        let archived = self.archived_sessions()?;
        if let Some(found) = the_one(wanted, &archived.matching(wanted))? {
            return Ok(found);
        }
        let concerns = |path: &str| {
            let stem = crate::store::name_of(path).strip_suffix(super::read::SUFFIX).unwrap_or_default();
            !stem.is_empty() && wanted.matches(stem)
        };
        if let Some(problem) = live.problems.iter().find(|problem| concerns(&problem.path)) {
            return Err(StoreError::Damaged(problem.clone()));
        }
        let all: Vec<&FoundSession> = live.list.iter().chain(&archived.list).map(AsRef::as_ref).collect();
        // What is close may be an id, or a name that somebody gave.
        let called = |found: &&'_ FoundSession| {
            let session = &found.session;
            [Some(session.id.as_str().to_owned()), session.name.clone(), session.label.clone()].into_iter().flatten()
        };
        let names: Vec<(String, &FoundSession)> =
            all.iter().flat_map(|found| called(found).map(|name| (name, *found))).collect();
        let close = close_matches(&wanted.to_string(), names.iter().map(|(name, _)| name.as_str()), 5);
        let line = |name: &str| names.iter().find(|(known, _)| known == name).map(|(_, found)| line(found));
        let close = close.iter().filter_map(|id| line(id)).collect();
        Err(StoreError::NoSuchSession { wanted: wanted.clone(), close })
    }
}

fn the_one(wanted: &SessionRef, matching: &[&FoundSession]) -> Result<Option<FoundSession>> {
    match matching {
        [] => Ok(None),
        [one] => Ok(Some((*one).clone())),
        several => {
            let candidates = several.iter().map(|found| line(found)).collect();
            Err(StoreError::AmbiguousSession { wanted: wanted.clone(), candidates })
        }
    }
}

fn line(found: &FoundSession) -> SessionLine {
    let session = &found.session;
    let title = session.title.as_deref().filter(|title| !title.trim().is_empty()).unwrap_or(&session.summary);
    let title = title.lines().next().unwrap_or_default().chars().take(80).collect();
    SessionLine { name: found.name.clone(), status: session.status, title }
}
