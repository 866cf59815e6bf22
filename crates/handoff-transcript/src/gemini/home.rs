//! Where Gemini CLI keeps its transcripts, and which project they belong to.
//!
//! `~/.gemini/tmp/<project>/chats/session-*`. What stands for the project is a short name, listed in `projects.json` and
//! noted in `.project_root`; in older versions a hash of its path.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::document;
use crate::step::Found;

/// How much of a transcript is looked at to find out whether anything was said in it.
const LOOKED_AT: u64 = 64 << 10;

/// The sessions of the project at `is_wanted`.
pub(crate) fn located(home: &Path, is_wanted: &dyn Fn(&Path) -> bool) -> Vec<Found> {
    let projects = entries(&home.join("tmp")).into_iter();
    let wanted = projects.filter(|project| project_root(project).is_some_and(|root| is_wanted(Path::new(&root))));
    grouped(wanted.flat_map(|project| chats(&project)).collect())
}

/// The file that a session goes on in.
pub(crate) fn find(home: &Path, session: &str) -> Option<PathBuf> {
    let files = entries(&home.join("tmp")).into_iter().flat_map(|project| chats(&project));
    let named = files.filter(|file| file.session.as_deref() == Some(session)).collect();
    grouped(named).into_iter().next().map(|found| found.path)
}

/// The directory a project's folder stands for.
pub(crate) fn project_root(project: &Path) -> Option<String> {
    let noted = document::text(&project.join(".project_root"), 4 << 10).map(|text| text.trim().to_owned());
    noted.filter(|root| !root.is_empty()).or_else(|| {
        let name = project.file_name()?.to_str()?;
        let listed = document::small(&project.parent()?.parent()?.join("projects.json"))?;
        let projects = listed.get("projects").and_then(Value::as_object)?;
        projects.iter().find(|(_, short)| short.as_str() == Some(name)).map(|(root, _)| root.clone())
    })
}

/// One file for each session: a resume leaves behind files of the same session in which nothing was said.
fn grouped(mut files: Vec<Found>) -> Vec<Found> {
    files.retain(|file| says_something(&file.path));
    files.sort_by_key(|file| std::cmp::Reverse(file.modified));
    let mut seen = std::collections::HashSet::new();
    files.retain(|file| file.session.is_none() || seen.insert(file.session.clone()));
    files
}

fn chats(project: &Path) -> Vec<Found> {
    let files = entries(&project.join("chats")).into_iter();
    files
        .filter_map(|path| {
            let name = path.file_name()?.to_str()?;
            let is_session = name.starts_with("session-") && (name.ends_with(".jsonl") || name.ends_with(".json"));
            let modified = fs::metadata(&path).ok().filter(|_| is_session)?.modified().ok()?;
            let session = session_of(&path);
            Some(Found { path, session, modified })
        })
        .collect()
}

/// The session a file says it is of, without reading all of it.
pub(crate) fn session_of(path: &Path) -> Option<String> {
    let start = document::text(path, 4 << 10)?;
    let (_, rest) = start.split_once("\"sessionId\"")?;
    let mut quoted = rest.trim_start().strip_prefix(':')?.trim_start().strip_prefix('"')?.split('"');
    quoted.next().map(str::to_owned)
}

fn says_something(path: &Path) -> bool {
    let is_long = fs::metadata(path).is_ok_and(|metadata| metadata.len() > LOOKED_AT);
    let is_document = super::is_document(path);
    is_long
        || document::text(path, LOOKED_AT).is_some_and(|start| {
            let is_message = |line: &str| line.starts_with("{\"id\":") || (is_document && line.contains("\"type\""));
            start.lines().any(|line| is_message(line.trim_start()))
        })
}

fn entries(directory: &Path) -> Vec<PathBuf> {
    let Ok(listing) = fs::read_dir(directory) else { return Vec::new() };
    listing.filter_map(|entry| Some(entry.ok()?.path())).collect()
}
