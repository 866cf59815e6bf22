//! `handoff team remove`

use clap::Args;
use handoff_model::change::Change;
use handoff_model::rev::Rev;
use handoff_model::task::TaskEdit;
use handoff_model::text::Name;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::change::{Draft, TeamChange, check_own, current};
use super::view::{count_of, not_configured};
use crate::published::schema;
use crate::{Effect, OpError, Operation, Project, ToolSet};

/// Take somebody off the team; their open tasks become nobody's
///
/// Finished tasks keep their name. All of it is one change, which `handoff undo` takes back.
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = schema::brief)]
pub struct RemoveAssignee {
    /// Name that tasks use
    #[arg(value_name = "NAME")]
    #[schemars(schema_with = "schema::text")]
    pub key: Name,
    /// Who gets their open tasks
    #[arg(long, value_name = "NAME", conflicts_with = "keep_tasks")]
    #[schemars(schema_with = "schema::text")]
    #[serde(default)]
    pub reassign_to: Option<Name>,
    /// Leave the tasks as they are
    #[arg(long)]
    #[serde(default)]
    pub keep_tasks: bool,
    /// Only if config.toml is still at this revision
    #[arg(long, value_name = "REV")]
    #[schemars(schema_with = "schema::text")]
    #[serde(default)]
    pub if_rev: Option<Rev>,
}

impl Operation for RemoveAssignee {
    const NAME: &'static str = "team.remove";
    const TOOL: &'static str = "handoff_remove_assignee";
    const SET: ToolSet = ToolSet::Team;
    const EFFECT: Effect = Effect::Write;
    type Outcome = TeamChange;

    fn example() -> Value {
        json!({"key": "alice"})
    }

    fn run(self, project: &mut Project) -> Result<TeamChange, OpError> {
        let key = self.key;
        let people = current(project).assignees;
        if !people.contains_key(&key) {
            return Err(not_configured(project, &key, &people)?);
        }
        check_own(project, &["assignees", key.as_str()])?;
        let heir = match self.reassign_to {
            Some(_) if self.keep_tasks => {
                return Err(OpError::usage("`reassign_to` and `keep_tasks` cannot be given together"));
            }
            Some(heir) if heir == key => {
                return Err(OpError::usage(format!("`{key}` goes, so the tasks cannot go to them")));
            }
            Some(heir) if !people.contains_key(&heir) => return Err(not_configured(project, &heir, &people)?),
            heir => heir,
        };
        let mut draft = Draft::of(["assignees", key.as_str()]);
        draft.remove_table();
        let assignee = heir.clone().map_or(Change::Clear, Change::Set);
        let is_theirs = |name: Option<&str>| name == Some(key.as_str());
        let tasks = if self.keep_tasks {
            0
        } else {
            draft.edit_tasks(project, |task| {
                let is_moved = is_theirs(task.assignee.as_deref()) && task.status.is_open();
                is_moved.then(|| TaskEdit { assignee: assignee.clone(), ..TaskEdit::default() })
            })?
        };
        let what = match (&heir, tasks) {
            _ if self.keep_tasks => "their tasks still name them".to_owned(),
            (_, 0) => "no open task was theirs".to_owned(),
            (None, tasks) => format!("{} no longer assigned", count_of(tasks, "open task is", "open tasks are")),
            (Some(heir), tasks) => format!("{} now `{heir}`'s", count_of(tasks, "open task is", "open tasks are")),
        };
        draft.carry_out(project, self.if_rev, |_| format!("removed `{key}` from the team; {what}"))
    }
}
