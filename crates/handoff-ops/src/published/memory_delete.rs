//! `handoff_memory_delete`

use clap::Args;
use handoff_model::memory::MemoryRef;
use handoff_model::text::OneLine;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::schema;
use crate::memory::{MemoryView, RetireMemory};
use crate::{Door, Effect, OpError, Operation, Project, ToolSet};

/// Retire a memory; it is kept and can be brought back
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = schema::brief)]
pub struct DeleteMemory {
    #[schemars(schema_with = "schema::text")]
    pub id: MemoryRef,
    /// Why it no longer holds
    #[arg(long)]
    #[serde(default)]
    #[schemars(schema_with = "schema::text")]
    pub because: Option<OneLine>,
    /// Memory that takes its place
    #[arg(long)]
    #[serde(default)]
    #[schemars(schema_with = "schema::text")]
    pub replaced_by: Option<MemoryRef>,
}

impl Operation for DeleteMemory {
    const NAME: &'static str = "memory.delete";
    const TOOL: &'static str = "handoff_memory_delete";
    const SET: ToolSet = ToolSet::Memory;
    const EFFECT: Effect = Effect::Amend;
    const DOORS: &'static [Door] = &[Door::Mcp];
    type Outcome = MemoryView;

    fn example() -> Value {
        json!({"id": "n7b2c4de", "because": "the port is configurable now"})
    }

    fn run(self, project: &mut Project) -> Result<MemoryView, OpError> {
        RetireMemory { id: self.id, because: self.because, replaced_by: self.replaced_by }.run(project)
    }
}
