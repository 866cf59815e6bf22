//! Compaction: old handoffs go to the archives of their month and tag, whole, and the archives lead from one to the other.
//!
//! **Invariant:** nothing is lost and no reference breaks. What went to an archive is found by its id as before, and comes
//! back byte for byte.

use std::sync::Arc;

use handoff_model::session::archive::file_name;
use handoff_store::FoundSession;
use jiff::SignedDuration;
use schemars::JsonSchema;
use serde::Serialize;

use crate::session::change::beyond;
use crate::{OpError, Project};

/// What is old.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Compaction {
    /// Days since it was last worked on; `settings.archive_after_days` when absent
    pub older_than_days: Option<u32>,
    /// How many of the newest stay in any case; `settings.history_limit` when absent
    pub keep: Option<u32>,
}

/// What a compaction moved.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Compacted {
    pub moved: Vec<Moved>,
    /// Archives in which links or contents were put right, or would be
    pub linked: usize,
}

/// A session that went to an archive.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Moved {
    /// Full name of the session
    pub session: String,
    /// The archive, relative to the store
    pub archive: String,
}

/// What would go where, with nothing staged. An archive that is full has further parts, which this does not tell.
pub fn plan(project: &Project, rule: Compaction) -> Result<Vec<Moved>, OpError> {
    let moved = |found: &Arc<FoundSession>| Moved {
        session: found.name.clone(),
        archive: format!("archive/{}", file_name(&found.session, 1)),
    };
    Ok(old(project, rule)?.iter().map(moved).collect())
}

/// Stages the moves, and what the archives then say of where everything is.
pub fn compact(project: &mut Project, rule: Compaction) -> Result<Compacted, OpError> {
    let mut compacted = Compacted::default();
    for found in old(project, rule)? {
        let archive = project.store_mut().archive_session(&found)?;
        let moved = archive.map(|archive| Moved { session: found.name.clone(), archive });
        compacted.moved.extend(moved);
    }
    compacted.linked = project.store_mut().link_archives()?;
    if !compacted.moved.is_empty() {
        project.rebuild_current_state();
    }
    Ok(compacted)
}

/// Closed handoffs that are old enough and beyond those that stay. The last one stays in any case.
fn old(project: &Project, rule: Compaction) -> Result<Vec<Arc<FoundSession>>, OpError> {
    let settings = &project.config().settings;
    let days = rule.older_than_days.unwrap_or_else(|| settings.archive_after_days.get());
    let keep = rule.keep.map_or_else(|| settings.history_limit.count(), |keep| keep as usize).max(1);
    let sessions = project.store().handoffs()?;
    let age = SignedDuration::from_hours(i64::from(days) * 24);
    let now = project.now().timestamp();
    // What tells no time is old.
    let is_old =
        |found: &Arc<FoundSession>| found.last_active().is_none_or(|at| now.duration_since(at.timestamp()) >= age);
    let mut old = beyond(&sessions, sessions.list.iter(), keep);
    old.retain(is_old);
    Ok(old)
}
