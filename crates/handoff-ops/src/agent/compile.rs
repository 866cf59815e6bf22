//! What was recorded of a conversation goes into its session.

use std::time::Duration;

use handoff_model::agent::Digest;
use handoff_model::session::{Session, SessionStatus};

use super::finish::TRIES;
use super::state::Conversation;
use super::turn::Progress;
use super::work::{Compilation, StatusAfter, Work};
use crate::project::HOOK;
use crate::{OpError, Project};

/// As long as git may take to say where the work stands.
const GIT_TIME: Duration = Duration::from_millis(20);
/// As long as another change of the store is waited for. The context is lost in a moment; a finished conversation is
/// still there at the next start.
const BEFORE_COMPACTION: Duration = Duration::from_secs(2);
const AT_START: Duration = Duration::from_millis(20);

/// What a conversation came to, and the session that holds it.
pub(super) struct Put {
    pub(super) digest: Digest,
    /// Absent where there was no work
    pub(super) session: Option<Session>,
    /// Whether it was written there, and did not stand there already
    pub(super) is_written: bool,
}

/// Puts it into the session under way, before the agent forgets it.
pub(super) fn into_session(project: &mut Project, conversation: &Conversation) -> Result<(), OpError> {
    let digest = conversation.records(project.store())?.pending();
    let digest = digest.map(|digest| Digest { is_under_way: true, ..digest });
    let work = digest.and_then(|digest| work(conversation, digest));
    let status = StatusAfter::Exactly(SessionStatus::Active);
    work.map_or(Ok(()), |work| put(project, work, status, BEFORE_COMPACTION).map(|_| ()))
}

/// Makes a handoff of what came after the last one.
pub(super) fn into_handoff(
    project: &mut Project,
    conversation: &Conversation,
    digest: Digest,
    progress: Progress,
) -> Result<Option<Put>, OpError> {
    // One that was killed while it ran checks may have been about to report them.
    let is_killed_at_work = conversation.state.ended_at.is_none() && digest.has_checks();
    let Some(mut work) = work(conversation, digest) else { return Ok(None) };
    // What is longer than could be read is no question in passing.
    work.is_asked_for = progress == Progress::Behind || is_killed_at_work;
    put(project, work, StatusAfter::ClosedUnlessPaused, AT_START).map(Some)
}

/// Completes the handoff that was made before everything was read.
pub(super) fn into_lacking(
    project: &mut Project,
    conversation: &Conversation,
    digest: Digest,
) -> Result<Option<Put>, OpError> {
    let completes = conversation.state.lacking.clone();
    let work = work(conversation, digest).map(|work| Work { completes, ..work });
    work.map(|work| put(project, work, StatusAfter::ClosedUnlessPaused, AT_START)).transpose()
}

fn work(conversation: &Conversation, digest: Digest) -> Option<Work> {
    let state = &conversation.state;
    Some(Work {
        process: state.process.clone(),
        is_last_try: state.tries + 1 >= TRIES,
        ..Work::new(state.host?, &state.session, digest)
    })
}

fn put(project: &mut Project, mut work: Work, status: StatusAfter, wait: Duration) -> Result<Put, OpError> {
    work.look(project, GIT_TIME)?;
    project.lock_within(HOOK, project.patient(wait))?;
    let compiled = work.compile(project, status).and_then(|compiled| project.commit().map(|()| compiled));
    project.store_mut().unlock();
    // Nobody is there to read them.
    project.notes.clear();
    let (session, is_written) = match compiled? {
        Compilation::Put(put) => (Some(put.found.session), true),
        Compilation::Told(found) => (Some(found.session.clone()), false),
        Compilation::Nothing => (None, false),
    };
    Ok(Put { digest: work.digest, session, is_written })
}
