//! Which transcript is to be captured, and what it tells.

use std::ffi::OsString;
use std::path::Path;
use std::time::Duration;

use handoff_model::agent::Host;
use handoff_store::{AgentName, is_owned_by_us};
use handoff_transcript::{
    Located, Source, Unreadable, checked_against, find_session, locate, recognise, transcript_of,
};

use super::CaptureSession;
use super::conversations::chosen;
use super::record::Records;
use super::state::State;
use super::work::Work;
use crate::{ErrorKind, Hint, OpError, Project};

/// What was read before anything is written.
#[derive(Debug)]
pub(super) struct Read {
    pub(super) work: Work,
    /// Where it came from, as the caller would write it
    pub(super) shown: String,
    pub(super) lines: u64,
    pub(super) unreadable: u64,
    pub(super) checked_against: Option<String>,
    pub(super) warnings: Vec<String>,
}

/// Transcripts that were written to within so short a time are equally likely to be meant.
const SAME_TIME: Duration = Duration::from_mins(2);

/// Reads the transcript that is asked for, or what hooks recorded where it is gone.
pub(super) fn read(project: &Project, asked: &CaptureSession) -> Result<Read, OpError> {
    let mut warnings = Vec::new();
    let source = match find(project, asked, &mut warnings) {
        Err(error) if error.kind() == ErrorKind::NotFound && asked.from.is_none() => {
            return recorded(project, asked)?.ok_or(error);
        }
        found => found?,
    };
    let shown = project.shown(&source.path);
    let transcript = handoff_transcript::read(&source).map_err(unreadable)?;
    let (digest, about) = (&transcript.digest, &transcript.digest.about);
    if digest.prompts.is_empty() {
        let none = OpError::refused(format!("`{shown}` holds no request of a person to {}", source.host.title()));
        return Err(none.detail(format!(
            "{} lines were read, {} of them not understood",
            transcript.lines, transcript.unreadable
        )));
    }
    let stem = || source.path.file_stem().map(|stem| stem.to_string_lossy().into_owned());
    let conversation = about.session.clone().or(source.session.clone()).or_else(stem).unwrap_or_default();
    if about.is_subagent {
        warnings.push(
            "this is the work of a sub-agent; the session that started it has a transcript of its own".to_owned(),
        );
    }
    // A project may have moved, or be the clone of another one; whoever names the transcript knows.
    let elsewhere = about.cwd.clone().filter(|cwd| !is_here(project, cwd));
    if let Some(cwd) = &elsewhere {
        warnings.push(format!("the work was done in `{cwd}`; its files are taken for those of this project"));
    }
    let (lines, unreadable) = (transcript.lines, transcript.unreadable);
    let mut work = Work::new(source.host, conversation, transcript.digest);
    work.elsewhere = elsewhere;
    work.is_asked_for = true;
    work.completes = State::read(project.store(), &AgentName::new(source.host.word(), &work.conversation)).lacking;
    Ok(Read {
        shown,
        lines,
        unreadable,
        checked_against: checked_against(source.host).map(str::to_owned),
        work,
        warnings,
    })
}

/// What the agent's hooks recorded of the conversation that was heard of last.
fn recorded(project: &Project, asked: &CaptureSession) -> Result<Option<Read>, OpError> {
    let store = project.store();
    let known = store.agent_names()?.into_iter().map(|name| (State::read(store, &name), name));
    let mut known: Vec<(State, AgentName)> = known
        .filter(|(state, _)| state.host.is_some() && asked.host.is_none_or(|host| state.host == Some(host)))
        .filter(|(state, _)| asked.agent_session.iter().chain(&asked.conversation).all(|id| state.session == *id))
        .collect();
    known.sort_by_key(|(state, _)| std::cmp::Reverse(state.seen_at));
    for (state, name) in known {
        let records = Records::read(store, &name)?;
        if let (Some(host), Some(digest)) = (state.host, records.pending()) {
            let told = "its transcript was not found; this is what hooks recorded of it".to_owned();
            return Ok(Some(Read {
                shown: "what hooks recorded".to_owned(),
                lines: records.len() as u64,
                unreadable: 0,
                checked_against: None,
                work: Work { is_asked_for: true, ..Work::new(host, state.session, digest) },
                warnings: vec![told],
            }));
        }
    }
    Ok(None)
}

/// The transcript at a path that no person named: a hook or a state file did. It is one that the host keeps for this
/// user, about work in this project, or none.
pub(crate) fn own_transcript(project: &Project, host: Host, path: &Path, session: &str) -> Option<Source> {
    let env = |name: &str| project.place.env.get(name).map(OsString::from);
    let dir = project.dir()?;
    transcript_of(host, &env, path, Some(session), &dir).filter(|source| is_owned_by_us(&source.path))
}

fn find(project: &Project, asked: &CaptureSession, warnings: &mut Vec<String>) -> Result<Source, OpError> {
    let session = asked.agent_session.clone();
    if let Some(from) = &asked.from {
        let path = project.place.cwd.join(from);
        if !path.exists() {
            return Err(OpError::not_found(format!("there is no file `{}`", from.display())));
        }
        let known = asked.host.or_else(|| recognise(&path));
        let host = known.ok_or_else(|| no_transcript(from))?;
        return Ok(Source { host, path, session });
    }
    let hosts = hosts(asked.host);
    let env = |name: &str| project.place.env.get(name).map(OsString::from);
    if let Some(wanted) = &asked.conversation {
        return chosen(&located(project, asked.host), wanted).map(source_of);
    }
    if let Some(id) = session {
        let found = hosts.iter().find_map(|host| Some((*host, find_session(*host, &env, &id)?)));
        let (host, path) = found.ok_or_else(|| none_of(project, asked.host, Some(&id)))?;
        return Ok(Source { host, path, session: Some(id) });
    }
    let located = located(project, asked.host);
    // An agent that asks for its own transcript is known by its conversation.
    let own = project.caller.agent_session.as_deref();
    if let Some(own) = own.and_then(|own| located.iter().find(|found| found.session.as_deref() == Some(own))) {
        return Ok(source_of(own));
    }
    let newest = located.first().ok_or_else(|| none_of(project, asked.host, None))?;
    warnings.extend(overlap(&located));
    Ok(source_of(newest))
}

/// Warns that the newest conversation was not the only one at work.
fn overlap(located: &[Located]) -> Option<String> {
    let others = likely(located).get(1..)?;
    let first = others.first()?;
    let id = first.session.as_deref().unwrap_or("unknown");
    let more = match others.len() {
        1 => String::new(),
        more => format!(" and {} more", more - 1),
    };
    Some(format!(
        "the last conversation was taken; {} {id}{more} worked here at the same time: see `handoff capture --list`",
        first.host
    ))
}

fn hosts(wanted: Option<Host>) -> Vec<Host> {
    wanted.map_or_else(|| Host::ALL.to_vec(), |host| vec![host])
}

/// The transcripts of conversations that worked here, the newest first.
pub(super) fn located(project: &Project, host: Option<Host>) -> Vec<Located> {
    let env = |name: &str| project.place.env.get(name).map(OsString::from);
    let here = project.dir().unwrap_or_else(|| project.place.cwd.clone());
    let mut located: Vec<Located> = hosts(host).iter().flat_map(|host| locate(*host, &env, &here)).collect();
    located.sort_by_key(|found| std::cmp::Reverse(found.modified));
    located
}

/// The first of them that were written to at about the same time.
pub(super) fn likely(located: &[Located]) -> &[Located] {
    let Some(newest) = located.first() else { return located };
    let is_as_likely =
        |found: &Located| newest.modified.duration_since(found.modified).is_ok_and(|age| age <= SAME_TIME);
    &located[..located.iter().take_while(|found| is_as_likely(found)).count()]
}

pub(super) fn source_of(found: &Located) -> Source {
    Source { host: found.host, path: found.path.clone(), session: found.session.clone() }
}

pub(super) fn none_of(project: &Project, host: Option<Host>, session: Option<&str>) -> OpError {
    let whose = host.map_or("an agent".to_owned(), |host| host.title().to_owned());
    let what = match session {
        Some(id) => format!("there is no transcript of {whose} for the conversation `{id}`"),
        None => format!("there is no transcript of {whose} that worked in `{}`", project.place.cwd.display()),
    };
    OpError::not_found(what).hint(Hint::say("name one with `--from PATH`"))
}

fn no_transcript(path: &Path) -> OpError {
    OpError::refused(format!("`{}` is no transcript that handoff can read", path.display()))
        .hint(Hint::say("if it is one, say whose with `--host`, such as `--host claude-code`"))
}

fn unreadable(error: Unreadable) -> OpError {
    match error {
        Unreadable::Missing { .. } => OpError::not_found(error.to_string()),
        Unreadable::Foreign { .. } | Unreadable::NoReader { .. } => OpError::refused(error.to_string()),
        other => OpError::failure("the transcript cannot be read").caused_by(other),
    }
}

/// Whether a directory of the transcript is in this project.
fn is_here(project: &Project, cwd: &str) -> bool {
    let Some(dir) = project.dir() else { return false };
    let cwd = Path::new(cwd);
    cwd.starts_with(&dir) || dir.canonicalize().is_ok_and(|dir| cwd.starts_with(dir))
}
