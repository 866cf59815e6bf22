//! Which session a request without an id is about.
//!
//! **Invariant:** nobody's session is changed or closed by somebody else's request. A session belongs to the
//! connection that established it, or to the agent session and work tree that did; one that nobody alive holds belongs
//! to whoever works in the same place under the same name.

use std::path::{Path, PathBuf};

use handoff_model::id::SessionId;
use handoff_model::session::{SessionKind, SessionStatus};
use handoff_store::{Bound, FoundSession, Process, Sessions};

use crate::{Door, Project};

/// The caller's own session, if there is one under way.
pub(crate) fn mine<'a>(project: &Project, sessions: &'a Sessions) -> Option<&'a FoundSession> {
    let open = |id: &SessionId| {
        let mut list = sessions.list.iter();
        list.find(|found| found.session.id == *id && found.session.status != SessionStatus::Closed).map(AsRef::as_ref)
    };
    let root = project.store().path().to_owned();
    let conversation = project.caller.agent_session.as_deref();
    let connection = project.caller.connection.as_ref();
    if let Some(id) = connection.and_then(|connection| connection.session(&root, conversation))
        && let Some(found) = open(&id)
    {
        return Some(found);
    }
    let bound = project.store().bound();
    let here = worktree(project);
    if let Some(agent) = &project.caller.agent_session {
        let same = |bound: &&Bound| bound.agent_session.as_ref() == Some(agent) && bound.worktree == here;
        if let Some(found) = bound.iter().rev().filter(same).find_map(|bound| open(&bound.session)) {
            return Some(found);
        }
    }
    // Another of this person's that is under way elsewhere leaves it open which one is meant.
    let mut active = active(sessions).filter(|found| is_of_person(project, found));
    let only = active.next().filter(|_| active.next().is_none())?;
    is_free(project, only, &bound, here.as_deref()).then_some(only)
}

/// The session that leads what there is to go on with: the caller's own, else the one that this person left in this work
/// tree.
pub(crate) fn leading<'a>(project: &Project, sessions: &'a Sessions) -> Option<&'a FoundSession> {
    mine(project, sessions).or_else(|| put_aside(project, sessions))
}

/// Ids of the sessions under way that belong to another person or another work tree.
pub(crate) fn elsewhere(project: &Project, sessions: &Sessions) -> Vec<SessionId> {
    let bound = project.store().bound();
    let here = worktree(project);
    let open = sessions.list.iter().filter(|found| found.session.status != SessionStatus::Closed);
    let elsewhere = open.filter(|found| !is_of_here(project, found, &bound, here.as_deref()));
    elsewhere.map(|found| found.session.id.clone()).collect()
}

/// The sessions that are active, packages aside.
pub(crate) fn active(sessions: &Sessions) -> impl Iterator<Item = &FoundSession> {
    let all = sessions.list.iter().map(AsRef::as_ref);
    all.filter(|found: &&FoundSession| found.session.status == SessionStatus::Active && found.is_handoff())
}

/// The session that this person put aside in this work tree, or left active where nobody alive holds it; the latest.
fn put_aside<'a>(project: &Project, sessions: &'a Sessions) -> Option<&'a FoundSession> {
    let bound = project.store().bound();
    let here = worktree(project);
    let open = sessions.list.iter().map(AsRef::as_ref).filter(|found: &&FoundSession| {
        found.session.status != SessionStatus::Closed && found.session.kind == SessionKind::Session
    });
    let mut mine = open.filter(|found| is_free(project, found, &bound, here.as_deref()));
    mine.next()
}

/// Reports whether a session can be taken for the caller's own: it belongs here, and nobody alive holds it.
fn is_free(project: &Project, found: &FoundSession, bound: &[Bound], here: Option<&str>) -> bool {
    let holder = holder(found, bound).and_then(|holder| holder.process.as_ref());
    found.session.kind == SessionKind::Session
        && is_of_here(project, found, bound, here)
        && !holder.is_some_and(Process::is_alive)
}

/// Reports whether a session belongs to this person and this work tree.
fn is_of_here(project: &Project, found: &FoundSession, bound: &[Bound], here: Option<&str>) -> bool {
    if !is_of_person(project, found) {
        return false;
    }
    match holder(found, bound) {
        // Git brought it from another clone. Where git carries no sessions, the note of this machine is lost.
        None => found.session.author.is_some() && !project.is_shared(),
        Some(holder) => holder.worktree.as_deref() == here,
    }
}

/// Reports whether nobody else is known to have begun a session.
fn is_of_person(project: &Project, found: &FoundSession) -> bool {
    found.session.author.is_none() || project.author().ok() == found.session.author
}

fn holder<'b>(found: &FoundSession, bound: &'b [Bound]) -> Option<&'b Bound> {
    bound.iter().rev().find(|bound| bound.session == found.session.id)
}

/// Whether somebody else is at work in a session: another person's it is, or another agent that is alive holds it.
pub(crate) fn is_of_another(project: &Project, found: &FoundSession) -> bool {
    let session = &found.session;
    if session.status == SessionStatus::Closed {
        return false;
    }
    if session.author.is_some() && project.author().ok() != session.author {
        return true;
    }
    let conversation = project.caller.agent_session.as_deref();
    let connection = project.caller.connection.as_ref();
    let own = connection.and_then(|connection| connection.session(project.store().path(), conversation));
    let bound = project.store().bound();
    let Some(holder) = holder(found, &bound) else { return false };
    let is_mine = own.as_ref() == Some(&session.id)
        || (conversation.is_some() && holder.agent_session.as_deref() == conversation);
    !is_mine && holder.process.as_ref().is_some_and(|process| *process != Process::this() && process.is_alive())
}

/// Binds the caller to a session, for the requests that follow over the same connection.
pub(crate) fn join(project: &Project, session: SessionId) {
    if let Some(connection) = &project.caller.connection {
        connection.establish(project.store().path(), project.caller.agent_session.as_deref(), session);
    }
}

/// Binds the caller to a session, for all requests that follow; noted when the change is committed.
pub(crate) fn hold(project: &mut Project, session: &SessionId) {
    join(project, session.clone());
    let mut bound = project.store().bound();
    bound.retain(|bound| bound.session != *session);
    bound.push(Bound {
        session: session.clone(),
        agent_session: project.caller.agent_session.clone(),
        worktree: worktree(project),
        // A command ends before its session does, so its process holds nothing.
        process: (project.door != Door::Cli).then(Process::this),
    });
    project.store_mut().put_bound(&bound);
}

/// Lets go of a session that is over. Which conversation left it stays known, so that its work is not told twice.
pub(crate) fn leave(project: &mut Project, session: &SessionId) {
    let mut bound = project.store().bound();
    let noted = bound.iter().position(|bound| bound.session == *session).map(|place| bound.remove(place));
    // Where a person began it, whoever closes it is the one whose work it holds.
    let noted_session = noted.as_ref().and_then(|noted| noted.agent_session.clone());
    let agent_session = noted_session.or_else(|| project.caller.agent_session.clone());
    release(project, session);
    if agent_session.is_some() {
        let worktree = noted.map_or_else(|| worktree(project), |noted| noted.worktree);
        bound.push(Bound { session: session.clone(), agent_session, worktree, process: None });
        project.store_mut().put_bound(&bound);
    }
}

/// Lets go of a session that is put aside. The work tree stays known, so that it is offered there again.
pub(crate) fn put_down(project: &mut Project, session: &SessionId) {
    let mut bound = project.store().bound();
    let noted = bound.iter().position(|bound| bound.session == *session).map(|place| bound.remove(place));
    release(project, session);
    let worktree = noted.map_or_else(|| worktree(project), |noted| noted.worktree);
    bound.push(Bound { session: session.clone(), agent_session: None, worktree, process: None });
    project.store_mut().put_bound(&bound);
}

/// Forgets who holds a session.
fn release(project: &mut Project, session: &SessionId) {
    let root = project.store().path().to_owned();
    if let Some(connection) = &project.caller.connection {
        connection.leave(&root, session);
    }
    let mut bound = project.store().bound();
    let before = bound.len();
    bound.retain(|bound| bound.session != *session);
    if bound.len() != before {
        project.store_mut().put_bound(&bound);
    }
}

/// The work tree the caller is in: the nearest directory above that git knows, else that of the project.
pub(crate) fn worktree(project: &Project) -> Option<String> {
    let cwd = project.place.cwd.canonicalize().unwrap_or_else(|_| project.place.cwd.clone());
    let tree = cwd.ancestors().find(|dir| dir.join(".git").exists()).map(Path::to_owned);
    let tree = tree.or_else(|| project.store().path().parent().map(PathBuf::from))?;
    Some(tree.display().to_string())
}
