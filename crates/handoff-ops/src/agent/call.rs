//! One call of a hook, from what was heard to what is said.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Component, Path, PathBuf};
use std::time::Duration;

use handoff_model::agent::{Heard, HookEvent, Host};
use handoff_store::{AgentName, Process};

use super::state::{Conversation, Owed};
use super::{compile, finish, start, switch, turn, words};
use crate::timer::alive;
use crate::{Caller, ErrorKind, OpError, Project, leaving};

/// What a hook is called with.
pub struct HookCall<'a> {
    pub host: Host,
    pub event: HookEvent,
    pub heard: &'a Heard,
    /// Whether what is said now reaches the model
    pub can_inject: bool,
    /// Whether a text is short enough for the host
    pub fits: &'a dyn Fn(&str) -> bool,
}

/// What is wrong with the settings is noted up to so many times at a start.
const MOST_PROBLEMS: usize = 3;
/// As long as a call waits for another about the same conversation.
const WAIT: Duration = Duration::from_millis(400);

/// Does what a call of a hook is for, and says what the model is to be told, if anything. Never fails.
pub fn hook(project: &mut Project, call: &HookCall<'_>) -> Option<String> {
    let done = catch_unwind(AssertUnwindSafe(|| answer(project, call)));
    let done = done.unwrap_or_else(|_| Err(OpError::failure("internal error")));
    let context = done.unwrap_or_else(|error| {
        note_error(project, call.host.word(), call.event.word(), &error);
        None
    });
    let context = context.filter(|context| call.can_inject && (call.fits)(context));
    let context = context.map(|context| told(project, call, &context));
    project.close();
    context
}

/// What the model is told: without secrets, and with less of it where their marks make it too long.
fn told(project: &Project, call: &HookCall<'_>, context: &str) -> String {
    let mut told = leaving::for_model(context, &project.allowed()).into_owned();
    while !(call.fits)(&told) {
        let end = told.trim_end().rfind('\n').unwrap_or_default();
        told.truncate(end);
    }
    told
}

/// Notes in the log of the project what went wrong before a call could be understood.
pub fn note_failure(project: &mut Project, host: &str, event: &str, why: &str) {
    // Nobody is there to hear that even this failed.
    let _ = catch_unwind(AssertUnwindSafe(|| {
        if project.open_if_there().is_ok() {
            note_error(project, host, event, &OpError::failure(why));
        }
        project.close();
    }));
}

pub(super) fn note_error(project: &Project, host: &str, event: &str, error: &OpError) {
    let Some(store) = project.store_if_open().filter(|_| project.pauses().is_empty()) else { return };
    store.log_hook(&format!("{} {host} {event}: {}", project.now(), error.sentence()));
}

fn answer(project: &mut Project, call: &HookCall<'_>) -> Result<Option<String>, OpError> {
    if switch::is_off_here(project) || call.heard.is_subagent {
        return Ok(None);
    }
    settle(project, call);
    match project.open_if_there() {
        Ok(()) if project.store_if_open().is_some() => {}
        Ok(()) => return Ok(None),
        // A directory that somebody named and that holds no project.
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    }
    if switch::is_off_by_settings(project) || switch::is_off(project, call.heard.session.as_deref()) {
        return Ok(None);
    }
    alive::note(project, true);
    if call.event == HookEvent::SessionStart {
        for problem in switch::settings_problems(project).into_iter().take(MOST_PROBLEMS) {
            note_error(project, call.host.word(), "settings", &OpError::failure(problem));
        }
    }
    let is_paused = !project.pauses().is_empty();
    let Some(session) = call.heard.session.as_deref().filter(|_| !is_paused) else {
        // Without knowing who it is, or without a right to remember it, only a beginning can be served.
        return if call.event == HookEvent::SessionStart { start::unremembered(project, call) } else { Ok(None) };
    };
    let name = AgentName::new(call.host.word(), session);
    let held = match Conversation::hold(project.store(), &name, project.patient(WAIT)) {
        // The store cannot be written to. What it says can be told all the same.
        Err(error) if call.event == HookEvent::SessionStart => {
            note_error(project, call.host.word(), call.event.word(), &error);
            return start::unremembered(project, call);
        }
        held => held?,
    };
    let mut conversation =
        held.ok_or_else(|| OpError::failure("another call for the same conversation takes too long"))?;
    meet(project, call, session, &mut conversation);
    let said = respond(project, call, &mut conversation);
    // What was said is remembered before it is said, so that it is never said twice.
    match conversation.save(project.store()) {
        // A beginning is rather told twice than not at all.
        Err(error) if call.event == HookEvent::SessionStart => {
            note_error(project, call.host.word(), call.event.word(), &error);
            said
        }
        saved => saved.and(said),
    }
}

fn respond(
    project: &mut Project,
    call: &HookCall<'_>,
    conversation: &mut Conversation,
) -> Result<Option<String>, OpError> {
    match call.event {
        HookEvent::SessionStart => {
            start::begin(call.heard.source, &mut conversation.state, project.now());
            // Where nothing can be written, nothing can be finished.
            if conversation.save(project.store()).is_ok() {
                finish::others(project, conversation.name());
            }
            start::give(project, call, conversation)
        }
        HookEvent::Prompt | HookEvent::Edit => {
            turn::note_heard(project, call, conversation)?;
            // Hosts that do not tell of a beginning begin here, and what is given is as true as there.
            if call.can_inject && conversation.state.owed == Owed::Context {
                conversation.save(project.store())?;
                finish::others(project, conversation.name());
            }
            match start::give(project, call, conversation)? {
                Some(context) => Ok(Some(context)),
                None => words::about(project, call, conversation),
            }
        }
        HookEvent::TurnEnd => turn::record(project, call, conversation).map(|()| None),
        HookEvent::Compact => {
            turn::record(project, call, conversation)?;
            // Gemini CLI says so before every request; there, the transcript tells when it really happened.
            if call.host == Host::Gemini {
                return Ok(None);
            }
            conversation.state.forget_shown();
            compile::into_session(project, conversation).map(|()| None)
        }
        HookEvent::SessionEnd => {
            conversation.state.ended_at = Some(project.now());
            Ok(None)
        }
    }
}

/// Puts the project where the agent works, and says who asks.
fn settle(project: &mut Project, call: &HookCall<'_>) {
    if let Some(cwd) = call.heard.cwd.as_ref().filter(|cwd| cwd.is_absolute() && cwd.is_dir()) {
        project.place.cwd.clone_from(cwd);
    }
    // Others may have been started by Claude Code, whose project need not be theirs.
    if !matches!(call.host, Host::ClaudeCode | Host::Gemini) {
        project.place.env.remove("CLAUDE_PROJECT_DIR");
    }
    project.caller = caller(call.host, call.heard.session.as_deref());
}

pub(super) fn caller(host: Host, session: Option<&str>) -> Caller {
    Caller { agent_session: session.map(str::to_owned), tool: Some(host.word().to_owned()), connection: None }
}

/// Takes in what every call tells.
fn meet(project: &mut Project, call: &HookCall<'_>, session: &str, conversation: &mut Conversation) {
    let heard = call.heard;
    let is_new = conversation.state.session.is_empty();
    let begins = is_new || call.event == HookEvent::SessionStart;
    let state = &mut conversation.state;
    state.host = Some(call.host);
    session.clone_into(&mut state.session);
    if heard.transcript.is_some() {
        state.transcript.clone_from(&heard.transcript);
    }
    if heard.model.is_some() {
        state.model.clone_from(&heard.model);
    }
    state.fill_up(heard.fill);
    state.seen_at = Some(project.now());
    if begins {
        let named = project.place.env.text("CLAUDE_PID").filter(|_| call.host == Host::ClaudeCode);
        state.process = Process::of_agent(named.and_then(|id| id.parse().ok()));
        state.cwd = Some(project.place.cwd.clone());
    }
    if call.event != HookEvent::SessionEnd {
        // Whoever speaks again is not over.
        state.ended_at = None;
        state.finished = None;
        state.tries = 0;
    }
    // An agent may wander about; its session belongs where it was begun.
    if let Some(cwd) = state.cwd.as_ref().filter(|cwd| project.holds(cwd) && cwd.is_dir()) {
        project.place.cwd.clone_from(cwd);
    }
    if is_new && state.owed == Owed::Nothing {
        state.owed = Owed::Context;
    }
}

/// A file as the project names it; `None` for one outside.
pub(crate) fn inside(project: &Project, path: &Path) -> Option<String> {
    let dir = project.dir()?;
    let path = project.place.cwd.join(path);
    let inside = match path.strip_prefix(&dir) {
        Ok(inside) => inside.to_owned(),
        // The same place may be known by another name.
        Err(_) => real(&path)?.strip_prefix(dir.canonicalize().ok()?).ok()?.to_owned(),
    };
    let text = inside.to_str()?.replace('\\', "/");
    // `/project/../x` begins like a file of the project, and is none.
    let climbs = inside.components().any(|part| part == Component::ParentDir);
    (!text.is_empty() && !climbs).then_some(text)
}

/// A path without links; the file itself need not be there.
fn real(path: &Path) -> Option<PathBuf> {
    Some(path.parent()?.canonicalize().ok()?.join(path.file_name()?))
}
