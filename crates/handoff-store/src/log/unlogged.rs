//! Tasks that are newer than what the log tells.
//!
//! The entry of a new task is the only one that a power failure can take away while the change stays (see `log.rs`). The
//! task says itself when it was created. So before the last change is taken back, tasks that were created since are looked
//! for in the log; one that is not there came by hand, by git, or by a change whose entry was lost.

use std::collections::HashSet;

use handoff_model::history::ChangeId;
use handoff_model::id::TaskId;
use handoff_model::task::Task;
use handoff_model::when::Moment;

use super::{History, Logged, LoggedStep};
use crate::error::{Result, StoreError, TaskLine};
use crate::store::Store;
use crate::task::forest::Node;

impl Store {
    /// Refuses to take `wanted` for the last change when a task was created since the oldest of the changes `seen`, and
    /// the log does not know it.
    pub(super) fn check_unlogged(&self, wanted: ChangeId, seen: &[Logged], before: History<'_>) -> Result<()> {
        let Some(oldest) = seen.last() else { return Ok(()) };
        let Some(since) = oldest.entry.head.signature.at.map(Moment::in_seconds) else { return Ok(()) };
        let forest = self.forest()?;
        let is_newer = |created: Option<_>| created.is_some_and(|created| created >= since);
        let mut unlogged: Vec<TaskLine> =
            forest.walk().into_iter().filter(|node| is_newer(node.task.created_at)).map(Node::line).collect();
        let mut known = HashSet::new();
        // Clocks can be set back, so the order of times does not say where in the log a task can be.
        for logged in seen.iter().cloned().chain(before) {
            if unlogged.is_empty() {
                return Ok(());
            }
            // Which tasks a change concerned that was too large to be kept is not known.
            if !logged.entry.has_images() {
                return Ok(());
            }
            known.extend(logged.entry.steps.iter().filter_map(task_in));
            unlogged.retain(|task| !known.contains(&task.id));
        }
        if unlogged.is_empty() { Ok(()) } else { Err(StoreError::NotInLog { wanted, tasks: unlogged }) }
    }
}

/// The task whose file a step wrote.
fn task_in(step: &LoggedStep) -> Option<TaskId> {
    match step {
        LoggedStep::Put { after: text, .. } | LoggedStep::NewDir { text, .. } => Some(Task::read(text).ok()?.0.id),
        LoggedStep::MoveDir { task, .. } => task.as_ref().map(|task| task.id),
        _ => None,
    }
}
