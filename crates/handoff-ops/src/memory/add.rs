//! `handoff memory add`

use clap::Args;
use handoff_model::memory::{MemoryKind, MemoryRef};
use handoff_model::session::Confidence;
use handoff_model::text::{Name, OneLine, Prose, Title};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::save::{MemoryDraft, MemorySaved, save};
use crate::{Door, Effect, OpError, Operation, Project, ToolSet};

/// Remember a rule, convention, lesson, gotcha or fact
///
/// It stays in force until it is retired, and agents get it where it matters. If nearly the same or the opposite is
/// remembered already, nothing is stored and you see what is there. Then replace that with `--replace`, change it with
/// `handoff memory edit`, or store yours beside it with `--force`.
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AddMemory {
    /// What to remember, in as many lines as needed
    #[arg(allow_hyphen_values = true)]
    pub text: Prose,
    /// Kind of memory: rule, gotcha, convention, lesson or fact
    #[arg(long, value_name = "KIND", default_value_t = MemoryKind::Lesson)]
    #[serde(default)]
    pub kind: MemoryKind,
    /// Summary in one line, where the text is long
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub title: Option<Title>,
    /// Label it applies to; may be given several times
    #[arg(long = "tag", visible_alias = "label", value_name = "LABEL", value_delimiter = ',')]
    #[serde(default)]
    pub tags: Vec<Name>,
    /// One more word to find it by; may be given several times
    #[arg(long = "keyword", value_name = "WORD", value_delimiter = ',')]
    #[serde(default)]
    pub keywords: Vec<Name>,
    /// File, directory or glob it applies to; may be given several times
    #[arg(long = "path", value_name = "PATH")]
    #[serde(default)]
    pub paths: Vec<OneLine>,
    /// Branch it applies to, `release/*` for all that begin so; may be given several times
    #[arg(long = "branch", value_name = "BRANCH")]
    #[serde(default)]
    pub branches: Vec<Name>,
    /// How sure it is: confirmed, estimated or unverified
    #[arg(long, value_name = "WORD")]
    pub confidence: Option<Confidence>,
    /// Memory that this one replaces, by id; may be given several times
    #[arg(long = "replace", value_name = "MEMORY")]
    #[serde(default)]
    pub replaces: Vec<MemoryRef>,
    /// Store it although it is close to others
    #[arg(long)]
    #[serde(default)]
    pub force: bool,
}

impl Operation for AddMemory {
    const NAME: &'static str = "memory.add";
    const TOOL: &'static str = "handoff_memory_add";
    const SET: ToolSet = ToolSet::Memory;
    const EFFECT: Effect = Effect::Write;
    const DOORS: &'static [Door] = &[Door::Cli, Door::Http];
    type Outcome = MemorySaved;

    fn example() -> Value {
        json!({"text": "Never run terraform from a laptop", "kind": "rule", "paths": ["infra/"]})
    }

    fn run(self, project: &mut Project) -> Result<MemorySaved, OpError> {
        let draft = MemoryDraft {
            text: self.text.into(),
            kind: Some(self.kind),
            title: self.title.map(String::from),
            tags: self.tags.into_iter().map(String::from).collect(),
            keywords: self.keywords.into_iter().map(String::from).collect(),
            paths: self.paths.into_iter().map(String::from).collect(),
            branches: self.branches.into_iter().map(String::from).collect(),
            confidence: self.confidence,
            merge_into: None,
            replaces: self.replaces,
            force: self.force,
        };
        save(project, draft)
    }
}
