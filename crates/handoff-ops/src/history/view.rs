//! A change as it is shown.

use handoff_model::history::ChangeId;
use handoff_model::when::Moment;
use handoff_store::{ChangeKind, ChangeState, LogEntry, Logged};
use schemars::JsonSchema;
use serde::Serialize;

use crate::Page;
use crate::page::{Role, Text};

/// One change.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct LoggedChange {
    pub id: ChangeId,
    /// Counts the changes of this store
    pub number: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<Moment>,
    /// Who acted
    pub by: String,
    /// The way it came in: `cli`, `mcp`, `http` or `hook`
    pub door: String,
    /// The tool the agent runs in
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// The operation, such as `task.update`
    pub operation: String,
    /// What it came to, a sentence for each record
    pub what: Vec<String>,
    pub standing: Standing,
    /// The change that took it back
    #[serde(skip_serializing_if = "Option::is_none")]
    pub taken_back_by: Option<ChangeId>,
    /// The changes it took back
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub undoes: Vec<ChangeId>,
    /// The changes it made again
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub redoes: Vec<ChangeId>,
    /// What it did to each file, when one change is asked for
    #[serde(skip_serializing_if = "Option::is_none")]
    pub diff: Option<String>,
}

/// Whether a change still holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Standing {
    /// It holds, as far as the log tells
    Done,
    /// A later change took it back
    TakenBack,
    /// It was too large for what it replaced to be kept, so it cannot be taken back
    NotKept,
}

/// Sentences that are shown of one change among others.
const SENTENCES: usize = 6;

impl LoggedChange {
    pub(super) fn of(logged: &Logged) -> LoggedChange {
        let mut change = LoggedChange::of_entry(&logged.entry);
        if let ChangeState::TakenBack { by } = logged.state {
            change.standing = Standing::TakenBack;
            change.taken_back_by = Some(by);
        }
        change
    }

    pub(super) fn of_entry(entry: &LogEntry) -> LoggedChange {
        let head = &entry.head;
        let (undoes, redoes) = match &head.kind {
            ChangeKind::Change | ChangeKind::Names => (Vec::new(), Vec::new()),
            ChangeKind::Undo { changes } => (changes.clone(), Vec::new()),
            ChangeKind::Redo { changes, .. } => (Vec::new(), changes.clone()),
        };
        let signature = head.signature.clone();
        LoggedChange {
            id: head.id,
            number: head.number,
            at: signature.at,
            by: signature.by,
            door: signature.door,
            tool: signature.tool,
            operation: signature.operation,
            what: entry.words(),
            standing: if entry.has_images() { Standing::Done } else { Standing::NotKept },
            taken_back_by: None,
            undoes,
            redoes,
            diff: None,
        }
    }

    /// Adds who, when and what to a page.
    pub(super) fn add_to(&self, page: Page, most: Option<usize>) -> Page {
        let page = page.line(self.headline());
        let shown = self.what.len().min(most.unwrap_or(usize::MAX));
        let page = self.what[..shown].iter().fold(page, Page::said);
        page.more_of(self.what.len() - shown, "in this change", None)
    }

    pub(super) fn add_shortly(&self, page: Page) -> Page {
        self.add_to(page, Some(SENTENCES))
    }

    fn headline(&self) -> Text {
        let at = self.at.map(|at| at.in_seconds().to_string()).unwrap_or_default();
        let mut text = Text::of(Role::Id, self.id.to_string()).plain(" ").and(Role::Dim, at);
        let through = match &self.tool {
            Some(tool) if *tool != self.by => format!("{} in {tool}", self.door),
            _ => self.door.clone(),
        };
        text = text.plain(format!(" {} ", self.by)).and(Role::Dim, format!("({through}, {})", self.operation));
        let list = |ids: &[ChangeId]| ids.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
        if !self.undoes.is_empty() {
            text = text.plain(format!(" took back {}", list(&self.undoes)));
        }
        if !self.redoes.is_empty() {
            text = text.plain(format!(" made again {}", list(&self.redoes)));
        }
        match (self.standing, self.taken_back_by) {
            (_, Some(by)) => text.and(Role::Warn, format!(" taken back by {by}")),
            (Standing::NotKept, None) => text.and(Role::Warn, " too large to be taken back"),
            _ => text,
        }
    }
}
