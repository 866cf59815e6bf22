//! `handoff drop`

use clap::Args;
use handoff_model::session::{ItemRef, SettledHow};
use handoff_model::text::Prose;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::SettledItems;
use super::settle::{self, Unrecorded, Wish, reason};
use crate::{Effect, OpError, Operation, Project, ToolSet};

/// Drop open items that will not be done, or take back a caution
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DropItems {
    /// Items, by id such as `n7` or by their words; cautions too, such as `w1`
    #[arg(value_name = "ITEM", required = true)]
    pub items: Vec<ItemRef>,
    /// Reason for dropping them
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    #[serde(default)]
    #[schemars(with = "String")]
    pub because: Option<Prose>,
    #[arg(skip)]
    #[serde(skip)]
    unrecorded: Unrecorded,
}

impl Operation for DropItems {
    const NAME: &'static str = "drop";
    const TOOL: &'static str = "handoff_drop_items";
    const SET: ToolSet = ToolSet::Sessions;
    const EFFECT: Effect = Effect::Amend;
    const REPEATABLE: bool = true;
    type Outcome = SettledItems;

    fn example() -> Value {
        json!({"items": ["n1"], "because": "the vendor ships it now"})
    }

    fn prepare(&mut self, project: &mut Project) -> Result<(), OpError> {
        self.unrecorded = Unrecorded::read(project);
        Ok(())
    }

    fn run(self, project: &mut Project) -> Result<SettledItems, OpError> {
        let because = reason(self.because.as_ref());
        let wish = |item: ItemRef| Wish { item, how: Some(SettledHow::Dropped), because: because.clone() };
        let wishes: Vec<Wish> = settle::typed(project, self.items)?.into_iter().map(wish).collect();
        settle::settle(project, &wishes, self.unrecorded)
    }
}
