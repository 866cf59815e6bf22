//! Where Cursor keeps its transcripts.

use std::path::{Path, PathBuf};

use handoff_model::agent::Host;

use super::{cli, desktop};
use crate::locate::Located;
use crate::{Env, places};

/// How deep transcripts may lie below `agent-transcripts`.
const DEPTH: usize = 3;

/// The sessions of a directory. Lines do not say where they were written, so their folder is compared with the name
/// that Cursor would give it.
pub(crate) fn locate(env: Env<'_>, cwd: &Path) -> Vec<Located> {
    let mut found = Vec::new();
    if let Some(home) = config(env) {
        let slug = slug(&cwd.to_string_lossy());
        let projects = places::entries(&home.join("projects"));
        for project in projects.filter(|project| name(project).is_some_and(|name| self::slug(name) == slug)) {
            transcripts(&project.join("agent-transcripts"), DEPTH, &mut found);
        }
        for store in stores(&home) {
            if cli::workspace_of(&store.path).is_some_and(|workspace| places::belongs(Path::new(&workspace), cwd)) {
                found.push(store);
            }
        }
    }
    for database in editors(env) {
        found.extend(desktop::locate(&database, cwd));
    }
    found
}

/// The file that holds a session.
pub(crate) fn find_session(env: Env<'_>, session: &str) -> Option<PathBuf> {
    let is_it = |found: &Located| found.session.as_deref() == Some(session);
    let mut found = Vec::new();
    if let Some(home) = config(env) {
        for project in places::entries(&home.join("projects")) {
            transcripts(&project.join("agent-transcripts"), DEPTH, &mut found);
        }
        found.extend(stores(&home));
    }
    let known = found.into_iter().find(is_it).map(|found| found.path);
    known.or_else(|| editors(env).into_iter().find(|database| desktop::has(database, session)))
}

fn config(env: Env<'_>) -> Option<PathBuf> {
    places::directory(env, "CURSOR_CONFIG_DIR").or_else(|| Some(places::home(env)?.join(".cursor")))
}

/// The databases of the editor on this machine: its place differs by platform, and at most one exists.
fn editors(env: Env<'_>) -> Vec<PathBuf> {
    let home = places::home(env);
    let places = [
        home.as_ref().map(|home| home.join("Library/Application Support")),
        places::directory(env, "XDG_CONFIG_HOME").or_else(|| home.as_ref().map(|home| home.join(".config"))),
        places::directory(env, "APPDATA"),
    ];
    let databases = places.into_iter().flatten().map(|place| place.join("Cursor/User/globalStorage/state.vscdb"));
    databases.filter(|database| database.is_file()).collect()
}

fn transcripts(directory: &Path, depth: usize, found: &mut Vec<Located>) {
    for path in places::entries(directory) {
        if path.is_dir() && depth > 0 && name(&path) != Some("subagents") {
            transcripts(&path, depth - 1, found);
        } else if path.extension().is_some_and(|extension| extension == "jsonl") {
            let session = path.file_stem().and_then(|stem| stem.to_str()).map(str::to_owned);
            found.push(at(path, session));
        }
    }
}

/// The databases of the command line: a folder for each workspace, in it one for each session.
fn stores(home: &Path) -> Vec<Located> {
    let sessions = places::entries(&home.join("chats")).flat_map(|workspace| places::entries(&workspace));
    let stores = sessions.map(|session| at(session.join("store.db"), name(&session).map(str::to_owned)));
    stores.filter(|store| store.path.is_file()).collect()
}

fn at(path: PathBuf, session: Option<String>) -> Located {
    Located { host: Host::Cursor, session, modified: places::modified(&path), path }
}

/// The name of a folder for a path: what is no letter and no digit becomes a dash.
fn slug(path: &str) -> String {
    let words = path.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join("-").to_lowercase()
}

fn name(path: &Path) -> Option<&str> {
    path.file_name()?.to_str()
}
