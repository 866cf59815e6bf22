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

/// The directories and databases in which sessions are kept.
pub(crate) fn places(env: Env<'_>) -> Vec<PathBuf> {
    let folders = config(env).into_iter().flat_map(|home| ["projects", "chats"].map(|folder| home.join(folder)));
    folders.chain(editors(env)).collect()
}

/// Returns whether a session below `place` is of work in a directory.
pub(crate) fn is_of(place: &Path, path: &Path, session: Option<&str>, directory: &Path) -> bool {
    let belongs = |worked_in: Option<String>| worked_in.is_some_and(|at| places::belongs(Path::new(&at), directory));
    if place == path {
        return session.is_some_and(|session| belongs(desktop::directory_of(path, session)));
    }
    if path.file_name().is_some_and(|name| name == "store.db") {
        return belongs(cli::workspace_of(path));
    }
    let folder = path.strip_prefix(place).ok().and_then(|below| below.components().next());
    let folder = folder.and_then(|folder| folder.as_os_str().to_str());
    let real = directory.canonicalize().unwrap_or_else(|_| directory.to_owned());
    folder.is_some_and(|folder| slug(folder) == slug(&real.to_string_lossy()) && is_only_one(&real))
}

/// Returns whether no other directory on this machine has the same name in Cursor's folder: `/a/b-c` and `/a/b/c` do.
fn is_only_one(directory: &Path) -> bool {
    let wanted = slug(&directory.to_string_lossy());
    let top = directory.ancestors().last().unwrap_or(directory);
    let mut named = Vec::new();
    same_names(top, &wanted, &mut named);
    named.iter().all(|same| same == directory)
}

/// Collects the directories below `above` that the words of a name lead to.
fn same_names(above: &Path, words: &str, found: &mut Vec<PathBuf>) {
    for path in places::entries(above) {
        let own = name(&path).map(slug).unwrap_or_default();
        let Some(rest) = words.strip_prefix(&own).filter(|_| !own.is_empty() && path.is_dir() && !path.is_symlink())
        else {
            continue;
        };
        if rest.is_empty() {
            found.push(path);
        } else if let Some(rest) = rest.strip_prefix('-') {
            same_names(&path, rest, found);
        }
    }
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
