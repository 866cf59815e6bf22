//! Where OpenCode keeps its sessions.

use std::path::{Path, PathBuf};
use std::time::{Duration, UNIX_EPOCH};

use handoff_model::agent::Host;

use super::store::Store;
use crate::locate::Located;
use crate::{Env, places};

/// The sessions of a directory.
pub(crate) fn locate(env: Env<'_>, cwd: &Path) -> Vec<Located> {
    let mut found = Vec::new();
    for path in stores(env) {
        let sessions = Store::open(&path).and_then(|store| store.sessions()).unwrap_or_default();
        let wanted = sessions.into_iter().filter(|session| {
            let directory = session.directory.as_deref();
            session.parent.is_none() && directory.is_some_and(|directory| places::belongs(Path::new(directory), cwd))
        });
        found.extend(wanted.map(|session| Located {
            host: Host::OpenCode,
            path: path.clone(),
            modified: UNIX_EPOCH + Duration::from_millis(session.updated.unsigned_abs()),
            session: Some(session.id),
        }));
    }
    found
}

/// The store that has a session.
pub(crate) fn find_session(env: Env<'_>, session: &str) -> Option<PathBuf> {
    let has =
        |path: &PathBuf| Store::open(path).and_then(|store| store.session(session)).is_ok_and(|found| found.is_some());
    stores(env).into_iter().find(has)
}

/// The directory that a session worked in.
pub(crate) fn directory_of(path: &Path, session: &str) -> Option<String> {
    Store::open(path).and_then(|store| store.session(session)).ok()??.directory
}

/// The databases of all channels, then the older tree.
pub(crate) fn stores(env: Env<'_>) -> Vec<PathBuf> {
    let data = places::directory(env, "XDG_DATA_HOME").or_else(|| Some(places::home(env)?.join(".local/share")));
    let Some(data) = data else { return Vec::new() };
    let data = data.join("opencode");
    let mut stores: Vec<PathBuf> =
        places::directory(env, "OPENCODE_DB").map(|set| data.join(set)).into_iter().collect();
    let is_database = |path: &PathBuf| {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let is_named = name.starts_with("opencode") && path.extension().is_some_and(|extension| extension == "db");
        is_named && !stores.contains(path)
    };
    let mut databases: Vec<PathBuf> = places::entries(&data).filter(is_database).collect();
    databases.sort();
    stores.append(&mut databases);
    stores.push(data.join("storage"));
    stores.retain(|store| store.exists());
    stores
}
