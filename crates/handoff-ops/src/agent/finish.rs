//! Finishing what agents left open: their work becomes a handoff once they are gone.
//!
//! **Invariant:** whoever finishes a conversation holds it meanwhile, so it is finished once. What was finished is noted
//! after the handoff is on disk; a crash in between only makes the next one look again.

use std::time::{Duration, Instant};

use handoff_model::agent::Host;
use handoff_model::when::Moment;
use handoff_store::{AgentName, Process};

use super::call::{caller, note_error};
use super::compile;
use super::record::{Record, RecordKind};
use super::state::{Conversation, Finished, State};
use super::turn::{self, Progress};
use super::usefulness::record_usefulness;
use crate::{OpError, Project};

/// As long as a start spends on what others left open; the rest waits for the next one.
const TIME: Duration = Duration::from_millis(30);
/// Where it cannot be told whether an agent still runs, it is taken to be gone after so long a silence.
const SILENCE_HOURS: i64 = 12;
/// Conversations that are remembered after they were finished, and for how long.
const KEPT: usize = 50;
const KEPT_DAYS: i64 = 30;

/// Finishes conversations whose agents are gone, the latest first, as far as the time goes. Failing to is only noted.
pub(super) fn others(project: &mut Project, own: &AgentName) {
    if let Err(error) = try_others(project, own) {
        note_error(project, "all", "finish", &error);
    }
}

fn try_others(project: &mut Project, own: &AgentName) -> Result<(), OpError> {
    let until = Instant::now() + TIME;
    let mut known: Vec<(AgentName, State)> = Vec::new();
    for name in project.store().agent_names()?.into_iter().filter(|name| name != own) {
        let state = State::read(project.store(), &name);
        known.push((name, state));
    }
    known.sort_by_key(|(_, state)| std::cmp::Reverse(state.seen_at));
    for (name, state) in &known {
        if !is_over(project, state) {
            continue;
        }
        if Instant::now() >= until {
            return Ok(());
        }
        let Some(mut conversation) = Conversation::hold(project.store(), name, Duration::ZERO)? else { continue };
        // Somebody else may have finished it, or it may go on, since we looked.
        if !is_over(project, &conversation.state) {
            continue;
        }
        if let Err(error) = finish(project, &mut conversation, until) {
            let host = conversation.state.host.map_or("unknown", Host::word);
            note_error(project, host, "finish", &error);
        }
    }
    tidy(project, &known)
}

/// Whether an agent left a conversation open and is gone.
fn is_over(project: &Project, state: &State) -> bool {
    if state.finished.is_some() {
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

/// Makes a handoff of what a conversation came to, as far as it is not in one yet.
fn finish(project: &mut Project, conversation: &mut Conversation, until: Instant) -> Result<(), OpError> {
    let state = &conversation.state;
    let before = (project.caller.clone(), project.place.cwd.clone());
    if let Some(host) = state.host {
        project.caller = caller(host, Some(&state.session));
    }
    if let Some(cwd) = state.cwd.clone().filter(|cwd| cwd.is_dir()) {
        project.place.cwd = cwd;
    }
    let finished = finish_as(project, conversation, until);
    (project.caller, project.place.cwd) = before;
    finished
}

/// The same, in the place and the name of the agent.
fn finish_as(project: &mut Project, conversation: &mut Conversation, until: Instant) -> Result<(), OpError> {
    while turn::catch_up(project, conversation)? == Progress::Behind {
        if Instant::now() >= until {
            return conversation.save(project.store());
        }
    }
    let put = compile::into_handoff(project, conversation)?;
    let session = put.as_ref().and_then(|put| put.session.as_ref());
    if let (Some(given), Some(put)) = (&conversation.state.given, &put) {
        record_usefulness(project, &conversation.name().to_string(), given, &put.digest, session)?;
    }
    let handoff = session.map(|session| session.id.clone());
    let record = Record { handoff: handoff.clone(), ..Record::new(project.instant(), RecordKind::Finished) };
    conversation.append(project, &record)?;
    let state = &mut conversation.state;
    state.finished = Some(Finished { at: project.now(), handoff });
    // Should it go on one day, what it was shown is long out of date.
    state.shown.clear();
    conversation.save(project.store())
}

/// Forgets conversations that were finished long ago, and what interrupted calls left lying about.
fn tidy(project: &Project, known: &[(AgentName, State)]) -> Result<(), OpError> {
    project.store().sweep_agents()?;
    let now = project.now().timestamp();
    let finished = known.iter().filter_map(|(name, state)| Some((name, state.finished.as_ref()?.at)));
    for (place, (name, at)) in finished.enumerate() {
        let days = now.duration_since(at.timestamp()).as_hours() / 24;
        if (place >= KEPT || days >= KEPT_DAYS)
            && let Some(conversation) = Conversation::hold(project.store(), name, Duration::ZERO)?
            && conversation.state.finished.is_some()
        {
            conversation.forget(project.store())?;
        }
    }
    Ok(())
}
