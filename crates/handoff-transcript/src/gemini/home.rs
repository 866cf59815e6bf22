//! Where Gemini CLI keeps its transcripts, and which project they belong to.
//!
//! `~/.gemini/tmp/<project>/chats/session-*`. What stands for the project is a short name, listed in `projects.json` and
//! noted in `.project_root`; in older versions a hash of its path.

use std::fs;
use std::path::{Path, PathBuf};

use handoff_model::agent::Host;
use serde_json::Value;
use sha2::{Digest as _, Sha256};

use crate::locate::Located;
use crate::{Env, document, places};

/// How much of a transcript is looked at to find out whether anything was said in it.
const LOOKED_AT: u64 = 64 << 10;

/// The sessions of a directory.
pub(crate) fn locate(env: Env<'_>, cwd: &Path) -> Vec<Located> {
    let is_wanted = |project: &PathBuf| is_project_of(project, cwd);
    grouped(projects(env).into_iter().filter(is_wanted).flat_map(|project| chats(&project)).collect())
}

/// The file that a session goes on in.
pub(crate) fn find_session(env: Env<'_>, session: &str) -> Option<PathBuf> {
    let files = projects(env).into_iter().flat_map(|project| chats(&project));
    let of_it = files.filter(|file| file.session.as_deref() == Some(session)).collect();
    grouped(of_it).into_iter().next().map(|found| found.path)
}

/// Returns whether a transcript below `place` is of work in a directory, by the folder it is kept in.
pub(crate) fn is_of(place: &Path, path: &Path, directory: &Path) -> bool {
    let folder = path.strip_prefix(place).ok().and_then(|below| below.components().next());
    folder.is_some_and(|folder| is_project_of(&place.join(folder), directory))
}

/// The directory that has a folder for each project.
pub(crate) fn places(env: Env<'_>) -> Option<PathBuf> {
    let home = places::directory(env, "GEMINI_CLI_HOME").or_else(|| places::home(env))?;
    Some(home.join(".gemini/tmp"))
}

fn projects(env: Env<'_>) -> Vec<PathBuf> {
    places(env).map(|place| places::entries(&place).collect()).unwrap_or_default()
}

fn is_project_of(project: &Path, directory: &Path) -> bool {
    match project_root(project) {
        Some(root) => places::belongs(Path::new(&root), directory),
        None => {
            let real = directory.canonicalize().unwrap_or_else(|_| directory.to_owned());
            let name = project.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            name == hash(directory) || name == hash(&real)
        }
    }
}

/// What stood for a project in older versions.
pub(super) fn hash(directory: &Path) -> String {
    let hash = Sha256::digest(directory.as_os_str().as_encoded_bytes());
    let digit = |value: u8| char::from_digit(u32::from(value), 16).unwrap_or('0');
    hash.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
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
fn grouped(mut files: Vec<Located>) -> Vec<Located> {
    files.retain(|file| says_something(&file.path));
    files.sort_by_key(|file| std::cmp::Reverse(file.modified));
    let mut seen = std::collections::HashSet::new();
    files.retain(|file| file.session.is_none() || seen.insert(file.session.clone()));
    files
}

fn chats(project: &Path) -> Vec<Located> {
    let is_session = |path: &PathBuf| {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let ending = path.extension().and_then(|extension| extension.to_str());
        name.starts_with("session-") && matches!(ending, Some("jsonl" | "json"))
    };
    let files = places::entries(&project.join("chats")).filter(is_session);
    files
        .map(|path| Located { host: Host::Gemini, session: session_of(&path), modified: places::modified(&path), path })
        .collect()
}

/// The session a file says it is of, without reading all of it.
fn session_of(path: &Path) -> Option<String> {
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
