//! `handoff task delete`

use clap::Args;
use handoff_model::id::{TaskId, TaskRef};
use handoff_model::rev::Rev;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{RestoreTask, change};
use crate::page::{Role, Text};
use crate::{Door, Effect, Hint, OpError, Operation, Page, Project, Report, ToolSet};

/// Delete a task, with all below it, into the trash
///
/// `handoff task restore` brings it back as it was.
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DeleteTask {
    /// Task to delete
    #[arg(value_name = "TASK")]
    pub id: TaskRef,
    /// Delete it only if it is still at this revision
    #[arg(long, value_name = "REV")]
    pub if_rev: Option<Rev>,
}

/// A task that went into the trash.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Deleted {
    pub id: TaskId,
    pub title: String,
    /// How many tasks went, those below included
    pub count: usize,
    pub message: String,
    #[serde(skip)]
    warnings: Vec<String>,
}

impl Operation for DeleteTask {
    const NAME: &'static str = "task.delete";
    const TOOL: &'static str = "handoff_delete_task";
    const SET: ToolSet = ToolSet::Tasks;
    const EFFECT: Effect = Effect::Write;
    type Outcome = Deleted;

    fn example() -> Value {
        json!({"id": "m2x9a4te"})
    }

    fn run(self, project: &mut Project) -> Result<Deleted, OpError> {
        let found = change::find(project, &self.id, self.if_rev)?;
        let id = found.task.id;
        let forest = project.store().forest()?;
        let gone: Vec<TaskId> = forest.subtree(id).iter().map(|node| node.task.id).collect();
        let dependents: Vec<String> = forest
            .walk()
            .into_iter()
            .filter(|node| !gone.contains(&node.task.id))
            .filter(|node| node.task.dependencies.iter().any(|dependency| gone.contains(dependency)))
            .map(|node| format!("{} {} depended on it and no longer waits for it", node.number, node.task.title))
            .collect();
        let now = project.now();
        let count = project.store_mut().delete_task(&found, now)?;
        let below = match count - 1 {
            0 => String::new(),
            below => format!(" and {below} below it"),
        };
        let message = format!("deleted {} {}{below}", found.number, found.task.title);
        Ok(Deleted { id, title: found.task.title, count, message, warnings: dependents })
    }
}

impl Report for Deleted {
    fn page(&self) -> Page {
        let back = Hint::run_with::<RestoreTask>(json!({"id": self.id})).at(Door::Cli);
        Page::new()
            .line(Text::of(Role::Good, "✓ ").plain(&self.message))
            .line(Text::of(Role::Dim, format!("to bring it back, {back}")))
    }

    fn warnings(&self) -> &[String] {
        &self.warnings
    }
}
