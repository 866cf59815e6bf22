//! `handoff task check` and `handoff task uncheck`

use clap::Args;
use handoff_model::id::TaskRef;
use handoff_model::rev::Rev;
use handoff_store::Found;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{TaskView, change};
use crate::{Door, Effect, OpError, Operation, Project, ToolSet};

/// Check a criterion of a task
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CheckCriterion {
    /// Task whose criterion it is
    #[arg(value_name = "TASK")]
    pub id: TaskRef,
    /// Its place, counted from 1, or its text
    pub criterion: Which,
    /// Change it only if the task is still at this revision
    #[arg(long, value_name = "REV")]
    pub if_rev: Option<Rev>,
}

/// Uncheck a criterion of a task
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct UncheckCriterion {
    /// Task whose criterion it is
    #[arg(value_name = "TASK")]
    pub id: TaskRef,
    /// Its place, counted from 1, or its text
    pub criterion: Which,
    /// Change it only if the task is still at this revision
    #[arg(long, value_name = "REV")]
    pub if_rev: Option<Rev>,
}

/// A criterion by its place or text; in JSON a number is understood too.
#[derive(Clone, Debug, JsonSchema)]
#[schemars(with = "String")]
pub struct Which(String);

impl std::str::FromStr for Which {
    type Err = std::convert::Infallible;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Ok(Which(text.to_owned()))
    }
}

impl<'de> Deserialize<'de> for Which {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match Value::deserialize(deserializer)? {
            Value::String(text) => Ok(Which(text)),
            Value::Number(place) => Ok(Which(place.to_string())),
            _ => Err(serde::de::Error::custom("expected the place of a criterion, such as 1, or its text")),
        }
    }
}

impl Operation for CheckCriterion {
    const NAME: &'static str = "task.check";
    const TOOL: &'static str = "handoff_tick_criterion";
    const SET: ToolSet = ToolSet::Tasks;
    const EFFECT: Effect = Effect::Write;
    const REPEATABLE: bool = true;
    const DOORS: &'static [Door] = &[Door::Cli, Door::Http];
    type Outcome = TaskView;

    fn example() -> Value {
        json!({"id": "k7f3q2ma", "criterion": "1"})
    }

    fn run(self, project: &mut Project) -> Result<TaskView, OpError> {
        let found = change::find(project, &self.id, self.if_rev)?;
        set(project, &found, &self.criterion.0, true)
    }
}

impl Operation for UncheckCriterion {
    const NAME: &'static str = "task.uncheck";
    const TOOL: &'static str = "handoff_uncheck_criterion";
    const SET: ToolSet = ToolSet::Tasks;
    const EFFECT: Effect = Effect::Write;
    const REPEATABLE: bool = true;
    type Outcome = TaskView;

    fn example() -> Value {
        json!({"id": "k7f3q2ma", "criterion": "1"})
    }

    fn run(self, project: &mut Project) -> Result<TaskView, OpError> {
        let found = change::find(project, &self.id, self.if_rev)?;
        set(project, &found, &self.criterion.0, false)
    }
}

/// Checks or unchecks a criterion by its place, counted from 1, or by its text.
pub(crate) fn set(project: &mut Project, found: &Found, which: &str, checked: bool) -> Result<TaskView, OpError> {
    let mut task = found.task.clone();
    task.set_criterion(which, checked)?;
    change::check(project, found, &task)?;
    let saved = project.store_mut().save_task(found, &task)?;
    let what = if checked { "checked a criterion of" } else { "unchecked a criterion of" };
    Ok(TaskView::changed(project, &saved, what))
}
