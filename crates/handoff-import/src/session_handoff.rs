//! session-handoff: records in one JSON file.

use handoff_model::session::{GitFacts, SessionKind};
use handoff_model::when::Moment;
use serde_json::{Map, Value};

use crate::record::{Draft, text, texts, unknown};
use crate::source::read_named;
use crate::{Reading, System, Taken, Unreadable};

/// Where the changed files are kept in the origin, when our own list does not give them back.
pub const CHANGED: &str = "changed";
/// Where the keys are kept in the origin that the record did not have.
pub const ABSENT: &str = "absent";

const KNOWN: [&str; 8] = ["id", "created_at", "tool", "project", "title", "summary", "next", "changed"];

pub(crate) fn read(reading: Reading<'_>) -> Result<Taken, Unreadable> {
    let inside = reading.path.join("handoffs.json");
    let path = if reading.path.is_dir() { inside.as_path() } else { reading.path };
    let bytes = read_named(path)?;
    let damaged = |reason: String| Unreadable::Damaged { path: path.to_owned(), reason };
    let store: Value = serde_json::from_slice(&bytes).map_err(|error| damaged(error.to_string()))?;
    let Some(store) = store.as_object() else { return Err(damaged("it is no JSON object".to_owned())) };
    let Some(items) = store.get("items").and_then(Value::as_array) else {
        return Err(damaged("it has no list `items`".to_owned()));
    };
    let mut taken = Taken::default();
    match store.get("version").and_then(Value::as_i64) {
        Some(0 | 1) => {}
        version => taken.notes.push(format!(
            "the store says version {}; it is read like version 1",
            version.map_or("none".to_owned(), |version| version.to_string())
        )),
    }
    for (key, _) in unknown(store, &["version", "items"]) {
        taken.left_out.push(format!("`{key}` beside the records"));
    }
    let mut seen: Vec<String> = Vec::new();
    for (place, item) in items.iter().enumerate() {
        let Some(item) = item.as_object() else {
            taken.left_out.push(format!("record {}: it is no JSON object", place + 1));
            continue;
        };
        let mut called = text(item, "id").unwrap_or_default().to_owned();
        if called.is_empty() || seen.contains(&called) {
            let other = format!("{called}#{}", place + 1);
            taken.changed.push(match called.as_str() {
                "" => format!("record {} has no id; it is called `{other}`", place + 1),
                _ => format!("the id `{called}` stands twice; the second is called `{other}`"),
            });
            called = other;
        }
        record(item, &called, reading.now, &mut taken);
        seen.push(called);
    }
    Ok(taken)
}

/// Takes one record, which also is what a bundle of that tool carries.
pub fn record(item: &Map<String, Value>, called: &str, now: Moment, taken: &mut Taken) {
    let mut draft = Draft::new(System::SessionHandoff, called, SessionKind::Record, now);
    draft.made_at("created_at", text(item, "created_at").unwrap_or_default(), now, taken);
    // Of those made in one second the later has the higher number behind its id.
    let later = called.split('-').nth(2).and_then(|number| number.parse::<i64>().ok()).unwrap_or(0).clamp(0, 999);
    draft.session.ended_at = draft
        .session
        .ended_at
        .and_then(|at| Moment::from_milliseconds(at.timestamp().as_millisecond().saturating_add(later)));
    let present = |key: &str| text(item, key).map(str::to_owned).filter(|text| !text.trim().is_empty());
    let session = &mut draft.session;
    (session.tool, session.project) = (present("tool"), present("project"));
    session.title = present("title");
    text(item, "summary").unwrap_or_default().clone_into(&mut session.summary);
    session.next = texts(item, "next");
    let changed = texts(item, "changed");
    let dirty = changed_files(&changed);
    let is_told_whole = changed_paths(&dirty) == changed;
    if !dirty.is_empty() {
        session.git = Some(GitFacts { dirty, ..GitFacts::default() });
    }
    if !is_told_whole {
        draft.keep(CHANGED, changed.into());
    }
    // That tool's checksum tells a list that is not there from an empty one.
    if item.get("next").is_none_or(Value::is_null) {
        draft.keep(ABSENT, vec!["next"].into());
    }
    for (key, value) in unknown(item, &KNOWN) {
        draft.keep(&key, value);
    }
    let whole = Value::Object(item.clone()).to_string();
    draft.finish(&[whole.as_bytes()], None, now, taken);
}

/// Changed files with git's letters, as far as they can be told.
pub fn changed_files(paths: &[String]) -> Vec<String> {
    let with_letters = |path: &String| match path.split_once(" -> ") {
        Some((old, new)) => vec![format!("D {old}"), format!("A {new}")],
        None if path.ends_with('/') => vec![format!("?? {path}")],
        None => vec![format!("M {path}")],
    };
    paths.iter().flat_map(with_letters).collect()
}

/// Changed files as that tool lists them, without git's letters.
pub fn changed_paths(dirty: &[String]) -> Vec<String> {
    dirty.iter().map(|line| line.split_once(' ').map_or(line.as_str(), |(_, path)| path.trim()).to_owned()).collect()
}
