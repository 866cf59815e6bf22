//! `handoff milestone add`

use clap::Args;
use handoff_model::change::{Change, KEEP};
use handoff_model::config::Color;
use handoff_model::rev::Rev;
use handoff_model::text::{Name, OneLine};
use handoff_model::when::Day;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::UpdateMilestone;
use crate::published::schema;
use crate::team::TeamChange;
use crate::team::change::{Draft, check_name, current, taken};
use crate::{Effect, OpError, Operation, Project, ToolSet};

/// Add a milestone
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = schema::brief)]
pub struct AddMilestone {
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
    /// Only if config.toml is still at this revision
    #[arg(long, value_name = "REV")]
    #[schemars(schema_with = "schema::text")]
    #[serde(default)]
    pub if_rev: Option<Rev>,
}

impl Operation for AddMilestone {
    const NAME: &'static str = "milestone.add";
    const TOOL: &'static str = "handoff_add_milestone";
    const SET: ToolSet = ToolSet::Team;
    const EFFECT: Effect = Effect::Write;
    type Outcome = TeamChange;

    fn example() -> Value {
        json!({"name": "v1.0", "date": "2027-01-29", "description": "first release"})
    }

    fn run(self, project: &mut Project) -> Result<TeamChange, OpError> {
        let name = self.name;
        check_name(&name)?;
        if current(project).milestones.contains_key(&name) {
            return Err(taken::<UpdateMilestone>("milestone", &name, json!({"name": name})));
        }
        let mut draft = Draft::of(["milestones", name.as_str()]);
        draft.keep_table();
        draft.set("date", self.date);
        draft.set("color", self.color);
        draft.set("description", self.description);
        draft.carry_out(project, self.if_rev, |_| format!("added the milestone `{name}`"))
    }
}
