//! Finding a session by its name wherever it is: in the project, in the user store, in the other known projects.

use handoff_model::id::SessionRef;
use handoff_store::{DIRECTORY, FoundSession, Registry, Store, StoreError};

use crate::{OpError, Project};

/// The session with this name. One that is only elsewhere is found too, unless any would do.
pub(crate) fn find(project: &Project, wanted: &SessionRef) -> Result<FoundSession, OpError> {
    let here = match project.store().session(wanted) {
        // Elsewhere only one that is named in full is meant: the beginning of an id could be anybody's.
        Err(StoreError::NoSuchSession { .. }) if matches!(wanted, SessionRef::Given(_)) || wanted.is_whole() => None,
        found => Some(found),
    };
    if let Some(found) = here {
        return Ok(found?);
    }
    match other_stores(project).iter().find_map(|store| store.session(wanted).ok()) {
        Some(found) => Ok(found),
        // Asked again for the close matches.
        None => Ok(project.store().session(wanted)?),
    }
}

/// The free-form text of a session, wherever it was found.
pub(crate) fn body(project: &Project, found: &FoundSession) -> Result<Option<String>, OpError> {
    let is_here = |store: &Store| store.session(&SessionRef::Name(found.name.clone())).is_ok();
    if is_here(project.store()) {
        return Ok(project.store().session_body(found)?);
    }
    match other_stores(project).iter().find(|store| is_here(store)) {
        Some(store) => Ok(store.session_body(found)?),
        None => Ok(None),
    }
}

fn other_stores(project: &Project) -> Vec<Store> {
    let Ok(user) = project.user_dir() else { return Vec::new() };
    let known = Registry::read(&user).unwrap_or_default();
    let places = std::iter::once(user).chain(known.into_iter().map(|known| known.path.join(DIRECTORY)));
    let here = project.store().path().to_owned();
    places.filter(|place| *place != here).filter_map(|place| project.open_other_store(&place).ok()).collect()
}
