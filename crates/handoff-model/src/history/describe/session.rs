//! Sessions: begun, changed, closed, archived and brought back.

use std::collections::BTreeSet;

use super::super::{Changed, DirectoryMove, FileChange};
use super::Said;
use super::fields::{cut, differences};
use crate::document;
use crate::session::{Session, SessionStatus};

const DIRECTORY: &str = "sessions/";
const ARCHIVE: &str = "archive/";
const TRASH: &str = "local/state/trash-sessions/";

/// What follows from something else that is told.
const UNSAID: &[&str] = &[
    "format",
    "id",
    "status",
    "ended_at",
    "last_decision",
    "git",
    "started_at",
    "continues",
    "forked_from",
    "merged_from",
    "merged_into",
    "handover",
    "items",
];

pub(super) fn concerned(changed: &Changed, sessions: &mut BTreeSet<String>) {
    let moved = changed.moves.iter().flat_map(|moved| [moved.from.as_str(), moved.to.as_str()]);
    let paths = changed.files.iter().map(FileChange::path).chain(moved);
    sessions.extend(paths.filter_map(name).map(|(name, _)| name.to_owned()));
}

/// The full name of the session a file belongs to, and whether it is its body.
fn name(path: &str) -> Option<(&str, bool)> {
    let file = path.strip_prefix(DIRECTORY)?;
    file.strip_suffix(".toml").map(|name| (name, false)).or_else(|| file.strip_suffix(".md").map(|name| (name, true)))
}

pub(super) fn said(changed: &Changed) -> Vec<Said> {
    let mut said: Vec<(String, Said)> = Vec::new();
    for file in &changed.files {
        if let Some((name, false)) = name(file.path()) {
            said.push((name.to_owned(), of_file(name, file, changed)));
        }
    }
    for file in &changed.files {
        let Some((name, true)) = name(file.path()) else { continue };
        match said.iter_mut().find(|(other, _)| other == name) {
            // What comes or goes takes its body along.
            Some((_, said)) if said.deed.is_some() => {}
            Some((_, said)) => said.fields.push(body(file)),
            None => {
                let fields = vec![body(file)];
                said.push((name.to_owned(), Said { fields, ..Said::about(format!("session {name}"), "sessions") }));
            }
        }
    }
    said.extend(changed.moves.iter().filter_map(|moved| of_move(moved, changed)));
    said.into_iter().map(|(_, said)| said).collect()
}

/// Whether a file that went elsewhere is one of a session in the trash, or on its way there or back.
pub(super) fn is_told(moved: &DirectoryMove) -> bool {
    [&moved.from, &moved.to].iter().any(|path| path.starts_with(TRASH))
}

/// A session that goes to the trash or comes from there. Its body goes along.
fn of_move(moved: &DirectoryMove, changed: &Changed) -> Option<(String, Said)> {
    let (path, deed) = match (moved.from.strip_prefix(TRASH), moved.to.strip_prefix(TRASH)) {
        (None, Some(_)) => (moved.from.as_str(), "moved to the trash"),
        (Some(_), None) => (moved.to.as_str(), "brought back from the trash"),
        _ => return None,
    };
    let (name, false) = name(path)? else { return None };
    let said_already = changed.files.iter().any(|file| file.path() == path);
    let said = Said { deed: Some(deed.to_owned()), ..Said::about(format!("session {name}"), "sessions") };
    (!said_already).then(|| (name.to_owned(), said))
}

fn body(file: &FileChange) -> String {
    match (&file.before, &file.after) {
        (None, _) => "body added",
        (_, None) => "body removed",
        _ => "body changed",
    }
    .to_owned()
}

fn of_file(name: &str, file: &FileChange, changed: &Changed) -> Said {
    let (before, after) = file.texts();
    let read = |text: Option<&str>| text.and_then(|text| Session::read(text).ok());
    let (before, after) = (read(before), read(after));
    let title = after.as_ref().or(before.as_ref()).map(|session| cut(&session.headline(80))).unwrap_or_default();
    let mut said = Said::about(format!("session {name} {title}").trim_end().to_owned(), "sessions");
    said.deed = match (&before, &after) {
        (None, Some(session)) if file.before.is_none() => {
            let (deed, is_new) = began(name, session, changed);
            said.fields = if is_new { origins(None, session) } else { Vec::new() };
            Some(deed.to_owned())
        }
        (Some(_), None) if file.after.is_none() => Some(ended(changed)),
        (Some(old), Some(new)) => {
            said.fields = origins(Some(old), new);
            said.fields.extend(differences(&document::object(old), &document::object(new), UNSAID));
            (old.status != new.status).then(|| became(old.status, new.status).to_owned())
        }
        _ => Some("changed".to_owned()),
    };
    if said.deed.is_none() && said.fields.is_empty() {
        said.deed = Some("written differently".to_owned());
    }
    said
}

/// The sessions that one names in one way.
type Named = fn(&Session) -> Vec<String>;

/// What a session says now about the sessions it comes from or went into.
fn origins(before: Option<&Session>, after: &Session) -> Vec<String> {
    let links: [(&str, Named); 4] = [
        ("continues", |session| session.continues.iter().cloned().collect()),
        ("forked from", |session| session.forked_from.iter().cloned().collect()),
        ("merged from", |session| session.merged_from.clone()),
        ("merged into", |session| session.merged_into.iter().cloned().collect()),
    ];
    let mut words = Vec::new();
    for (word, named) in links {
        let (old, new) = (before.map(named).unwrap_or_default(), named(after));
        let only = |these: &[String], others: &[String]| {
            let only: Vec<&str> = these.iter().filter(|name| !others.contains(name)).map(String::as_str).collect();
            (!only.is_empty()).then(|| format!("{word} {}", only.join(", ")))
        };
        words.extend(only(&new, &old));
        words.extend(only(&old, &new).map(|gone| format!("no longer {gone}")));
    }
    words
}

/// What became of a session that is there now, and whether there was none before.
fn began(name: &str, session: &Session, changed: &Changed) -> (&'static str, bool) {
    let was_archived = archives(changed).any(|file| {
        let (before, after) = file.texts();
        // Others in it may go on naming it.
        let heading = format!("## {name}");
        let has = |text: Option<&str>| text.is_some_and(|text| text.contains(&heading));
        has(before) && !has(after)
    });
    match session.status {
        _ if was_archived => ("brought back from the archive", false),
        SessionStatus::Active => ("started", true),
        SessionStatus::Paused => ("made as paused", true),
        SessionStatus::Closed => ("saved", true),
    }
}

fn ended(changed: &Changed) -> String {
    let is_archived = archives(changed).any(|file| file.after.is_some());
    if is_archived { "put into the archive" } else { "removed" }.to_owned()
}

fn archives(changed: &Changed) -> impl Iterator<Item = &FileChange> {
    changed.files.iter().filter(|file| file.path().starts_with(ARCHIVE))
}

fn became(old: SessionStatus, new: SessionStatus) -> &'static str {
    match (old, new) {
        (_, SessionStatus::Closed) => "closed",
        (_, SessionStatus::Paused) => "paused",
        (SessionStatus::Closed, SessionStatus::Active) => "reopened",
        (_, SessionStatus::Active) => "active again",
    }
}
