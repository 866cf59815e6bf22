//! `handoff task move`

use std::fmt;
use std::str::FromStr;

use clap::Args;
use handoff_model::id::{NotATaskRef, TaskRef};
use handoff_model::rev::Rev;
use handoff_model::task::TaskEdit;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{TaskView, change};
use crate::{Effect, OpError, Operation, Project, ToolSet};

/// Move a task, with all below it, under another one or to the top
///
/// It becomes the last of its new siblings and gets a new number there; its id stays.
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MoveTask {
    /// Task to move
    #[arg(value_name = "TASK")]
    pub id: TaskRef,
    /// Task to put it under, or `root` for the top
    #[arg(long, value_name = "TASK")]
    pub to: Destination,
    /// Move it only if it is still at this revision
    #[arg(long, value_name = "REV")]
    pub if_rev: Option<Rev>,
}

/// Where a task goes.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(try_from = "String")]
#[schemars(with = "String")]
pub enum Destination {
    Root,
    Under(TaskRef),
}

impl FromStr for Destination {
    type Err = NotATaskRef;

    fn from_str(text: &str) -> Result<Self, NotATaskRef> {
        if text == "root" { Ok(Destination::Root) } else { text.parse().map(Destination::Under) }
    }
}

impl TryFrom<String> for Destination {
    type Error = NotATaskRef;

    fn try_from(text: String) -> Result<Self, NotATaskRef> {
        text.parse()
    }
}

impl fmt::Display for Destination {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Destination::Root => f.write_str("root"),
            Destination::Under(task) => write!(f, "{task}"),
        }
    }
}

impl Destination {
    pub(super) fn find(&self, project: &Project) -> Result<Option<handoff_store::Found>, OpError> {
        match self {
            Destination::Root => Ok(None),
            Destination::Under(task) => Ok(Some(project.store().find(task)?)),
        }
    }
}

impl Operation for MoveTask {
    const NAME: &'static str = "task.move";
    const TOOL: &'static str = "handoff_move_task";
    const SET: ToolSet = ToolSet::Tasks;
    const EFFECT: Effect = Effect::Write;
    type Outcome = TaskView;

    fn example() -> Value {
        json!({"id": "m2x9a4te", "to": "root"})
    }

    fn run(self, project: &mut Project) -> Result<TaskView, OpError> {
        let found = change::find(project, &self.id, self.if_rev)?;
        let parent = self.to.find(project)?;
        if change::is_under(&found, parent.as_ref()) {
            let place = parent.map_or_else(|| "at the top".to_owned(), |parent| format!("under {}", parent.number));
            let mut view = TaskView::new(project, &found);
            view.message = Some(format!("{} {} is {place} already", view.number, view.title));
            return Ok(view);
        }
        let before = found.number.clone();
        let moved = change::edit_and_move(project, &found, TaskEdit::default(), parent.as_ref())?;
        Ok(TaskView::changed(project, &moved, &format!("moved {before} to")))
    }
}
