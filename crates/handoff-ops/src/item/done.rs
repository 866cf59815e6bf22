//! `handoff done`

use clap::Args;
use handoff_model::session::ItemRef;
use handoff_model::text::Prose;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::SettledItems;
use super::settle::{self, Unrecorded, Wish, reason};
use crate::{Effect, OpError, Operation, Project, ToolSet};

/// Settle open items: a next step or checklist item is done, a blocker resolved, a question answered
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CompleteItems {
    /// Items, by id such as `n7` or by their words
    #[arg(value_name = "ITEM", required = true)]
    pub items: Vec<ItemRef>,
    /// A remark that is kept with it
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    #[serde(default)]
    #[schemars(with = "String")]
    pub because: Option<Prose>,
    #[arg(skip)]
    #[serde(skip)]
    unrecorded: Unrecorded,
}

impl Operation for CompleteItems {
    const NAME: &'static str = "done";
    const TOOL: &'static str = "handoff_complete_items";
    const SET: ToolSet = ToolSet::Sessions;
    const EFFECT: Effect = Effect::Amend;
    const REPEATABLE: bool = true;
    type Outcome = SettledItems;

    fn example() -> Value {
        json!({"items": ["n1"]})
    }

    fn prepare(&mut self, project: &mut Project) -> Result<(), OpError> {
        self.unrecorded = Unrecorded::read(project);
        Ok(())
    }

    fn run(self, project: &mut Project) -> Result<SettledItems, OpError> {
        let because = reason(self.because.as_ref());
        let wish = |item: ItemRef| Wish { item, how: None, because: because.clone() };
        let wishes: Vec<Wish> = settle::typed(project, self.items)?.into_iter().map(wish).collect();
        settle::settle(project, &wishes, self.unrecorded)
    }
}
