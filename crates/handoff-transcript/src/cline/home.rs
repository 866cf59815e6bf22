//! Where Cline and its forks keep their tasks and sessions.

use std::path::{Path, PathBuf};

use handoff_model::agent::Host;

use super::Session;
use crate::locate::Located;
use crate::{Env, places};

/// Names under which the extension and its forks keep their files.
const EXTENSIONS: [&str; 4] =
    ["saoudrizwan.claude-dev", "rooveterinaryinc.roo-cline", "roo-code.roo-cline", "kilocode.kilo-code"];

/// Editors that the extension runs in.
const EDITORS: [&str; 5] = ["Code", "Code - Insiders", "VSCodium", "Cursor", "Windsurf"];

/// How many of the newest tasks are looked at; a task does not say cheaply where it worked.
const NEWEST: usize = 200;

/// The sessions of a directory.
pub(crate) fn locate(env: Env<'_>, cwd: &Path) -> Vec<Located> {
    let mut all: Vec<(Located, Session)> = all(env).into_iter().map(|session| (located(&session), session)).collect();
    all.sort_by_key(|(found, _)| std::cmp::Reverse(found.modified));
    let newest = all.into_iter().take(NEWEST);
    let wanted =
        newest.filter(|(_, session)| session.about().0.cwd.is_some_and(|at| places::belongs(Path::new(&at), cwd)));
    wanted.map(|(found, _)| found).collect()
}

/// The file that holds a session.
pub(crate) fn find_session(env: Env<'_>, session: &str) -> Option<PathBuf> {
    let found = all(env).into_iter().find(|known| known.id().as_deref() == Some(session))?;
    Some(found.list().to_owned())
}

/// The directory that a session worked in.
pub(crate) fn directory_of(path: &Path, session: Option<&str>) -> Option<String> {
    Session::of(path, session)?.about().0.cwd
}

/// The directories in which tasks and sessions are kept.
pub(crate) fn places(env: Env<'_>) -> Vec<PathBuf> {
    storages(env).into_iter().map(|storage| storage.join("tasks")).chain(sessions(env)).collect()
}

fn all(env: Env<'_>) -> Vec<Session> {
    let tasks = storages(env).into_iter().flat_map(|storage| places::entries(&storage.join("tasks")));
    let sessions = sessions(env).into_iter().flat_map(|directory| places::entries(&directory));
    tasks.chain(sessions).filter(|path| path.is_dir()).filter_map(|path| Session::of(&path, None)).collect()
}

fn located(session: &Session) -> Located {
    let path = session.list().to_owned();
    Located { host: Host::Cline, session: session.id(), modified: places::modified(&path), path }
}

fn sessions(env: Env<'_>) -> Option<PathBuf> {
    places::directory(env, "CLINE_SESSION_DATA_DIR")
        .or_else(|| Some(places::directory(env, "CLINE_DATA_DIR")?.join("sessions")))
        .or_else(|| Some(places::home(env)?.join(".cline/data/sessions")))
}

/// Every directory an extension could keep its files in, on any platform.
fn storages(env: Env<'_>) -> Vec<PathBuf> {
    let home = places::home(env);
    let below = |place: &str| home.as_ref().map(|home| home.join(place));
    let places = [
        below("Library/Application Support"),
        places::directory(env, "XDG_CONFIG_HOME").or_else(|| below(".config")),
        places::directory(env, "APPDATA"),
    ];
    let users = places.into_iter().flatten().flat_map(|place| EDITORS.map(|editor| place.join(editor).join("User")));
    let remote = [".vscode-server/data/User", ".cursor-server/data/User"].into_iter().filter_map(below);
    let users = users.chain(remote).map(|user| user.join("globalStorage"));
    users.flat_map(|storage| EXTENSIONS.map(|extension| storage.join(extension))).collect()
}
