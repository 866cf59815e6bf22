//! The conversations of coding agents that belong to sessions of this project, and when they were at work.

use std::collections::HashMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use handoff_model::agent::{Activity, Host, compiled_from};
use handoff_model::id::{SessionRef, TaskId};
use handoff_model::when::Moment;
use handoff_store::{Bound, FoundSession};
use handoff_transcript::{Source, find_session, read, recognise};

use crate::agent::own_transcript;
use crate::{OpError, Project};

/// A session and what its conversation tells.
#[derive(Debug)]
pub(super) struct Conversation {
    /// Full name of the session
    pub(super) session: String,
    pub(super) tasks: Vec<TaskId>,
    pub(super) started_at: Option<Moment>,
    pub(super) ended_at: Option<Moment>,
    pub(super) heard: Heard,
}

/// What was read.
#[derive(Clone, Debug)]
pub(super) enum Heard {
    Told(Activity),
    /// Nothing can be told, for this reason
    Nothing(String),
}

/// An agent where it is known, and its own id of the conversation.
type Known = (Option<Host>, String);

/// Reads the conversation of a session, or of every session whose conversation is known, archived or not.
pub(super) fn listen(
    project: &mut Project,
    session: Option<&SessionRef>,
    from: Option<&Path>,
) -> Result<Vec<Conversation>, OpError> {
    let store = project.store();
    let bound = store.bound();
    let mut read: HashMap<Known, Heard> = HashMap::new();
    if let Some(session) = session {
        let found = store.session(session)?;
        let heard = match (from, known(&found, &bound)) {
            (Some(from), known) => told_by(project, from, known.map(|(_, id)| id))?,
            (None, Some(known)) => heard(project, &known, &mut read),
            (None, None) => {
                return Err(OpError::not_found(format!(
                    "nobody noted which conversation session {} was worked in",
                    found.name
                ))
                .hint(crate::Hint::say("name its transcript with `--from PATH`")));
            }
        };
        return Ok(vec![conversation(&found, heard)]);
    }
    let (sessions, archived) = store.at_one_moment(|| Ok((store.sessions()?, store.archived_sessions()?)))?;
    let mut found: Vec<_> = sessions.list.iter().chain(&archived.list).filter(|found| found.is_handoff()).collect();
    found.sort_by(|one, other| one.name.cmp(&other.name));
    found.dedup_by(|one, other| one.name == other.name);
    let known = found.into_iter().filter_map(|found| Some((found, known(found, &bound)?)));
    let heard = known.map(|(found, known)| conversation(found, heard(project, &known, &mut read))).collect();
    for problem in sessions.problems.iter().chain(&archived.problems) {
        project.note(format!("not looked at: {problem}; `handoff doctor` says what to do"));
    }
    Ok(heard)
}

fn conversation(found: &FoundSession, heard: Heard) -> Conversation {
    let session = &found.session;
    let mut tasks = session.tasks.clone();
    tasks.sort_unstable();
    tasks.dedup();
    Conversation {
        session: found.name.clone(),
        tasks,
        // One that was only written down at its end does not say when it began.
        started_at: session.started_at.filter(|start| session.ended_at != Some(*start)),
        ended_at: session.ended_at,
        heard,
    }
}

/// The conversation of a session, as its record or this machine knows.
fn known(found: &FoundSession, bound: &[Bound]) -> Option<Known> {
    if let Some((host, id)) = compiled_from(&found.session) {
        return Some((host.parse().ok(), id.to_owned()));
    }
    let noted = bound.iter().rev().find(|bound| bound.session == found.session.id)?;
    let tool = found.session.tool.as_deref().unwrap_or_default();
    let host = Host::ALL.into_iter().find(|host| tool.contains(host.word()));
    Some((host, noted.agent_session.clone()?))
}

fn heard(project: &Project, known: &Known, read: &mut HashMap<Known, Heard>) -> Heard {
    if let Some(heard) = read.get(known) {
        return heard.clone();
    }
    let (host, id) = known;
    let env = |name: &str| project.place.env.get(name).map(OsString::from);
    let hosts = host.map_or_else(|| Host::ALL.to_vec(), |host| vec![host]);
    let place = hosts.iter().find_map(|host| Some((*host, find_session(*host, &env, id)?)));
    // Which conversation it was stands in a record, which may be somebody else's words.
    let own = |(host, path): (Host, PathBuf)| own_transcript(project, host, &path, id).ok_or(path);
    let heard = match place.map(own) {
        Some(Ok(source)) => activity(&source),
        Some(Err(path)) => {
            let shown = project.shown(&path);
            Heard::Nothing(format!("`{shown}` is not about work in this project; `--from` names it all the same"))
        }
        None => {
            let whose = host.map_or("any agent", Host::title);
            Heard::Nothing(format!("there is no transcript of {whose} for the conversation `{id}` on this machine"))
        }
    };
    read.insert(known.clone(), heard.clone());
    heard
}

fn told_by(project: &Project, from: &Path, session: Option<String>) -> Result<Heard, OpError> {
    let path = project.place.cwd.join(from);
    if !path.exists() {
        return Err(OpError::not_found(format!("there is no file `{}`", from.display())));
    }
    let unknown = || OpError::refused(format!("`{}` is no transcript that handoff can read", from.display()));
    let host = recognise(&path).ok_or_else(unknown)?;
    Ok(activity(&Source { host, path, session }))
}

fn activity(source: &Source) -> Heard {
    match read(source) {
        Ok(transcript) if transcript.activity.is_empty() => {
            Heard::Nothing(format!("transcripts of {} tell no times", source.host.title()))
        }
        Ok(transcript) => Heard::Told(transcript.activity),
        Err(error) => Heard::Nothing(error.to_string()),
    }
}
