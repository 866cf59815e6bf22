//! What every change of a task has in common: finding it, the revision, the rules, the saving.

use handoff_model::id::{TaskId, TaskRef};
use handoff_model::rev::Rev;
use handoff_model::task::{Status, Task, TaskEdit, check_dependencies};
use handoff_store::{Found, StoreError};

use crate::{OpError, Project};

/// Finds the task to change, and refuses when it is no longer at the revision the caller saw.
pub(super) fn find(project: &Project, id: &TaskRef, if_rev: Option<Rev>) -> Result<Found, OpError> {
    let found = project.store().find(id)?;
    match if_rev {
        Some(expected) if expected != found.rev => {
            let what = format!("task `{}`", found.task.id);
            Err(StoreError::Changed { what, expected, found: found.rev }.into())
        }
        _ => Ok(found),
    }
}

/// Applies an edit under all the rules and stages the result.
pub(super) fn edit(project: &mut Project, found: &Found, edit: TaskEdit) -> Result<Found, OpError> {
    let mut task = found.task.clone();
    task.apply(edit, project.now(), Some(&project.by()?))?;
    check(project, found, &task)?;
    Ok(project.store_mut().save_task(found, &task)?)
}

/// Checks the rules that look at other tasks.
pub(super) fn check(project: &Project, found: &Found, task: &Task) -> Result<(), OpError> {
    if task.status != found.task.status || task.done_criteria != found.task.done_criteria {
        task.check_finished(&open_children(project, found, task)?)?;
    }
    if task.status != found.task.status
        && let Some(parent) = found.parent
    {
        task.check_parent(Some(&project.store().find(&parent.into())?.task))?;
    }
    if task.dependencies != found.task.dependencies {
        check_cycle(project, task.id, &task.dependencies)?;
    }
    Ok(())
}

/// The open tasks directly below; looked up only when finishing, where they matter.
fn open_children(project: &Project, found: &Found, task: &Task) -> Result<Vec<(TaskId, String)>, OpError> {
    if task.status != Status::Done {
        return Ok(Vec::new());
    }
    let children = project.store().children(found)?;
    // One that cannot be read may be open.
    if let Some(damaged) = children.damaged {
        return Err(StoreError::Damaged(damaged).into());
    }
    let open = children.tasks.into_iter().filter(|child| child.status.is_open());
    Ok(open.map(|child| (child.id, child.title)).collect())
}

pub(super) fn check_cycle(project: &Project, id: TaskId, dependencies: &[TaskId]) -> Result<(), OpError> {
    Ok(check_dependencies(id, dependencies, |id| dependencies_of(project, id))??)
}

/// What a task depends on. One that was deleted leads nowhere.
pub(super) fn dependencies_of(project: &Project, id: TaskId) -> Result<Vec<TaskId>, OpError> {
    match project.store().find(&id.into()) {
        Ok(found) => Ok(found.task.dependencies),
        Err(StoreError::NoSuchTask { .. }) => Ok(Vec::new()),
        Err(error) => Err(error.into()),
    }
}

/// The ids of tasks that are named in a request; each must exist.
pub(super) fn resolve(project: &Project, references: &[TaskRef]) -> Result<Vec<TaskId>, OpError> {
    references.iter().map(|reference| Ok(project.store().find(reference)?.task.id)).collect()
}

/// The ids of dependencies to take away; one whose task is gone can still be named by its id.
pub(super) fn forgotten(project: &Project, found: &Found, references: &[TaskRef]) -> Result<Vec<TaskId>, OpError> {
    let known = |reference: &TaskRef| {
        let text = reference.to_string();
        found.task.dependencies.iter().find(|id| id.as_str().starts_with(&text)).copied()
    };
    references
        .iter()
        .map(|reference| match known(reference) {
            Some(id) => Ok(id),
            None => Ok(project.store().find(reference)?.task.id),
        })
        .collect()
}
