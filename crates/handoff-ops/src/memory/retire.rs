//! `handoff memory retire`

use clap::Args;
use handoff_model::memory::MemoryRef;
use handoff_model::text::OneLine;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::MemoryView;
use crate::{Door, Effect, OpError, Operation, Project, ToolSet};

/// Retire a memory: it no longer applies, and its file is kept
///
/// It is no longer shown or found unless you ask for retired ones. `handoff undo` brings it back.
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RetireMemory {
    /// Memory to retire, by id or the beginning of one
    #[arg(value_name = "MEMORY")]
    pub id: MemoryRef,
    /// Why it no longer holds
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub because: Option<OneLine>,
    /// Memory that takes its place
    #[arg(long, value_name = "MEMORY")]
    pub replaced_by: Option<MemoryRef>,
}

impl Operation for RetireMemory {
    const NAME: &'static str = "memory.retire";
    const TOOL: &'static str = "handoff_memory_retire";
    const SET: ToolSet = ToolSet::Memory;
    const EFFECT: Effect = Effect::Amend;
    const DOORS: &'static [Door] = &[Door::Cli, Door::Http];
    type Outcome = MemoryView;

    fn example() -> Value {
        json!({"id": "n7b2c4de", "because": "the port is configurable now"})
    }

    fn run(self, project: &mut Project) -> Result<MemoryView, OpError> {
        let memories = project.store().memories()?;
        let found = memories.find(&self.id)?;
        let by = self.replaced_by.as_ref().map(|wanted| memories.find(wanted)).transpose()?;
        let mut record = found.record.clone();
        let by = by.map(|found| found.record.id);
        record
            .retire(project.now(), self.because.map(String::from), by)
            .map_err(|error| OpError::refused(error.to_string()))?;
        let saved = project.store_mut().save_memory(&found, record)?;
        Ok(MemoryView::changed(&saved, "retired"))
    }
}
