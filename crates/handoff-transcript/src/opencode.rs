//! OpenCode: a database of sessions, messages and parts; in older versions the same as a tree of files.
//!
//! Parts change while the agent works, so a place in a session is the last message that will not change any more, and
//! what was told of the messages after it.

mod home;
mod message;
mod store;

use std::path::Path;

use handoff_model::agent::{About, Event, What};
use serde::{Deserialize, Serialize};

pub(crate) use self::home::{directory_of, find_session, locate, stores};
use self::message::{Message, Telling, Told};
use self::store::{End, Key, MessageRow, Session, Store};
use crate::sqlite::Refused;
use crate::step::Step;
use crate::time::millis;

/// How much is remembered of messages that may still change.
const REMEMBERED: usize = 256;

/// How far a session was read.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Place {
    session: Option<String>,
    /// The last message that will not change any more
    #[serde(skip_serializing_if = "Option::is_none")]
    settled: Option<Spot>,
    /// Parts after it, and messages whose end was told
    #[serde(skip_serializing_if = "Vec::is_empty")]
    taken: Vec<String>,
    /// Calls that were told and whose outcome was not
    #[serde(skip_serializing_if = "Vec::is_empty")]
    open: Vec<String>,
    /// What was passed over, to be read when there is time: after the one message, before the other
    #[serde(skip_serializing_if = "Vec::is_empty")]
    gaps: Vec<(Option<Spot>, Spot)>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Spot {
    created: i64,
    id: String,
}

impl Spot {
    fn key(&self) -> Key {
        Key { created: self.created, id: self.id.clone() }
    }

    fn of(key: &Key) -> Spot {
        Spot { created: key.created, id: key.id.clone() }
    }
}

/// Reads on from a place, at most `limit` bytes of messages; the newest first when there are more.
pub(crate) fn read_on(path: &Path, session: Option<&str>, place: &Place, limit: u64) -> Result<Step<Place>, Refused> {
    let store = Store::open(path)?;
    let mut step = Step::nothing(place.clone());
    let Some(session) = chosen(&store, session)? else { return Ok(step) };
    if place.session.as_ref() != Some(&session.id) {
        step.is_restarted = place.session.is_some();
        step.mark = Place { session: Some(session.id.clone()), ..Place::default() };
    }
    let settled = step.mark.settled.as_ref().map(Spot::key);
    let (ahead, has_more) = store.messages(&session.id, (settled.as_ref(), None), End::Newest, limit)?;
    if let Some(first) = ahead.first().filter(|_| has_more) {
        step.mark.gaps.push((step.mark.settled.take(), Spot::of(&first.key)));
    }
    let mut events = advance(&store, &session, &ahead, &mut step)?;
    if !events.is_empty() {
        step.from = ahead.first().map_or(0, |message| number(message.key.created));
        events.extend(standing(&store, &session)?);
    } else if !step.mark.gaps.is_empty() {
        events = fill(&store, &session, limit, &mut step)?;
    }
    if !events.is_empty() {
        step.digest.add(about(&session));
        step.tell(events);
    }
    step.is_behind = !step.mark.gaps.is_empty();
    Ok(step)
}

/// Reads a part of what was passed over first, from its front.
fn fill(store: &Store, session: &Session, limit: u64, step: &mut Step<Place>) -> Result<Vec<Event>, Refused> {
    let (after, until) = step.mark.gaps.remove(0);
    let between = (after.as_ref().map(Spot::key), until.key());
    let (missing, has_more) =
        store.messages(&session.id, (between.0.as_ref(), Some(&between.1)), End::Oldest, limit)?;
    if let Some(last) = missing.last().filter(|_| has_more) {
        step.mark.gaps.insert(0, (Some(Spot::of(&last.key)), until));
    }
    step.from = missing.first().map_or(0, |message| number(message.key.created));
    let mut events = Vec::new();
    for row in &missing {
        let message = parsed(store, session, row)?;
        let (_, told) = tell(store, session, (row, message.as_ref()), true, &mut Told::default(), step)?;
        events.extend(told);
    }
    Ok(events)
}

/// Tells the newest messages, and finds out how many of them are settled.
fn advance(
    store: &Store,
    session: &Session,
    ahead: &[MessageRow],
    step: &mut Step<Place>,
) -> Result<Vec<Event>, Refused> {
    let mut told = Told { taken: step.mark.taken.drain(..).collect(), open: step.mark.open.drain(..).collect() };
    let mut events = Vec::new();
    let mut order: Vec<String> = Vec::new();
    let messages = ahead.iter().map(|row| parsed(store, session, row)).collect::<Result<Vec<_>, _>>()?;
    let is_prompt = |message: &Option<Message>| message.as_ref().is_some_and(Message::is_prompt);
    let last_prompt = messages.iter().rposition(is_prompt);
    let mut is_prefix = true;
    for (index, (row, message)) in ahead.iter().zip(&messages).enumerate() {
        let is_settled = match message {
            Some(message) if message.is_prompt() => index + 1 < ahead.len(),
            Some(message) => message.is_over() || last_prompt.is_some_and(|prompt| prompt > index),
            None => true,
        };
        let (parts, news) = tell(store, session, (row, message.as_ref()), is_settled, &mut told, step)?;
        events.extend(news);
        is_prefix &= is_settled;
        if is_prefix {
            step.mark.settled = Some(Spot::of(&row.key));
        } else {
            order.extend(parts);
            order.push(row.key.id.clone());
        }
    }
    order.retain(|id| told.taken.contains(id));
    step.mark.taken = order.split_off(order.len().saturating_sub(REMEMBERED));
    let mut open: Vec<String> = told.open.into_iter().collect();
    open.sort();
    step.mark.open = open.split_off(open.len().saturating_sub(REMEMBERED));
    Ok(events)
}

/// Tells one message; answers with the ids of its parts and with what is new.
fn tell(
    store: &Store,
    session: &Session,
    (row, message): (&MessageRow, Option<&Message>),
    is_settled: bool,
    told: &mut Told,
    step: &mut Step<Place>,
) -> Result<(Vec<String>, Vec<Event>), Refused> {
    let Some(message) = message else {
        step.lines += 1;
        step.unreadable += 1;
        return Ok((Vec::new(), Vec::new()));
    };
    let parts = store.parts(&row.key.id)?;
    let telling = Telling {
        id: &row.key.id,
        row: row.row,
        message,
        asked_at: message.ends_the_turn().then(|| asked_at(store, session, message.parent()?)).flatten(),
        is_settled,
        counts_tokens: session.spent.is_none(),
    };
    let (events, unreadable) = telling.tell(&parts, told);
    step.lines += 1 + parts.len() as u64;
    step.unreadable += unreadable;
    Ok((parts.into_iter().map(|part| part.id).collect(), events))
}

/// A message, if it is one.
fn parsed(store: &Store, session: &Session, row: &MessageRow) -> Result<Option<Message>, Refused> {
    let data = store.message(&session.id, &row.key.id)?;
    Ok(data.and_then(|data| serde_json::from_str(&data).ok()))
}

fn asked_at(store: &Store, session: &Session, id: &str) -> Option<f64> {
    let data = store.message(&session.id, id).ok()??;
    serde_json::from_str::<Message>(&data).ok()?.created()
}

/// Who and where the session is.
fn about(session: &Session) -> Event {
    let title = session
        .title
        .clone()
        .filter(|title| !title.starts_with("New session - ") && !title.starts_with("Child session - "));
    let about = About {
        session: Some(session.id.clone()),
        is_subagent: session.parent.is_some(),
        parent: session.parent.clone(),
        cwd: session.directory.clone(),
        version: session.version.clone(),
        title,
        ..About::default()
    };
    #[expect(clippy::cast_precision_loss, reason = "milliseconds of this era are far below the limit")]
    let at = millis(Some(session.created as f64));
    Event { at, line: None, what: What::About(about) }
}

/// What the session says as a whole, as it stands now.
fn standing(store: &Store, session: &Session) -> Result<Vec<Event>, Refused> {
    let todos = store.todos(&session.id)?;
    let todos = (!todos.is_empty()).then_some(What::Todos(todos));
    let said = todos.into_iter().chain(session.spent.map(What::SpentInAll));
    Ok(said.map(|what| Event { at: None, line: None, what }).collect())
}

fn chosen(store: &Store, session: Option<&str>) -> Result<Option<Session>, Refused> {
    match session {
        Some(id) => store.session(id),
        None => Ok(store.sessions()?.into_iter().find(|session| session.parent.is_none())),
    }
}

fn number(value: i64) -> u64 {
    u64::try_from(value).unwrap_or(0)
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "tests prepare files as an agent would")]
mod tests;
