//! Cursor's command line: a database for each session, with messages among the blobs.

use std::path::Path;

use handoff_model::agent::{About, Event, What};
use rusqlite::{Connection, OptionalExtension, params};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::query::asked;
use crate::content::text_of;
use crate::document;
use crate::sqlite::{self, LARGEST_VALUE, Refused};
use crate::step::Step;
use crate::time::moment;
use crate::tool::{Call, End, exit_code};

/// How far the rows were read.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Place {
    row: i64,
    /// What was passed over, to be read when there is time: after the one row, up to the other
    #[serde(skip_serializing_if = "Vec::is_empty")]
    gaps: Vec<(i64, i64)>,
}

struct Blob {
    row: i64,
    bytes: i64,
}

/// Reads on from a place, at most `limit` bytes of rows; the newest first when there are more.
pub(crate) fn read_on(path: &Path, place: &Place, limit: u64) -> Result<Step<Place>, Refused> {
    let database = sqlite::open(path)?;
    let mut step = Step::nothing(place.clone());
    let (mut ahead, has_more) = blobs(&database, (place.row, i64::MAX), "DESC", limit)?;
    ahead.reverse();
    if let Some(first) = ahead.first().filter(|_| has_more) {
        step.mark.gaps.push((place.row, first.row - 1));
    }
    if let Some(last) = ahead.last() {
        step.mark.row = last.row;
    } else if !step.mark.gaps.is_empty() {
        let (after, until) = step.mark.gaps.remove(0);
        let (missing, has_more) = blobs(&database, (after, until), "ASC", limit)?;
        if let Some(last) = missing.last().filter(|_| has_more) {
            step.mark.gaps.insert(0, (last.row, until));
        }
        ahead = missing;
    }
    let mut events = Vec::new();
    for blob in &ahead {
        let before = events.len();
        if !tell(&database, blob, &mut events)? {
            step.unreadable += 1;
        }
        events[before..].iter_mut().for_each(|event| event.line = u64::try_from(blob.row).ok());
    }
    step.lines = ahead.len() as u64;
    if !events.is_empty() {
        step.from = ahead.first().and_then(|blob| u64::try_from(blob.row).ok()).unwrap_or(0);
        step.digest.add(about(&database, path));
        step.tell(events);
    }
    step.is_behind = !step.mark.gaps.is_empty();
    Ok(step)
}

/// The rows that hold JSON, as many as fit in `limit` and at least one; whether there are more. The other rows are the
/// agent's own notes on how messages hang together.
fn blobs(
    database: &Connection,
    (after, until): (i64, i64),
    direction: &str,
    limit: u64,
) -> Result<(Vec<Blob>, bool), Refused> {
    let mut found = database.prepare(&format!(
        "SELECT rowid, octet_length(data) FROM blobs \
         WHERE rowid > ?1 AND rowid <= ?2 AND CAST(substr(data, 1, 1) AS TEXT) = '{{' ORDER BY rowid {direction}"
    ))?;
    let mut rows = found.query([after, until])?;
    let mut taken: Vec<Blob> = Vec::new();
    let mut used = 0_u64;
    while let Some(row) = rows.next()? {
        let blob = Blob { row: row.get(0)?, bytes: row.get(1)? };
        used = used.saturating_add(blob.bytes.unsigned_abs());
        if used > limit && !taken.is_empty() {
            return Ok((taken, true));
        }
        taken.push(blob);
    }
    Ok((taken, false))
}

/// Tells what one row says; `false` when it could not be read.
fn tell(database: &Connection, blob: &Blob, events: &mut Vec<Event>) -> Result<bool, Refused> {
    if blob.bytes > LARGEST_VALUE {
        return Ok(false);
    }
    let mut found = database.prepare("SELECT CAST(data AS BLOB) FROM blobs WHERE rowid = ?1")?;
    let data: Option<Vec<u8>> = found.query_row(params![blob.row], |row| row.get(0)).optional()?;
    let Some(message) = data.and_then(|data| serde_json::from_slice::<Value>(&data).ok()) else { return Ok(false) };
    let at = message.get("createdAt").and_then(moment);
    let mut add = |what| events.push(Event { at, line: None, what });
    let content = message.get("content").unwrap_or(&Value::Null);
    match message.get("role").and_then(Value::as_str) {
        Some("user") => asked(&text_of(content)).into_iter().for_each(|prompt| add(What::Prompt(prompt))),
        Some("assistant") => assistant(&message, content, &mut add),
        Some("tool") => results(content, &mut add),
        _ => {}
    }
    Ok(true)
}

fn assistant(message: &Value, content: &Value, add: &mut dyn FnMut(What)) {
    if let Some(model) = message.pointer("/providerOptions/cursor/modelName").and_then(Value::as_str) {
        add(What::About(About { model: Some(model.to_owned()), ..About::default() }));
    }
    let answer = text_of(content).replace("[REDACTED]", "").trim().to_owned();
    let has_answer = !answer.is_empty();
    if has_answer {
        add(What::Answer(answer));
    }
    let calls = content.as_array().into_iter().flatten().filter(|block| kind(block) == "tool-call");
    let mut has_calls = false;
    for call in calls {
        has_calls = true;
        let text = |name: &str| call.get(name).and_then(Value::as_str).unwrap_or_default();
        let input = call.get("args").or_else(|| call.get("input")).unwrap_or(&Value::Null);
        Call::of(text("toolName"), input).begun(text("toolCallId"), text("toolName")).into_iter().for_each(&mut *add);
    }
    if has_answer && !has_calls {
        add(What::TurnEnded { seconds: None });
    }
}

fn results(content: &Value, add: &mut dyn FnMut(What)) {
    for result in content.as_array().into_iter().flatten().filter(|block| kind(block) == "tool-result") {
        let id = result.get("toolCallId").and_then(Value::as_str).unwrap_or_default();
        let output = text_of(result.get("result").or_else(|| result.get("output")).unwrap_or(&Value::Null));
        let told = result.get("isError").and_then(Value::as_bool);
        let is_failure = told.unwrap_or_else(|| output.starts_with("Error:"));
        add(End { exit: exit_code(&output), is_failure, output: &output }.outcome(id.to_owned()));
    }
}

fn kind(block: &Value) -> &str {
    block.get("type").and_then(Value::as_str).unwrap_or_default()
}

/// Who and where the session is, from the record in the database and the note beside it.
fn about(database: &Connection, path: &Path) -> Event {
    let record = record(database).unwrap_or_default();
    let note = path.parent().and_then(|directory| document::small(&directory.join("meta.json"))).unwrap_or_default();
    let text = |value: &Value, name: &str| value.get(name).and_then(Value::as_str).map(str::to_owned);
    let folder = path.parent().and_then(Path::file_name).and_then(|name| name.to_str()).map(str::to_owned);
    let about = About {
        session: text(&record, "agentId").or(folder),
        cwd: workspace(&record, &note),
        title: text(&note, "title").or_else(|| text(&record, "name")),
        model: text(&record, "lastUsedModel"),
        ..About::default()
    };
    let at = note.get("createdAtMs").or_else(|| record.get("createdAt")).and_then(moment);
    Event { at, line: None, what: What::About(about) }
}

fn workspace(record: &Value, note: &Value) -> Option<String> {
    let text = |value: &Value, name: &str| value.get(name).and_then(Value::as_str).map(str::to_owned);
    text(record, "workspacePath").or_else(|| text(note, "cwd")).or_else(|| text(note, "workspacePath"))
}

/// The directory a session works in.
pub(crate) fn workspace_of(path: &Path) -> Option<String> {
    let note = path.parent().and_then(|directory| document::small(&directory.join("meta.json"))).unwrap_or_default();
    workspace(&Value::Null, &note).or_else(|| workspace(&record(&sqlite::open(path).ok()?)?, &note))
}

/// The agent's record, JSON that may be written in hexadecimal.
fn record(database: &Connection) -> Option<Value> {
    let found =
        database.query_row("SELECT CAST(value AS TEXT) FROM meta WHERE key = '0'", [], |row| row.get::<_, String>(0));
    let text = found.ok()?;
    serde_json::from_str(&text).ok().or_else(|| serde_json::from_slice(&unhex(&text)?).ok())
}

fn unhex(text: &str) -> Option<Vec<u8>> {
    let digits = text.trim().as_bytes();
    let digit = |byte: u8| char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
    digits.chunks(2).map(|pair| Some(digit(pair[0])? << 4 | digit(*pair.get(1)?)?)).collect()
}
