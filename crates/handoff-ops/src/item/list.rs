//! `handoff open`

use std::cell::OnceCell;
use std::time::Duration;

use clap::Args;
use handoff_model::id::TaskId;
use handoff_model::problem::Problem;
use handoff_model::session::open_items::{OpenItem, OpenItems};
use handoff_model::session::{ItemKind, ItemRef, SettledHow};
use handoff_model::task::Status;
use handoff_store::{ArchivedTasks, Forest, StoreError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::view::{drop_hint, nothing_open};
use super::{CompleteItems, ItemView};
use crate::agent::{UnsavedConversation, finish_ended};
use crate::resume::gather::Held;
use crate::session::endings::settle_by_commits;
use crate::task::UpdateTask;
use crate::{Effect, Hint, OpError, Operation, Page, Project, Report, ToolSet};

/// List what is open: next steps, blockers, checklist items and questions of all sessions, in the order to take them
#[derive(Clone, Debug, Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ListOpenItems {
    /// Only items with these words, or the item with this id
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
    /// Conversations of agents whose work is in no session yet; only where nothing is filtered
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub conversations: Vec<UnsavedConversation>,
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
        let mut items = held.items(project, Duration::ZERO);
        let unasked = settle_by_commits(project, &mut items, crate::resume::COMMIT_TIME);
        let mut chosen: Vec<&OpenItem<'_>> = items.open();
        if self.all || self.kind.contains(&ItemKind::Caution) {
            chosen.extend(items.cautions());
        }
        if self.all {
            chosen.extend(items.all().iter().rev().filter(|item| !item.is_open()));
        }
        // An item that is named by its id is shown whatever became of it.
        let named = self.named();
        if named.is_some() {
            chosen = items.all().iter().collect();
        }
        let query = self.query.as_ref().filter(|_| named.is_none()).map(|query| query.to_lowercase());
        chosen.retain(|item| {
            (self.kind.is_empty() || self.kind.contains(&item.kind))
                && (!self.stale || item.is_stale())
                && query.as_ref().is_none_or(|query| item.text.to_lowercase().contains(query))
                && named.as_ref().is_none_or(|named| is_named(named, item))
        });
        let matches = chosen.len();
        let shown = chosen.iter().take(self.limit.unwrap_or(usize::MAX));
        let viewer = ItemViewer::new(project, &held.forest);
        let views = shown.map(|item| viewer.view(&items, item)).collect();
        let problems = held.problems();
        let warnings = problems.iter().map(ToString::to_string).chain(unasked).collect();
        let is_filtered = self.query.is_some() || !self.kind.is_empty() || self.stale;
        let others = held.conversations.iter().filter(|conversation| !conversation.is_own && !is_filtered);
        let conversations = others.cloned().collect();
        Ok(OpenItemList { items: views, matches, conversations, problems, asked: Box::new(self), warnings })
    }
}

impl ListOpenItems {
    /// The sentence for an empty list.
    fn nothing(&self, is_partial: bool) -> String {
        let among = if is_partial { " in what can be read" } else { "" };
        match (&self.query, self.kind.as_slice()) {
            (Some(query), _) => format!("no open item matches \"{query}\"{among}"),
            (None, []) if self.stale => format!("nothing has been open for five sessions{among}"),
            (None, []) => nothing_open(is_partial).to_owned(),
            (None, kinds) => {
                let kinds: Vec<&str> = kinds.iter().map(|kind| kind.noun()).collect();
                format!("no {} is open{among}", kinds.join(" or "))
            }
        }
    }

    /// The item that is asked for by its id.
    fn named(&self) -> Option<ItemRef> {
        let named = self.query.as_ref()?.parse().ok();
        named.filter(|named| matches!(named, ItemRef::Id { .. }))
    }
}

impl OpenItemList {
    /// The request that settles an item of the list: what can be done at once before what a task or a reason ends.
    fn way_to_settle(&self) -> Option<Hint> {
        let open = || self.items.iter().filter(|item| item.state == "open");
        let (cautions, mut others): (Vec<&ItemView>, Vec<&ItemView>) =
            open().partition(|item| item.kind == ItemKind::Caution);
        others.sort_by_key(|item| item.task.is_some());
        match (others.first(), cautions.first()) {
            (Some(ItemView { task: Some(task), .. }), _) => {
                Some(Hint::run_with::<UpdateTask>(json!({"id": task, "status": Status::Done})))
            }
            (Some(item), _) => Some(Hint::run_with::<CompleteItems>(json!({"items": [item.id]}))),
            (None, Some(item)) => Some(drop_hint(&item.id)),
            (None, None) => None,
        }
    }
}

fn is_named(named: &ItemRef, item: &OpenItem<'_>) -> bool {
    match named {
        ItemRef::Id { session, id } => {
            item.id == *id && session.as_ref().is_none_or(|session| session.matches(item.home))
        }
        ItemRef::Text(_) => false,
    }
}

/// Describes items with the tasks that they became.
struct ItemViewer<'p> {
    project: &'p Project,
    forest: &'p Forest,
    /// Read for the first item that asks for it
    archived: OnceCell<Option<ArchivedTasks>>,
}

impl<'p> ItemViewer<'p> {
    fn new(project: &'p Project, forest: &'p Forest) -> ItemViewer<'p> {
        ItemViewer { project, forest, archived: OnceCell::new() }
    }

    fn view(&self, items: &OpenItems<'_>, item: &OpenItem<'_>) -> ItemView {
        let mut view = ItemView::of(items, item);
        if let Some(node) = item.task.and_then(|task| self.forest.get(task)) {
            view.task_number = Some(node.number.to_string());
        }
        let task = item.end.as_ref().filter(|end| end.how == SettledHow::Task).and_then(|end| end.task);
        let Some(task) = task else { return view };
        match self.project.store().find(&task.into()) {
            Ok(found) => view.end_with_task(&found.number.to_string(), found.task.status),
            Err(StoreError::NoSuchTask { .. }) => self.end_with_absent_task(&mut view, task),
            // It may be in a file that cannot be read.
            Err(_) => {}
        }
        view
    }

    /// Adds how a task ended that is archived or deleted. Its number may be another task's by now.
    fn end_with_absent_task(&self, view: &mut ItemView, task: TaskId) {
        let Some(archived) = self.archived.get_or_init(|| self.project.store().archived_tasks().ok()) else { return };
        match archived.forest.get(task) {
            Some(node) => view.end_with_task(task.as_str(), node.task.status),
            None if archived.forest.problems.iter().any(Problem::hides) => {}
            None => view.end_with_deleted_task(),
        }
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
        let mut page = Page::new();
        for conversation in &self.conversations {
            page = page.line(conversation.line());
            page = conversation.said().fold(page, Page::said);
        }
        if self.items.is_empty() {
            return page.line(self.asked.nothing(self.problems.iter().any(Problem::hides)));
        }
        let line = if self.asked.named().is_some() { ItemView::whole } else { ItemView::line };
        for (kind, title) in GROUPS {
            let mut group = self.items.iter().filter(|item| item.kind == kind && item.state == "open").peekable();
            if group.peek().is_some() {
                page = group.map(line).fold(page.heading(title), Page::said);
            }
        }
        let mut settled = self.items.iter().filter(|item| item.state != "open").peekable();
        if settled.peek().is_some() {
            page = settled.map(line).fold(page.heading("Settled"), Page::said);
        }
        let again = ListOpenItems { limit: None, ..(*self.asked).clone() };
        let hint = serde_json::to_value(&again).map(Hint::run_with::<ListOpenItems>).ok();
        let page = page.more(self.matches - self.items.len(), hint);
        match self.way_to_settle() {
            Some(hint) => page.advice("to settle one: ", hint),
            None => page,
        }
    }

    fn warnings(&self) -> &[String] {
        &self.warnings
    }
}
