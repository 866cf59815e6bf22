//! `handoff open`

use clap::Args;
use handoff_model::problem::Problem;
use handoff_model::session::ItemKind;
use handoff_model::session::open_items::OpenItem;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::ItemView;
use crate::agent::finish_ended;
use crate::page::{Role, Text};
use crate::resume::gather::Held;
use crate::{Effect, Hint, OpError, Operation, Page, Project, Report, ToolSet};

/// List what is open: next steps, blockers, checklist items and questions of all sessions, in the order to take them
#[derive(Clone, Debug, Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ListOpenItems {
    /// Only items with these words
    #[arg(value_name = "TEXT")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub query: Option<String>,
    /// Only items of this kind: next, blocker, checklist, question or caution; may be given several times
    #[arg(long = "kind", value_name = "KIND")]
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub kind: Vec<ItemKind>,
    /// Only items that were carried over five sessions or more
    #[arg(long)]
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub stale: bool,
    /// Settled items and cautions too
    #[arg(long)]
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub all: bool,
    /// At most this many
    #[arg(long, short = 'n', value_name = "N")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<usize>,
}

/// Open items, in the order to take them.
#[derive(Debug, Serialize, JsonSchema)]
pub struct OpenItemList {
    pub items: Vec<ItemView>,
    /// Items that match the filters
    pub matches: usize,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub problems: Vec<Problem>,
    #[serde(skip)]
    asked: Box<ListOpenItems>,
    #[serde(skip)]
    warnings: Vec<String>,
}

impl Operation for ListOpenItems {
    const NAME: &'static str = "open";
    const TOOL: &'static str = "handoff_list_open_items";
    const SET: ToolSet = ToolSet::Sessions;
    const EFFECT: Effect = Effect::Read;
    type Outcome = OpenItemList;

    fn example() -> Value {
        json!({"kind": ["next", "blocker"], "limit": 10})
    }

    fn run(self, project: &mut Project) -> Result<OpenItemList, OpError> {
        if self.limit == Some(0) {
            return Err(OpError::usage("a limit of 0 shows nothing: give 1 or more"));
        }
        finish_ended(project);
        let held = Held::read_with_conversations(project)?;
        let items = held.items(project, crate::resume::COMMIT_TIME);
        let mut chosen: Vec<&OpenItem<'_>> = items.open();
        if self.all || self.kind.contains(&ItemKind::Caution) {
            chosen.extend(items.cautions());
        }
        if self.all {
            chosen.extend(items.all().iter().rev().filter(|item| !item.is_open()));
        }
        let query = self.query.as_ref().map(|query| query.to_lowercase());
        chosen.retain(|item| {
            (self.kind.is_empty() || self.kind.contains(&item.kind))
                && (!self.stale || item.is_stale())
                && query.as_ref().is_none_or(|query| item.text.to_lowercase().contains(query))
        });
        let matches = chosen.len();
        let shown = chosen.iter().take(self.limit.unwrap_or(usize::MAX));
        let views = shown.map(|item| ItemView::of(&items, item)).collect();
        let problems = held.problems();
        let warnings = problems.iter().map(ToString::to_string).collect();
        Ok(OpenItemList { items: views, matches, problems, asked: Box::new(self), warnings })
    }
}

const GROUPS: [(ItemKind, &str); 5] = [
    (ItemKind::Next, "Next steps"),
    (ItemKind::Blocker, "Blockers"),
    (ItemKind::Checklist, "Checklist"),
    (ItemKind::Question, "Questions"),
    (ItemKind::Caution, "Cautions"),
];

impl Report for OpenItemList {
    fn page(&self) -> Page {
        if self.items.is_empty() {
            let words = if self.asked.stale { "nothing has been open for five sessions" } else { "nothing is open" };
            return Page::new().line(words);
        }
        let mut page = Page::new();
        for (kind, title) in GROUPS {
            let mut group = self.items.iter().filter(|item| item.kind == kind && item.state == "open").peekable();
            if group.peek().is_some() {
                page = group.map(ItemView::line).fold(page.heading(title), Page::said);
            }
        }
        let mut settled = self.items.iter().filter(|item| item.state != "open").peekable();
        if settled.peek().is_some() {
            page = settled.map(ItemView::line).fold(page.heading("Settled"), Page::said);
        }
        let again = ListOpenItems { limit: None, ..(*self.asked).clone() };
        let hint = serde_json::to_value(&again).map(Hint::run_with::<ListOpenItems>).ok();
        let page = page.more(self.matches - self.items.len(), hint);
        match self.items.iter().find(|item| item.state == "open") {
            Some(item) => page.line(Text::of(Role::Dim, format!("settle one with `handoff done {}`", item.id))),
            None => page,
        }
    }

    fn warnings(&self) -> &[String] {
        &self.warnings
    }
}
