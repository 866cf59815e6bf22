//! What every change of a session has in common: the edit, what git says, the ending, the archive.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use handoff_model::agent::Compiled;
use handoff_model::change::Change;
use handoff_model::id::{SessionId, SessionRef};
use handoff_model::rev::Rev;
use handoff_model::session::{
    BadEdit, Decision, GitFacts, ItemEnding, Pointer, Session, SessionEdit, SessionKind, SessionNote, SessionStatus,
    SettledBy, SettledHow, Surroundings,
};
use handoff_model::when::Moment;
use handoff_store::git::{Asked, Git};
use handoff_store::{FoundSession, Sessions, StoreError};
use serde_json::json;

use super::endings::{self, ClosingCommit};
use super::recorded::Recorded;
use super::{ReopenSession, ShowSession, which};
use crate::{Door, Hint, OpError, Project};

/// What git said when a session was about to be saved, before the lock was taken.
#[derive(Debug, Default)]
pub(crate) struct Seen {
    pub(crate) git: Option<GitFacts>,
    /// What each pointed-to file was
    pub(crate) blobs: BTreeMap<String, String>,
    /// Commits that say that items are settled
    pub(crate) closing: Vec<ClosingCommit>,
}

/// What a change does to a session.
pub(crate) struct Changing {
    pub(crate) edit: SessionEdit,
    /// Where it is in its life afterwards
    pub(crate) status: SessionStatus,
    /// Who it was worked with, where the caller says so
    pub(crate) tool: Option<String>,
    pub(crate) body: Change<String>,
    pub(crate) seen: Seen,
    /// What a transcript tells, where the session is made of one
    pub(crate) compiled: Option<Compiled>,
    /// What it says before the edit, where others were merged into it
    pub(crate) merged: Option<Box<Session>>,
    /// Whether somebody else goes on with it, and the caller does not
    pub(crate) is_anothers: bool,
    /// Items of any session that are settled with it
    pub(crate) endings: Vec<ItemEnding>,
}

impl Changing {
    pub(crate) fn to(status: SessionStatus) -> Changing {
        let (edit, body, seen) = (SessionEdit::default(), Change::Keep, Seen::default());
        Changing {
            edit,
            status,
            tool: None,
            body,
            seen,
            compiled: None,
            merged: None,
            is_anothers: false,
            endings: Vec::new(),
        }
    }
}

/// A session that was changed, and what the caller should know.
pub(crate) struct Changed {
    pub(crate) found: FoundSession,
    pub(crate) warnings: Vec<String>,
}

/// Finds the session to change, and refuses when it is no longer at the revision the caller saw.
pub(super) fn find(project: &Project, wanted: &SessionRef, if_rev: Option<Rev>) -> Result<FoundSession, OpError> {
    let found = project.store().session(wanted)?;
    check_rev(&found, if_rev)?;
    Ok(found)
}

/// Finds a session that is not closed.
pub(crate) fn find_open(project: &Project, wanted: &SessionRef) -> Result<FoundSession, OpError> {
    let found = find(project, wanted, None)?;
    if found.session.status == SessionStatus::Closed { Err(closed(&found.session.id)) } else { Ok(found) }
}

/// Refuses when a session is no longer at the revision the caller saw.
pub(super) fn check_rev(found: &FoundSession, if_rev: Option<Rev>) -> Result<(), OpError> {
    match if_rev {
        Some(expected) if expected != found.rev => {
            let what = format!("session `{}`", found.name);
            Err(StoreError::Changed { what, expected, found: found.rev }.into())
        }
        _ => Ok(()),
    }
}

/// The session that is named, or the caller's own.
pub(super) fn named_or_mine(
    project: &Project,
    sessions: &Sessions,
    wanted: Option<&SessionRef>,
    if_rev: Option<Rev>,
) -> Result<FoundSession, OpError> {
    match wanted {
        Some(wanted) => find(project, wanted, if_rev),
        None => {
            let found = which::mine(project, sessions).cloned().ok_or_else(|| none_of_mine(sessions))?;
            check_rev(&found, if_rev)?;
            Ok(found)
        }
    }
}

/// The answer to a request about "the session" where the caller has none.
pub(super) fn none_of_mine(sessions: &Sessions) -> OpError {
    let active: Vec<String> = which::active(sessions).map(line).collect();
    let start = json!({"summary": "what this session is about", "session_status": "active"});
    if active.is_empty() {
        return OpError::not_found("no session is active").hint(Hint::run_with::<super::SaveSession>(start));
    }
    OpError::refused("none of the active sessions is known to be yours: name the one you mean").details(active)
}

pub(super) fn line(found: &FoundSession) -> String {
    format!("{} {}: {}", found.session.id, found.session.status, found.session.headline(60))
}

/// A new session of the caller.
pub(crate) fn begin(project: &mut Project, kind: SessionKind) -> Result<Session, OpError> {
    let mut session = Session::new(project.new_session_id(), kind, project.instant());
    session.author = Some(project.author()?);
    session.tool.clone_from(&project.caller.tool);
    session.project = Some(project.name());
    Ok(session)
}

/// The kind of a session that is over as soon as it is saved.
pub(super) fn kind_of_record(project: &Project) -> SessionKind {
    if project.door == Door::Cli { SessionKind::Record } else { SessionKind::Session }
}

/// Stages a session that is not there yet.
pub(crate) fn create(project: &mut Project, mut session: Session, change: Changing) -> Result<Changed, OpError> {
    let name = session.full_name();
    let warnings = apply(project, &mut session, &name, &change)?;
    let body = match change.body {
        Change::Set(body) => Some(body),
        Change::Keep | Change::Clear => None,
    };
    let found = project.store_mut().create_session(session, body)?;
    after(project, &found);
    Ok(Changed { found, warnings })
}

/// Stages the change of a session.
pub(crate) fn change(project: &mut Project, found: &FoundSession, change: Changing) -> Result<Changed, OpError> {
    if found.session.status == SessionStatus::Closed {
        return Err(closed(&found.session.id));
    }
    let mut session = change.merged.as_ref().map_or_else(|| found.session.clone(), |merged| (**merged).clone());
    let warnings = apply(project, &mut session, &found.name, &change)?;
    let mut warnings = warnings;
    if change.compiled.is_none() {
        warnings.extend(replaced(&found.session, &session));
    }
    match &change.body {
        // The body of an open session may have been edited; what it says now is what is saved.
        Change::Keep if session.body_check.is_some() => {
            let body = project.store().session_body(found)?.filter(|body| !body.trim().is_empty());
            session.body_check = body.map(|body| Session::check_of_body(&body)).or(session.body_check);
        }
        Change::Keep => {}
        Change::Clear => session.body_check = None,
        Change::Set(body) => session.body_check = Some(Session::check_of_body(body)),
    }
    let saved = project.store_mut().save_session(found, &session)?;
    match change.body {
        Change::Keep => {}
        Change::Clear => project.store_mut().save_session_body(found, None)?,
        Change::Set(body) => project.store_mut().save_session_body(found, Some(body))?,
    }
    if change.is_anothers {
        project.rebuild_current_state();
    } else {
        after(project, &saved);
    }
    Ok(Changed { found: saved, warnings })
}

/// Stages what a closed session lacks, since it was made of a transcript before all of that was read.
///
/// Nothing else changes what is closed. When it ended and what git said then stays.
pub(crate) fn complete(
    project: &mut Project,
    found: &FoundSession,
    compiled: &Compiled,
    endings: &[ItemEnding],
) -> Result<Changed, OpError> {
    let mut session = found.session.clone();
    let recorded = Recorded::read(project)?;
    let items = recorded.items();
    session.allot_items(&found.name, &items);
    compiled.put_into(&mut session);
    let author = project.author().ok();
    session.settle(&found.name, endings, SettledBy { at: Some(project.instant()), by: author.as_deref() });
    session.allot_items(&found.name, &items);
    let earlier = compiled.started_at.filter(|at| session.started_at.is_none_or(|started| *at < started));
    session.started_at = earlier.or(session.started_at);
    // It is known to others by its name, which tells the day it began.
    if session.full_name() != found.name {
        session.started_at = found.session.started_at;
    }
    let found = project.store_mut().save_session(found, &session)?;
    project.rebuild_current_state();
    Ok(Changed { found, warnings: Vec::new() })
}

pub(super) fn closed(id: &SessionId) -> OpError {
    refused(&BadEdit::Closed { id: id.clone() })
}

fn refused(error: &BadEdit) -> OpError {
    match error {
        BadEdit::Closed { id } => {
            let hint = Hint::run_with::<ReopenSession>(json!({"session": id}));
            OpError::refused(error.to_string()).hint(hint)
        }
        BadEdit::NoSuchItem { .. } | BadEdit::NoSuchDecision { .. } => {
            OpError::not_found(error.to_string()).hint(Hint::run_with::<ShowSession>(json!({"session": "latest"})))
        }
        _ => OpError::usage(error.to_string()),
    }
}

fn apply(project: &Project, session: &mut Session, name: &str, change: &Changing) -> Result<Vec<String>, OpError> {
    let recorded = Recorded::read(project)?;
    let (decisions, mut items) = (recorded.decisions(), recorded.items());
    let has_items = session.kind != SessionKind::Package;
    if has_items {
        // What an earlier version or a hand wrote has no ids yet.
        session.allot_items(name, &items);
    }
    let dir = project.dir();
    let real = dir.as_ref().and_then(|dir| dir.canonicalize().ok());
    let roots: Vec<String> = dir.iter().chain(&real).map(|dir| dir.display().to_string()).collect();
    let roots: Vec<&str> = roots.iter().map(String::as_str).collect();
    let author = project.author().ok();
    let settled = SettledBy { at: Some(project.instant()), by: author.as_deref() };
    let around = Surroundings { name, roots: &roots, settled };
    let by_commits = if has_items { endings::by_commits(&change.seen.closing, &items) } else { Vec::new() };
    // The commits were made before this change, so what it names again is open again. An edit that takes entries away
    // by their places or words has to find them, though.
    let takes_away = !change.edit.done_next.is_empty() || !change.edit.resolved_blockers.is_empty();
    if !takes_away {
        session.settle(name, &by_commits, settled);
    }
    items.settle(&by_commits);
    let mut warnings = change
        .edit
        .clone()
        .apply(session, around, |wanted| decisions.resolve(wanted))
        .map_err(|error| refused(&error))?;
    let mut endings = change.endings.clone();
    if let Some(compiled) = &change.compiled {
        compiled.put_into(session);
    }
    if has_items {
        if change.edit.replace_next {
            let replaced = endings::replaced(name, session, &items);
            warnings.extend(endings::replacement(&replaced));
            endings.extend(replaced);
        }
        if takes_away {
            endings.extend(by_commits);
        }
        session.settle(name, &endings, settled);
        // A task carries its item on.
        endings.retain(|ending| ending.how != SettledHow::Task);
        items.settle(&endings);
        session.allot_items(name, &items);
    }
    if let Some(tool) = &change.tool {
        session.tool = Some(tool.clone());
    }
    if let Some(git) = &change.seen.git {
        session.git = Some(git.clone());
    }
    for pointer in &mut session.pointers {
        if let Some(blob) = change.seen.blobs.get(&pointer.path) {
            pointer.blob = Some(blob.clone());
        }
    }
    let moved = match change.status {
        SessionStatus::Active => session.activate(),
        SessionStatus::Paused => session.pause(),
        SessionStatus::Closed => session.close(ending(project, session, change.compiled.as_ref())),
    };
    moved.map_err(|error| refused(&error))?;
    Ok(warnings)
}

/// When a session ended: now, or when the transcript that it is made of did.
fn ending(project: &Project, session: &Session, compiled: Option<&Compiled>) -> Moment {
    let told = compiled.and_then(|compiled| compiled.ended_at);
    told.filter(|at| session.started_at.is_none_or(|started| started <= *at)).unwrap_or_else(|| project.instant())
}

/// What was recorded earlier and is no longer in the lists: a list that is given replaces, and that is easily missed.
fn replaced(before: &Session, after: &Session) -> Vec<String> {
    let mut told = Vec::new();
    let mut tell = |list: &str, gone: Vec<&str>| {
        if !gone.is_empty() {
            let gone: Vec<String> = gone.iter().map(|text| format!("`{}`", shortened(text))).collect();
            let gone = gone.join(", ");
            told.push(format!("the `{list}` given replaced {gone}; `add_{list}` would have kept what was there"));
        }
    };
    let is_gone = |old: &&Decision| !after.decisions.iter().any(|decision| decision.id == old.id);
    tell("decisions", before.decisions.iter().filter(is_gone).map(|old| old.decision.as_str()).collect());
    let is_gone = |old: &&SessionNote| !after.notes.iter().any(|note| note.note == old.note);
    tell("notes", before.notes.iter().filter(is_gone).map(|old| old.note.as_str()).collect());
    let is_gone = |old: &&Pointer| !after.pointers.iter().any(|pointer| pointer.path == old.path);
    tell("pointers", before.pointers.iter().filter(is_gone).map(|old| old.path.as_str()).collect());
    told
}

pub(super) fn shortened(text: &str) -> String {
    const SHOWN: usize = 60;
    match text.char_indices().nth(SHOWN) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}…", &text[..end]),
    }
}

/// What follows a change: who holds the session, which old ones go to the archive, what the overview says.
fn after(project: &mut Project, found: &FoundSession) {
    match found.session.status {
        SessionStatus::Active => which::hold(project, &found.session.id),
        SessionStatus::Paused => which::put_down(project, &found.session.id),
        SessionStatus::Closed => which::leave(project, &found.session.id),
    }
    project.rebuild_current_state();
}

/// Moves the oldest closed sessions to the archive, so that as many remain as the settings say.
pub(crate) fn archive_old(project: &mut Project, just_closed: &[&FoundSession]) -> Result<usize, OpError> {
    // The last handoff always remains at hand.
    let limit = project.config().settings.history_limit.count().max(1);
    let sessions = project.store().handoffs()?;
    let is_new = |id: &SessionId| just_closed.iter().any(|found| found.session.id == *id);
    let others = sessions.list.iter().filter(|found| !is_new(&found.session.id));
    let old = beyond(&sessions, others, limit.saturating_sub(just_closed.len()));
    for found in &old {
        project.store_mut().archive_session(found)?;
    }
    Ok(old.len())
}

/// The closed handoffs among some that are beyond the newest of them. The one whose words on where the project stands
/// count is none of them, as long as no later one has such words.
pub(crate) fn beyond<'a>(
    sessions: &'a Sessions,
    some: impl Iterator<Item = &'a Arc<FoundSession>>,
    newest: usize,
) -> Vec<Arc<FoundSession>> {
    let is_over = |found: &&Arc<FoundSession>| found.is_handoff() && found.session.status == SessionStatus::Closed;
    let told = sessions.list.iter().filter(is_over).find(|found| found.session.state.is_some());
    let is_told = |found: &FoundSession| told.is_some_and(|told| told.session.id == found.session.id);
    some.filter(is_over).skip(newest).filter(|found| !is_told(found)).cloned().collect()
}

/// Asks git what stands in a saved session. Bounded in time; what cannot be told is left out, and that is told.
pub(super) fn look(project: &mut Project, pointed: &[String]) -> Seen {
    look_within(project, pointed, Duration::from_secs(2))
}

/// The same, in a time that the caller sets.
pub(crate) fn look_within(project: &mut Project, pointed: &[String], limit: Duration) -> Seen {
    if !project.config().settings.auto_git_summary {
        return Seen::default();
    }
    let Some(git) = project.dir().and_then(|dir| Git::around(&dir)) else { return Seen::default() };
    let paths: Vec<&str> = pointed.iter().map(String::as_str).collect();
    match git.facts(&paths, project.patient(limit)) {
        Asked::Answer(facts) => {
            if let Some(why) = facts.skipped {
                project.note(format!("git was not asked for everything: {why}"));
            }
            let closing = match closing(project, limit) {
                Asked::Answer(closing) => closing,
                Asked::Skipped(why) => {
                    project.note(format!("git was not asked which items commits settle: {why}"));
                    Vec::new()
                }
            };
            Seen { git: Some(facts.git), blobs: facts.pointed, closing }
        }
        Asked::Skipped(why) => {
            project.note(format!("git was not asked: {why}"));
            Seen::default()
        }
    }
}

/// The commits that say that an open item is settled.
pub(crate) fn closing(project: &Project, limit: Duration) -> Asked<Vec<ClosingCommit>> {
    let Ok(recorded) = Recorded::read(project) else { return Asked::Answer(Vec::new()) };
    endings::commits_closing(project, &recorded.items(), limit)
}
