//! What `handoff gc` does about packages and records whose lifetime is over.
//!
//! **Invariant:** nothing is deleted because of a clock. What is over goes into a trash, from where it comes back by
//! itself as soon as the clock says that it is to be shown; only somebody who asks for it deletes for good.

use std::sync::Arc;

use handoff_model::id::SessionId;
use handoff_model::session::{SessionKind, SessionStatus};
use handoff_model::when::Moment;
use handoff_store::FoundSession;
use schemars::JsonSchema;
use serde::Serialize;

use crate::{OpError, Project};

/// Something whose lifetime is over, or that came back.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct ExpiredView {
    pub id: SessionId,
    /// Its full name
    pub full_name: String,
    pub kind: SessionKind,
    /// What it is called
    pub title: String,
    pub expires_at: Moment,
}

/// What became of those with a lifetime.
#[derive(Debug, Default)]
pub(crate) struct Swept {
    /// Those that went to the trash
    pub(crate) removed: Vec<ExpiredView>,
    /// Those that came back from it
    pub(crate) brought_back: Vec<ExpiredView>,
}

/// Stages the way to the trash of what is over, and the way back of what is not.
pub(crate) fn sweep(project: &mut Project, now: Moment) -> Result<Swept, OpError> {
    let mut swept = Swept::default();
    let sessions = project.store().sessions()?;
    let over: Vec<(Arc<FoundSession>, Moment)> = sessions
        .list
        .iter()
        .filter(|found| found.session.status == SessionStatus::Closed && found.problem.is_none())
        .filter_map(|found| Some((found.clone(), found.session.expires_at.filter(|at| *at <= now)?)))
        .collect();
    for (found, expires_at) in over {
        project.store_mut().trash_session(&found, expires_at)?;
        swept.removed.push(ExpiredView::of(&found, expires_at));
    }
    for trashed in project.store().trashed_sessions()? {
        if trashed.expires_at > now
            && let Some(found) = project.store().trashed_session(&trashed)?
        {
            project.store_mut().bring_back_session(&found)?;
            swept.brought_back.push(ExpiredView::of(&found, trashed.expires_at));
        }
    }
    Ok(swept)
}

impl ExpiredView {
    fn of(found: &FoundSession, expires_at: Moment) -> ExpiredView {
        let session = &found.session;
        let title = session.name.clone().unwrap_or_else(|| session.headline(60));
        ExpiredView { id: session.id.clone(), full_name: found.name.clone(), kind: session.kind, title, expires_at }
    }
}
