//! `handoff memory search`

use clap::Args;
use handoff_model::memory::MemoryKind;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::query::{FoundMemories, MemoryQuestion, ask};
use super::scope::{MemoryFilter, relative_paths};
use crate::{Door, Effect, OpError, Operation, Project, ToolSet};

/// Search the memories by words, best first
#[derive(Clone, Debug, Default, Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SearchMemories {
    /// Words to look for; any of them will do
    #[arg(value_name = "WORDS", required = true)]
    pub words: Vec<String>,
    /// Only these kinds: rule, gotcha, convention, lesson, fact
    #[arg(long, value_name = "KIND", value_delimiter = ',')]
    #[serde(default)]
    pub kind: Vec<MemoryKind>,
    /// Only those with this tag; with all, if several are given
    #[arg(long = "tag", visible_alias = "label", value_name = "LABEL", value_delimiter = ',')]
    #[serde(default)]
    pub tags: Vec<String>,
    /// File at hand: memories for it come first, and those for other files are left out
    #[arg(long = "path", value_name = "PATH")]
    #[serde(default)]
    pub paths: Vec<String>,
    /// Only those that apply on this branch, or on all
    #[arg(long, value_name = "BRANCH")]
    pub branch: Option<String>,
    /// Include retired ones
    #[arg(long)]
    #[serde(default)]
    pub retired: bool,
    /// At most this many
    #[arg(long, short = 'n', value_name = "N", default_value_t = USUAL_LIMIT)]
    #[serde(default = "usual_limit")]
    pub limit: usize,
}

const USUAL_LIMIT: usize = 10;

fn usual_limit() -> usize {
    USUAL_LIMIT
}

impl Operation for SearchMemories {
    const NAME: &'static str = "memory.search";
    const TOOL: &'static str = "handoff_memory_search";
    const SET: ToolSet = ToolSet::Memory;
    const EFFECT: Effect = Effect::Read;
    const DOORS: &'static [Door] = &[Door::Cli, Door::Http];
    type Outcome = FoundMemories;

    fn example() -> Value {
        json!({"words": ["test", "database", "port"]})
    }

    fn run(self, project: &mut Project) -> Result<FoundMemories, OpError> {
        let words = self.words.join(" ");
        if words.trim().is_empty() && self.paths.is_empty() {
            return Err(OpError::usage("there is no word to look for: give some, such as `test database`"));
        }
        if self.limit == 0 {
            return Err(OpError::usage("a limit of 0 shows nothing: give 1 or more"));
        }
        let paths = relative_paths(project, &self.paths);
        let filter = MemoryFilter {
            kinds: self.kind,
            tags: self.tags,
            paths: paths.clone(),
            branch: self.branch,
            with_retired: self.retired,
        };
        ask(project, &MemoryQuestion { words, paths, filter, limit: self.limit, conversation: None })
    }
}
