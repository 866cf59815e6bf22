//! `handoff task restore` and `handoff task trash`

use clap::Args;
use handoff_model::id::{TaskId, TaskRef};
use handoff_model::problem::Problem;
use handoff_model::task::check_dependencies;
use handoff_model::when::Moment;
use handoff_store::StoreError;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::r#move::Destination;
use super::{TaskView, change};
use crate::page::{Column, Role, Row, Table, Text};
use crate::{Effect, OpError, Operation, Page, Project, Report, ToolSet};

/// Bring a deleted task back, with all that was below it
///
/// It returns to where it was; to the top when its parent is gone.
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RestoreTask {
    /// Deleted task, by id or the beginning of one
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
        let trashed = project.store().find_in_trash(&self.id)?;
        let mut warning = None;
        let parent = match (&self.to, trashed.parent) {
            (Some(to), _) => to.find(project)?,
            (None, None) => None,
            (None, Some(parent)) => match project.store().find(&parent.into()) {
                Ok(found) => Some(found),
                Err(StoreError::NoSuchTask { .. }) => {
                    warning = Some(format!("its parent `{parent}` is gone, so it stands at the top now"));
                    None
                }
                Err(error) => return Err(error.into()),
            },
        };
        if let Some(task) = trashed.tasks().first() {
            task.check_parent(parent.as_ref().map(|parent| &parent.task))?;
        }
        for task in trashed.tasks() {
            let follow = |id| match trashed.tasks().into_iter().find(|task| task.id == id) {
                Some(task) => Ok(task.dependencies.clone()),
                None => change::dependencies_of(project, id),
            };
            check_dependencies(task.id, &task.dependencies, follow)??;
        }
        let restored = project.store_mut().restore_task(&trashed, parent.as_ref())?;
        let mut view = TaskView::changed(project, &restored, "restored");
        view.warnings.extend(warning);
        Ok(view)
    }
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
        let view = |trashed: handoff_store::Trashed| TrashedView {
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
