//! `handoff redo`

use clap::Args;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::undo::{Undo, Undone, carry_out};
use crate::{Effect, Hint, OpError, Operation, Project, ToolSet};

/// Make again what the last undo took back
///
/// Once something else was changed since, this is refused; that undo can still be taken back by its id.
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Redo {
    /// Show what would be done, and change nothing
    #[arg(long)]
    #[serde(default)]
    pub dry_run: bool,
}

impl Operation for Redo {
    const NAME: &'static str = "redo";
    const TOOL: &'static str = "handoff_redo";
    const SET: ToolSet = ToolSet::History;
    const EFFECT: Effect = Effect::Write;
    type Outcome = Undone;

    fn example() -> Value {
        json!({})
    }

    fn effect(&self) -> Effect {
        if self.dry_run { Effect::Read } else { Effect::Amend }
    }

    fn run(self, project: &mut Project) -> Result<Undone, OpError> {
        let plan = project.store().redo_last()?;
        carry_out(project, &plan, self.dry_run, "made again", Some(Hint::run::<Undo>()))
    }
}
