//! Where Codex keeps its threads.

use std::ffi::OsStr;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use handoff_model::agent::Host;

use super::call::local_path;
use super::record::{Line, Meta};
use crate::locate::Located;
use crate::piece::unpacked;
use crate::rows::{Row, Rows};
use crate::text::part;
use crate::{Env, places};

/// The first record, which says where the thread worked, is at most this long.
const FIRST_LINE: u64 = 1 << 20;

/// Deeper than year, month and day nothing is looked for.
const DEPTH: usize = 4;

/// The threads that worked in a directory.
pub(crate) fn locate(env: Env<'_>, cwd: &Path) -> Vec<Located> {
    let located = files(env).into_iter().filter_map(|path| {
        let (session, worked_in, is_subagent) = beginning(&path)?;
        let is_wanted = !is_subagent && places::belongs(Path::new(&worked_in), cwd);
        let modified = places::modified(&path);
        is_wanted.then_some(Located { host: Host::Codex, path, session, modified })
    });
    located.collect()
}

/// The file of a thread, archived or packed as it may be; the one that can be read on is preferred.
pub(crate) fn find_session(env: Env<'_>, session: &str) -> Option<PathBuf> {
    let is_of = |path: &PathBuf| {
        let name = path.file_name().and_then(OsStr::to_str).unwrap_or_default();
        let is_named = |stem: &str| stem.ends_with(&format!("-{session}")) || stem.contains(&format!("-{session}_"));
        stem(name).is_some_and(is_named)
    };
    let found = files(env).into_iter().filter(is_of);
    found.max_by_key(|path| (path.extension() == Some(OsStr::new("jsonl")), places::modified(path)))
}

/// The directory that a thread worked in, as its first record says.
pub(crate) fn directory_of(path: &Path) -> Option<String> {
    beginning(path).map(|(_, directory, _)| directory)
}

/// The directories in which threads are kept.
pub(crate) fn places(env: Env<'_>) -> Vec<PathBuf> {
    let home = places::directory(env, "CODEX_HOME").or_else(|| Some(places::home(env)?.join(".codex")));
    let folders = ["sessions", "archived_sessions"].into_iter();
    home.map(|home| folders.map(|folder| home.join(folder)).collect()).unwrap_or_default()
}

fn files(env: Env<'_>) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for place in places(env) {
        collect(&place, DEPTH, &mut found);
    }
    found
}

fn collect(folder: &Path, depth: usize, found: &mut Vec<PathBuf>) {
    for path in places::entries(folder) {
        let name = path.file_name().and_then(OsStr::to_str).unwrap_or_default();
        if stem(name).is_some() {
            found.push(path);
        } else if depth > 1 && !name.contains('.') && path.is_dir() {
            collect(&path, depth - 1, found);
        }
    }
}

/// The name of a thread's file without its endings.
fn stem(name: &str) -> Option<&str> {
    name.strip_suffix(".zst").unwrap_or(name).strip_suffix(".jsonl")
}

/// Thread, directory and whether it is a sub-agent's, as the first record says.
fn beginning(path: &Path) -> Option<(Option<String>, String, bool)> {
    let mut rows = Rows::first(unpacked(File::open(path).ok()?).ok()?.take(FIRST_LINE));
    let Some(Row::Line(first)) = rows.next().ok()? else { return None };
    let line: Line<'_> = serde_json::from_slice(first).ok()?;
    let meta: Meta<'_> = part(line.payload);
    let is_subagent = meta.thread_source.as_str() == "subagent";
    Some((meta.id.owned(), local_path(meta.cwd.as_str()), is_subagent))
}
