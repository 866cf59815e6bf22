//! Which stores are looked through.

use std::collections::BTreeSet;
use std::ops::Deref;

use handoff_model::search::Scope;
use handoff_store::{DIRECTORY, Registry, Store, StoreError};

use crate::{OpError, Project};

/// A store to look through.
pub(super) struct Searched<'p> {
    store: Opened<'p>,
    /// The project it is of, where that is another than the one at hand
    pub(super) name: Option<String>,
    pub(super) dir: Option<String>,
}

enum Opened<'p> {
    Here(&'p Store),
    Elsewhere(Box<Store>),
}

impl Deref for Searched<'_> {
    type Target = Store;

    fn deref(&self) -> &Store {
        match &self.store {
            Opened::Here(store) => store,
            Opened::Elsewhere(store) => store,
        }
    }
}

/// What the user store is called.
const USER: &str = "user store";

/// The stores of a scope, each once. What could not be opened is told in the warnings.
pub(super) fn stores<'p>(
    project: &'p Project,
    scope: Scope,
    warnings: &mut Vec<String>,
) -> Result<Vec<Searched<'p>>, OpError> {
    let mut stores = Vec::new();
    let mut seen = BTreeSet::new();
    let here = project.store_if_open();
    let is_wanted = scope != Scope::User || project.is_user_store();
    if let Some(store) = here.filter(|_| is_wanted) {
        seen.insert(real(store));
        stores.push(Searched { store: Opened::Here(store), name: None, dir: None });
    }
    if scope == Scope::Project || (scope == Scope::User && !stores.is_empty()) {
        return Ok(stores);
    }
    let user = project.user_dir()?;
    let mut add = |path: &std::path::Path, name: &str, dir: Option<String>| match project.open_store(path) {
        Ok(store) => {
            if seen.insert(real(&store)) {
                stores.push(Searched { store: Opened::Elsewhere(Box::new(store)), name: Some(name.to_owned()), dir });
            }
            Ok(())
        }
        Err(error) => Err(error),
    };
    match add(&user, USER, None) {
        // Nobody has saved anything outside a project yet.
        Ok(()) | Err(StoreError::NoProject { .. }) => {}
        Err(error) => warnings.push(format!("the {USER} is not looked through: {}", OpError::from(error).sentence())),
    }
    if scope == Scope::All {
        for known in Registry::read(&user)? {
            let dir = known.path.display().to_string();
            match add(&known.path.join(DIRECTORY), &known.name, Some(dir)) {
                Ok(()) => {}
                Err(StoreError::NoProject { .. }) => {
                    warnings.push(format!("project `{}` is no longer at {}", known.name, known.path.display()));
                }
                Err(error) => {
                    let reason = OpError::from(error).sentence();
                    warnings.push(format!("project `{}` is not looked through: {reason}", known.name));
                }
            }
        }
    }
    Ok(stores)
}

fn real(store: &Store) -> std::path::PathBuf {
    store.path().canonicalize().unwrap_or_else(|_| store.path().to_owned())
}
