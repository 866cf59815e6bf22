//! `handoff label add`

use clap::Args;
use handoff_model::change::Change;
use handoff_model::rev::Rev;
use handoff_model::text::Name;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::set::write;
use crate::published::schema;
use crate::team::TeamChange;
use crate::team::change::current;
use crate::team::input::items;
use crate::{Effect, OpError, Operation, Project, ToolSet};

/// Add labels to the list
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = schema::brief)]
pub struct AddLabels {
    /// Labels to add
    #[arg(required = true, value_name = "LABEL")]
    #[serde(deserialize_with = "items")]
    #[schemars(schema_with = "schema::texts")]
    pub labels: Vec<Name>,
    /// Only if config.toml is still at this revision
    #[arg(long, value_name = "REV")]
    #[schemars(schema_with = "schema::text")]
    #[serde(default)]
    pub if_rev: Option<Rev>,
}

impl Operation for AddLabels {
    const NAME: &'static str = "label.add";
    const TOOL: &'static str = "handoff_add_labels";
    const SET: ToolSet = ToolSet::Team;
    const EFFECT: Effect = Effect::Write;
    const REPEATABLE: bool = true;
    type Outcome = TeamChange;

    fn example() -> Value {
        json!({"labels": ["docs"]})
    }

    fn run(self, project: &mut Project) -> Result<TeamChange, OpError> {
        let labels = [current(project).labels, self.labels].concat();
        write(project, Change::Set(labels), self.if_rev)
    }
}
