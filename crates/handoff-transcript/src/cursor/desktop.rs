//! Cursor's editor: one database for everything, asked by key and never searched.
//!
//! A session is a list of bubbles, which change while the agent works. As with OpenCode, a place is the last bubble that
//! will not change any more, and what was told of those after it.

mod bubble;

use std::path::Path;
use std::time::{Duration, UNIX_EPOCH};

use handoff_model::agent::{About, Event, Fill, Host, Todo, What};
use rusqlite::{Connection, OptionalExtension};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use self::bubble::Reading;
use crate::locate::Located;
use crate::places;
use crate::sqlite::{self, LARGEST_VALUE, Refused, column};
use crate::step::Step;
use crate::time::moment;
use crate::tool::todo_status;

/// How many sessions are looked at when one is looked for.
const NEWEST: u32 = 200;

/// How far a session was read.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Place {
    session: Option<String>,
    /// How many bubbles were read to their end
    settled: usize,
    /// What was told of later ones
    #[serde(skip_serializing_if = "Vec::is_empty")]
    told: Vec<String>,
    is_under_way: bool,
    /// Bubbles that were passed over, to be read when there is time
    #[serde(skip_serializing_if = "Vec::is_empty")]
    gaps: Vec<(usize, usize)>,
}

/// Reads on from a place, at most `limit` bytes of bubbles; the newest first when there are more.
pub(crate) fn read_on(path: &Path, session: Option<&str>, place: &Place, limit: u64) -> Result<Step<Place>, Refused> {
    let database = sqlite::open(path)?;
    let mut step = Step::nothing(place.clone());
    let Some(session) = session.map(str::to_owned).or(newest(&database)?) else { return Ok(step) };
    let Some(state) = value(&database, &format!("composerData:{session}"))? else { return Ok(step) };
    let ids = bubbles(&state);
    if place.session.as_ref() != Some(&session) {
        step.is_restarted = place.session.is_some();
        step.mark = Place { session: Some(session.clone()), ..Place::default() };
    }
    step.mark.settled = step.mark.settled.min(ids.len());
    let start = affordable(&database, &session, &ids[step.mark.settled..], limit)?;
    if start > 0 {
        step.mark.gaps.push((step.mark.settled, step.mark.settled + start));
        step.mark.settled += start;
    }
    let first = step.mark.settled;
    let mut events = advance(&database, &session, &state, &ids, &mut step)?;
    step.from = first as u64;
    if !events.is_empty() {
        events.extend(standing(&state));
    } else if !step.mark.gaps.is_empty() {
        events = fill(&database, &session, &ids, limit, &mut step)?;
    }
    if !events.is_empty() {
        step.digest.add(about(&database, &session, &state)?);
        step.tell(events);
    }
    step.is_behind = !step.mark.gaps.is_empty();
    Ok(step)
}

/// The sessions of a directory, by the table that lists them.
pub(crate) fn locate(path: &Path, cwd: &Path) -> Vec<Located> {
    let found = sqlite::open(path).and_then(|database| headers(&database));
    let wanted = found.unwrap_or_default().into_iter().filter(|header| {
        let directory = header.directory.as_deref();
        !header.is_subagent && directory.is_some_and(|directory| places::belongs(Path::new(directory), cwd))
    });
    wanted
        .map(|header| Located {
            host: Host::Cursor,
            path: path.to_owned(),
            modified: UNIX_EPOCH + Duration::from_millis(header.updated.unsigned_abs()),
            session: Some(header.id),
        })
        .collect()
}

/// The directory that a session works in, by the table that lists sessions.
pub(crate) fn directory_of(path: &Path, session: &str) -> Option<String> {
    let headers = sqlite::open(path).and_then(|database| headers(&database)).ok()?;
    headers.into_iter().find(|header| header.id == session)?.directory
}

/// Whether the database has this session.
pub(crate) fn has(path: &Path, session: &str) -> bool {
    let found = sqlite::open(path).and_then(|database| value(&database, &format!("composerData:{session}")));
    found.is_ok_and(|state| state.is_some())
}

struct Header {
    id: String,
    updated: i64,
    is_subagent: bool,
    directory: Option<String>,
    name: Option<String>,
}

fn headers(database: &Connection) -> Result<Vec<Header>, Refused> {
    if !sqlite::has_table(database, "composerHeaders") {
        return Ok(Vec::new());
    }
    let mut found = database.prepare("SELECT * FROM composerHeaders ORDER BY lastUpdatedAt DESC LIMIT ?1")?;
    let rows = found.query_map([NEWEST], |row| Ok(header(row)))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

fn header(row: &rusqlite::Row<'_>) -> Header {
    let head: Value =
        column::<String>(row, "value").and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default();
    let text = |pointer: &str| head.pointer(pointer).and_then(Value::as_str).map(str::to_owned);
    Header {
        id: column(row, "composerId").unwrap_or_default(),
        updated: column(row, "lastUpdatedAt").unwrap_or_default(),
        is_subagent: column::<i64>(row, "isSubagent").unwrap_or_default() != 0,
        directory: text("/workspaceIdentifier/uri/fsPath")
            .or_else(|| text("/agentLocation/environment/uri/fsPath"))
            .or_else(|| text("/trackedGitRepos/0/repoPath")),
        name: text("/name").or_else(|| text("/subtitle")),
    }
}

fn newest(database: &Connection) -> Result<Option<String>, Refused> {
    Ok(headers(database)?.into_iter().find(|header| !header.is_subagent).map(|header| header.id))
}

fn value(database: &Connection, key: &str) -> Result<Option<Value>, Refused> {
    let mut found = database
        .prepare("SELECT CAST(value AS TEXT) FROM cursorDiskKV WHERE key = ?1 AND octet_length(value) <= ?2")?;
    let text =
        found.query_row(rusqlite::params![key, LARGEST_VALUE], |row| row.get::<_, Option<String>>(0)).optional()?;
    Ok(text.flatten().and_then(|text| serde_json::from_str(&text).ok()))
}

/// The ids of the bubbles, in the order the session lists them.
fn bubbles(state: &Value) -> Vec<String> {
    let list = state.get("fullConversationHeadersOnly").and_then(Value::as_array).into_iter().flatten();
    list.filter_map(|head| Some(head.get("bubbleId")?.as_str()?.to_owned())).collect()
}

/// Where the newest bubbles begin that fit in the limit.
fn affordable(database: &Connection, session: &str, ids: &[String], limit: u64) -> Result<usize, Refused> {
    let mut found = database.prepare("SELECT octet_length(value) FROM cursorDiskKV WHERE key = ?1")?;
    let mut used = 0_u64;
    for (index, id) in ids.iter().enumerate().rev() {
        let bytes: Option<Option<i64>> =
            found.query_row([format!("bubbleId:{session}:{id}")], |row| row.get(0)).optional()?;
        used = used.saturating_add(bytes.flatten().unwrap_or(0).unsigned_abs());
        if used > limit && index + 1 < ids.len() {
            return Ok(index + 1);
        }
    }
    Ok(0)
}

fn advance(
    database: &Connection,
    session: &str,
    state: &Value,
    ids: &[String],
    step: &mut Step<Place>,
) -> Result<Vec<Event>, Refused> {
    let mut events = Vec::new();
    let is_at_work = matches!(state.get("status").and_then(Value::as_str), Some("generating" | "streaming"));
    let mut told: Vec<String> = std::mem::take(&mut step.mark.told);
    let mut is_prefix = true;
    let first = step.mark.settled;
    for (index, id) in ids.iter().enumerate().skip(first) {
        let is_last = index + 1 == ids.len();
        let bubble = value(database, &format!("bubbleId:{session}:{id}"))?;
        step.lines += 1;
        let is_settled = !is_last || !is_at_work;
        let mut reading = Reading { index, told: &mut told, is_settled, is_under_way: &mut step.mark.is_under_way };
        let is_over = match bubble {
            Some(bubble) => reading.tell(&bubble, &mut events),
            None => {
                step.unreadable += u64::from(!is_last);
                is_settled
            }
        };
        is_prefix &= is_over && is_settled;
        if is_prefix {
            step.mark.settled = index + 1;
            told.retain(|key| !key.starts_with(&format!("{index}.")));
        }
    }
    told.truncate(256);
    step.mark.told = told;
    if !is_at_work && step.mark.is_under_way && step.mark.settled == ids.len() && !events.is_empty() {
        let is_aborted = matches!(state.get("status").and_then(Value::as_str), Some("aborted" | "error"));
        let seconds = None;
        let what = if is_aborted { What::TurnStopped { seconds } } else { What::TurnEnded { seconds } };
        events.push(Event { at: None, line: None, what });
        step.mark.is_under_way = is_aborted;
    }
    Ok(events)
}

/// Reads a part of what was passed over first, from its front.
fn fill(
    database: &Connection,
    session: &str,
    ids: &[String],
    limit: u64,
    step: &mut Step<Place>,
) -> Result<Vec<Event>, Refused> {
    let (from, until) = step.mark.gaps.remove(0);
    let until = until.min(ids.len());
    let mut events = Vec::new();
    let mut used = 0_u64;
    let mut index = from;
    while index < until && used <= limit {
        if let Some(bubble) = value(database, &format!("bubbleId:{session}:{}", ids[index]))? {
            used = used.saturating_add(bubble.to_string().len() as u64);
            let mut reading = Reading { index, told: &mut Vec::new(), is_settled: true, is_under_way: &mut false };
            reading.tell(&bubble, &mut events);
        }
        step.lines += 1;
        index += 1;
    }
    if index < until {
        step.mark.gaps.insert(0, (index, until));
    }
    step.from = from as u64;
    Ok(events)
}

/// What the session says as a whole, as it stands now.
fn standing(state: &Value) -> Vec<Event> {
    let mut said = Vec::new();
    let todos: Vec<Todo> =
        state.get("todos").and_then(Value::as_array).into_iter().flatten().filter_map(todo).collect();
    if !todos.is_empty() {
        said.push(What::Todos(todos));
    }
    let count = |name: &str| state.get(name).and_then(Value::as_f64).filter(|count| *count >= 1.0);
    if let Some(used) = count("contextTokensUsed") {
        said.push(What::Context(Fill { used: whole(used), window: count("contextTokenLimit").map(whole) }));
    }
    said.into_iter().map(|what| Event { at: None, line: None, what }).collect()
}

/// A thing to do, which may be JSON inside of a text.
fn todo(entry: &Value) -> Option<Todo> {
    let inner = entry.as_str().and_then(|text| serde_json::from_str::<Value>(text).ok());
    let entry = inner.as_ref().unwrap_or(entry);
    let text = entry.get("content").or_else(|| entry.get("text"))?.as_str()?.to_owned();
    let status = todo_status(entry.get("status").and_then(Value::as_str).unwrap_or_default());
    Some(Todo { id: entry.get("id").and_then(Value::as_str).map(str::to_owned), text, status, line: None })
}

fn about(database: &Connection, session: &str, state: &Value) -> Result<Event, Refused> {
    let mut known = None;
    if sqlite::has_table(database, "composerHeaders") {
        let mut found = database.prepare("SELECT * FROM composerHeaders WHERE composerId = ?1")?;
        known = found.query_row([session], |row| Ok(header(row))).optional()?;
    }
    let text = |pointer: &str| state.pointer(pointer).and_then(Value::as_str).map(str::to_owned);
    let about = About {
        session: Some(session.to_owned()),
        is_subagent: known.as_ref().is_some_and(|header| header.is_subagent),
        title: known.as_ref().and_then(|header| header.name.clone()).or_else(|| text("/name")),
        cwd: known.and_then(|header| header.directory).or_else(|| text("/workspaceIdentifier/uri/fsPath")),
        branch: text("/createdOnBranch"),
        model: text("/modelConfig/modelName").filter(|model| model != "default"),
        ..About::default()
    };
    Ok(Event { at: state.get("createdAt").and_then(moment), line: None, what: What::About(about) })
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a float is cut to what fits, and is not below zero"
)]
fn whole(value: f64) -> u64 {
    value as u64
}
