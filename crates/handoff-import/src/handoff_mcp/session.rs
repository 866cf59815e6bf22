//! Sessions of handoff-mcp: a file each, with the status in its name.

use std::path::Path;

use handoff_model::session::{GitFacts, SessionKind, SessionStatus};
use handoff_model::when::Moment;
use serde_json::{Map, Value};

use super::task::Ids;
use super::{object, temporary, told};
use crate::record::{Draft, text, texts, unknown};
use crate::source::{self, Entry, Kind};
use crate::{System, Taken, Unreadable};

const KNOWN: [&str; 18] = [
    "version",
    "id",
    "ended_at",
    "summary",
    "branch",
    "commit",
    "dirty_files",
    "decisions",
    "blockers",
    "checklist",
    "handoff_notes",
    "references",
    "context_pointers",
    "environment",
    "timeline",
    "label",
    "parent_session_id",
    "related_task_ids",
];

/// The status that the name of a session's file tells.
pub(super) fn status(name: &str) -> Option<SessionStatus> {
    match name.strip_suffix(".json")?.rsplit_once('.')?.1 {
        "open" | "active" => Some(SessionStatus::Active),
        "paused" => Some(SessionStatus::Paused),
        "closed" => Some(SessionStatus::Closed),
        _ => None,
    }
}

pub(super) fn all(dir: &Path, tasks: &Ids, now: Moment, taken: &mut Taken) -> Result<(), Unreadable> {
    let mut seen: Vec<String> = Vec::new();
    for entry in source::list(dir)? {
        let path = told(dir, &entry.path);
        if temporary(&entry.name).is_some() {
            taken.left_out.push(format!("{path}: it was being written when something stopped it"));
            continue;
        }
        let (Kind::File, Some(status)) = (entry.kind, status(&entry.name)) else {
            taken.left_out.push(format!("{path}: it is no session"));
            continue;
        };
        match object(&entry.path) {
            Ok(fields) => one(&entry, status, &fields, tasks, &mut seen, now, taken),
            Err(why) => taken.left_out.push(format!("{path}: {why}")),
        }
    }
    Ok(())
}

fn one(
    file: &Entry,
    status: SessionStatus,
    fields: &Map<String, Value>,
    tasks: &Ids,
    seen: &mut Vec<String>,
    now: Moment,
    taken: &mut Taken,
) {
    let stem = file.name.strip_suffix(".json").unwrap_or(&file.name);
    let mut id = text(fields, "id").unwrap_or_default().to_owned();
    if id.is_empty() {
        taken.changed.push(format!("session `{stem}` has no id; it is called like its file"));
        stem.clone_into(&mut id);
    } else if seen.contains(&id) {
        taken
            .changed
            .push(format!("the id `{id}` stands twice; the session in `{}` is called like its file", file.name));
        stem.clone_into(&mut id);
    }
    seen.push(id.clone());
    let mut draft = Draft::new(System::HandoffMcp, &id, SessionKind::Session, now);
    draft.called = format!("session `{id}`");
    match text(fields, "ended_at").map(str::to_owned).or_else(|| time_in_name(stem)) {
        Some(written) => draft.made_at("ended_at", &written, now, taken),
        None => taken.changed.push(format!("session `{id}` tells no time")),
    }
    if status != SessionStatus::Closed {
        draft.session.ended_at = None;
    }
    draft.session.status = status;
    if file.name.ends_with(".open.json") {
        draft.keep("status", "open".into());
    }
    let present = |key: &str| text(fields, key).map(str::to_owned).filter(|text| !text.trim().is_empty());
    let session = &mut draft.session;
    session.summary = present("summary").unwrap_or_default();
    (session.timeline, session.label) = (present("timeline"), present("label"));
    session.blockers = texts(fields, "blockers");
    session.decisions = list(fields, "decisions");
    session.checklist = list(fields, "checklist");
    session.notes = list(fields, "handoff_notes");
    session.references = list(fields, "references");
    session.pointers = list(fields, "context_pointers");
    session.environment = fields.get("environment").and_then(Value::as_object).cloned().unwrap_or_default();
    session.environment.retain(|_, value| !value.is_null());
    for (place, decision) in session.decisions.iter_mut().enumerate() {
        decision.id = format!("d{}", place + 1);
    }
    let git = GitFacts {
        branch: present("branch"),
        commit: present("commit"),
        dirty: texts(fields, "dirty_files"),
        ..GitFacts::default()
    };
    session.git = Some(git).filter(|git| *git != GitFacts::default());
    let related = texts(fields, "related_task_ids");
    session.tasks = related.iter().filter_map(|old| tasks.get(old)).copied().collect();
    let gone: Vec<Value> =
        related.iter().filter(|old| !tasks.contains_key(*old)).map(|old| old.as_str().into()).collect();
    if !gone.is_empty() {
        taken.changed.push(format!("session `{id}` concerns tasks that are not there; their names are kept"));
        draft.keep("related_task_ids", gone.into());
    }
    if let Some(parent) = present("parent_session_id") {
        draft.keep("parent_session_id", parent.into());
    }
    let lists = ["decisions", "checklist", "handoff_notes", "references", "context_pointers", "blockers"];
    let cut: Vec<&str> = lists.into_iter().filter(|key| is_cut(fields, key, &draft)).collect();
    for key in cut {
        taken
            .changed
            .push(format!("some of `{key}` of session `{id}` have an unknown form; all are kept as they were"));
        draft.keep(key, fields.get(key).cloned().unwrap_or_default());
    }
    for (key, value) in unknown(fields, &KNOWN) {
        draft.keep(&key, value);
    }
    let whole = Value::Object(fields.clone()).to_string();
    draft.finish(&[file.name.as_bytes(), whole.as_bytes()], None, now, taken);
}

/// Whether a list says less here than it does there.
fn is_cut(fields: &Map<String, Value>, key: &str, draft: &Draft) -> bool {
    let Some(there) = fields.get(key).filter(|value| !value.is_null()) else { return false };
    let session = &draft.session;
    let here = match key {
        "decisions" => session.decisions.len(),
        "checklist" => session.checklist.len(),
        "handoff_notes" => session.notes.len(),
        "references" => session.references.len(),
        "context_pointers" => session.pointers.len(),
        _ => session.blockers.len(),
    };
    there.as_array().is_none_or(|there| there.len() != here)
}

/// The items of a list that have the form they should; a word that is none of ours is left out of an item.
fn list<T: serde::de::DeserializeOwned>(fields: &Map<String, Value>, key: &str) -> Vec<T> {
    let items = fields.get(key).and_then(Value::as_array).into_iter().flatten();
    items
        .filter_map(|item| {
            serde_json::from_value(item.clone()).ok().or_else(|| {
                let mut plain = item.as_object()?.clone();
                for word in ["confidence", "owner", "category", "type", "lines", "reason"] {
                    plain.remove(word);
                }
                serde_json::from_value(Value::Object(plain)).ok()
            })
        })
        .collect()
}

/// The time in the name of a session's file, `20260301-091500-slug.closed`.
fn time_in_name(stem: &str) -> Option<String> {
    let digits =
        |range: std::ops::Range<usize>| stem.get(range).filter(|text| text.bytes().all(|byte| byte.is_ascii_digit()));
    let (date, clock) = (digits(0..8)?, digits(9..15)?);
    Some(format!("{}-{}-{}T{}:{}:{}Z", &date[..4], &date[4..6], &date[6..], &clock[..2], &clock[2..4], &clock[4..]))
}
