//! Cline, its forks Roo and Kilo, and its command line.
//!
//! The extension keeps a directory for each task: what was shown (`ui_messages.json`), what was sent
//! (`api_conversation_history.json`), and notes beside them. The command line keeps what was sent, with a manifest.

mod history;
mod home;
mod screen;

use std::io;
use std::path::{Path, PathBuf};

use handoff_model::agent::{About, Event, What};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use self::history::Sent;
pub(crate) use self::home::{directory_of, find_session, locate, places};
use self::screen::Shown;
use crate::document::{self, Look, Stamp};
use crate::step::Step;
use crate::time::moment;
use crate::tool::checklist;

const SHOWN: &str = "ui_messages.json";
const SENT: &str = "api_conversation_history.json";
const MESSAGES: &str = ".messages.json";

/// How far a session was read.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Place {
    stamp: Stamp,
    shown: Shown,
    sent: Sent,
    /// How many steps gave something
    steps: u64,
}

/// The files of one session.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Session {
    /// A task of the extension; the list is what was shown or, without that, what was sent
    Task { directory: PathBuf, list: PathBuf },
    /// A session of the command line
    Session { manifest: PathBuf, messages: PathBuf },
}

impl Session {
    /// The session a path belongs to: one of its files, its directory, or a directory or database of several.
    pub(crate) fn of(path: &Path, session: Option<&str>) -> Option<Session> {
        let name = path.file_name()?.to_str()?;
        if path.is_dir() {
            return task(path)
                .or_else(|| by_id(path, name))
                .or_else(|| by_id(path, session?))
                .or_else(|| task(&path.join(plain(session?)?)));
        }
        if let Some(id) = name.strip_suffix(MESSAGES) {
            let manifest = path.with_file_name(format!("{id}.json"));
            return Some(Session::Session { manifest, messages: path.to_owned() });
        }
        match name {
            SHOWN | SENT | "task_metadata.json" => task(path.parent()?),
            "sessions.db" => by_id(&path.parent()?.join(plain(session?)?), session?),
            _ => by_id(path.parent()?, name.strip_suffix(".json")?),
        }
    }

    /// The file whose change shows that there is something new.
    pub(crate) fn list(&self) -> &Path {
        match self {
            Session::Task { list, .. } => list,
            Session::Session { messages, .. } => messages,
        }
    }

    /// The agent's id of it.
    pub(crate) fn id(&self) -> Option<String> {
        let name = |path: &Path| path.file_name()?.to_str().map(str::to_owned);
        match self {
            Session::Task { directory, .. } => name(directory),
            Session::Session { messages, .. } => name(messages)?.strip_suffix(MESSAGES).map(str::to_owned),
        }
    }

    /// Who and where the session is, from what lies beside the list.
    pub(crate) fn about(&self) -> (About, Option<handoff_model::when::Moment>) {
        let mut about = About { session: self.id(), ..About::default() };
        let text = |value: &Value, pointer: &str| value.pointer(pointer).and_then(Value::as_str).map(str::to_owned);
        match self {
            Session::Task { directory, .. } => {
                let notes = document::small(&directory.join("task_metadata.json")).unwrap_or_default();
                let last = |list: &str| notes.get(list).and_then(Value::as_array).and_then(|list| list.last()).cloned();
                about.model = last("model_usage").and_then(|usage| text(&usage, "/model_id"));
                about.version = last("environment_history").and_then(|was| text(&was, "/cline_version"));
                about.cwd = task_directory(directory);
                (about, None)
            }
            Session::Session { manifest, .. } => {
                let told = document::small(manifest).unwrap_or_default();
                about.session = text(&told, "/session_id").or(about.session);
                about.cwd = text(&told, "/cwd").or_else(|| text(&told, "/workspace_root"));
                about.model = text(&told, "/model");
                about.title = text(&told, "/metadata/title");
                (about, told.get("started_at").and_then(moment))
            }
        }
    }
}

/// Reads what is new; a list larger than the limit is left alone.
pub(crate) fn read_on(session: &Session, place: &Place, limit: u64) -> io::Result<Step<Place>> {
    let mut step = Step::nothing(place.clone());
    let (stamp, value) = match document::look(session.list(), place.stamp, limit)? {
        Look::Unchanged | Look::TooLarge => return Ok(step),
        Look::Changed(stamp, value) => (stamp, value),
    };
    let Some(value) = value else {
        step.unreadable = 1;
        return Ok(step);
    };
    step.mark.stamp = stamp;
    let mut events = Vec::new();
    let list = match value {
        Value::Array(list) => list,
        Value::Object(mut whole) => match whole.remove("messages") {
            Some(Value::Array(list)) => list,
            _ => Vec::new(),
        },
        _ => Vec::new(),
    };
    step.lines = list.len() as u64;
    match session {
        Session::Task { list: file, .. } if file.ends_with(SHOWN) => {
            step.unreadable = step.mark.shown.take(list, &mut events);
        }
        _ => step.mark.sent.take(&list, &mut events),
    }
    if events.is_empty() {
        return Ok(step);
    }
    if let Some(todos) = focus(session) {
        events.push(Event { at: None, line: None, what: What::Todos(todos) });
    }
    let (about, at) = session.about();
    step.digest.add(Event { at, line: None, what: What::About(about) });
    step.tell(events);
    step.from = place.steps;
    step.mark.steps += 1;
    Ok(step)
}

fn task(directory: &Path) -> Option<Session> {
    let list = [SHOWN, SENT].into_iter().map(|name| directory.join(name)).find(|list| list.is_file())?;
    Some(Session::Task { directory: directory.to_owned(), list })
}

fn by_id(directory: &Path, id: &str) -> Option<Session> {
    let id = plain(id)?;
    let messages = directory.join(format!("{id}{MESSAGES}"));
    messages.is_file().then(|| Session::Session { manifest: directory.join(format!("{id}.json")), messages })
}

/// An id that is a name and leads nowhere else.
fn plain(id: &str) -> Option<&str> {
    let is_plain = !id.is_empty() && id != ".." && id != "." && !id.contains(['/', '\\', '\0']);
    is_plain.then_some(id)
}

/// The list of things to do that a person may edit, beside a task.
fn focus(session: &Session) -> Option<Vec<handoff_model::agent::Todo>> {
    let Session::Task { directory, .. } = session else { return None };
    let file = directory.join(format!("focus_chain_taskid_{}.md", session.id()?));
    let todos = checklist(&document::text(&file, 64 << 10)?);
    (!todos.is_empty()).then_some(todos)
}

/// Where a task works: it is in the history of tasks, or in the surroundings that are sent with the first prompt.
fn task_directory(directory: &Path) -> Option<String> {
    let id = directory.file_name()?.to_str()?;
    let history = directory.ancestors().nth(2)?.join("state/taskHistory.json");
    let listed = document::text(&history, 8 << 20).and_then(|text| serde_json::from_str::<Vec<Value>>(&text).ok());
    let entry =
        listed.unwrap_or_default().into_iter().find(|entry| entry.get("id").and_then(Value::as_str) == Some(id));
    let named = ["cwdOnTaskInitialization", "workspace"];
    let known = entry.and_then(|entry| named.iter().find_map(|name| Some(entry.get(name)?.as_str()?.to_owned())));
    known.or_else(|| {
        let sent = document::text(&directory.join(SENT), 256 << 10)?;
        let (_, rest) = sent
            .split_once("Current Working Directory (")
            .or_else(|| sent.split_once("Current Workspace Directory ("))?;
        let (path, _) = rest.split_once(')')?;
        Some(path.replace("\\\\", "\\"))
    })
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "tests prepare files as an agent would")]
mod tests;
