//! `handoff memory edit`

use clap::Args;
use handoff_model::change::{Change, KEEP};
use handoff_model::memory::{MemoryEdit, MemoryKind, MemoryRef};
use handoff_model::rev::Rev;
use handoff_model::session::Confidence;
use handoff_model::text::{Name, OneLine, Prose, Title};
use handoff_store::StoreError;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{MemoryView, relative_paths};
use crate::{Door, Effect, OpError, Operation, Project, ToolSet};

/// Change what a memory says, or where it applies
///
/// A list that is given takes the place of the old one.
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EditMemory {
    /// Memory to change, by id or the beginning of one
    #[arg(value_name = "MEMORY")]
    pub id: MemoryRef,
    /// New text
    #[arg(allow_hyphen_values = true)]
    pub text: Option<Prose>,
    /// Kind of memory: rule, gotcha, convention, lesson or fact
    #[arg(long, value_name = "KIND")]
    pub kind: Option<MemoryKind>,
    /// Summary in one line, or `none` to clear it
    #[arg(long, value_name = "TEXT", default_value = KEEP, hide_default_value = true, allow_hyphen_values = true)]
    #[serde(default)]
    pub title: Change<Title>,
    /// Labels it applies to
    #[arg(long = "tag", visible_alias = "label", value_name = "LABEL", value_delimiter = ',')]
    pub tags: Option<Vec<Name>>,
    /// More words to find it by
    #[arg(long = "keyword", value_name = "WORD", value_delimiter = ',')]
    pub keywords: Option<Vec<Name>>,
    /// Files, directories or globs it applies to
    #[arg(long = "path", value_name = "PATH")]
    pub paths: Option<Vec<OneLine>>,
    /// Branches it applies to
    #[arg(long = "branch", value_name = "BRANCH")]
    pub branches: Option<Vec<Name>>,
    /// How sure it is, or `none` to clear it
    #[arg(long, value_name = "WORD", default_value = KEEP, hide_default_value = true)]
    #[serde(default)]
    pub confidence: Change<Confidence>,
    /// Change it only if it is still at this revision
    #[arg(long, value_name = "REV")]
    pub if_rev: Option<Rev>,
}

impl Operation for EditMemory {
    const NAME: &'static str = "memory.edit";
    const TOOL: &'static str = "handoff_memory_edit";
    const SET: ToolSet = ToolSet::Memory;
    const EFFECT: Effect = Effect::Amend;
    const DOORS: &'static [Door] = &[Door::Cli, Door::Http];
    const REPEATABLE: bool = true;
    type Outcome = MemoryView;

    fn example() -> Value {
        json!({"id": "n7b2c4de", "kind": "rule", "tags": ["tests", "database"]})
    }

    fn run(self, project: &mut Project) -> Result<MemoryView, OpError> {
        let found = project.store().find_memory(&self.id)?;
        if let Some(expected) = self.if_rev.filter(|rev| *rev != found.rev) {
            let what = format!("memory `{}`", found.record.id);
            return Err(StoreError::Changed { what, expected, found: found.rev }.into());
        }
        let names = |list: Option<Vec<Name>>| list.map(|list| list.into_iter().map(String::from).collect());
        let mut record = found.record.clone();
        record.edit(MemoryEdit {
            text: self.text.map(String::from),
            kind: self.kind,
            title: self.title.map(String::from),
            tags: names(self.tags),
            keywords: names(self.keywords),
            paths: self.paths.map(|list| {
                let paths: Vec<String> = list.into_iter().map(String::from).collect();
                relative_paths(project, &paths)
            }),
            branches: names(self.branches),
            confidence: self.confidence,
        });
        if record.says().is_empty() {
            return Err(OpError::refused("a memory needs a text or a title"));
        }
        let saved = project.store_mut().save_memory(&found, record)?;
        Ok(MemoryView::changed(&saved, if saved.rev == found.rev { "nothing changed in" } else { "changed" }))
    }
}
