//! A session as a record of session-handoff.
//!
//! **Invariant:** a record that came from there goes back as it came, to the byte, as far as nothing was changed here.

use handoff_bundle::compat::CompatRecord;
use handoff_import::System;
use handoff_import::session_handoff::{ABSENT, CHANGED, changed_files, changed_paths};
use handoff_model::origin::Origin;
use handoff_model::session::Session;
use serde_json::Value;

use super::WithBody;
use crate::Project;

pub(super) fn record(project: &Project, (found, _): &WithBody) -> CompatRecord {
    let session = &found.session;
    let was = session.origin.as_ref().filter(|origin| origin.system == System::SessionHandoff.word());
    let headline = session.headline(200);
    let present = |text: &str| Some(text.to_owned()).filter(|text| !text.trim().is_empty());
    let directory = || project.dir().map(|dir| dir.display().to_string());
    let own = session.project.clone().filter(|path| was.is_some() || std::path::Path::new(path).is_absolute());
    let had_no_next = was.is_some_and(|origin| texts(origin, ABSENT).iter().any(|key| key == "next"));
    let dirty = session.git.as_ref().map(|git| git.dirty.as_slice()).unwrap_or_default();
    let changed = was.map(|origin| texts(origin, CHANGED)).filter(|changed| changed_files(changed) == dirty);
    CompatRecord {
        id: was.map_or_else(|| found.name.clone(), |origin| origin.id.clone()),
        created_at: session.started_at.or(session.ended_at).unwrap_or_else(|| project.now()).in_seconds(),
        tool: session.tool.clone().and_then(|tool| present(&tool)).unwrap_or_else(|| "handoff".to_owned()),
        project: own.or_else(directory).unwrap_or_else(|| "/".to_owned()),
        title: session.title.clone().and_then(|title| present(&title)).unwrap_or_else(|| headline.clone()),
        summary: present(&session.summary).unwrap_or(headline),
        next: Some(session.next.clone()).filter(|next| !(had_no_next && next.is_empty())),
        changed: changed.unwrap_or_else(|| changed_paths(dirty)),
    }
}

fn texts(origin: &Origin, key: &str) -> Vec<String> {
    let items = origin.fields.get(key).and_then(Value::as_array).into_iter().flatten();
    items.filter_map(Value::as_str).map(str::to_owned).collect()
}

/// What a record says that has no place in one of session-handoff.
pub(super) fn left_behind((found, body): &WithBody) -> Vec<&'static str> {
    let Session {
        name,
        tags,
        author,
        timeline,
        expires_at,
        blockers,
        tasks,
        decisions,
        checklist,
        notes,
        references,
        pointers,
        environment,
        ..
    } = &found.session;
    let parts = [
        (body.is_some(), "body"),
        (name.is_some(), "name"),
        (!tags.is_empty(), "tags"),
        (author.is_some(), "author"),
        (timeline.is_some(), "timeline"),
        (expires_at.is_some(), "expires_at"),
        (!blockers.is_empty(), "blockers"),
        (!tasks.is_empty(), "tasks"),
        (!decisions.is_empty(), "decisions"),
        (!checklist.is_empty(), "checklist"),
        (!notes.is_empty(), "notes"),
        (!references.is_empty(), "references"),
        (!pointers.is_empty(), "pointers"),
        (!environment.is_empty(), "environment"),
    ];
    parts.into_iter().filter_map(|(is_there, part)| is_there.then_some(part)).collect()
}
