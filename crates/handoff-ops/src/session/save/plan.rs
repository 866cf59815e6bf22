//! Which sessions a save concerns: the one that gets what is saved, and those that are paused or closed by the way.
//!
//! **Invariant:** nothing that is asked for is passed over. Wishes that cannot be granted together are an error, or it is told which was not heeded.

use handoff_model::id::{SessionId, SessionRef};
use handoff_model::session::SessionStatus;
use handoff_store::{FoundSession, Sessions};

use super::super::{change, which};
use super::{SaveSession, SavedStatus};
use crate::{OpError, Project};

/// Which sessions a save concerns.
pub(super) struct Plan {
    /// The one that gets what is saved; a new one where there is none
    pub(super) target: Option<FoundSession>,
    pub(super) status: SessionStatus,
    /// Others that are paused or closed by the way
    pub(super) others: Vec<(FoundSession, SessionStatus)>,
    /// The one that is named to be closed
    closing: Option<SessionId>,
    pub(super) told: Option<String>,
}

impl SaveSession {
    pub(super) fn plan(&self, project: &Project, sessions: &Sessions) -> Result<Plan, OpError> {
        let find = |wanted: &SessionRef| open(project, wanted);
        let asked = self.session_status.map_or(SessionStatus::Closed, SessionStatus::from);
        let named = self.session_id.as_ref().map(find).transpose()?;
        let closing = self.close_session_id.as_ref().map(find).transpose()?;
        let mut plan = Plan { target: named, status: asked, others: Vec::new(), closing: None, told: None };
        if let Some(closing) = closing {
            plan.closing = Some(closing.session.id.clone());
            match &plan.target {
                Some(target) if target.session.id != closing.session.id => {
                    plan.others.push((closing, SessionStatus::Closed));
                }
                Some(_) if self.session_status == Some(SavedStatus::Active) => {
                    return Err(OpError::usage(
                        "`close_session_id` closes the session that `session_status: active` would go on with: \
                         give one of them",
                    ));
                }
                // The old one is closed, and what is saved begins the next.
                None if self.session_status == Some(SavedStatus::Active) => {
                    plan.others.push((closing, SessionStatus::Closed));
                }
                _ => {
                    plan.target = Some(closing);
                    plan.status = SessionStatus::Closed;
                }
            }
        }
        let pausing = self.to_pause(project, sessions, plan.target.as_ref())?;
        if pausing.is_empty() {
            return Ok(concerning_mine(plan, project, sessions));
        }
        pausing.into_iter().try_fold(plan, |plan, pausing| self.pausing(plan, pausing))
    }

    /// The sessions that are to be put aside, those that are named first.
    fn to_pause(
        &self,
        project: &Project,
        sessions: &Sessions,
        target: Option<&FoundSession>,
    ) -> Result<Vec<FoundSession>, OpError> {
        let mine = || which::mine(project, sessions).cloned().ok_or_else(|| change::none_of_mine(sessions));
        let mut pausing: Vec<FoundSession> =
            self.pause_session_id.iter().map(|id| open(project, id)).collect::<Result<_, _>>()?;
        if self.pause_active {
            pausing.push(mine()?);
        }
        if self.pause_only && pausing.is_empty() {
            pausing.push(target.cloned().map_or_else(mine, Ok)?);
        }
        pausing.dedup_by(|a, b| a.session.id == b.session.id);
        Ok(pausing)
    }

    fn pausing(&self, mut plan: Plan, pausing: FoundSession) -> Result<Plan, OpError> {
        let is_active = self.session_status == Some(SavedStatus::Active);
        if self.pause_only && is_active {
            return Err(OpError::usage("`pause_only` starts no other session: leave out `session_status`"));
        }
        let is = |found: &FoundSession| found.session.id == pausing.session.id;
        if plan.closing.as_ref() == Some(&pausing.session.id) {
            return Err(OpError::usage("one session cannot be closed and paused in the same step"));
        }
        match &plan.target {
            Some(target) if is(target) && is_active => {
                return Err(OpError::usage("one session cannot be paused and go on in the same step"));
            }
            Some(target) if !is(target) && self.pause_only && plan.status != SessionStatus::Paused => {
                return Err(OpError::usage(
                    "`pause_only` pauses one session, and another is named to be saved: leave out `pause_only`",
                ));
            }
            Some(target) if !is(target) => plan.others.push((pausing, SessionStatus::Paused)),
            None if is_active => plan.others.push((pausing, SessionStatus::Paused)),
            _ => {
                plan.target = Some(pausing);
                plan.status = SessionStatus::Paused;
                if self.session_status == Some(SavedStatus::Closed) {
                    plan.told = Some("it was paused, so `session_status: closed` was not heeded".to_owned());
                }
            }
        }
        Ok(plan)
    }
}

/// The session with this name, which must not be over.
fn open(project: &Project, wanted: &SessionRef) -> Result<FoundSession, OpError> {
    let found = project.store().session(wanted)?;
    if found.session.status == SessionStatus::Closed {
        return Err(change::closed(&found.session.id));
    }
    Ok(found)
}

/// A save that names no session concerns the caller's own; where that cannot be told, it stands for itself.
fn concerning_mine(mut plan: Plan, project: &Project, sessions: &Sessions) -> Plan {
    if plan.target.is_none() {
        let is_closing = |found: &&FoundSession| plan.closing.as_ref() != Some(&found.session.id);
        plan.target = which::mine(project, sessions).filter(is_closing).cloned();
        let others = which::active(sessions).filter(|found| plan.closing.as_ref() != Some(&found.session.id)).count();
        if plan.target.is_none() && others > 0 {
            plan.told = Some(format!(
                "this became a session of its own; {others} other {} under way {} left alone (to save into one, name \
                 it: `session_id`, `--session ID`)",
                if others == 1 { "session" } else { "sessions" },
                if others == 1 { "was" } else { "were" },
            ));
        }
    }
    plan
}
