//! Making a session of what another system kept.

use handoff_bundle::CarriedSession;
use handoff_model::id::{SessionId, TaskId};
use handoff_model::origin::Origin;
use handoff_model::session::{Session, SessionKind, SessionStatus};
use handoff_model::when::Moment;
use handoff_model::{MAX_BODY_BYTES, MAX_FILE_BYTES, session};
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

use crate::time;
use crate::{System, Taken};

/// The digest of a record, made of its parts; no two lists of parts give the same bytes.
pub(crate) fn digest(system: System, parts: &[&[u8]]) -> [u8; 32] {
    let mut hash = Sha256::new();
    for part in [system.word().as_bytes()].iter().chain(parts) {
        hash.update((part.len() as u64).to_be_bytes());
        hash.update(part);
    }
    hash.finalize().into()
}

pub(crate) fn hexadecimal(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// The id a foreign session gets: its own where it is one, else one made from it, the same each time.
pub(crate) fn session_id(system: System, id: &str) -> SessionId {
    SessionId::try_from(id.to_owned()).unwrap_or_else(|_| {
        let [a, b, c, d, ..] = digest(system, &[b"session", id.as_bytes()]);
        SessionId::from_random([a, b, c, d])
    })
}

/// The id a foreign task gets, the same each time.
pub(crate) fn task_id(system: System, key: &str) -> TaskId {
    let digest = digest(system, &[b"task", key.as_bytes()]);
    TaskId::from_random(*digest.first_chunk().expect("a digest is longer than an id"))
}

/// A session under way from another system to here.
pub(crate) struct Draft {
    pub(crate) session: Session,
    fields: Map<String, Value>,
    system: System,
    /// What it is called there, as shown to people
    pub(crate) called: String,
}

impl Draft {
    pub(crate) fn new(system: System, id: &str, kind: SessionKind, now: Moment) -> Draft {
        let mut session = Session::new(session_id(system, id), kind, now);
        (session.started_at, session.status) = (None, SessionStatus::Closed);
        session.origin =
            Some(Origin { system: system.word().to_owned(), id: id.to_owned(), digest: None, fields: Map::new() });
        Draft { session, fields: Map::new(), system, called: format!("`{id}`") }
    }

    /// Makes the id of all that the record says, where that system writes its files anew: what it wrote before and what
    /// it writes now are two records.
    pub(crate) fn is_of_its_content(&mut self, parts: &[&[u8]]) {
        let [a, b, c, d, ..] = digest(self.system, parts);
        self.session.id = SessionId::from_random([a, b, c, d]);
    }

    /// Keeps a value that has no place of its own here.
    pub(crate) fn keep(&mut self, key: &str, value: Value) {
        if !value.is_null() {
            self.fields.insert(key.to_owned(), value);
        }
    }

    /// Sets when it was made, as that is written there.
    pub(crate) fn made_at(&mut self, key: &str, written: &str, now: Moment, taken: &mut Taken) {
        let called = &self.called;
        match time::read(written) {
            Some(at) if time::is_implausible(at, now) => {
                taken.changed.push(format!("{called} says it was made at {at}, in the future; it is dated today"));
                self.keep(key, written.into());
                (self.session.started_at, self.session.ended_at) = (Some(now), Some(now));
            }
            Some(at) => (self.session.started_at, self.session.ended_at) = (Some(at), Some(at)),
            None => {
                taken.changed.push(format!("`{key}` of {called} is no time and is kept as it is written: {written:?}"));
                self.keep(key, written.into());
            }
        }
    }

    /// Adds it to what is taken. `parts` is all that the record says there.
    pub(crate) fn finish(mut self, parts: &[&[u8]], body: Option<Vec<u8>>, now: Moment, taken: &mut Taken) {
        let body = body.map(|bytes| self.session.take_body(bytes));
        if let Some(origin) = &mut self.session.origin {
            origin.digest = Some(hexadecimal(&digest(self.system, parts)));
            origin.fields = self.fields;
        }
        if self.session.body_base64.is_some() {
            taken.changed.push(format!("the body of {} is no UTF-8: its bytes are kept in `body_base64`", self.called));
        }
        let text = self.session.print();
        if let Err(error) = session::Session::read(&text) {
            taken.left_out.push(format!("{}: it cannot be written down: {}", self.called, error.reason));
            return;
        }
        let (size, body_size) = (text.len(), body.as_ref().map_or(0, String::len));
        if size > MAX_FILE_BYTES || body_size > MAX_BODY_BYTES {
            let why = format!(
                "it is {} bytes long; a record has at most {MAX_FILE_BYTES}, and its text {MAX_BODY_BYTES}",
                size.max(body_size)
            );
            taken.left_out.push(format!("{}: {why}", self.called));
            return;
        }
        taken.expired += usize::from(self.session.expires_at.is_some_and(|at| at <= now));
        taken.content.sessions.push(CarriedSession { name: self.session.full_name(), text, body });
    }
}

/// The keys of an object that are not among those that are known, as they stand there.
pub(crate) fn unknown(object: &Map<String, Value>, known: &[&str]) -> Vec<(String, Value)> {
    let is_unknown = |(key, _): &(&String, &Value)| !known.contains(&key.as_str());
    object.iter().filter(is_unknown).map(|(key, value)| (key.clone(), value.clone())).collect()
}

/// A text in an object; what is there and no text is none.
pub(crate) fn text<'a>(object: &'a Map<String, Value>, key: &str) -> Option<&'a str> {
    object.get(key).and_then(Value::as_str)
}

/// The texts of a list in an object.
pub(crate) fn texts(object: &Map<String, Value>, key: &str) -> Vec<String> {
    let items = object.get(key).and_then(Value::as_array).into_iter().flatten();
    items.filter_map(Value::as_str).map(str::to_owned).collect()
}

/// The first line of a text that says something.
pub(crate) fn first_line(text: &str) -> String {
    let mut lines = text.lines().map(|line| line.trim().trim_start_matches('#').trim());
    lines.find(|line| !line.is_empty()).unwrap_or_default().chars().take(200).collect()
}
