//! `handoff_memory_save`

use clap::Args;
use handoff_model::memory::{MemoryKind, MemoryRef};
use handoff_model::text::{Name, OneLine, Prose, Title};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{listed, schema, several, switch};
use crate::memory::{MemoryDraft, MemorySaved, save};
use crate::{Door, Effect, OpError, Operation, Project, ToolSet};

/// Remember a rule, convention, lesson, gotcha or fact for good
///
/// Hands back what is close to it or contradicts it instead of storing it twice.
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = schema::brief)]
pub struct SaveMemory {
    #[schemars(schema_with = "schema::text")]
    pub text: Prose,
    #[arg(long)]
    #[serde(default)]
    #[schemars(schema_with = "kind")]
    pub kind: Option<MemoryKind>,
    /// Summary of a long text
    #[arg(long)]
    #[serde(default)]
    #[schemars(schema_with = "schema::text")]
    pub title: Option<Title>,
    #[arg(long)]
    #[serde(default, deserialize_with = "several")]
    #[schemars(schema_with = "schema::texts")]
    pub tags: Vec<Name>,
    #[arg(long)]
    #[serde(default, deserialize_with = "several")]
    #[schemars(schema_with = "schema::texts")]
    pub keywords: Vec<Name>,
    /// Files it applies to
    #[arg(long)]
    #[serde(default, deserialize_with = "listed")]
    #[schemars(schema_with = "schema::texts")]
    pub scope_paths: Vec<OneLine>,
    /// Branches it applies to
    #[arg(long)]
    #[serde(default, deserialize_with = "several")]
    #[schemars(schema_with = "schema::texts")]
    pub scope_branches: Vec<Name>,
    /// Memory that gets this text
    #[arg(long)]
    #[serde(default)]
    #[schemars(schema_with = "schema::text")]
    pub merge_into: Option<MemoryRef>,
    /// Memories that this one replaces
    #[arg(long)]
    #[serde(default, deserialize_with = "several")]
    #[schemars(schema_with = "schema::texts")]
    pub absorb_ids: Vec<MemoryRef>,
    /// Store it beside similar ones
    #[arg(long)]
    #[serde(default, deserialize_with = "switch")]
    #[schemars(schema_with = "schema::truth")]
    pub force: bool,
}

fn kind(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
    schemars::json_schema!({ "type": "string", "enum": MemoryKind::WORDS })
}

impl Operation for SaveMemory {
    const NAME: &'static str = "memory.save";
    const TOOL: &'static str = "handoff_memory_save";
    const SET: ToolSet = ToolSet::Memory;
    const EFFECT: Effect = Effect::Write;
    const DOORS: &'static [Door] = &[Door::Mcp];
    type Outcome = MemorySaved;

    fn example() -> Value {
        json!({"text": "Never run terraform from a laptop", "kind": "rule", "tags": ["infra"], "scope_paths": ["infra/"]})
    }

    fn run(self, project: &mut Project) -> Result<MemorySaved, OpError> {
        let names = |list: Vec<Name>| list.into_iter().map(String::from).collect();
        let draft = MemoryDraft {
            text: self.text.into(),
            kind: self.kind,
            title: self.title.map(String::from),
            tags: names(self.tags),
            keywords: names(self.keywords),
            paths: self.scope_paths.into_iter().map(String::from).collect(),
            branches: names(self.scope_branches),
            confidence: None,
            merge_into: self.merge_into,
            replaces: self.absorb_ids,
            force: self.force,
        };
        save(project, draft)
    }
}
