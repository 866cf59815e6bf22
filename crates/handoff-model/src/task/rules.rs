//! The rules agents rely on, on every path that can change a task.

use std::collections::BTreeSet;

use super::{Status, Task};
use crate::id::TaskId;

/// Why a change to a task is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    #[error("task `{id}` has {} open {}", items.len(), if items.len() == 1 { "criterion" } else { "criteria" })]
    OpenCriteria {
        id: TaskId,
        /// The open criteria with their place, counted from 1
        items: Vec<(usize, String)>,
    },
    #[error("task `{id}` has {} open {}", children.len(), if children.len() == 1 { "child" } else { "children" })]
    OpenChildren {
        id: TaskId,
        /// The open children with their titles
        children: Vec<(TaskId, String)>,
    },
    #[error("task `{parent}` is done, so nothing under it can be open")]
    ParentDone { parent: TaskId },
    #[error("task `{id}` would depend on itself: {}", path.iter().map(TaskId::to_string).collect::<Vec<_>>().join(" → "))]
    DependencyCycle { id: TaskId, path: Vec<TaskId> },
    #[error("task `{id}` has no criterion {place}: it has {count}")]
    NoSuchCriterion { id: TaskId, place: usize, count: usize },
    #[error("task `{id}` has no criterion `{text}`")]
    NoSuchCriterionText { id: TaskId, text: String },
    #[error("task `{id}` has no link to `{target}`")]
    NoSuchLink { id: TaskId, target: String },
}

impl Task {
    /// Refuses `done` while a criterion is unchecked or a child is open.
    pub fn check_finished(&self, open_children: &[(TaskId, String)]) -> Result<(), Refusal> {
        if self.status != Status::Done {
            return Ok(());
        }
        let items: Vec<(usize, String)> = self
            .done_criteria
            .iter()
            .enumerate()
            .filter(|(_, criterion)| !criterion.checked)
            .map(|(index, criterion)| (index + 1, criterion.item.clone()))
            .collect();
        if !items.is_empty() {
            return Err(Refusal::OpenCriteria { id: self.id, items });
        }
        if !open_children.is_empty() {
            return Err(Refusal::OpenChildren { id: self.id, children: open_children.to_vec() });
        }
        Ok(())
    }

    /// Refuses an open task under a parent that is done.
    pub fn check_parent(&self, parent: Option<&Task>) -> Result<(), Refusal> {
        match parent {
            Some(parent) if parent.status == Status::Done && self.status.is_open() => {
                Err(Refusal::ParentDone { parent: parent.id })
            }
            _ => Ok(()),
        }
    }
}

/// Refuses dependencies of `id` that lead back to it. `dependencies_of` tells what another task depends on.
pub fn check_dependencies<E>(
    id: TaskId,
    dependencies: &[TaskId],
    mut dependencies_of: impl FnMut(TaskId) -> Result<Vec<TaskId>, E>,
) -> Result<Result<(), Refusal>, E> {
    let mut seen = BTreeSet::new();
    let mut open: Vec<Vec<TaskId>> = dependencies.iter().map(|&next| vec![id, next]).collect();
    while let Some(path) = open.pop() {
        let Some(&last) = path.last() else { continue };
        if last == id {
            return Ok(Err(Refusal::DependencyCycle { id, path }));
        }
        if seen.insert(last) {
            for next in dependencies_of(last)? {
                let mut longer = path.clone();
                longer.push(next);
                open.push(longer);
            }
        }
    }
    Ok(Ok(()))
}
