//! What was recorded of a conversation goes into its session.

use std::time::Duration;

use handoff_model::agent::Digest;
use handoff_model::session::{Session, SessionStatus};

use super::state::Conversation;
use super::work::{Compilation, Work};
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
}

/// Puts it into the session under way, before the agent forgets it.
pub(super) fn into_session(project: &mut Project, conversation: &Conversation) -> Result<(), OpError> {
    put(project, conversation, SessionStatus::Active, BEFORE_COMPACTION).map(|_| ())
}

/// Makes a handoff of it; `None` where nothing was recorded.
pub(super) fn into_handoff(project: &mut Project, conversation: &Conversation) -> Result<Option<Put>, OpError> {
    put(project, conversation, SessionStatus::Closed, AT_START)
}

fn put(
    project: &mut Project,
    conversation: &Conversation,
    status: SessionStatus,
    wait: Duration,
) -> Result<Option<Put>, OpError> {
    let state = &conversation.state;
    let (Some(host), Some(digest)) = (state.host, conversation.records(project.store())?.pending()) else {
        return Ok(None);
    };
    let mut work = Work::new(host, &state.session, digest.clone());
    work.process.clone_from(&state.process);
    work.look(project, GIT_TIME)?;
    project.lock_within("hook", wait)?;
    let compiled = work.compile(project, Some(status)).and_then(|compiled| project.commit().map(|()| compiled));
    project.store_mut().unlock();
    // Nobody is there to read them.
    project.notes.clear();
    let session = match compiled? {
        Compilation::Put(put) => Some(put.found.session),
        Compilation::Told(found) => Some(found.session.clone()),
        Compilation::Nothing => None,
    };
    Ok(Some(Put { digest, session }))
}
