//! `handoff milestone remove`

use clap::Args;
use handoff_model::change::Change;
use handoff_model::rev::Rev;
use handoff_model::task::{Task, TaskEdit};
use handoff_model::text::Name;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::list::ListMilestones;
use crate::published::schema;
use crate::team::TeamChange;
use crate::team::change::{Draft, check_own, current, missing};
use crate::{Effect, OpError, Operation, Project, ToolSet};

/// Remove a milestone; tasks keep its name unless `--clear-tasks` is given
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = schema::brief)]
pub struct RemoveMilestone {
    /// Name that tasks use
    #[schemars(schema_with = "schema::text")]
    pub name: Name,
    /// Take it from open tasks too
    #[arg(long)]
    #[serde(default)]
    pub clear_tasks: bool,
    /// Only if config.toml is still at this revision
    #[arg(long, value_name = "REV")]
    #[schemars(schema_with = "schema::text")]
    #[serde(default)]
    pub if_rev: Option<Rev>,
}

impl Operation for RemoveMilestone {
    const NAME: &'static str = "milestone.remove";
    const TOOL: &'static str = "handoff_remove_milestone";
    const SET: ToolSet = ToolSet::Team;
    const EFFECT: Effect = Effect::Write;
    type Outcome = TeamChange;

    fn example() -> Value {
        json!({"name": "beta", "clear_tasks": true})
    }

    fn run(self, project: &mut Project) -> Result<TeamChange, OpError> {
        let name = self.name;
        let present = current(project).milestones;
        if !present.contains_key(&name) {
            let known: Vec<String> = present.keys().map(ToString::to_string).collect();
            return Err(missing::<ListMilestones>("milestone", name.as_str(), &known));
        }
        check_own(project, &["milestones", name.as_str()])?;
        let mut draft = Draft::of(["milestones", name.as_str()]);
        draft.remove_table();
        let is_of_it = |task: &Task| task.schedule.milestone.as_deref() == Some(name.as_str()) && task.status.is_open();
        let what = if self.clear_tasks {
            let clear = || TaskEdit { milestone: Change::Clear, ..TaskEdit::default() };
            let tasks = draft.edit_tasks(project, |task| is_of_it(task).then(clear))?;
            format!("open tasks it was taken from: {tasks}")
        } else {
            let forest = project.store().forest()?;
            let tasks = forest.walk().into_iter().filter(|node| is_of_it(&node.task)).count();
            format!("open tasks that still name it: {tasks}")
        };
        draft.carry_out(project, self.if_rev, |_| format!("removed the milestone `{name}`; {what}"))
    }
}
