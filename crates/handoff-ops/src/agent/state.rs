//! What is remembered of one agent's conversation between two calls of its hooks.
//!
//! **Invariant:** it is changed under the lock of the conversation alone, since hooks run side by side; so nothing is
//! said twice. Losing it loses nothing that was recorded.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use handoff_model::agent::{Fill, Given, Host};
use handoff_model::id::SessionId;
use handoff_model::rev::Rev;
use handoff_model::when::Moment;
use handoff_store::{AgentLock, AgentName, Process, Store};
use handoff_transcript::Mark;
use serde::{Deserialize, Serialize};

use super::record::{Record, Records};
use crate::{OpError, Project};

/// Items that are remembered as shown; a conversation that was shown more has forgotten the first ones.
const MOST_SHOWN: usize = 400;

/// The state of a conversation.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct State {
    pub(crate) host: Option<Host>,
    /// The agent's own id of the conversation
    pub(crate) session: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) transcript: Option<PathBuf>,
    /// The directory it was begun in
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) cwd: Option<PathBuf>,
    /// The agent, where that can be told
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) process: Option<Process>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) model: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) seen_at: Option<Moment>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) ended_at: Option<Moment>,
    /// What the conversation is still to be told
    pub(crate) owed: Owed,
    /// When it was last told what it was owed
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) told_at: Option<Moment>,
    /// The handoff it was given
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) given: Option<Given>,
    /// What it was shown, by what each item is known by and what it said
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) shown: BTreeMap<String, Shown>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) fill: Option<Fill>,
    /// The most tokens its context ever held
    #[serde(skip_serializing_if = "is_zero")]
    pub(crate) most_used: u64,
    /// Whether a handoff was suggested since the context was last empty
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) has_suggested: bool,
    /// The handoff that was made of it before all of its transcript was read
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) lacking: Option<SessionId>,
    /// How many times what it left could not be read
    #[serde(skip_serializing_if = "is_none")]
    pub(crate) tries: u8,
    /// What became of it, once it was finished
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) finished: Option<Finished>,
}

/// What a conversation is still to be told.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Owed {
    /// The whole context, within its budget
    #[default]
    Context,
    /// What changed since it was told
    Changes,
    Nothing,
}

/// An item that was shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Shown {
    pub(crate) rev: Rev,
    /// Counts up with every item, so that the oldest can be forgotten
    pub(crate) nth: u64,
    /// Whether it came with the start, which some hosts keep apart from the conversation
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) at_start: bool,
}

/// What became of a conversation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Finished {
    pub(crate) at: Moment,
    /// The handoff it left, if there was anything to leave
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) handoff: Option<SessionId>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_zero(count: &u64) -> bool {
    *count == 0
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_none(count: &u8) -> bool {
    *count == 0
}

impl State {
    /// The state of a conversation, for those who only look; that of one nobody knows is empty.
    pub(crate) fn read(store: &Store, name: &AgentName) -> State {
        State::read_to_change(store, name).unwrap_or_default()
    }

    /// The same for those who will write it. A state that is there and cannot be read now is not made anew: what it
    /// says would be lost.
    fn read_to_change(store: &Store, name: &AgentName) -> Result<State, OpError> {
        let state: Option<State> = store.agent_state(name)?.and_then(|text| serde_json::from_str(&text).ok());
        Ok(state.filter(|state| !state.session.is_empty()).unwrap_or_else(|| State::recovered(store, name)))
    }

    /// What records and their name tell, where the state was lost.
    fn recovered(store: &Store, name: &AgentName) -> State {
        let Ok(records) = Records::read(store, name) else { return State::default() };
        let name = name.to_string();
        let host = Host::ALL.into_iter().find_map(|host| {
            let session = name.strip_prefix(host.word())?.strip_prefix('-')?;
            let session = records.session().or_else(|| session.starts_with('_').then_some("").or(Some(session)));
            Some((host, session.unwrap_or_default().to_owned()))
        });
        let Some((host, session)) = host.filter(|(_, session)| records.len() > 0 && !session.is_empty()) else {
            return State::default();
        };
        State { host: Some(host), session, seen_at: records.last_at(), ..State::default() }
    }

    /// Notes that an item is shown; `false` when it was shown already and says the same.
    pub(crate) fn show(&mut self, key: &str, rev: Rev) -> bool {
        if !self.is_new(key, rev) {
            return false;
        }
        let nth = self.shown.values().map(|shown| shown.nth).max().unwrap_or(0) + 1;
        self.shown.insert(key.to_owned(), Shown { rev, nth, at_start: false });
        if self.shown.len() > MOST_SHOWN {
            let oldest = self.shown.iter().min_by_key(|(_, shown)| shown.nth).map(|(key, _)| key.clone());
            oldest.and_then(|oldest| self.shown.remove(&oldest));
        }
        true
    }

    /// Notes what a start shows, in the place of what one before it did.
    pub(crate) fn show_at_start<'a>(&mut self, items: impl IntoIterator<Item = (&'a str, Rev)>) {
        self.shown.retain(|_, shown| !shown.at_start);
        for (key, rev) in items {
            if self.show(key, rev)
                && let Some(shown) = self.shown.get_mut(key)
            {
                shown.at_start = true;
            }
        }
    }

    /// Whether an item was not shown yet, or says something else now.
    pub(crate) fn is_new(&self, key: &str, rev: Rev) -> bool {
        self.shown.get(key).is_none_or(|shown| shown.rev != rev)
    }

    /// Takes in how full the context is.
    pub(crate) fn fill_up(&mut self, fill: Option<Fill>) {
        if let Some(fill) = fill {
            self.most_used = self.most_used.max(fill.used);
            // A window that was told once holds until another is told.
            let window = fill.window.or(self.fill.and_then(|before| before.window));
            self.fill = Some(Fill { window, ..fill });
        }
    }

    /// What was told is gone from the conversation.
    pub(crate) fn forget_shown(&mut self) {
        self.shown.clear();
        self.has_suggested = false;
        self.fill = None;
        self.owed = Owed::Context;
    }
}

/// A conversation, with the right to write about it.
pub(crate) struct Conversation {
    lock: AgentLock,
    pub(crate) state: State,
    before: State,
}

impl Conversation {
    /// Waits at most `wait` for it; `None` while another call writes about it.
    pub(crate) fn hold(store: &Store, name: &AgentName, wait: Duration) -> Result<Option<Conversation>, OpError> {
        let Some(lock) = store.lock_agent(name, wait)? else { return Ok(None) };
        let state = State::read_to_change(store, name)?;
        Ok(Some(Conversation { lock, before: state.clone(), state }))
    }

    pub(crate) fn name(&self) -> &AgentName {
        self.lock.name()
    }

    /// Notes the state, if it changed.
    pub(crate) fn save(&mut self, store: &Store) -> Result<(), OpError> {
        if self.state == self.before {
            return Ok(());
        }
        let text = serde_json::to_string(&self.state).map_err(not_plain)?;
        store.put_agent_state(&self.lock, &text)?;
        self.before = self.state.clone();
        Ok(())
    }

    /// How far its transcript was read.
    pub(crate) fn mark(&self, store: &Store) -> Result<Mark, OpError> {
        Records::mark_in(store, self.name())
    }

    pub(crate) fn records(&self, store: &Store) -> Result<Records, OpError> {
        Records::read(store, self.name())
    }

    /// Adds a record, and makes one of them all when they have grown too many.
    pub(crate) fn append(&self, project: &Project, record: &Record) -> Result<(), OpError> {
        let store = project.store();
        let bytes = store.append_agent_record(&self.lock, &record.line()?)?;
        if bytes > Records::LARGE {
            let lines = self.records(store)?.joined(project.instant())?;
            store.replace_agent_records(&self.lock, &lines)?;
        }
        Ok(())
    }

    /// Forgets all that is known of it.
    pub(crate) fn forget(self, store: &Store) -> Result<(), OpError> {
        Ok(store.forget_agent(&self.lock)?)
    }
}

pub(super) fn not_plain(error: serde_json::Error) -> OpError {
    OpError::failure("a note cannot be written as JSON").caused_by(error)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_item_is_new_once_and_again_when_it_changed() {
        let mut state = State::default();
        let (one, other) = (Rev::of(b"one"), Rev::of(b"other"));
        assert!(state.show("d1", one) && !state.show("d1", one));
        assert!(state.show("d1", other) && state.is_new("d2", one));
    }

    #[test]
    fn another_start_takes_the_place_of_the_one_before_and_of_nothing_else() {
        let mut state = State::default();
        let rev = Rev::of(b"x");
        state.show_at_start([("first", rev), ("both", rev)]);
        state.show("with a prompt", rev);
        state.show_at_start([("both", rev), ("with a prompt", rev)]);
        assert!(state.is_new("first", rev) && !state.is_new("both", rev));
        state.show_at_start([]);
        assert!(state.is_new("both", rev) && !state.is_new("with a prompt", rev));
    }

    #[test]
    fn the_oldest_items_are_forgotten_first() {
        let mut state = State::default();
        for number in 0..MOST_SHOWN + 3 {
            state.show(&format!("item {number}"), Rev::of(b"x"));
        }
        assert_eq!(state.shown.len(), MOST_SHOWN);
        assert!(state.is_new("item 2", Rev::of(b"x")) && !state.is_new("item 3", Rev::of(b"x")));
    }

    #[test]
    fn a_state_of_another_version_is_read_as_far_as_it_goes() {
        let state: State = serde_json::from_str(r#"{"session": "a", "owed": "changes", "later": 1}"#).unwrap();
        assert_eq!((state.session.as_str(), state.owed), ("a", Owed::Changes));
        let text = serde_json::to_string(&state).unwrap();
        assert_eq!(serde_json::from_str::<State>(&text).unwrap(), state);
    }
}
