//! `handoff list`

use handoff_model::id::SessionId;
use handoff_model::problem::Problem;
use handoff_model::session::{SessionKind, SessionStatus};
use handoff_model::when::Moment;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};

use super::filter::{Chosen, filtered_request};
use super::shelf::{Kept, Shelf, Spot};
use crate::page::{Column, Role, Row, Table, Text};
use crate::{Effect, Facts, Hint, OpError, Operation, Page, Project, Report, ToolSet};

filtered_request! {
    /// List packages, records and sessions, the newest first
    ///
    /// Those of the project and of your user store; with `--all` those of every known project. What is hidden because its
    /// lifetime is over is shown with `--expired`. Bodies are read only to look for a text in them.
    ListHandoffs {}
}

/// Packages, records and sessions, the newest first.
#[derive(Debug, Serialize, JsonSchema)]
pub struct HandoffList {
    pub handoffs: Vec<ListedHandoff>,
    /// How many match the filters
    pub matches: usize,
    /// How many match, and are hidden because their lifetime is over
    pub hidden: usize,
    /// What is wrong in the files
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub problems: Vec<Problem>,
    /// How many there are altogether
    #[serde(skip)]
    total: usize,
    #[serde(skip)]
    warnings: Vec<String>,
}

/// One in a list.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ListedHandoff {
    pub id: SessionId,
    /// Its full name
    pub full_name: String,
    pub kind: SessionKind,
    pub status: SessionStatus,
    /// The name it is fetched by
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    pub summary: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub next: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub author: Option<String>,
    /// The project it is about
    #[serde(skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
    pub tags: Vec<String>,
    /// When it began
    #[serde(skip_serializing_if = "Option::is_none")]
    pub created_at: Option<Moment>,
    /// When it ended
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<Moment>,
    /// When it stops being shown
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<Moment>,
    /// Whether its lifetime is over
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub expired: bool,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub archived: bool,
    /// The directory of the project it lies in; absent in the user store
    #[serde(skip_serializing_if = "Option::is_none")]
    pub project_dir: Option<String>,
}

impl Operation for ListHandoffs {
    const NAME: &'static str = "list";
    const TOOL: &'static str = "handoff_list_handoffs";
    const SET: ToolSet = ToolSet::Packages;
    const EFFECT: Effect = Effect::Seek;
    const REPEATABLE: bool = true;
    type Outcome = HandoffList;

    fn example() -> Value {
        json!({"kind": "record", "limit": 10})
    }

    fn run(self, project: &mut Project) -> Result<HandoffList, OpError> {
        let now = project.now();
        let Chosen { shelves, list, matches, total, hidden, problems } = self.filter().choose(project)?;
        let warnings = problems.iter().map(ToString::to_string).collect();
        let handoffs = list.into_iter().map(|kept| ListedHandoff::of(kept, &shelves, now)).collect();
        Ok(HandoffList { handoffs, matches, hidden, problems, total, warnings })
    }
}

impl ListedHandoff {
    fn of(kept: Kept, shelves: &[Shelf], now: Moment) -> ListedHandoff {
        let expired = kept.is_expired(now);
        let archived = matches!(kept.spot, Spot::Archive(_));
        let shelf = &shelves[kept.shelf];
        let summary = kept.summary;
        ListedHandoff {
            id: summary.id(),
            full_name: summary.full_name().to_owned(),
            kind: summary.kind(),
            status: summary.status(),
            name: summary.name().map(str::to_owned),
            title: summary.title().map(str::to_owned),
            summary: summary.summary().to_owned(),
            next: owned(summary.next()),
            tool: summary.tool().map(str::to_owned),
            author: summary.author().map(str::to_owned),
            project: summary.project().map(str::to_owned).or_else(|| shelf.name.clone()),
            tags: owned(summary.tags()),
            created_at: summary.started_at(),
            ended_at: summary.ended_at(),
            expires_at: summary.expires_at(),
            expired,
            archived,
            project_dir: shelf.dir.as_ref().map(|dir| dir.display().to_string()),
        }
    }

    fn row(&self) -> Row {
        let called = self.name.as_deref().or(self.title.as_deref()).unwrap_or_default();
        // What stands in the column before is not said twice.
        let title = self.title.as_deref().filter(|_| self.name.is_some()).unwrap_or_default();
        let about = [title, beginning(&self.summary)].into_iter().find(|text| !text.trim().is_empty());
        let expires = match self.expires_at {
            None => Text::of(Role::Dim, "never"),
            Some(at) if self.expired => Text::of(Role::Warn, format!("expired {}", minutes(at))),
            Some(at) => Text::from(minutes(at)),
        };
        Row::new([
            Text::of(Role::Id, self.id.as_str()),
            called.into(),
            Text::of(Role::Dim, self.kind.word()),
            self.project.as_deref().unwrap_or_default().into(),
            self.tags.join(",").into(),
            expires,
            self.tool.as_deref().unwrap_or_default().into(),
            about.unwrap_or_default().into(),
        ])
    }
}

fn owned(texts: Vec<&str>) -> Vec<String> {
    texts.into_iter().map(str::to_owned).collect()
}

/// How a text begins: its first line that says something, not too long.
fn beginning(text: &str) -> &str {
    const SHOWN: usize = 80;
    let line = text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    line.char_indices().nth(SHOWN).map_or(line, |(end, _)| &line[..end])
}

/// A moment to the minute, in UTC.
fn minutes(at: Moment) -> String {
    at.timestamp().strftime("%Y-%m-%d %H:%M").to_string()
}

impl Report for HandoffList {
    fn page(&self) -> Page {
        if self.handoffs.is_empty() {
            let page = match (self.total, self.hidden) {
                (0, _) => Page::new().line("nothing is saved here yet"),
                (_, 0) => Page::new().line(format!("none of the {} that are saved matches these filters", self.total)),
                (_, hidden) => Page::new().line(format!("nothing is left to show: {} expired", counted(hidden))),
            };
            return if self.hidden > 0 { page.advice("to see them, ", expired_too()) } else { page };
        }
        let columns = [
            Column::new("id"),
            Column::new("name").shrinks_to(16),
            Column::new("kind"),
            Column::new("project").shrinks_to(8),
            Column::new("tags").shrinks_to(6),
            Column::new("expires"),
            Column::new("tool").shrinks_to(6),
            Column::new("summary").shrinks_to(16),
        ];
        let table = Table::new(columns).rows(self.handoffs.iter().map(ListedHandoff::row)).without_empty_columns();
        Page::new().table(table).more(self.matches - self.handoffs.len(), None)
    }

    fn warnings(&self) -> &[String] {
        &self.warnings
    }

    fn facts(&self) -> Facts {
        Facts::default()
    }
}

fn counted(hidden: usize) -> String {
    if hidden == 1 { "1 is".to_owned() } else { format!("{hidden} are") }
}

fn expired_too() -> Hint {
    Hint::run_with::<ListHandoffs>(json!({"expired": true}))
}
