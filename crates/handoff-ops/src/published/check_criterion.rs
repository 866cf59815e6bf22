//! `handoff_check_criterion`

use clap::Args;
use handoff_model::task::{Refusal, Task};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{GetTask, Wanted, schema};
use crate::task::{TaskView, change, set_criterion};
use crate::{Breaks, Door, Effect, Hint, OpError, Operation, Project, ToolSet, visible};

/// Check or uncheck a task's done criterion
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = schema::brief)]
pub struct CheckCriterion {
    #[schemars(schema_with = "schema::text")]
    pub task_id: Wanted,
    /// From 0
    #[serde(default)]
    #[schemars(schema_with = "schema::integer")]
    pub criterion_index: Option<usize>,
    /// Its text, instead of the index
    #[serde(default)]
    #[schemars(schema_with = "schema::text")]
    pub criterion: Option<String>,
    pub checked: bool,
}

impl Operation for CheckCriterion {
    const NAME: &'static str = "task.tick";
    const TOOL: &'static str = "handoff_check_criterion";
    const SET: ToolSet = ToolSet::Core;
    const EFFECT: Effect = Effect::Write;
    const REPEATABLE: bool = true;
    const DOORS: &'static [Door] = &[Door::Mcp];
    type Outcome = TaskView;

    fn example() -> Value {
        json!({"task_id": "k7f3q2ma", "criterion_index": 0, "checked": true})
    }

    fn run(self, project: &mut Project) -> Result<TaskView, OpError> {
        let found = change::find(project, &self.task_id.reference()?, None)?;
        let index = self.index(&found.task)?;
        let mut view = set_criterion(project, &found, &(index + 1).to_string(), self.checked)?;
        let checked = view.done_criteria.iter().filter(|criterion| criterion.checked).count();
        let word = if self.checked { "checked" } else { "unchecked" };
        let item = &view.done_criteria[index].item;
        let all = view.done_criteria.len();
        let (item, title) = (visible(item, Breaks::Mark), visible(&view.title, Breaks::Mark));
        view.message = Some(format!("{word} `{item}` of {} {title}: {checked} of {all} checked", view.number));
        Ok(view)
    }
}

impl CheckCriterion {
    /// Which criterion is meant, counted from 0.
    fn index(&self, task: &Task) -> Result<usize, OpError> {
        let count = task.done_criteria.len();
        let look = || Hint::run_with::<GetTask>(json!({"task_id": task.id}));
        match (self.criterion_index, self.criterion.as_deref().map(str::trim)) {
            (Some(index), None) if index < count => Ok(index),
            (Some(index), None) => {
                let range = match count {
                    0 => "it has no criteria".to_owned(),
                    1 => "it has one, at index 0".to_owned(),
                    count => format!("it has {count}, from index 0 to {}", count - 1),
                };
                Err(OpError::not_found(format!("task `{}` has no criterion {index}: {range}", task.id)).hint(look()))
            }
            (None, Some(text)) => {
                // Of two that say the same, the one that is still to be changed is meant.
                let says_so = |index: &usize| task.done_criteria[*index].item == text;
                let changes = |index: &usize| task.done_criteria[*index].checked != self.checked;
                let found = (0..count).find(|index| says_so(index) && changes(index));
                found.or_else(|| (0..count).find(says_so)).ok_or_else(|| {
                    Refusal::NoSuchCriterionText { id: task.id, text: text.chars().take(60).collect() }.into()
                })
            }
            (Some(_), Some(_)) => Err(OpError::usage("give `criterion_index` or `criterion`, not both")),
            (None, None) => Err(OpError::usage("give `criterion_index`, counted from 0, or the text as `criterion`")
                .detail(format!("a request that works looks like {}", Self::example()))),
        }
    }
}
