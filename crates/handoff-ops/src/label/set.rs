//! `handoff label set`

use clap::Args;
use handoff_model::change::Change;
use handoff_model::rev::Rev;
use handoff_model::text::Name;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::published::schema;
use crate::team::TeamChange;
use crate::team::change::{Draft, check_name};
use crate::team::input::{Listed, listed, replacement};
use crate::{Effect, OpError, Operation, Project, ToolSet};

/// Set the list of labels; tasks keep those they have
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = schema::brief)]
pub struct SetLabels {
    /// Labels that replace the present ones; `none` clears them
    #[arg(required = true, value_name = "LABEL")]
    #[serde(deserialize_with = "listed")]
    #[schemars(schema_with = "schema::texts")]
    pub labels: Vec<Listed<Name>>,
    /// Only if config.toml is still at this revision
    #[arg(long, value_name = "REV")]
    #[schemars(schema_with = "schema::text")]
    #[serde(default)]
    pub if_rev: Option<Rev>,
}

impl Operation for SetLabels {
    const NAME: &'static str = "label.set";
    const TOOL: &'static str = "handoff_update_labels";
    const SET: ToolSet = ToolSet::Team;
    const EFFECT: Effect = Effect::Write;
    const REPEATABLE: bool = true;
    type Outcome = TeamChange;

    fn example() -> Value {
        json!({"labels": ["api", "ui"]})
    }

    fn run(self, project: &mut Project) -> Result<TeamChange, OpError> {
        write(project, replacement(self.labels), self.if_rev)
    }
}

/// Writes the list of labels, each of them once.
pub(super) fn write(
    project: &mut Project,
    labels: Change<Vec<Name>>,
    if_rev: Option<Rev>,
) -> Result<TeamChange, OpError> {
    let draft = Draft::of([]);
    write_with(project, draft, labels, if_rev)
}

/// The same, together with changes of tasks.
pub(super) fn write_with(
    project: &mut Project,
    mut draft: Draft,
    labels: Change<Vec<Name>>,
    if_rev: Option<Rev>,
) -> Result<TeamChange, OpError> {
    let mut once: Vec<Name> = Vec::new();
    let labels = match labels {
        Change::Set(labels) => {
            for label in labels {
                check_name(&label)?;
                if !once.contains(&label) {
                    once.push(label);
                }
            }
            Change::Set(once)
        }
        other => other,
    };
    draft.set("labels", labels);
    let tasks = draft.tasks.len();
    draft.carry_out(project, if_rev, |edited| {
        let count = edited.after.config.labels.len();
        let what = if edited.is_new { "the list has now" } else { "nothing to change:" };
        let labels = if count == 1 { "label" } else { "labels" };
        let tasks = if tasks > 0 { format!("; tasks that were changed: {tasks}") } else { String::new() };
        format!("{what} {count} {labels}{tasks}")
    })
}
