//! handoff-mcp: tasks, sessions and memories as JSON files in a `.handoff/` directory.
//!
//! The program takes no locks and changes a status by removing one file and writing another. So ids repeat, a task may
//! have two files or none, and temporary files lie about. A task is known by its directory here; its status by the name
//! of its file.

use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use crate::source::{self, Entry, Kind};
use crate::{Reading, Taken, Unreadable};

mod memory;
mod session;
mod task;

/// Whether a directory holds what handoff-mcp writes.
pub fn is_handoff_mcp(store: &Path) -> bool {
    let entries = |name: &str| source::list(&store.join(name)).unwrap_or_default();
    let has_session =
        entries("sessions").iter().any(|entry| entry.kind == Kind::File && session::status(&entry.name).is_some());
    let is_task = |dir: &Entry| {
        let files = source::list(&dir.path).unwrap_or_default();
        files.iter().any(|file| task::status(&file.name).is_some())
    };
    has_session || entries("tasks").iter().filter(|entry| entry.kind == Kind::Directory).any(is_task)
}

pub(crate) fn read(reading: Reading<'_>) -> Result<Taken, Unreadable> {
    let root = source::directory(reading.path)?;
    let store = match root.join(".handoff") {
        inner if inner.is_dir() && !root.ends_with(".handoff") => inner,
        _ => root,
    };
    let known = ["config.toml", "tasks", "sessions", "memory"];
    let entries = source::list(&store)?;
    if !entries.iter().any(|entry| known.contains(&entry.name.as_str())) {
        let reason = "it is no `.handoff/` directory of handoff-mcp".to_owned();
        return Err(Unreadable::Damaged { path: reading.path.to_owned(), reason });
    }
    let mut taken = Taken::default();
    let ids = task::all(&store.join("tasks"), reading.now, &mut taken)?;
    session::all(&store.join("sessions"), &ids, reading.now, &mut taken)?;
    memory::all(&store.join("memory"), reading.now, &mut taken)?;
    for entry in entries {
        match entry.name.as_str() {
            // The last is ours, in an original that was kept.
            "tasks" | "sessions" | "memory" | ".gitignore" => {}
            "config.toml" => match source::read(&entry.path).map(String::from_utf8) {
                Ok(Ok(text)) => taken.config = Some(text),
                _ => taken.left_out.push("config.toml: it is no text".to_owned()),
            },
            "docs" | "referrals" | "timer" => {
                let files = count(&entry.path, 0);
                if files > 0 {
                    let what = format!("{}/ ({files} files): no record here has a place for it yet", entry.name);
                    taken.left_out.push(format!("{what}; the original keeps it"));
                }
            }
            other => taken.left_out.push(format!("{other}: it is none of handoff-mcp's")),
        }
    }
    Ok(taken)
}

fn count(dir: &Path, depth: usize) -> usize {
    let entries = if depth < 8 { source::list(dir).unwrap_or_default() } else { Vec::new() };
    let below = |entry: &Entry| match entry.kind {
        Kind::Directory => count(&entry.path, depth + 1),
        Kind::File | Kind::Other => 1,
    };
    entries.iter().map(below).sum()
}

/// Reads a file as one JSON object, or says why not.
fn object(path: &Path) -> Result<Map<String, Value>, String> {
    let bytes = source::read(path).map_err(|error| error.to_string())?;
    serde_json::from_slice(&bytes).map_err(|error| format!("it is no JSON object: {error}"))
}

/// The name of a file that was being written: `.<name>.tmp.<process>.<number>`.
fn temporary(name: &str) -> Option<&str> {
    name.strip_prefix('.')?.split_once(".tmp.").map(|(name, _)| name)
}

/// A path as it is told: relative to the store.
fn told(store: &Path, path: &Path) -> String {
    path.strip_prefix(store.parent().unwrap_or(store))
        .map_or_else(|_| PathBuf::from(path), Path::to_owned)
        .display()
        .to_string()
}
