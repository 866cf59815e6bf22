//! `handoff team rename`

use clap::Args;
use handoff_model::change::Change;
use handoff_model::rev::Rev;
use handoff_model::task::TaskEdit;
use handoff_model::text::Name;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::UpdateAssignee;
use super::change::{Draft, TeamChange, check_name, check_own, current, taken};
use super::view::{count_of, not_configured};
use crate::published::schema;
use crate::{Effect, OpError, Operation, Project, ToolSet};

/// Give somebody another name, in the settings and in their open tasks
///
/// Finished tasks and the time log keep the old one: that is what happened.
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = schema::brief)]
pub struct RenameAssignee {
    /// Name that tasks use now
    #[arg(value_name = "NAME")]
    #[schemars(schema_with = "schema::text")]
    pub key: Name,
    /// Name that they shall use
    #[arg(value_name = "NEW_NAME")]
    #[schemars(schema_with = "schema::text")]
    pub new_key: Name,
    /// Only if config.toml is still at this revision
    #[arg(long, value_name = "REV")]
    #[schemars(schema_with = "schema::text")]
    #[serde(default)]
    pub if_rev: Option<Rev>,
}

impl Operation for RenameAssignee {
    const NAME: &'static str = "team.rename";
    const TOOL: &'static str = "handoff_rename_assignee";
    const SET: ToolSet = ToolSet::Team;
    const EFFECT: Effect = Effect::Write;
    type Outcome = TeamChange;

    fn example() -> Value {
        json!({"key": "alice", "new_key": "ann"})
    }

    fn run(self, project: &mut Project) -> Result<TeamChange, OpError> {
        let (key, new) = (self.key, self.new_key);
        check_name(&new)?;
        let people = current(project).assignees;
        if !people.contains_key(&key) {
            return Err(not_configured(project, &key, &people)?);
        }
        if people.contains_key(&new) {
            return Err(taken::<UpdateAssignee>("person", &new, json!({"key": new})));
        }
        check_own(project, &["assignees", key.as_str()])?;
        let mut draft = Draft::of(["assignees", key.as_str()]);
        draft.rename(new.clone());
        let tasks = draft.edit_tasks(project, |task| {
            let is_moved = task.assignee.as_deref() == Some(key.as_str()) && task.status.is_open();
            is_moved.then(|| TaskEdit { assignee: Change::Set(new.clone()), ..TaskEdit::default() })
        })?;
        draft.carry_out(project, self.if_rev, |_| {
            format!("`{key}` is now called `{new}`, also in {}", count_of(tasks, "open task", "open tasks"))
        })
    }
}
