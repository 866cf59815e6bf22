//! `handoff task note`

use clap::Args;
use handoff_model::id::TaskRef;
use handoff_model::rev::Rev;
use handoff_model::task::TaskEdit;
use handoff_model::text::Prose;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{TaskView, change};
use crate::{Effect, OpError, Operation, Project, ToolSet};

/// Append a dated note to a task
///
/// Notes are added, never overwritten, so two people or agents never lose each other's.
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NoteTask {
    /// Task the note is about
    #[arg(value_name = "TASK")]
    pub id: TaskRef,
    /// The note, in as many lines as needed
    #[arg(allow_hyphen_values = true)]
    pub text: Prose,
    /// Append it only if the task is still at this revision
    #[arg(long, value_name = "REV")]
    pub if_rev: Option<Rev>,
}

impl Operation for NoteTask {
    const NAME: &'static str = "task.note";
    const TOOL: &'static str = "handoff_note_task";
    const SET: ToolSet = ToolSet::Tasks;
    const EFFECT: Effect = Effect::Write;
    type Outcome = TaskView;

    fn example() -> Value {
        json!({"id": "k7f3q2ma", "text": "Handler drafted; refresh path still open."})
    }

    fn run(self, project: &mut Project) -> Result<TaskView, OpError> {
        let found = change::find(project, &self.id, self.if_rev)?;
        let saved = change::edit(project, &found, TaskEdit { note: Some(self.text), ..TaskEdit::default() })?;
        Ok(TaskView::changed(project, &saved, "added a note to"))
    }
}
