//! The stores that are looked into for packages and records, and what lies in them.

use std::path::{Path, PathBuf};

use handoff_model::when::Moment;
use handoff_store::{DIRECTORY, FoundSession, Registry, SessionSummary, Store, StoreError, TrashedSession};

use crate::{OpError, Project};

/// A store that is looked into.
pub(super) struct Shelf {
    pub(super) store: Store,
    /// The directory of the project; absent for the user store
    pub(super) dir: Option<PathBuf>,
    /// The name of the project
    pub(super) name: Option<String>,
}

/// How far to look.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Reach {
    /// In the project and the user store
    Near,
    /// In every known project too
    Everywhere,
}

/// The stores in the order they are looked into: the project's, the user's, those of the other known projects. One of
/// those others that cannot be opened is passed over.
pub(super) fn shelves(project: &mut Project, reach: Reach) -> Result<Vec<Shelf>, OpError> {
    if project.store_if_open().is_none() {
        project.open_if_there()?;
        project.tell_foreign();
    }
    let mut shelves = Vec::new();
    if let Some(dir) = project.dir() {
        let store = project.open_store(&dir.join(DIRECTORY))?;
        shelves.push(Shelf { store, name: Some(project.name()), dir: Some(dir) });
    }
    let Ok(user) = project.user_dir() else { return Ok(shelves) };
    match project.open_store(&user) {
        Ok(store) => shelves.push(Shelf { store, dir: None, name: None }),
        Err(StoreError::NoProject { .. } | StoreError::NoConfig { .. }) => {}
        Err(error) => {
            let why = OpError::from(error).sentence();
            project.note(format!("your user store was left out: {why}"));
        }
    }
    if reach == Reach::Everywhere {
        for known in Registry::read(&user).unwrap_or_default() {
            if shelves.iter().any(|shelf| shelf.is_in(&known.path)) {
                continue;
            }
            if let Ok(store) = project.open_other_store(&known.path.join(DIRECTORY)) {
                shelves.push(Shelf { store, dir: Some(known.path), name: Some(known.name) });
            }
        }
    }
    Ok(shelves)
}

impl Shelf {
    /// Whether it is that of the project in a directory.
    pub(super) fn is_in(&self, dir: &Path) -> bool {
        let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
        self.dir.as_ref().is_some_and(|own| real(own) == real(dir))
    }

    /// Everything that is a file of its own here, and what is in the trash although it is still to be shown: a clock
    /// that was ahead put it there.
    pub(super) fn contents(&self, index: usize, now: Moment) -> Result<Contents, OpError> {
        let found = self.store.session_summaries()?;
        let mut list: Vec<Kept> = found.list.into_iter().map(|summary| Kept::new(index, summary, Spot::File)).collect();
        for trashed in self.store.trashed_sessions()? {
            if trashed.expires_at > now {
                list.extend(self.trashed(index, &trashed)?);
            }
        }
        Ok(Contents { list, problems: found.problems })
    }

    /// One that is in the trash.
    pub(super) fn trashed(&self, index: usize, trashed: &TrashedSession) -> Result<Option<Kept>, OpError> {
        let found = self.store.trashed_session(trashed)?;
        Ok(found.map(|found| Kept::new(index, SessionSummary::of(&found), Spot::Trash(trashed.clone()))))
    }

    /// What was moved to the archives.
    pub(super) fn archived(&self, index: usize) -> Result<Vec<Kept>, OpError> {
        let archived = self.store.archived_sessions()?;
        let kept = |found: &std::sync::Arc<FoundSession>| {
            Kept::new(index, SessionSummary::of(found), Spot::Archive(Box::new(FoundSession::clone(found))))
        };
        Ok(archived.list.iter().map(kept).collect())
    }
}

/// What lies in a store.
pub(super) struct Contents {
    pub(super) list: Vec<Kept>,
    pub(super) problems: Vec<handoff_model::problem::Problem>,
}

/// A session somewhere.
pub(super) struct Kept {
    /// Which of the stores
    pub(super) shelf: usize,
    pub(super) summary: SessionSummary,
    pub(super) spot: Spot,
}

/// Where in a store it lies.
pub(super) enum Spot {
    File,
    Trash(TrashedSession),
    Archive(Box<FoundSession>),
}

impl Kept {
    fn new(shelf: usize, summary: SessionSummary, spot: Spot) -> Kept {
        Kept { shelf, summary, spot }
    }

    pub(super) fn is_expired(&self, now: Moment) -> bool {
        self.summary.expires_at().is_some_and(|at| at <= now)
    }

    /// The whole of it; an error when it is gone meanwhile.
    pub(super) fn found(&self, shelf: &Shelf) -> Result<FoundSession, OpError> {
        let found = match &self.spot {
            Spot::File => shelf.store.session_called(self.summary.full_name())?,
            Spot::Trash(trashed) => shelf.store.trashed_session(trashed)?,
            Spot::Archive(found) => Some(FoundSession::clone(found)),
        };
        found.ok_or_else(|| OpError::not_found(format!("`{}` is gone meanwhile", self.summary.full_name())))
    }

    /// Its free-form text.
    pub(super) fn body(&self, shelf: &Shelf) -> Result<Option<String>, OpError> {
        Ok(shelf.store.session_body(&self.found(shelf)?)?)
    }

    /// The bytes of that, also where they are no text.
    pub(super) fn body_bytes(&self, shelf: &Shelf) -> Result<Option<Vec<u8>>, OpError> {
        Ok(shelf.store.session_body_bytes(&self.found(shelf)?)?)
    }

    /// Newest first; what happened at the same moment in the order of the ids.
    pub(super) fn order(&self) -> (std::cmp::Reverse<Option<Moment>>, &str) {
        (std::cmp::Reverse(self.summary.last_active()), self.summary.id_text())
    }

    /// What it is called: the name it was given, its title, or how its summary begins.
    pub(super) fn called(&self) -> &str {
        let texts = [self.summary.name(), self.summary.title(), Some(self.summary.summary())];
        texts.into_iter().flatten().map(str::trim).find(|text| !text.is_empty()).unwrap_or("(no title)")
    }

    /// One line about it, for a choice between several.
    pub(super) fn line(&self) -> String {
        let at = self.summary.last_active().map(|at| at.in_seconds().to_string()).unwrap_or_default();
        let called: String = self.called().lines().next().unwrap_or_default().chars().take(60).collect();
        format!("{} {} {at} {called}", self.summary.id(), self.summary.kind().word())
    }
}
