//! `handoff label remove`

use clap::Args;
use handoff_model::change::Change;
use handoff_model::rev::Rev;
use handoff_model::task::TaskEdit;
use handoff_model::text::Name;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::ListLabels;
use super::set::write_with;
use crate::published::schema;
use crate::team::TeamChange;
use crate::team::change::{Draft, current, missing};
use crate::team::input::items;
use crate::{Effect, OpError, Operation, Project, ToolSet};

/// Take labels off the list; tasks keep them unless `--clear-tasks` is given
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = schema::brief)]
pub struct RemoveLabels {
    /// Labels to take away
    #[arg(required = true, value_name = "LABEL")]
    #[serde(deserialize_with = "items")]
    #[schemars(schema_with = "schema::texts")]
    pub labels: Vec<Name>,
    /// Take them from open tasks too
    #[arg(long)]
    #[serde(default)]
    pub clear_tasks: bool,
    /// Only if config.toml is still at this revision
    #[arg(long, value_name = "REV")]
    #[schemars(schema_with = "schema::text")]
    #[serde(default)]
    pub if_rev: Option<Rev>,
}

impl Operation for RemoveLabels {
    const NAME: &'static str = "label.remove";
    const TOOL: &'static str = "handoff_remove_labels";
    const SET: ToolSet = ToolSet::Team;
    const EFFECT: Effect = Effect::Write;
    type Outcome = TeamChange;

    fn example() -> Value {
        json!({"labels": ["auth"], "clear_tasks": true})
    }

    fn run(self, project: &mut Project) -> Result<TeamChange, OpError> {
        let present = current(project).labels;
        let mut draft = Draft::of([]);
        if self.clear_tasks {
            draft.edit_tasks(project, |task| {
                let has_one = task.labels.iter().any(|own| self.labels.iter().any(|gone| gone.as_str() == own));
                let is_changed = has_one && task.status.is_open();
                is_changed.then(|| TaskEdit { remove_labels: self.labels.clone(), ..TaskEdit::default() })
            })?;
        }
        // One that only tasks use can be taken from them, but not off the list.
        if let Some(unknown) = self.labels.iter().find(|label| !present.contains(label))
            && draft.tasks.is_empty()
        {
            let known: Vec<String> = present.iter().map(ToString::to_string).collect();
            return Err(missing::<ListLabels>("label", unknown.as_str(), &known));
        }
        let left: Vec<Name> = present.iter().filter(|label| !self.labels.contains(label)).cloned().collect();
        let labels = match (left.is_empty(), left.len() == present.len()) {
            (_, true) => Change::Keep,
            (true, false) => Change::Clear,
            (false, false) => Change::Set(left),
        };
        write_with(project, draft, labels, self.if_rev)
    }
}
