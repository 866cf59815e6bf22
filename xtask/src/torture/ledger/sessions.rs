//! What must be known of sessions, wherever they lie.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::Value;

use crate::rig::{Sandbox, sessions, text};
use crate::torture::deeds::SessionDeed;

use super::Made;

/// What a rig knows about one session. Whether it is in the archive is left to the program.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct SessionFact {
    pub(crate) summary: String,
    pub(crate) status: String,
    pub(crate) notes: Vec<String>,
    pub(crate) next: Vec<String>,
    pub(crate) tasks: Vec<String>,
    pub(crate) body: Option<String>,
    /// The id of the one it continues.
    pub(crate) continues: Option<String>,
}

pub(crate) type Sessions = BTreeMap<String, SessionFact>;

impl SessionFact {
    pub(crate) fn new(summary: &str, status: &str) -> Self {
        Self { summary: summary.to_owned(), status: status.to_owned(), ..Self::default() }
    }

    /// Whether it is one of those that nobody touches.
    pub(crate) fn is_of_a_bystander(&self) -> bool {
        self.summary.ends_with("bystander")
    }

    /// As `session show` tells it.
    pub(crate) fn read(session: &Value) -> Self {
        let items = |key: &str| session[key].as_array().cloned().unwrap_or_default();
        let texts = |key: &str| items(key).iter().filter_map(|item| item.as_str().map(str::to_owned)).collect();
        Self {
            summary: text(session, "summary"),
            status: text(session, "status"),
            notes: items("notes").iter().map(|note| text(note, "note")).collect(),
            next: texts("next"),
            tasks: texts("tasks"),
            body: session["body"].as_str().map(str::to_owned),
            continues: session["continues"].as_str().and_then(|name| name.rsplit('-').next()).map(str::to_owned),
        }
    }
}

fn edit(sessions: &mut Sessions, id: &str, edit: impl FnOnce(&mut SessionFact)) {
    if let Some(fact) = sessions.get_mut(id) {
        edit(fact);
    }
}

/// Applies a change that was acknowledged.
pub(super) fn apply(sessions: &mut Sessions, deed: &SessionDeed, made: &Made) {
    let id = made.session.clone();
    match deed {
        SessionDeed::Save { summary } => {
            let next = vec![SessionDeed::next_step(summary)];
            sessions.insert(id, SessionFact { next, ..SessionFact::new(summary, "closed") });
        }
        SessionDeed::SaveWithTasks { summary, note_in, .. } => {
            let fact = SessionFact {
                next: vec![SessionDeed::next_step(summary)],
                tasks: [made.task.clone()].into_iter().chain(note_in.clone()).collect(),
                body: Some(SessionDeed::body(summary)),
                ..SessionFact::new(summary, "closed")
            };
            sessions.insert(id, fact);
        }
        SessionDeed::Start { summary } => {
            sessions.insert(id, SessionFact::new(summary, "active"));
        }
        SessionDeed::Tell { session, note } => edit(sessions, session, |fact| fact.notes.push(note.clone())),
        SessionDeed::Pause { session } => edit(sessions, session, |fact| "paused".clone_into(&mut fact.status)),
        SessionDeed::Close { session, summary } => edit(sessions, session, |fact| {
            "closed".clone_into(&mut fact.status);
            fact.summary.clone_from(summary);
        }),
        SessionDeed::Reopen { session } => match sessions.get(session).cloned() {
            Some(fact) if fact.status == "closed" => {
                let (status, continues) = ("active".to_owned(), Some(session.clone()));
                sessions.insert(id, SessionFact { status, continues, body: None, ..fact });
            }
            _ => edit(sessions, session, |fact| "active".clone_into(&mut fact.status)),
        },
        SessionDeed::Fetch { .. } => {}
    }
}

pub(super) fn read_back(sandbox: &Sandbox, binary: &Path) -> Result<Sessions, String> {
    let found = sessions(sandbox, binary)?;
    Ok(found.iter().map(|session| (text(session, "id"), SessionFact::read(session))).collect())
}

/// What is lost, added or otherwise than it must be.
pub(super) fn differences(expected: &Sessions, actual: &Sessions) -> Vec<String> {
    let lost = expected.iter().filter_map(|(id, fact)| match actual.get(id) {
        None => Some(format!("session {id} `{}` is gone", fact.summary)),
        Some(found) if found != fact => Some(format!("session {id} should be {fact:?} but is {found:?}")),
        Some(_) => None,
    });
    let added = actual.iter().filter(|(id, _)| !expected.contains_key(*id));
    let added = added.map(|(id, fact)| format!("session {id} `{}` should not be there", fact.summary));
    lost.chain(added).collect()
}
