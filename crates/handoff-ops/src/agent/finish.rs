//! Finishing what agents left open: their work becomes a handoff once they are gone.
//!
//! **Invariant:** whoever finishes a conversation holds it meanwhile, so it is finished once. What was finished is noted
//! after the handoff is on disk; a crash in between only makes the next one look again.
//!
//! **Invariant:** every start finishes at least the latest work that was left, however long that takes; so nothing waits
//! for ever, and the next one goes on from what was done last. What is read of a transcript for it is bounded: the newest
//! part makes the handoff, and what was passed over completes it later.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use handoff_model::agent::Host;
use handoff_model::when::Moment;
use handoff_store::{AgentName, Process};

use super::call::{caller, note_error};
use super::compile::{self, Put};
use super::record::{Record, RecordKind, Records};
use super::state::{Conversation, Finished, State};
use super::turn::{self, Progress};
use super::usefulness::record_usefulness;
use crate::{ErrorKind, OpError, Project};

/// As long as a start spends on what others left open; the rest waits for the next one.
const TIME: Duration = Duration::from_millis(30);
/// As long as a question about the project spends on it.
const TIME_AT_DOOR: Duration = Duration::from_millis(100);
/// Conversations that turn out to be without work are passed over up to so many times to get at the latest work.
const MOST_HOLLOW: usize = 8;
/// Conversations in which nothing happened, and conversations to forget, that a start cares for.
const MOST_TIDIED: usize = 20;
/// What cannot be read is tried again so many times.
pub(super) const TRIES: u8 = 3;
/// Where it cannot be told whether an agent still runs, it is taken to be gone after so long a silence.
const SILENCE_HOURS: i64 = 12;
/// Conversations that are remembered after they were finished, and for how long.
const KEPT: usize = 50;
const KEPT_DAYS: i64 = 30;

/// Finishes conversations whose agents are gone: the latest work, then the oldest as far as the time goes. Failing to is
/// only noted.
pub(super) fn others(project: &mut Project, own: &AgentName) {
    others_within(project, Some(own), project.patient(TIME));
}

/// The same where somebody asks about the project without a hook.
pub(super) fn at_door(project: &mut Project) {
    let own = project.caller.agent_session.clone();
    let host = project.caller.tool.as_deref().and_then(|tool| tool.parse::<Host>().ok());
    let own = host.zip(own).map(|(host, session)| AgentName::new(host.word(), &session));
    // Forgetting old ones is left to the starts of agents, and so is trying once more what failed: tries are few.
    let is_open = |(_, state): &(AgentName, State)| state.tries == 0 && (is_over(project, state) || lacks_rest(state));
    if known_others(project, own.as_ref()).is_ok_and(|known| known.iter().any(is_open)) {
        others_within(project, own.as_ref(), project.patient(TIME_AT_DOOR));
    }
}

/// Every conversation but one's own, with what is known of it.
fn known_others(project: &Project, own: Option<&AgentName>) -> Result<Vec<(AgentName, State)>, OpError> {
    let names = project.store().agent_names()?.into_iter().filter(|name| Some(name) != own);
    let read = |name: AgentName| {
        let state = State::read(project.store(), &name);
        (name, state)
    };
    Ok(names.map(read).collect())
}

fn others_within(project: &mut Project, own: Option<&AgentName>, time: Duration) {
    let until = Instant::now() + time;
    let mut known = match known_others(project, own) {
        Ok(known) => known,
        Err(error) => return note_error(project, "all", "finish", &error),
    };
    known.sort_by_key(|(_, state)| std::cmp::Reverse(state.seen_at));
    let over = known.iter().filter(|(_, state)| is_over(project, state));
    let (mut worked, empty): (VecDeque<_>, VecDeque<_>) =
        over.partition(|(name, state)| has_work(project, name, state));
    for (name, _) in empty.into_iter().take(MOST_TIDIED) {
        attempt(project, name, |project, held| close(project, held, &Records::default(), None, Progress::Missing));
    }
    let finish =
        |project: &mut Project, name: &AgentName| attempt(project, name, |project, held| finish(project, held, until));
    for _ in 0..MOST_HOLLOW {
        let Some((name, _)) = worked.pop_front() else { break };
        match finish(project, name) {
            Attempt::Made => break,
            Attempt::Failed if Instant::now() >= until => break,
            Attempt::Nothing | Attempt::Failed => {}
        }
    }
    let lacking = known.iter().filter(|(_, state)| lacks_rest(state));
    for (name, _) in worked.into_iter().rev().chain(lacking.rev()) {
        if Instant::now() >= until {
            break;
        }
        finish(project, name);
    }
    tidy(project, &known);
}

/// Whether an agent left a conversation open and is gone. Of one that nothing is known of, nothing can be made.
fn is_over(project: &Project, state: &State) -> bool {
    if state.finished.is_some() || state.host.is_none() {
        return false;
    }
    if state.ended_at.is_some() {
        return true;
    }
    let now = project.now().timestamp();
    let is_long_ago = |at: Moment| now.duration_since(at.timestamp()).as_hours() >= SILENCE_HOURS;
    let is_silent = || state.seen_at.is_none_or(is_long_ago);
    // An editor outlives the conversations in it.
    let lives_in_editor = matches!(state.host, Some(Host::Cursor | Host::VsCode | Host::Cline | Host::Copilot));
    match state.process.as_ref().map(Process::is_alive) {
        Some(false) => true,
        Some(true) => lives_in_editor && is_silent(),
        None => is_silent(),
    }
}

/// Whether a handoff was made of a conversation before all of its transcript was read.
fn lacks_rest(state: &State) -> bool {
    state.finished.is_some() && state.lacking.is_some()
}

/// Returns whether something may have happened in a conversation, reading the beginning of its transcript at most.
fn has_work(project: &Project, name: &AgentName, state: &State) -> bool {
    let is_written = || {
        let source = turn::told_source(project, state)?;
        source.path.metadata().ok().map(|transcript| transcript.len() > 0)
    };
    project.store().has_agent_records(name) || is_written().unwrap_or(false)
}

/// What came of trying to finish a conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Attempt {
    /// There is a handoff that holds its work
    Made,
    /// There was nothing to do, or somebody else does it
    Nothing,
    Failed,
}

/// Does something about a conversation, if nobody else does; failing to is only noted.
fn attempt(
    project: &mut Project,
    name: &AgentName,
    act: impl FnOnce(&mut Project, &mut Conversation) -> Result<Attempt, OpError>,
) -> Attempt {
    let (host, tried) = match Conversation::hold(project.store(), name, Duration::ZERO) {
        // Somebody else may have finished it, or it may go on, since we looked.
        Ok(Some(mut held)) if is_over(project, &held.state) || lacks_rest(&held.state) => {
            (held.state.host, act(project, &mut held))
        }
        Ok(_) => (None, Ok(Attempt::Nothing)),
        Err(error) => (None, Err(error)),
    };
    tried.unwrap_or_else(|error| {
        note_error(project, host.map_or("unknown", Host::word), "finish", &error);
        Attempt::Failed
    })
}

/// Makes a handoff of what a conversation came to, as far as it is not in one yet.
fn finish(project: &mut Project, conversation: &mut Conversation, until: Instant) -> Result<Attempt, OpError> {
    let state = &conversation.state;
    let before = (project.caller.clone(), project.place.cwd.clone());
    if let Some(host) = state.host {
        project.caller = caller(host, Some(&state.session));
    }
    // A state file is data: it leads nowhere but into the project.
    let cwd = state.cwd.clone().filter(|cwd| project.holds(cwd) && cwd.is_dir());
    if let Some(cwd) = cwd.or_else(|| project.dir()) {
        project.place.cwd = cwd;
    }
    let finished = finish_as(project, conversation, until);
    (project.caller, project.place.cwd) = before;
    finished
}

/// The same, in the place and the name of the agent.
fn finish_as(project: &mut Project, conversation: &mut Conversation, until: Instant) -> Result<Attempt, OpError> {
    let (records, progress) = match read_rest(project, conversation, until) {
        Err(error) => (give_up(project, conversation, error)?, Progress::Missing),
        read => read?,
    };
    let made = make(project, conversation, &records, progress);
    if made.as_ref().is_err_and(|error| error.kind() == ErrorKind::Damaged) {
        conversation.state.tries = conversation.state.tries.saturating_add(1);
        conversation.save(project.store())?;
    }
    made
}

/// Makes it of what was read.
fn make(
    project: &mut Project,
    conversation: &mut Conversation,
    records: &Records,
    progress: Progress,
) -> Result<Attempt, OpError> {
    if progress != Progress::Behind {
        complete(project, conversation, records)?;
    } else if conversation.state.finished.is_some() {
        conversation.save(project.store())?;
        return Ok(Attempt::Nothing);
    }
    let put = records.pending().map(|digest| compile::into_handoff(project, conversation, digest, progress));
    let put = put.transpose()?.flatten();
    if let Some(put) = &put {
        note_usefulness(project, conversation, put)?;
    }
    let has_handoff = put.as_ref().is_some_and(|put| put.session.is_some());
    if progress == Progress::Behind && !has_handoff {
        // There may be work in what is still to be read.
        conversation.save(project.store())?;
        return Ok(Attempt::Nothing);
    }
    close(project, conversation, records, put, progress)
}

/// Reads what is left of the transcript, the newest first, as far as the time goes; the newest at any rate.
fn read_rest(
    project: &Project,
    conversation: &mut Conversation,
    until: Instant,
) -> Result<(Records, Progress), OpError> {
    loop {
        let progress = turn::catch_up(project, conversation)?;
        if progress != Progress::Behind || Instant::now() >= until {
            return Ok((conversation.records(project.store())?, progress));
        }
    }
}

fn note_usefulness(project: &Project, conversation: &Conversation, put: &Put) -> Result<(), OpError> {
    match &conversation.state.given {
        Some(given) => {
            record_usefulness(project, &conversation.name().to_string(), given, &put.digest, put.session.as_ref())
        }
        None => Ok(()),
    }
}

/// What is recorded of a conversation whose transcript or records cannot be read, after it was tried often enough.
fn give_up(project: &Project, conversation: &mut Conversation, error: OpError) -> Result<Records, OpError> {
    let state = &mut conversation.state;
    state.tries = state.tries.saturating_add(1);
    if state.tries < TRIES {
        conversation.save(project.store())?;
        return Err(error);
    }
    let host = state.host.map_or("unknown", Host::word);
    note_error(project, host, "finish", &OpError::failure("given up, what is recorded has to do").caused_by(error));
    Ok(conversation.records(project.store()).unwrap_or_default())
}

/// Puts what was passed over into the handoff that was made without it.
fn complete(project: &mut Project, conversation: &mut Conversation, records: &Records) -> Result<(), OpError> {
    if conversation.state.lacking.is_none() {
        return Ok(());
    }
    let put = records.lacked().map(|digest| compile::into_lacking(project, conversation, digest));
    // A conversation that goes on was given something else since.
    if let Some(put) = put.transpose()?.flatten().filter(|_| conversation.state.finished.is_some()) {
        note_usefulness(project, conversation, &put)?;
    }
    conversation.state.lacking = None;
    Ok(())
}

/// Notes that a conversation is finished, and what came of it.
fn close(
    project: &Project,
    conversation: &mut Conversation,
    records: &Records,
    put: Option<Put>,
    progress: Progress,
) -> Result<Attempt, OpError> {
    let is_written = put.as_ref().is_some_and(|put| put.is_written);
    let handoff = put.and_then(|put| put.session).map(|session| session.id);
    let lacks_rest = progress == Progress::Behind && is_written && conversation.state.lacking.is_none();
    if records.len() > 0 {
        let record = Record {
            from: records.newest(),
            handoff: handoff.clone(),
            lacks_rest,
            ..Record::new(project.instant(), RecordKind::Finished)
        };
        conversation.append(project, &record)?;
    }
    let state = &mut conversation.state;
    if lacks_rest {
        state.lacking.clone_from(&handoff);
    }
    let attempt = if handoff.is_some() { Attempt::Made } else { Attempt::Nothing };
    let before = state.finished.take().and_then(|finished| finished.handoff);
    state.finished = Some(Finished { at: project.now(), handoff: handoff.or(before) });
    conversation.save(project.store())?;
    Ok(attempt)
}

/// Forgets conversations that were finished long ago, those first that left nothing, and what interrupted calls left
/// lying about.
fn tidy(project: &Project, known: &[(AgentName, State)]) {
    if let Err(error) = project.store().sweep_agents() {
        note_error(project, "all", "finish", &error.into());
    }
    let now = project.now().timestamp();
    let finished = known.iter().filter_map(|(name, state)| Some((name, state.finished.as_ref()?)));
    let mut finished: Vec<(&AgentName, &Finished)> = finished.collect();
    finished.sort_by_key(|(_, finished)| finished.handoff.is_none());
    let is_old = |finished: &Finished| now.duration_since(finished.at.timestamp()).as_hours() / 24 >= KEPT_DAYS;
    let old = finished.iter().enumerate().filter(|(place, (_, finished))| *place >= KEPT || is_old(finished));
    for (_, (name, _)) in old.take(MOST_TIDIED) {
        // One that cannot be forgotten now is only in the way.
        if let Ok(Some(conversation)) = Conversation::hold(project.store(), name, Duration::ZERO)
            && conversation.state.finished.is_some()
        {
            let _ = conversation.forget(project.store());
        }
    }
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "an agent writes its transcript like this")]
mod tests;
