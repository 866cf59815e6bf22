//! What a list shows of each session, without its body.

use handoff_model::id::SessionId;
use handoff_model::problem::Problem;
use handoff_model::session::{SessionKind, SessionStatus};
use handoff_model::when::Moment;

use super::read::FoundSession;
use crate::error::Result;
use crate::store::Store;

/// The fields of a session that lists show and filter by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionSummary {
    /// Its full name, such as `2026-11-15-a3f9c12e`
    pub full_name: String,
    pub id: SessionId,
    pub kind: SessionKind,
    pub status: SessionStatus,
    pub title: Option<String>,
    pub summary: String,
    pub tool: Option<String>,
    pub author: Option<String>,
    pub name: Option<String>,
    pub tags: Vec<String>,
    pub project: Option<String>,
    pub next: Vec<String>,
    pub started_at: Option<Moment>,
    pub ended_at: Option<Moment>,
    pub expires_at: Option<Moment>,
}

/// Summaries, the one with the latest activity first, and what is wrong in the files.
#[derive(Clone, Debug, Default)]
pub struct Summaries {
    pub list: Vec<SessionSummary>,
    pub problems: Vec<Problem>,
}

impl SessionSummary {
    /// When something last happened in it, as far as it says.
    pub fn last_active(&self) -> Option<Moment> {
        self.ended_at.or(self.started_at)
    }

    /// What a list shows of this one.
    pub fn of(found: &FoundSession) -> SessionSummary {
        let session = found.session.clone();
        SessionSummary {
            full_name: found.name.clone(),
            id: session.id,
            kind: session.kind,
            status: session.status,
            title: session.title,
            summary: session.summary,
            tool: session.tool,
            author: session.author,
            name: session.name,
            tags: session.tags,
            project: session.project,
            next: session.next,
            started_at: session.started_at,
            ended_at: session.ended_at,
            expires_at: session.expires_at,
        }
    }
}

impl Store {
    /// What lists show of every session that is a file of its own. Bodies are not read.
    pub fn session_summaries(&self) -> Result<Summaries> {
        let sessions = self.sessions()?;
        let list = sessions.list.iter().map(|found| SessionSummary::of(found)).collect();
        Ok(Summaries { list, problems: sessions.problems })
    }
}
