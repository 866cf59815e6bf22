//! Open items as they are shown.

use handoff_model::id::TaskId;
use handoff_model::session::open_items::{ItemTarget, OpenItem, OpenItems};
use handoff_model::session::{ItemEnding, ItemKind, SettledHow};
use handoff_model::task::Status;
use handoff_model::when::Moment;
use handoff_store::Node;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;

use super::DropItems;
use crate::page::{Role, Text};
use crate::task::UpdateTask;
use crate::{Facts, Hint, Page, Report};

/// Characters of an item that a list shows.
const SHOWN_CHARS: usize = 200;

/// The name of a person, unless it stands for nobody.
pub(super) fn known_name(name: &str) -> Option<&str> {
    (name != "unknown").then_some(name)
}

/// A text on one line, cut after so many characters.
pub(super) fn first_chars(text: &str, most: usize) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.chars().count() <= most {
        return line;
    }
    let cut: String = line.chars().take(most).collect();
    format!("{}…", cut.trim_end())
}

/// An item of any session.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct ItemView {
    /// Id to name it by, such as `n7`
    pub id: String,
    pub kind: ItemKind,
    pub text: String,
    /// `open`, or the way it ended
    pub state: String,
    /// Full name of the session that named it first
    pub session: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<Moment>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub author: Option<String>,
    /// `user` or `ai`, for checklist items
    #[serde(skip_serializing_if = "Option::is_none")]
    pub owner: Option<String>,
    /// Handoffs that were left since it was first named
    #[serde(skip_serializing_if = "is_zero")]
    pub carried: usize,
    /// The command that settles it by passing
    #[serde(skip_serializing_if = "Option::is_none")]
    pub check: Option<String>,
    /// The open task that it became
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task: Option<TaskId>,
    /// Taken from a transcript
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub compiled: bool,
    /// The reason it ended, or the answer
    #[serde(skip_serializing_if = "Option::is_none")]
    pub because: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub settled_by: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub settled_at: Option<Moment>,
    /// Full name of the session that records the end
    #[serde(skip_serializing_if = "Option::is_none")]
    pub settled_in: Option<String>,
    /// Number of the task that it became, as far as it is open
    #[serde(skip)]
    pub(super) task_number: Option<String>,
    /// Number of the task that settled it
    #[serde(skip)]
    ending_task: Option<String>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_zero(count: &usize) -> bool {
    *count == 0
}

impl ItemView {
    pub(crate) fn of(items: &OpenItems<'_>, item: &OpenItem<'_>) -> ItemView {
        let end = item.end.as_ref();
        ItemView {
            id: items.shown_id(item),
            kind: item.kind,
            text: item.text.to_owned(),
            state: end.map_or("open", |end| end.how.word()).to_owned(),
            session: item.home.to_owned(),
            since: item.since,
            author: item.author.and_then(known_name).map(str::to_owned),
            owner: item.owner.map(|owner| owner.word().to_owned()),
            carried: item.carried,
            check: item.check.map(str::to_owned),
            task: item.task.or_else(|| end.and_then(|end| end.task)),
            compiled: item.is_compiled,
            because: end.and_then(|end| end.because.as_deref()).map(str::to_owned),
            settled_by: end.and_then(|end| end.by).and_then(known_name).map(str::to_owned),
            settled_at: end.and_then(|end| end.at),
            settled_in: end.map(|end| end.session.to_owned()).filter(|name| !name.is_empty()),
            task_number: None,
            ending_task: None,
        }
    }

    /// Tells how the task ended that settled the item: one that was skipped got nothing done.
    pub(super) fn end_with_task(&mut self, number: &str, status: Status) {
        if status == Status::Skipped {
            SettledHow::Dropped.word().clone_into(&mut self.state);
            self.because.get_or_insert(format!("task {number} was skipped"));
        } else {
            self.kind.end().word().clone_into(&mut self.state);
        }
        self.ending_task = Some(number.to_owned());
        // Whoever made the task is not the one who ended it.
        self.settled_by = None;
    }

    /// Tells that the task was deleted, which got nothing done.
    pub(super) fn end_with_deleted_task(&mut self) {
        SettledHow::Dropped.word().clone_into(&mut self.state);
        self.because.get_or_insert_with(|| "its task was deleted".to_owned());
        // Whoever made the task is not the one who deleted it.
        self.settled_by = None;
    }

    /// The item on one line, its words cut where they are very long.
    pub(crate) fn line(&self) -> Text {
        self.line_of(&first_chars(&self.text, SHOWN_CHARS))
    }

    /// The item with all of its words.
    pub(super) fn whole(&self) -> Text {
        self.line_of(&self.text)
    }

    fn line_of(&self, words: &str) -> Text {
        let is_open = self.state == "open";
        let role = if is_open { Role::Plain } else { Role::Dim };
        let text = Text::of(Role::Id, &self.id).plain(" ").and(role, words);
        let facts = self.facts();
        if facts.is_empty() { text } else { text.and(Role::Dim, format!(" ({})", facts.join("; "))) }
    }

    fn facts(&self) -> Vec<String> {
        let is_open = self.state == "open";
        let since = self.since.map(|at| format!("since {}", at.day()));
        let carried = (self.carried > 0).then(|| match self.carried {
            1 => "carried over 1 session".to_owned(),
            carried => format!("carried over {carried} sessions"),
        });
        let age = match (since, carried) {
            (Some(since), Some(carried)) => Some(format!("{since}, {carried}")),
            (since, carried) => since.or(carried),
        };
        let ended = (!is_open).then(|| match (&self.because, &self.settled_by) {
            (Some(because), Some(by)) => format!("{} by {by}: {because}", self.state),
            (Some(because), None) => format!("{}: {because}", self.state),
            (None, Some(by)) => format!("{} by {by}", self.state),
            (None, None) => match &self.ending_task {
                Some(number) => format!("{} with task {number}", self.state),
                None => self.state.clone(),
            },
        });
        let facts = [
            ended,
            self.owner.as_ref().filter(|owner| *owner == "user").map(|_| "for the user".to_owned()),
            age.filter(|_| is_open),
            self.task.filter(|_| self.ending_task.is_none()).map(|task| match &self.task_number {
                Some(number) => format!("task {number}"),
                None => format!("task {task}"),
            }),
            self.check.as_ref().filter(|_| is_open).map(|check| format!("until `{check}` passes")),
            self.compiled.then(|| "from a transcript".to_owned()),
        ];
        facts.into_iter().flatten().collect()
    }
}

/// Items that were settled or asked.
#[derive(Debug, Serialize, JsonSchema)]
pub struct SettledItems {
    pub items: Vec<SettledItem>,
    /// Full name of the session that records it
    pub session: String,
    /// Items that are open now
    pub still_open: usize,
    /// Others may be in files that cannot be read
    #[serde(skip)]
    pub(super) is_partial: bool,
    /// Tasks that items became, and that are open although the item is settled
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tasks: Vec<TaskOfItem>,
    #[serde(skip)]
    pub(super) warnings: Vec<String>,
}

/// The items that are open after some were settled.
pub(super) struct StillOpen {
    pub(super) count: usize,
    pub(super) is_partial: bool,
}

/// The open task of an item that is settled.
#[derive(Debug, Serialize, JsonSchema)]
pub struct TaskOfItem {
    /// Id of the item
    pub item: String,
    pub task: TaskId,
    pub number: String,
    pub status: Status,
}

impl TaskOfItem {
    pub(super) fn of(item: String, node: &Node) -> TaskOfItem {
        TaskOfItem { item, task: node.task.id, number: node.number.to_string(), status: node.task.status }
    }

    /// The sentence that says so, and the request that finishes the task as the item ended.
    fn advice(&self, how: &str) -> (String, Hint) {
        let status = if how == SettledHow::Dropped.word() { Status::Skipped } else { Status::Done };
        let words = format!("task {} of {} is still {}; to finish it, ", self.number, self.item, self.status);
        (words, Hint::run_with::<UpdateTask>(json!({"id": self.number, "status": status})))
    }
}

/// An item and what became of it.
#[derive(Debug, Serialize, JsonSchema)]
pub struct SettledItem {
    pub id: String,
    pub text: String,
    /// `open` for a new one, else the way it ended
    pub state: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub because: Option<String>,
}

impl SettledItem {
    pub(super) fn ended(ending: &ItemEnding) -> SettledItem {
        let ItemTarget { shown, text, .. } = &ending.item;
        SettledItem {
            id: shown.clone(),
            text: text.clone(),
            state: ending.how.word().to_owned(),
            because: ending.because.clone(),
        }
    }
}

impl Report for SettledItems {
    fn page(&self) -> Page {
        let line = |item: &SettledItem| {
            let because = item.because.as_ref().map(|because| format!(": {because}")).unwrap_or_default();
            let (role, mark) = if item.state == "open" { (Role::Good, "? ") } else { (Role::Good, "✓ ") };
            let text = Text::of(role, mark).and(Role::Id, &item.id).plain(" ").plain(&item.text);
            if item.state == "open" { text } else { text.and(Role::Dim, format!(" ({}{because})", item.state)) }
        };
        let page = self.items.iter().map(line).fold(Page::new(), Page::line);
        let count = self.still_open;
        let words = if count == 1 { "1 item is open".to_owned() } else { format!("{count} items are open") };
        let words = if count == 0 { nothing_open(self.is_partial).to_owned() } else { words };
        let page = page.line(Text::of(Role::Dim, words));
        let how =
            |task: &TaskOfItem| self.items.iter().find(|item| item.id == task.item).map(|item| item.state.as_str());
        let advice = self.tasks.iter().map(|task| task.advice(how(task).unwrap_or_default()));
        advice.fold(page, |page, (words, hint)| page.advice(words, hint))
    }

    fn warnings(&self) -> &[String] {
        &self.warnings
    }

    fn facts(&self) -> Facts {
        Facts {
            message: self.page().to_markdown(None),
            id: self.items.first().map(|item| item.id.clone()),
            ..Facts::default()
        }
    }
}

/// The sentence where no item is open, as far as the files can be read.
pub(super) const fn nothing_open(is_partial: bool) -> &'static str {
    if is_partial { "nothing is open in what can be read" } else { "nothing is open" }
}

/// The request that takes a caution back.
pub(super) fn drop_hint(id: &str) -> Hint {
    Hint::run_with::<DropItems>(json!({"items": [id], "because": "the reason"}))
}

/// The word for an end that a person asks for.
pub(super) fn end_of(kind: ItemKind, is_dropped: bool) -> SettledHow {
    if is_dropped { SettledHow::Dropped } else { kind.end() }
}
