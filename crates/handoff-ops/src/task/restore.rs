//! `handoff task restore` and `handoff task trash`

use clap::Args;
use handoff_model::id::{TaskId, TaskRef};
use handoff_model::problem::Problem;
use handoff_model::task::{Task, check_dependencies};
use handoff_model::when::Moment;
use handoff_store::{ArchivedTasks, Found, StoreError, Trashed};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::r#move::Destination;
use super::{TaskView, change};
use crate::page::{Column, Role, Row, Table, Text};
use crate::{Effect, OpError, Operation, Page, Project, Report, ToolSet};

/// Bring a deleted or archived task back, with all that was below it
///
/// It returns to where it was; to the top when its parent is gone. Archived tasks above an archived one come along.
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RestoreTask {
    /// Deleted or archived task, by id or the beginning of one
    #[arg(value_name = "TASK")]
    pub id: TaskRef,
    /// Task to put it under instead, or `root` for the top
    #[arg(long, value_name = "TASK")]
    pub to: Option<Destination>,
}

/// List the deleted tasks that can be brought back
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ListTrash {}

/// What is in the trash, newest first.
#[derive(Debug, Serialize, JsonSchema)]
pub struct TrashView {
    pub tasks: Vec<TrashedView>,
}

/// A deleted task.
#[derive(Debug, Serialize, JsonSchema)]
pub struct TrashedView {
    pub id: TaskId,
    /// Absent when its file cannot be read
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deleted_at: Option<Moment>,
    /// How many tasks it holds, itself included
    pub count: usize,
    /// Why it cannot be brought back as it is
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<Problem>,
}

impl Operation for RestoreTask {
    const NAME: &'static str = "task.restore";
    const TOOL: &'static str = "handoff_restore_task";
    const SET: ToolSet = ToolSet::Tasks;
    const EFFECT: Effect = Effect::Write;
    type Outcome = TaskView;

    fn example() -> Value {
        json!({"id": "r5e8t1ed"})
    }

    fn run(self, project: &mut Project) -> Result<TaskView, OpError> {
        match project.store().find_in_trash(&self.id) {
            Ok(trashed) => self.out_of_trash(project, &trashed),
            Err(error @ StoreError::NotInTrash { .. }) => {
                if let Ok(found) = project.store().find(&self.id) {
                    return Ok(TaskView::changed(project, &found, "not deleted:"));
                }
                let archived = project.store().archived_tasks()?;
                match archived.forest.resolve(&self.id) {
                    Ok(node) => self.out_of_archive(project, &archived, node.task.id),
                    Err(StoreError::Ambiguous { wanted, candidates }) => {
                        Err(StoreError::Ambiguous { wanted, candidates }.into())
                    }
                    Err(_) => Err(error.into()),
                }
            }
            Err(error) => Err(error.into()),
        }
    }
}

impl RestoreTask {
    fn out_of_trash(&self, project: &mut Project, trashed: &Trashed) -> Result<TaskView, OpError> {
        let (parent, warning) = self.destination(project, trashed.parent)?;
        check(project, parent.as_ref(), &trashed.tasks())?;
        let restored = project.store_mut().restore_task(trashed, parent.as_ref())?;
        let mut view = TaskView::changed(project, &restored, "restored");
        view.warnings.extend(warning);
        Ok(view)
    }

    fn out_of_archive(&self, project: &mut Project, archived: &ArchivedTasks, id: TaskId) -> Result<TaskView, OpError> {
        let above = if self.to.is_some() { 0 } else { archived.count_above(id) };
        let origin = if self.to.is_some() { archived.parent_of(id) } else { archived.origin_of(id) };
        let (parent, warning) = self.destination(project, origin)?;
        let tasks: Vec<&Task> = archived.forest.subtree(id).into_iter().map(|node| &**node.task).collect();
        check(project, parent.as_ref(), &tasks)?;
        let restored = project.store_mut().restore_archived(archived, id, parent.as_ref(), self.to.is_none())?;
        let mut view = TaskView::changed(project, &restored, "restored");
        view.warnings.extend(warning);
        if above > 0 {
            let tasks =
                if above == 1 { "the task above it was".to_owned() } else { format!("{above} tasks above it were") };
            view.warnings.push(format!("{tasks} in the archive too and came back with it"));
        }
        Ok(view)
    }

    /// The task to put it under, and what to say when that is not where it was.
    fn destination(
        &self,
        project: &Project,
        was_under: Option<TaskId>,
    ) -> Result<(Option<Found>, Option<String>), OpError> {
        match (&self.to, was_under) {
            (Some(to), _) => Ok((to.find(project)?, None)),
            (None, None) => Ok((None, None)),
            (None, Some(parent)) => match project.store().find(&parent.into()) {
                Ok(found) => Ok((Some(found), None)),
                Err(StoreError::NoSuchTask { .. }) => {
                    Ok((None, Some(format!("its parent `{parent}` is gone, so it stands at the top now"))))
                }
                Err(error) => Err(error.into()),
            },
        }
    }
}

/// Checks the rules for tasks that come back, the first of them under this parent.
fn check(project: &Project, parent: Option<&Found>, tasks: &[&Task]) -> Result<(), OpError> {
    if let Some(task) = tasks.first() {
        task.check_parent(parent.map(|parent| &parent.task))?;
    }
    for task in tasks {
        let follow = |id| match tasks.iter().find(|task| task.id == id) {
            Some(task) => Ok(task.dependencies.clone()),
            None => change::dependencies_of(project, id),
        };
        check_dependencies(task.id, &task.dependencies, follow)??;
    }
    Ok(())
}

impl Operation for ListTrash {
    const NAME: &'static str = "task.trash";
    const TOOL: &'static str = "handoff_list_trash";
    const SET: ToolSet = ToolSet::Tasks;
    const EFFECT: Effect = Effect::Read;
    type Outcome = TrashView;

    fn example() -> Value {
        json!({})
    }

    fn run(self, project: &mut Project) -> Result<TrashView, OpError> {
        let trash = project.store().trash()?;
        let view = |trashed: Trashed| TrashedView {
            id: trashed.id,
            problem: trashed.problem().cloned(),
            title: trashed.title,
            deleted_at: trashed.deleted_at,
            count: trashed.count,
        };
        Ok(TrashView { tasks: trash.into_iter().map(view).collect() })
    }
}

impl Report for TrashView {
    fn page(&self) -> Page {
        if self.tasks.is_empty() {
            return Page::new().line("the trash is empty");
        }
        let rows = self.tasks.iter().map(|task| {
            Row::new([
                Text::of(Role::Id, task.id.to_string()),
                match (&task.title, &task.problem) {
                    (_, Some(problem)) => Text::of(Role::Bad, problem.to_string()),
                    (title, None) => title.clone().unwrap_or_default().into(),
                },
                task.count.to_string().into(),
                Text::of(Role::Dim, task.deleted_at.map(|at| at.to_string()).unwrap_or_default()),
            ])
        });
        let columns = [
            Column::new("id"),
            Column::new("title").shrinks_to(12),
            Column::new("tasks").right(),
            Column::new("deleted"),
        ];
        Page::new().table(Table::new(columns).rows(rows))
    }
}
