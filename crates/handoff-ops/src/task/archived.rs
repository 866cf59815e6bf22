//! Tasks in the archives, as far as single tasks are asked for.

use handoff_model::id::TaskRef;
use handoff_model::problem::Severity;
use handoff_store::StoreError;
use serde_json::json;

use super::{ChildView, RestoreTask, TaskView};
use crate::{Hint, OpError, Project};

/// Task files named in an error.
const MAX_DAMAGED_LISTED: usize = 5;

/// The view of an archived task, for a request that found none among the others. The error stands when there is none
/// here either.
pub(crate) fn view(project: &Project, wanted: &TaskRef, error: OpError) -> Result<TaskView, OpError> {
    let archived = project.store().archived_tasks()?;
    let Ok(node) = archived.forest.resolve(wanted) else { return Err(with_damage(project, error)) };
    let (Some(found), Some(file)) = (archived.found(node), archived.file_of(node.task.id)) else { return Err(error) };
    let mut view = TaskView::new(project, &found).with_hours(project, &found.task);
    view.file = project.shown(&project.store().path_of(file));
    view.archived = true;
    view.children =
        node.children.iter().filter_map(|id| archived.forest.get(*id)).map(|node| ChildView::of(&node.task)).collect();
    Ok(view)
}

/// What to say of a task that is to be changed and was not found: one in an archive has to come back first.
pub(crate) fn missing(project: &Project, wanted: &TaskRef, error: StoreError) -> OpError {
    if !matches!(error, StoreError::NoSuchTask { .. }) {
        return error.into();
    }
    let archived = project.store().archived_tasks().unwrap_or_default();
    match archived.forest.resolve(wanted) {
        Ok(node) => {
            let id = node.task.id;
            OpError::refused(format!("task `{id}` is in the archive and cannot be changed there"))
                .hint(Hint::run_with::<RestoreTask>(json!({"id": id})))
        }
        Err(_) => with_damage(project, error.into()),
    }
}

/// Adds the task files that cannot be read: the task that was not found may be in one of them.
fn with_damage(project: &Project, error: OpError) -> OpError {
    let problems = project.store().forest().map(|forest| forest.problems.clone()).unwrap_or_default();
    let damaged = problems.iter().filter(|problem| problem.severity == Severity::Damaged).take(MAX_DAMAGED_LISTED);
    error.details(damaged.map(|problem| format!("not looked into: {problem}")))
}
