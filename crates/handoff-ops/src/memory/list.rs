//! `handoff memory list`

use clap::Args;
use handoff_model::memory::MemoryKind;
use handoff_model::problem::Problem;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::scope::{MemoryFilter, relative_paths};
use super::view::memory_line;
use super::{AddMemory, MemoryView};
use crate::page::{Role, Text};
use crate::published::{schema, several, switch};
use crate::{Effect, Hint, OpError, Operation, Page, Project, Report, ToolSet};

/// List the memories in force, newest first
#[derive(Clone, Debug, Default, Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = schema::brief)]
pub struct ListMemories {
    /// Only these kinds: rule, gotcha, convention, lesson, fact
    #[arg(long, value_name = "KIND", value_delimiter = ',')]
    #[serde(default, deserialize_with = "several", skip_serializing_if = "Vec::is_empty")]
    #[schemars(schema_with = "schema::text")]
    pub kind: Vec<MemoryKind>,
    /// Only those with this tag
    #[arg(long = "tag", visible_alias = "label", value_name = "LABEL", value_delimiter = ',')]
    #[serde(default, deserialize_with = "several", skip_serializing_if = "Vec::is_empty")]
    #[schemars(schema_with = "schema::text")]
    pub tags: Vec<String>,
    /// Only those that apply to this path, or to all
    #[arg(long, value_name = "PATH")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "schema::text")]
    pub path: Option<String>,
    /// Only those that apply on this branch, or on all
    #[arg(long, value_name = "BRANCH")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "schema::text")]
    pub branch: Option<String>,
    /// Include retired ones
    #[arg(long)]
    #[serde(default, deserialize_with = "switch", skip_serializing_if = "std::ops::Not::not")]
    #[schemars(schema_with = "schema::truth")]
    pub retired: bool,
    /// At most this many, 50 if not given
    #[arg(long, short = 'n', value_name = "N")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "schema::integer")]
    pub limit: Option<usize>,
    /// Start after this memory
    #[arg(long, value_name = "MEMORY")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "schema::text")]
    pub cursor: Option<String>,
}

/// Memories, newest first.
#[derive(Debug, Serialize, JsonSchema)]
pub struct MemoryList {
    pub memories: Vec<MemoryView>,
    /// How many there are, those not shown included
    pub total: usize,
    /// Give this back as `cursor` to see more
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
    /// What is wrong in the files
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub problems: Vec<Problem>,
    #[serde(skip)]
    lines: Vec<Text>,
    #[serde(skip)]
    left: usize,
    #[serde(skip)]
    asked: ListMemories,
    #[serde(skip)]
    warnings: Vec<String>,
}

const USUAL_LIMIT: usize = 50;

impl Operation for ListMemories {
    const NAME: &'static str = "memory.list";
    const TOOL: &'static str = "handoff_memory_list";
    const SET: ToolSet = ToolSet::Memory;
    const EFFECT: Effect = Effect::Read;
    type Outcome = MemoryList;

    fn example() -> Value {
        json!({"kind": "gotcha", "path": "tests/api.rs"})
    }

    fn run(self, project: &mut Project) -> Result<MemoryList, OpError> {
        if self.limit == Some(0) {
            return Err(OpError::usage("a limit of 0 shows nothing: give 1 or more"));
        }
        let filter = MemoryFilter {
            kinds: self.kind.clone(),
            tags: self.tags.clone(),
            paths: relative_paths(project, &self.path.iter().cloned().collect::<Vec<_>>()),
            branch: self.branch.clone(),
            with_retired: self.retired,
        };
        let memories = project.store().memories()?;
        let wanted: Vec<_> = memories.list.iter().filter(|found| filter.accepts(&found.record)).collect();
        let start = match &self.cursor {
            None => 0,
            Some(cursor) => {
                let place = wanted.iter().position(|found| found.record.id.as_str() == cursor);
                place.map(|place| place + 1).ok_or_else(|| {
                    let anew = ListMemories { cursor: None, ..self.clone() };
                    let wrong = OpError::usage(format!("the cursor `{cursor}` is not one of the memories"));
                    wrong.hint(Hint::run_with::<ListMemories>(json!(anew)))
                })?
            }
        };
        let shown: Vec<_> = wanted.iter().skip(start).take(self.limit.unwrap_or(USUAL_LIMIT)).collect();
        let left = wanted.len() - start - shown.len();
        let last = shown.last().map(|found| found.record.id.to_string());
        Ok(MemoryList {
            memories: shown.iter().map(|found| MemoryView::of(found)).collect(),
            total: wanted.len(),
            next_cursor: last.filter(|_| left > 0),
            lines: shown.iter().map(|found| memory_line(&found.record)).collect(),
            left,
            warnings: memories.problems.iter().map(ToString::to_string).collect(),
            problems: memories.problems,
            asked: self,
        })
    }
}

impl Report for MemoryList {
    fn page(&self) -> Page {
        if self.total == 0 {
            let none = Text::of(Role::Dim, "no memories");
            let add = Hint::run_with::<AddMemory>(json!({"text": "…", "kind": "rule"}));
            return Page::new().line(none).advice("to add one: ", add);
        }
        let mut page = Page::new();
        for line in &self.lines {
            page = page.said(line.clone());
        }
        let next = ListMemories { cursor: self.next_cursor.clone(), ..self.asked.clone() };
        let next = Hint::run_with::<ListMemories>(json!(next));
        page.more(self.left, Some(next.clone())).rest(next)
    }

    fn warnings(&self) -> &[String] {
        &self.warnings
    }
}
