//! `handoff_memory_query`

use clap::Args;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{listed, schema};
use crate::memory::{FoundMemories, MemoryFilter, MemoryQuestion, ask, current_branch, note_use, relative_paths};
use crate::{Door, Effect, OpError, Operation, Project, ToolSet};

/// Find memories for a question or the files at hand
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = schema::brief)]
pub struct QueryMemories {
    #[schemars(schema_with = "schema::text")]
    pub text: String,
    /// Conversation that gets each memory once, and only what surely matters
    #[arg(long)]
    #[serde(default)]
    #[schemars(schema_with = "schema::text")]
    pub session_id: Option<String>,
    /// Tool about to be used; counts as words
    #[arg(long)]
    #[serde(default)]
    #[schemars(schema_with = "schema::text")]
    pub tool_name: Option<String>,
    /// Files at hand
    #[arg(long)]
    #[serde(default, deserialize_with = "listed")]
    #[schemars(schema_with = "schema::texts")]
    pub file_paths: Vec<String>,
    #[arg(long)]
    #[serde(default)]
    #[schemars(schema_with = "schema::integer")]
    pub limit: Option<usize>,
    #[arg(long)]
    #[serde(default)]
    #[schemars(schema_with = "schema::truth")]
    pub mark_injected: Option<bool>,
}

const USUAL_LIMIT: usize = 5;

impl Operation for QueryMemories {
    const NAME: &'static str = "memory.query";
    const TOOL: &'static str = "handoff_memory_query";
    const SET: ToolSet = ToolSet::Memory;
    const EFFECT: Effect = Effect::Read;
    const DOORS: &'static [Door] = &[Door::Mcp];
    type Outcome = FoundMemories;

    fn example() -> Value {
        json!({"text": "which port has the test database?", "limit": 3, "mark_injected": false})
    }

    fn run(self, project: &mut Project) -> Result<FoundMemories, OpError> {
        let limit = self.limit.unwrap_or(USUAL_LIMIT);
        if limit == 0 {
            return Err(OpError::usage("a limit of 0 gives nothing: give 1 or more"));
        }
        // What a hook hands on may have no session yet.
        let conversation = self.session_id.filter(|id| !id.trim().is_empty() && !id.starts_with("${"));
        let tool = self.tool_name.filter(|name| !name.starts_with("${"));
        let words = tool.iter().map(String::as_str).chain([self.text.as_str()]).collect::<Vec<_>>().join("\n");
        let filter = MemoryFilter { branch: current_branch(project), ..MemoryFilter::default() };
        let paths = relative_paths(project, &self.file_paths);
        let question = MemoryQuestion { words, paths, filter, limit, conversation };
        let found = ask(project, &question)?;
        if self.mark_injected.unwrap_or(true) {
            let given = found.memories.iter().map(|hit| (hit.id, hit.rev));
            // An answer that cannot be noted is an answer all the same.
            let _ = note_use(project, question.conversation.as_deref(), given);
        }
        Ok(found)
    }
}
