//! Where Cline and its forks keep their tasks and sessions.

use std::fs;
use std::path::{Path, PathBuf};

use super::Session;
use crate::Env;
use crate::step::Found;

/// Names under which the extension and its forks keep their files.
const EXTENSIONS: [&str; 4] =
    ["saoudrizwan.claude-dev", "rooveterinaryinc.roo-cline", "roo-code.roo-cline", "kilocode.kilo-code"];

/// Editors that the extension runs in.
const EDITORS: [&str; 5] = ["Code", "Code - Insiders", "VSCodium", "Cursor", "Windsurf"];

/// How many of the newest tasks are looked at; a task does not say cheaply where it worked.
const NEWEST: usize = 200;

/// The sessions of a directory.
pub(crate) fn located(env: Env<'_>, is_wanted: &dyn Fn(&Path) -> bool) -> Vec<Found> {
    let mut found: Vec<(Found, Session)> = all(env).into_iter().filter_map(|session| Some((seen(&session)?, session))).collect();
    found.sort_by_key(|(found, _)| std::cmp::Reverse(found.modified));
    let newest = found.into_iter().take(NEWEST);
    let wanted = newest.filter(|(_, session)| session.about().0.cwd.is_some_and(|cwd| is_wanted(Path::new(&cwd))));
    wanted.map(|(found, _)| found).collect()
}

/// The file that holds a session.
pub(crate) fn find(env: Env<'_>, session: &str) -> Option<PathBuf> {
    let found = all(env).into_iter().find(|known| known.id().as_deref() == Some(session))?;
    Some(found.list().to_owned())
}

fn all(env: Env<'_>) -> Vec<Session> {
    let tasks = storages(env).into_iter().flat_map(|storage| entries(&storage.join("tasks")));
    let sessions = sessions(env).map(|directory| entries(&directory)).unwrap_or_default();
    tasks.chain(sessions).filter(|path| path.is_dir()).filter_map(|path| Session::of(&path, None)).collect()
}

fn seen(session: &Session) -> Option<Found> {
    let path = session.list().to_owned();
    let modified = fs::metadata(&path).ok()?.modified().ok()?;
    Some(Found { path, session: session.id(), modified })
}

fn sessions(env: Env<'_>) -> Option<PathBuf> {
    let set = |name: &str| env(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    set("CLINE_SESSION_DATA_DIR")
        .or_else(|| Some(set("CLINE_DATA_DIR")?.join("sessions")))
        .or_else(|| Some(home(env)?.join(".cline/data/sessions")))
}

/// Every directory an extension could keep its files in, on any platform.
fn storages(env: Env<'_>) -> Vec<PathBuf> {
    let home = home(env);
    let below = |place: &str| home.as_ref().map(|home| home.join(place));
    let places = [
        below("Library/Application Support"),
        env("XDG_CONFIG_HOME").map(PathBuf::from).or_else(|| below(".config")),
        env("APPDATA").map(PathBuf::from),
    ];
    let users = places.into_iter().flatten().flat_map(|place| EDITORS.map(|editor| place.join(editor).join("User")));
    let remote = [".vscode-server/data/User", ".cursor-server/data/User"].into_iter().filter_map(below);
    let users = users.chain(remote).map(|user| user.join("globalStorage"));
    users.flat_map(|storage| EXTENSIONS.map(|extension| storage.join(extension))).collect()
}

fn home(env: Env<'_>) -> Option<PathBuf> {
    env("HOME").or_else(|| env("USERPROFILE")).filter(|home| !home.is_empty()).map(PathBuf::from)
}

fn entries(directory: &Path) -> Vec<PathBuf> {
    let Ok(listing) = fs::read_dir(directory) else { return Vec::new() };
    listing.filter_map(|entry| Some(entry.ok()?.path())).collect()
}
