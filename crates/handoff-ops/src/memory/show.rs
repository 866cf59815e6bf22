//! `handoff memory show`

use clap::Args;
use handoff_model::memory::MemoryRef;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::MemoryView;
use crate::{Effect, OpError, Operation, Project, ToolSet};

/// Show a whole memory
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ShowMemory {
    /// Memory to show, by id or the beginning of one
    #[arg(value_name = "MEMORY")]
    pub id: MemoryRef,
}

impl Operation for ShowMemory {
    const NAME: &'static str = "memory.show";
    const TOOL: &'static str = "handoff_memory_show";
    const SET: ToolSet = ToolSet::Memory;
    const EFFECT: Effect = Effect::Read;
    type Outcome = MemoryView;

    fn example() -> Value {
        json!({"id": "n7b2c4de"})
    }

    fn run(self, project: &mut Project) -> Result<MemoryView, OpError> {
        Ok(MemoryView::of(&*project.store().find_memory(&self.id)?))
    }
}
