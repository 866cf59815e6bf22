//! `handoff task link` and `handoff task unlink`

use clap::Args;
use handoff_model::id::TaskRef;
use handoff_model::rev::Rev;
use handoff_model::task::{Link, LinkEdit, LinkType, TaskEdit};
use handoff_model::text::{Name, OneLine};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{TaskView, change};
use crate::{Effect, OpError, Operation, Project, ToolSet};

/// Link a task to an issue, a document, a file or another task
///
/// A second link to the same target replaces the first.
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LinkTask {
    /// Task to link from
    #[arg(value_name = "TASK")]
    pub id: TaskRef,
    /// What it points to: an address, a path, the id or number of a task
    pub target: OneLine,
    /// What the target is: file, issue, mr, wiki, doc, url or task
    #[arg(long = "type", value_name = "TYPE", default_value = "url")]
    #[serde(rename = "type", default)]
    pub kind: LinkType,
    /// What to call it
    #[arg(long, value_name = "TEXT")]
    pub label: Option<Name>,
    /// Change it only if the task is still at this revision
    #[arg(long, value_name = "REV")]
    pub if_rev: Option<Rev>,
}

/// Remove a link from a task
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct UnlinkTask {
    /// Task the link is in
    #[arg(value_name = "TASK")]
    pub id: TaskRef,
    /// What it points to
    pub target: OneLine,
    /// Change it only if the task is still at this revision
    #[arg(long, value_name = "REV")]
    pub if_rev: Option<Rev>,
}

impl Operation for LinkTask {
    const NAME: &'static str = "task.link";
    const TOOL: &'static str = "handoff_link_task";
    const SET: ToolSet = ToolSet::Tasks;
    const EFFECT: Effect = Effect::Write;
    type Outcome = TaskView;

    fn example() -> Value {
        json!({"id": "k7f3q2ma", "target": "https://example.com/issues/12", "type": "issue"})
    }

    fn run(self, project: &mut Project) -> Result<TaskView, OpError> {
        let found = change::find(project, &self.id, self.if_rev)?;
        let target = change::link_target(project, self.kind, self.target.into())?;
        let link = Link { kind: self.kind, target, label: self.label.map(String::from) };
        save(project, &found, LinkEdit::Add(link), "linked")
    }
}

impl Operation for UnlinkTask {
    const NAME: &'static str = "task.unlink";
    const TOOL: &'static str = "handoff_unlink_task";
    const SET: ToolSet = ToolSet::Tasks;
    const EFFECT: Effect = Effect::Write;
    type Outcome = TaskView;

    fn example() -> Value {
        json!({"id": "k7f3q2ma", "target": "https://example.com/issues/11"})
    }

    fn run(self, project: &mut Project) -> Result<TaskView, OpError> {
        let found = change::find(project, &self.id, self.if_rev)?;
        let mut target: String = self.target.into();
        let is_there = |target: &str| found.task.links.iter().any(|link| link.target == target);
        // A link to a task is kept by its id, and may be named as it was made.
        if !is_there(&target)
            && let Ok(reference) = target.parse::<TaskRef>()
            && let Ok(task) = project.store().find(&reference)
            && is_there(task.task.id.as_str())
        {
            target = task.task.id.to_string();
        }
        save(project, &found, LinkEdit::Remove(target), "removed a link from")
    }
}

fn save(project: &mut Project, found: &handoff_store::Found, link: LinkEdit, what: &str) -> Result<TaskView, OpError> {
    let saved = change::edit(project, found, TaskEdit { link: Some(link), ..TaskEdit::default() })?;
    Ok(TaskView::changed(project, &saved, what))
}
