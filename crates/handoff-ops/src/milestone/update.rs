//! `handoff milestone update`

use clap::Args;
use handoff_model::change::{Change, KEEP};
use handoff_model::config::Color;
use handoff_model::rev::Rev;
use handoff_model::task::TaskEdit;
use handoff_model::text::{Name, OneLine};
use handoff_model::when::Day;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::list::ListMilestones;
use crate::published::schema;
use crate::team::TeamChange;
use crate::team::change::{Draft, check_name, check_own, current, missing, taken};
use crate::{Effect, OpError, Operation, Project, ToolSet};

/// Change a milestone: what is not given stays, `none` clears
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = schema::brief)]
pub struct UpdateMilestone {
    /// Name that tasks use
    #[schemars(schema_with = "schema::text")]
    pub name: Name,
    /// Day it is due
    #[arg(long, value_name = "DATE", default_value = KEEP, hide_default_value = true)]
    #[serde(default)]
    #[schemars(schema_with = "schema::text")]
    pub date: Change<Day>,
    /// Colour such as #4A90D9
    #[arg(id = "display_color", long = "display-color", value_name = "COLOR", default_value = KEEP, hide_default_value = true)]
    #[serde(default)]
    #[schemars(schema_with = "schema::text")]
    pub color: Change<Color>,
    /// What is reached by then
    #[arg(long, value_name = "TEXT", default_value = KEEP, hide_default_value = true, allow_hyphen_values = true)]
    #[serde(default)]
    #[schemars(schema_with = "schema::text")]
    pub description: Change<OneLine>,
    /// Another name, which its tasks get too
    #[arg(long, value_name = "NAME")]
    #[schemars(schema_with = "schema::text")]
    #[serde(default)]
    pub rename: Option<Name>,
    /// Only if config.toml is still at this revision
    #[arg(long, value_name = "REV")]
    #[schemars(schema_with = "schema::text")]
    #[serde(default)]
    pub if_rev: Option<Rev>,
}

impl Operation for UpdateMilestone {
    const NAME: &'static str = "milestone.update";
    const TOOL: &'static str = "handoff_update_milestone";
    const SET: ToolSet = ToolSet::Team;
    const EFFECT: Effect = Effect::Write;
    const REPEATABLE: bool = true;
    type Outcome = TeamChange;

    fn example() -> Value {
        json!({"name": "beta", "date": "2026-12-21", "description": null})
    }

    fn run(self, project: &mut Project) -> Result<TeamChange, OpError> {
        let name = self.name;
        let present = current(project).milestones;
        if !present.contains_key(&name) {
            let known: Vec<String> = present.keys().map(ToString::to_string).collect();
            return Err(missing::<ListMilestones>("milestone", name.as_str(), &known));
        }
        let mut draft = Draft::of(["milestones", name.as_str()]);
        draft.keep_table();
        draft.set("date", self.date);
        draft.set("color", self.color);
        draft.set("description", self.description);
        let new = self.rename.filter(|new| *new != name);
        if let Some(new) = &new {
            check_name(new)?;
            if present.contains_key(new) {
                return Err(taken::<UpdateMilestone>("milestone", new, json!({"name": new})));
            }
            check_own(project, &["milestones", name.as_str()])?;
            draft.rename(new.clone());
            // Finished ones too, or its progress would be lost.
            draft.edit_tasks(project, |task| {
                let names_it = task.schedule.milestone.as_deref() == Some(name.as_str());
                names_it.then(|| TaskEdit { milestone: Change::Set(new.clone()), ..TaskEdit::default() })
            })?;
        }
        let tasks = draft.tasks.len();
        draft.carry_out(project, self.if_rev, |edited| match &new {
            Some(new) => format!("the milestone `{name}` is now called `{new}`; tasks that name it: {tasks}"),
            None if edited.is_new => format!("updated the milestone `{name}`"),
            None => format!("nothing to change in the milestone `{name}`"),
        })
    }
}
