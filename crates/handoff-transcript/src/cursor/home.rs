//! Where Cursor keeps its transcripts.

use std::fs;
use std::path::{Path, PathBuf};

use super::{cli, desktop};
use crate::Env;
use crate::step::Found;

/// How deep transcripts may lie below `agent-transcripts`.
const DEPTH: usize = 3;

/// The sessions of a directory. Lines do not say where they were written, so their folder is compared with the name
/// that Cursor would give it.
pub(crate) fn located(env: Env<'_>, cwd: &Path, is_wanted: &dyn Fn(&Path) -> bool) -> Vec<Found> {
    let mut found = Vec::new();
    if let Some(home) = config(env) {
        let slug = slug(&cwd.to_string_lossy());
        let projects = entries(&home.join("projects")).into_iter();
        for project in projects.filter(|project| name(project).is_some_and(|name| self::slug(name) == slug)) {
            transcripts(&project.join("agent-transcripts"), DEPTH, &mut found);
        }
        for store in stores(&home) {
            if cli::workspace_of(&store.path).is_some_and(|workspace| is_wanted(Path::new(&workspace))) {
                found.push(store);
            }
        }
    }
    for database in editors(env) {
        found.extend(desktop::located(&database, is_wanted));
    }
    found
}

/// The file that holds a session.
pub(crate) fn find(env: Env<'_>, session: &str) -> Option<PathBuf> {
    let is_it = |found: &Found| found.session.as_deref() == Some(session);
    let mut found = Vec::new();
    if let Some(home) = config(env) {
        for project in entries(&home.join("projects")) {
            transcripts(&project.join("agent-transcripts"), DEPTH, &mut found);
        }
        found.extend(stores(&home));
    }
    let known = found.into_iter().find(is_it).map(|found| found.path);
    known.or_else(|| editors(env).into_iter().find(|database| desktop::has(database, session)))
}

fn config(env: Env<'_>) -> Option<PathBuf> {
    let set = env("CURSOR_CONFIG_DIR").filter(|value| !value.is_empty()).map(PathBuf::from);
    set.or_else(|| Some(home(env)?.join(".cursor")))
}

/// The databases of the editor on this machine: its place differs by platform, and at most one exists.
fn editors(env: Env<'_>) -> Vec<PathBuf> {
    let home = home(env);
    let places = [
        home.as_ref().map(|home| home.join("Library/Application Support")),
        env("XDG_CONFIG_HOME").map(PathBuf::from).or_else(|| home.as_ref().map(|home| home.join(".config"))),
        env("APPDATA").map(PathBuf::from),
    ];
    let databases = places.into_iter().flatten().map(|place| place.join("Cursor/User/globalStorage/state.vscdb"));
    databases.filter(|database| database.is_file()).collect()
}

fn home(env: Env<'_>) -> Option<PathBuf> {
    env("HOME").or_else(|| env("USERPROFILE")).filter(|home| !home.is_empty()).map(PathBuf::from)
}

fn transcripts(directory: &Path, depth: usize, found: &mut Vec<Found>) {
    for path in entries(directory) {
        if path.is_dir() && depth > 0 && name(&path) != Some("subagents") {
            transcripts(&path, depth - 1, found);
        } else if path.extension().is_some_and(|extension| extension == "jsonl") {
            let session = path.file_stem().and_then(|stem| stem.to_str()).map(str::to_owned);
            found.extend(at(path, session));
        }
    }
}

/// The databases of the command line: a folder for each workspace, in it one for each session.
fn stores(home: &Path) -> Vec<Found> {
    let sessions = entries(&home.join("chats")).into_iter().flat_map(|workspace| entries(&workspace));
    let store = |session: PathBuf| at(session.join("store.db"), name(&session).map(str::to_owned));
    sessions.filter_map(store).collect()
}

fn at(path: PathBuf, session: Option<String>) -> Option<Found> {
    let modified = fs::metadata(&path).ok()?.modified().ok()?;
    Some(Found { path, session, modified })
}

/// The name of a folder for a path: what is no letter and no digit becomes a dash.
fn slug(path: &str) -> String {
    let words = path.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join("-").to_lowercase()
}

fn name(path: &Path) -> Option<&str> {
    path.file_name()?.to_str()
}

fn entries(directory: &Path) -> Vec<PathBuf> {
    let Ok(listing) = fs::read_dir(directory) else { return Vec::new() };
    listing.filter_map(|entry| Some(entry.ok()?.path())).collect()
}
