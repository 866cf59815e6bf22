//! A task that is created or changed together with something else.

use handoff_model::change::Change;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};

use super::update_task::put;
use super::{TaskInput, Wanted};
use crate::task::TaskView;
use crate::{OpError, Project};

/// What `handoff_update_task` takes: `{"task": {…}, "parent_id": …}`, or the fields of the task with the rest beside
/// them.
#[derive(Clone, Debug)]
pub struct TaskChange {
    task: TaskInput,
    parent_id: Option<Wanted>,
    move_to: Option<Wanted>,
}

impl TaskChange {
    /// The task it changes; none where it makes a new one.
    pub(crate) fn wanted(&self) -> Option<&Wanted> {
        self.task.id.as_ref()
    }

    /// Whether it says that the task is over.
    pub(crate) fn finishes(&self) -> bool {
        matches!(self.task.status, Change::Set(status) if !status.is_open())
    }

    /// Creates, changes or moves it, as part of the change under way.
    pub(crate) fn apply(self, project: &mut Project) -> Result<TaskView, OpError> {
        put(project, self.task, self.parent_id.as_ref(), self.move_to.as_ref())
    }
}

impl<'de> Deserialize<'de> for TaskChange {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let given = Value::deserialize(deserializer)?;
        let Value::Object(mut fields) = given else {
            return Err(D::Error::custom("expected a task such as {\"title\": \"Implement auth\"}"));
        };
        let parent_id = taken(&mut fields, "parent_id").map_err(D::Error::custom)?;
        let move_to = taken(&mut fields, "move_to").map_err(D::Error::custom)?;
        let task = match fields.remove("task") {
            Some(task) if fields.is_empty() => task,
            Some(task) => {
                fields.insert("task".to_owned(), task);
                Value::Object(fields)
            }
            None => Value::Object(fields),
        };
        let task = task_input(task).map_err(D::Error::custom)?;
        Ok(TaskChange { task, parent_id, move_to })
    }
}

/// Reads the fields of a task, and says which one is wrong.
pub(super) fn task_input(fields: Value) -> Result<TaskInput, String> {
    serde_path_to_error::deserialize(fields).map_err(|error| {
        let (path, reason) = (error.path().to_string(), error.inner().to_string());
        // What is unknown is named in the reason.
        let is_named = path == "." || reason.starts_with("unknown field");
        if is_named { reason } else { format!("`{path}`: {reason}") }
    })
}

fn taken(fields: &mut Map<String, Value>, name: &str) -> Result<Option<Wanted>, serde_json::Error> {
    fields.remove(name).map_or(Ok(None), serde_json::from_value)
}
