//! Recording what an agent did, from its transcript, or from what its hooks told where there is none.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use handoff_model::agent::{About, Digest, Event, FileChange, HookEvent, Host, What};
use handoff_transcript::{Source, Unreadable, find_session, read_on};

use super::call::HookCall;
use super::record::{Record, RecordKind};
use super::source::own_transcript;
use super::state::{Conversation, State};
use crate::{OpError, Project};

/// As much of a transcript as one call reads.
pub(super) const LIMIT: u64 = 4 * 1024 * 1024;

/// How far a transcript was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Progress {
    /// There is none
    Missing,
    /// To its end
    Whole,
    /// There is more
    Behind,
}

/// Records what is new at the end of a turn.
pub(super) fn record(project: &Project, call: &HookCall<'_>, conversation: &mut Conversation) -> Result<(), OpError> {
    match catch_up(project, conversation) {
        Ok(Progress::Whole | Progress::Behind) => Ok(()),
        Ok(Progress::Missing) => note(project, call, conversation),
        Err(error) => note(project, call, conversation).and(Err(error)),
    }
}

/// Records what a hook told where there is no transcript to read it from later. A change is recorded in any case: an
/// agent that is killed the next moment has not written it down.
pub(super) fn note_heard(project: &Project, call: &HookCall<'_>, conversation: &Conversation) -> Result<(), OpError> {
    let is_written = told_source(project, &conversation.state).is_some_and(|source| can_be_read(&source.path));
    if is_written && !call.heard.is_change { Ok(()) } else { note(project, call, conversation) }
}

/// A pipe cannot: opening it would wait for somebody to write.
fn can_be_read(path: &Path) -> bool {
    let begins = || File::open(path).and_then(|mut file| file.read(&mut [0]));
    path.is_dir() || (path.is_file() && begins().is_ok())
}

fn note(project: &Project, call: &HookCall<'_>, conversation: &Conversation) -> Result<(), OpError> {
    let digest = heard(project, call);
    if digest == Digest::default() {
        return Ok(());
    }
    conversation.append(project, &Record { digest, ..Record::new(project.instant(), RecordKind::Heard) })
}

/// Reads on in the transcript of a conversation, and records what it says.
pub(super) fn catch_up(project: &Project, conversation: &mut Conversation) -> Result<Progress, OpError> {
    let Some(source) = source(project, &conversation.state) else { return Ok(Progress::Missing) };
    let mark = conversation.mark(project.store())?;
    let piece = match read_on(&source, &mark, LIMIT) {
        Ok(piece) => piece,
        Err(
            Unreadable::Missing { .. }
            | Unreadable::Compressed { .. }
            | Unreadable::Foreign { .. }
            | Unreadable::NoReader { .. },
        ) => return Ok(Progress::Missing),
        Err(error) => return Err(OpError::failure("the transcript was not read").caused_by(error)),
    };
    let progress = if piece.is_behind { Progress::Behind } else { Progress::Whole };
    let state = &mut conversation.state;
    state.transcript = Some(source.path);
    if piece.mark == mark && piece.digest == Digest::default() {
        return Ok(progress);
    }
    // What was passed over before and is read now says nothing of how it stands.
    if piece.from >= mark.offset() {
        // These say nothing when they have forgotten what they were told; only their transcripts do.
        if piece.digest.compactions > 0 && matches!(source.host, Host::Gemini | Host::Cline) {
            state.forget_shown();
        }
        state.fill_up(piece.digest.fill);
        if piece.digest.about.model.is_some() {
            state.model.clone_from(&piece.digest.about.model);
        }
    }
    let record = Record {
        from: Some(piece.from),
        to: Some(piece.to),
        mark: Some(piece.mark),
        is_behind: piece.is_behind,
        is_restarted: piece.is_restarted,
        digest: piece.digest,
        ..Record::new(project.instant(), RecordKind::Turn)
    };
    conversation.append(project, &record)?;
    Ok(progress)
}

/// The transcript: where the host said, or wherever it was moved to.
///
/// Host, session and path come from a state file or from the input of a hook. So the transcript is only one that belongs
/// to this user and this project; without one, what hooks tell is all that is recorded.
fn source(project: &Project, state: &State) -> Option<Source> {
    let found = || -> Option<Source> {
        let env = |name: &str| project.place.env.get(name).map(ToOwned::to_owned);
        let host = state.host?;
        own_transcript(project, host, &find_session(host, &env, &state.session)?, &state.session)
    };
    told_source(project, state).or_else(found)
}

/// The transcript where the host said.
pub(super) fn told_source(project: &Project, state: &State) -> Option<Source> {
    own_transcript(project, state.host?, state.transcript.as_ref()?, &state.session)
}

/// What a hook told, as what happened.
fn heard(project: &Project, call: &HookCall<'_>) -> Digest {
    let heard = call.heard;
    let mut happened = Vec::new();
    if let Some(prompt) = heard.prompt.as_ref().filter(|_| call.event == HookEvent::Prompt) {
        happened.push(What::Prompt(prompt.clone()));
    }
    for file in &heard.files {
        let path = file.to_string_lossy().into_owned();
        happened.push(if heard.is_change {
            What::Changed { path, change: FileChange::Updated }
        } else {
            What::Looked { path }
        });
    }
    if let Some(command) = &heard.command {
        // Nothing else tells this call from others.
        let id = project.instant().to_string();
        happened.push(What::Command { id: id.clone(), command: command.clone() });
        if let Some(failure) = &heard.failure {
            happened.push(What::Outcome { id, exit: None, is_failure: true, output: failure.clone() });
        }
    } else if let Some(failure) = &heard.failure {
        happened.push(What::Failed(failure.clone()));
    }
    if !heard.todos.is_empty() {
        happened.push(What::Todos(heard.todos.clone()));
    }
    if let Some(answer) = &heard.answer {
        happened.push(What::Answer(answer.clone()));
    }
    if call.event == HookEvent::TurnEnd {
        happened.push(What::TurnEnded { seconds: None });
    }
    if happened.is_empty() {
        return Digest::default();
    }
    let about = About {
        session: heard.session.clone(),
        cwd: heard.cwd.as_ref().map(|cwd| cwd.to_string_lossy().into_owned()),
        model: heard.model.clone(),
        ..About::default()
    };
    happened.insert(0, What::About(about));
    Digest::of(happened.into_iter().map(|what| Event { at: Some(project.instant()), line: None, what }))
}
