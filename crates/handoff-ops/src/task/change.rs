//! What every change of a task has in common: finding it, the revision, the rules, the saving.

use handoff_model::id::{TaskId, TaskRef};
use handoff_model::rev::Rev;
use handoff_model::task::{Link, LinkType, Status, Task, TaskEdit, check_dependencies};
use handoff_model::text::Title;
use handoff_store::{Found, StoreError};

use crate::{OpError, Project};

/// Finds the task to change, and refuses when it is no longer at the revision the caller saw.
pub(crate) fn find(project: &Project, id: &TaskRef, if_rev: Option<Rev>) -> Result<Found, OpError> {
    let found = project.store().find(id).map_err(|error| super::archived::missing(project, id, error))?;
    match if_rev {
        Some(expected) if expected != found.rev => {
            let what = format!("task `{}`", found.task.id);
            Err(StoreError::Changed { what, expected, found: found.rev }.into())
        }
        _ => Ok(found),
    }
}

/// Makes a new task under all the rules and stages it, at the end of its siblings.
pub(crate) fn create(
    project: &mut Project,
    parent: Option<&Found>,
    title: &Title,
    edit: TaskEdit,
) -> Result<Found, OpError> {
    let mut task = Task::new(project.new_task_id(), title, project.now());
    task.apply(edit, project.now(), Some(&project.by()?))?;
    task.check_finished(&[])?;
    task.check_parent(parent.map(|parent| &parent.task))?;
    Ok(project.store_mut().create_task(parent, task)?)
}

/// Applies an edit under all the rules and stages the result.
pub(crate) fn edit(project: &mut Project, found: &Found, edit: TaskEdit) -> Result<Found, OpError> {
    let mut task = found.task.clone();
    task.apply(edit, project.now(), Some(&project.by()?))?;
    check(project, found, &task)?;
    Ok(project.store_mut().save_task(found, &task)?)
}

/// Applies an edit and moves the task under another one, or to the top, as one change. Unless the edit says so, it
/// becomes the last of its new siblings.
pub(crate) fn edit_and_move(
    project: &mut Project,
    found: &Found,
    edit: TaskEdit,
    parent: Option<&Found>,
) -> Result<Found, OpError> {
    let mut task = Task { order: None, ..found.task.clone() };
    task.apply(edit, project.now(), Some(&project.by()?))?;
    check_itself(project, found, &task)?;
    task.check_parent(parent.map(|parent| &parent.task))?;
    Ok(project.store_mut().move_task_saying(found, task, parent)?)
}

/// Whether a task is where a move would put it. A field that says otherwise is not shown as its place, but put right by
/// the move.
pub(crate) fn is_under(found: &Found, parent: Option<&Found>) -> bool {
    let target = parent.map(|parent| parent.task.id);
    found.parent == target && (found.task.parent.is_none() || found.task.parent == target)
}

/// Checks the rules that look at other tasks.
pub(crate) fn check(project: &Project, found: &Found, task: &Task) -> Result<(), OpError> {
    check_itself(project, found, task)?;
    if task.status != found.task.status
        && let Some(parent) = found.parent
    {
        task.check_parent(Some(&project.store().find(&parent.into())?.task))?;
    }
    Ok(())
}

/// Checks the rules that hold wherever the task lies.
fn check_itself(project: &Project, found: &Found, task: &Task) -> Result<(), OpError> {
    if task.status != found.task.status || task.done_criteria != found.task.done_criteria {
        task.check_finished(&open_children(project, found, task)?)?;
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

pub(crate) fn check_cycle(project: &Project, id: TaskId, dependencies: &[TaskId]) -> Result<(), OpError> {
    Ok(check_dependencies(id, dependencies, |id| dependencies_of(project, id))??)
}

/// What a task depends on. One that was deleted leads nowhere.
pub(crate) fn dependencies_of(project: &Project, id: TaskId) -> Result<Vec<TaskId>, OpError> {
    match project.store().find(&id.into()) {
        Ok(found) => Ok(found.task.dependencies),
        Err(StoreError::NoSuchTask { .. }) => Ok(Vec::new()),
        Err(error) => Err(error.into()),
    }
}

/// The ids of tasks that are named in a request; each must exist.
pub(crate) fn resolve(project: &Project, references: &[TaskRef]) -> Result<Vec<TaskId>, OpError> {
    references.iter().map(|reference| Ok(project.store().find(reference)?.task.id)).collect()
}

/// Links as they are written down: one to a task by its id, so that it stays right when that is moved.
pub(crate) fn links(project: &Project, links: Vec<Link>) -> Result<Vec<Link>, OpError> {
    links.into_iter().map(|link| Ok(Link { target: link_target(project, link.kind, link.target)?, ..link })).collect()
}

pub(crate) fn link_target(project: &Project, kind: LinkType, target: String) -> Result<String, OpError> {
    if kind != LinkType::Task {
        return Ok(target);
    }
    let reference: TaskRef = target.parse().map_err(|error| OpError::usage(format!("{error}")))?;
    Ok(project.store().find(&reference)?.task.id.to_string())
}

/// The ids of dependencies to take away; one whose task is gone can still be named by its id.
pub(crate) fn forgotten(project: &Project, found: &Found, references: &[TaskRef]) -> Result<Vec<TaskId>, OpError> {
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
