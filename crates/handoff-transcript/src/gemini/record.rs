//! One record of Gemini CLI as events.
//!
//! Records are appended, then appended again with more in them, and a later one may replace the whole conversation by a
//! poorer copy. **Invariant:** everything is taken where it is first told, and nothing twice.

use handoff_model::agent::{About, Event, FileChange, What};
use handoff_model::when::Moment;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::words::{result_text, shell_result, spent, text_of, without_context};
use crate::tool::{Call, End};

/// How many ids are remembered to know a repetition by; repetitions follow closely.
const REMEMBERED: usize = 8;

/// How many calls of one answer are told apart.
const CALLS: usize = 64;

/// A line that only says that something changed is no longer than this.
const SHORT: usize = 80;

/// What must be known of earlier records.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Carried {
    /// Who and where the session is, until it was told
    #[serde(skip_serializing_if = "Option::is_none")]
    about: Option<About>,
    /// Whether the beginning was read, so that a first conversation put in at once is no copy
    from_start: bool,
    has_messages: bool,
    /// Answers whose tokens were counted
    #[serde(skip_serializing_if = "Vec::is_empty")]
    counted: Vec<String>,
    /// Calls that were told to their end
    #[serde(skip_serializing_if = "Vec::is_empty")]
    told: Vec<String>,
    /// Commands that were told and whose outcome was not
    #[serde(skip_serializing_if = "Vec::is_empty")]
    open: Vec<String>,
    /// The message with the summary of the last compression
    #[serde(skip_serializing_if = "Option::is_none")]
    summary: Option<String>,
    /// The latest prompts, to know what is taken back by
    #[serde(skip_serializing_if = "Vec::is_empty")]
    prompts: Vec<String>,
    /// From when on the seconds of the turn are not told yet
    #[serde(skip_serializing_if = "Option::is_none")]
    since: Option<Moment>,
    turn: Turn,
    #[serde(skip_serializing_if = "Option::is_none")]
    last_at: Option<Moment>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Turn {
    /// Nothing was read yet that tells
    #[default]
    Unknown,
    UnderWay,
    /// The last answer calls no tool; it may still be written again with calls
    Answered,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct Record {
    id: Option<String>,
    timestamp: Option<String>,
    #[serde(rename = "type")]
    kind: Option<String>,
    content: Value,
    display_content: Value,
    tool_calls: Option<Vec<ToolCall>>,
    tokens: Value,
    model: Option<String>,
    session_id: Option<String>,
    start_time: Option<String>,
    #[serde(rename = "kind")]
    session_kind: Option<String>,
    directories: Option<Vec<String>>,
    summary: Option<String>,
    /// All of the conversation, in a file that is one document
    pub(crate) messages: Option<Vec<Record>>,
    #[serde(rename = "$set")]
    set: Option<Box<Record>>,
    #[serde(rename = "$rewindTo")]
    rewind_to: Option<Value>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct ToolCall {
    id: String,
    name: String,
    args: Value,
    result: Value,
    status: String,
    timestamp: Option<String>,
}

impl Carried {
    /// What is known before anything was read. `first` is the first line, when reading begins after it.
    pub(crate) fn beginning(mut about: About, first: Option<&[u8]>) -> Carried {
        if let Some(record) = first.and_then(|line| serde_json::from_slice::<Record>(line).ok()) {
            about.session = record.session_id;
            about.is_subagent |= record.session_kind.as_deref() == Some("subagent");
        }
        Carried { about: Some(about), from_start: first.is_none(), ..Carried::default() }
    }

    /// Takes in the next line; `false` when it could not be understood.
    pub(crate) fn line(&mut self, line: &[u8], events: &mut Vec<Event>) -> bool {
        if line.len() < SHORT && line.starts_with(b"{\"$set\":{\"lastUpdated\":") {
            return true;
        }
        let is_copy = line.starts_with(b"{\"$set\":{\"messages\":") && !self.is_first_told();
        if is_copy && memchr::memmem::find(line, b"<state_snapshot>").is_none() {
            return true;
        }
        let Ok(record) = serde_json::from_slice::<Record>(line) else { return false };
        self.record(record, events);
        true
    }

    /// Takes in one record, which may hold others.
    pub(crate) fn record(&mut self, mut record: Record, events: &mut Vec<Event>) {
        events.extend(self.about.take().map(|about| event(What::About(about))));
        if let Some(id) = record.rewind_to {
            return self.rewind(&id, events);
        }
        if let Some(set) = record.set.take() {
            return self.replaced(*set, events);
        }
        if record.session_id.is_some() && record.kind.is_none() {
            return Carried::session(&record, events);
        }
        let at = record.timestamp.as_deref().and_then(|text| text.parse().ok());
        self.last_at = at.or(self.last_at);
        let before = events.len();
        match record.kind.as_deref() {
            Some("user") => self.user(&record, at, events),
            Some("gemini") => self.answer(record, at, events),
            Some("error") => events.push(event(What::Failed(text_of(&record.content)))),
            _ => {}
        }
        events[before..].iter_mut().for_each(|event| event.at = event.at.or(at));
    }

    fn is_first_told(&self) -> bool {
        self.from_start && !self.has_messages
    }

    pub(crate) fn session(record: &Record, events: &mut Vec<Event>) {
        let about = About {
            session: record.session_id.clone(),
            is_subagent: record.session_kind.as_deref() == Some("subagent"),
            cwd: record.directories.as_ref().and_then(|list| list.first()).cloned(),
            title: record.summary.clone().filter(|summary| !summary.trim().is_empty()),
            ..About::default()
        };
        let at = record.start_time.as_deref().and_then(|text| text.parse().ok());
        events.push(Event { at, line: None, what: What::About(about) });
    }

    /// A change of what was said before; the conversation in it is a copy, unless nothing came before it.
    fn replaced(&mut self, set: Record, events: &mut Vec<Event>) {
        if set.summary.is_some() || set.directories.is_some() {
            Carried::session(&set, events);
        }
        let messages = set.messages.unwrap_or_default();
        let summary = messages.iter().find(|message| text_of(&message.content).starts_with("<state_snapshot>"));
        if let Some(id) = summary.and_then(|message| message.id.clone())
            && self.summary.as_ref() != Some(&id)
        {
            self.summary = Some(id);
            events.push(Event { at: self.last_at, line: None, what: What::Compacted });
        }
        if self.is_first_told() {
            for message in messages {
                self.record(message, events);
            }
        }
    }

    fn user(&mut self, record: &Record, at: Option<Moment>, events: &mut Vec<Event>) {
        let shown = text_of(&record.display_content);
        let said = if shown.is_empty() { text_of(&record.content) } else { shown };
        let prompt = without_context(&said);
        if prompt.is_empty() || prompt.starts_with("<session_context>") || prompt.starts_with("<state_snapshot>") {
            return;
        }
        self.has_messages = true;
        self.turn = Turn::UnderWay;
        self.since = at;
        remember(&mut self.prompts, record.id.clone().unwrap_or_default(), REMEMBERED);
        events.push(event(What::Prompt(prompt)));
    }

    fn answer(&mut self, record: Record, at: Option<Moment>, events: &mut Vec<Event>) {
        self.has_messages = true;
        let text = text_of(&record.content);
        let is_repeated = record.id.as_ref().is_some_and(|id| self.counted.contains(id));
        if !is_repeated {
            if let Some(model) = record.model {
                events.push(event(What::About(About { model: Some(model), ..About::default() })));
            }
            if !text.is_empty() {
                events.push(event(What::Answer(text.clone())));
            }
            events.extend(spent(&record.tokens).into_iter().map(event));
            if let Some(id) = record.id {
                remember(&mut self.counted, id, REMEMBERED);
            }
            forget(&mut self.told, REMEMBERED);
        }
        let calls = record.tool_calls.unwrap_or_default();
        let calls_tools = !calls.is_empty();
        for call in calls {
            self.call(&call, at, events);
        }
        if calls_tools && self.turn == Turn::Answered {
            // What looked like the answer goes on with calls.
            events.push(event(What::TurnStopped { seconds: None }));
            self.turn = Turn::UnderWay;
        } else if !calls_tools && !text.is_empty() && self.turn != Turn::Answered {
            events.push(event(What::TurnEnded { seconds: self.seconds() }));
            self.turn = Turn::Answered;
        }
    }

    fn call(&mut self, call: &ToolCall, at: Option<Moment>, events: &mut Vec<Event>) {
        if self.told.contains(&call.id) {
            return;
        }
        let at = call.timestamp.as_deref().and_then(|text| text.parse().ok()).or(at);
        self.last_at = at.or(self.last_at);
        let mut add = |what| events.push(Event { at, line: None, what });
        let mut meaning = Call::of(&call.name, &call.args);
        let is_command = matches!(meaning, Call::Run(_));
        let is_failure = match call.status.as_str() {
            "success" => Some(false),
            "error" => Some(true),
            // A command that was stopped did run; anything else that was refused did nothing.
            "cancelled" if is_command => Some(true),
            _ => None,
        };
        let result = result_text(&call.result);
        if result.starts_with("Successfully overwrote") {
            meaning.as_change(&FileChange::Updated);
        } else if result.starts_with("Created new file") {
            meaning.as_change(&FileChange::Added);
        }
        if (is_command || is_failure.is_some()) && !self.open.contains(&call.id) {
            meaning.begun(&call.id, &call.name).into_iter().for_each(&mut add);
        }
        let Some(is_failure) = is_failure else {
            if is_command && !self.open.contains(&call.id) {
                remember(&mut self.open, call.id.clone(), CALLS);
            }
            return;
        };
        self.open.retain(|id| *id != call.id);
        remember(&mut self.told, call.id.clone(), CALLS);
        let (exit, output) = if is_command { shell_result(&result, is_failure) } else { (None, result.as_str()) };
        add(End { exit, is_failure, output }.outcome(call.id.clone()));
    }

    /// That message and everything after it were taken back.
    fn rewind(&mut self, id: &Value, events: &mut Vec<Event>) {
        let Some(at) = self.prompts.iter().position(|prompt| id.as_str() == Some(prompt)) else { return };
        let prompts = u32::try_from(self.prompts.len() - at).unwrap_or(u32::MAX);
        self.prompts.truncate(at);
        self.turn = Turn::Answered;
        events.push(event(What::Withdrawn { prompts }));
    }

    /// How long the turn took, without what was told of it.
    fn seconds(&mut self) -> Option<u64> {
        let (from, to) = (self.since?, self.last_at?);
        self.since = Some(to);
        u64::try_from(to.timestamp().duration_since(from.timestamp()).as_secs()).ok()
    }
}

fn event(what: What) -> Event {
    Event { at: None, line: None, what }
}

fn remember(ids: &mut Vec<String>, id: String, bound: usize) {
    ids.push(id);
    forget(ids, bound);
}

fn forget(ids: &mut Vec<String>, bound: usize) {
    let excess = ids.len().saturating_sub(bound);
    ids.drain(..excess);
}
