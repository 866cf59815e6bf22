//! `handoff task show`

use clap::Args;
use handoff_model::id::TaskRef;
use handoff_store::StoreError;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{TaskView, archived};
use crate::{Door, Effect, OpError, Operation, Project, ToolSet};

/// Show everything about a task
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ShowTask {
    /// Task to show, by id, the beginning of one, or number
    #[arg(value_name = "TASK")]
    pub id: TaskRef,
}

impl Operation for ShowTask {
    const NAME: &'static str = "task.show";
    const TOOL: &'static str = "handoff_show_task";
    const SET: ToolSet = ToolSet::Tasks;
    const EFFECT: Effect = Effect::Read;
    const DOORS: &'static [Door] = &[Door::Cli, Door::Http];
    type Outcome = TaskView;

    fn example() -> Value {
        json!({"id": "k7f3q2ma"})
    }

    fn run(self, project: &mut Project) -> Result<TaskView, OpError> {
        let found = match project.store().find(&self.id) {
            Err(error @ StoreError::NoSuchTask { .. }) => return archived::view(project, &self.id, error.into()),
            found => found?,
        };
        let children = project.store().children(&found)?;
        Ok(TaskView::new(project, &found).with_children(children).with_hours(project, &found.task))
    }
}
