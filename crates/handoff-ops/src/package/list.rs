//! `handoff list`

use std::borrow::Cow;

use handoff_model::id::SessionId;
use handoff_model::problem::Problem;
use handoff_model::session::{SessionKind, SessionStatus};
use handoff_model::when::Moment;
use handoff_store::SummaryTexts;
use jiff::tz::Offset;
use schemars::JsonSchema;
use serde::{Serialize, Serializer};
use serde_json::{Value, json};

use super::filter::{Chosen, filtered_request};
use super::shelf::{Kept, Shelf, Spot};
use crate::page::{Column, Role, Row, Table, Text};
use crate::{Breaks, Effect, Facts, Hint, OpError, Operation, Page, Project, Report, ToolSet, visible};

filtered_request! {
    /// List packages, records and sessions, the newest first
    ///
    /// Those of the project and of your user store; with `--all` those of every known project. What is hidden because its
    /// lifetime is over is shown with `--expired`. Bodies are read only to look for a text in them.
    ListHandoffs {}
}

/// Packages, records and sessions, the newest first.
#[derive(Serialize, JsonSchema)]
pub struct HandoffList {
    #[schemars(with = "Vec<ListedHandoff<'static>>")]
    handoffs: Rows,
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

/// What is listed. There may be thousands, so each is put into words when it is shown.
struct Rows {
    list: Vec<Kept>,
    stores: Vec<ListedStore>,
    now: Moment,
}

/// A store that things in a list lie in.
struct ListedStore {
    name: Option<String>,
    dir: Option<String>,
}

/// One in a list.
#[derive(Serialize, JsonSchema)]
struct ListedHandoff<'a> {
    #[schemars(with = "SessionId")]
    id: &'a str,
    /// Its full name
    full_name: &'a str,
    kind: SessionKind,
    status: SessionStatus,
    /// The name it is fetched by
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<&'a str>,
    summary: &'a str,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    next: Vec<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    author: Option<&'a str>,
    /// The project it is about
    #[serde(skip_serializing_if = "Option::is_none")]
    project: Option<&'a str>,
    tags: Vec<&'a str>,
    /// When it began
    #[serde(skip_serializing_if = "Option::is_none")]
    created_at: Option<Moment>,
    /// When it ended
    #[serde(skip_serializing_if = "Option::is_none")]
    ended_at: Option<Moment>,
    /// When it stops being shown
    #[serde(skip_serializing_if = "Option::is_none")]
    expires_at: Option<Moment>,
    /// Whether its lifetime is over
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    expired: bool,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    archived: bool,
    /// The directory of the project it lies in; absent in the user store
    #[serde(skip_serializing_if = "Option::is_none")]
    project_dir: Option<&'a str>,
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
        let store = |shelf: &Shelf| ListedStore {
            name: shelf.name.clone(),
            dir: shelf.dir.as_ref().map(|dir| dir.display().to_string()),
        };
        let handoffs = Rows { list, stores: shelves.iter().map(store).collect(), now };
        Ok(HandoffList { handoffs, matches, hidden, problems, total, warnings })
    }
}

impl Rows {
    fn iter(&self) -> impl Iterator<Item = ListedHandoff<'_>> {
        self.list.iter().map(|kept| ListedHandoff::of(kept, &self.stores[kept.shelf], self.now))
    }
}

impl Serialize for Rows {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter())
    }
}

/// The columns of a list, and how far each may shrink.
const COLUMNS: [(&str, Option<usize>); 8] = [
    ("id", None),
    ("name", Some(16)),
    ("kind", None),
    ("project", Some(8)),
    ("tags", Some(6)),
    ("expires", None),
    ("tool", Some(6)),
    ("summary", Some(16)),
];

impl<'a> ListedHandoff<'a> {
    fn of(kept: &'a Kept, store: &'a ListedStore, now: Moment) -> ListedHandoff<'a> {
        let summary = &kept.summary;
        let SummaryTexts { summary: said, title, tool, author, name, project, tags, next } = summary.texts();
        ListedHandoff {
            id: summary.id_text(),
            full_name: summary.full_name(),
            kind: summary.kind(),
            status: summary.status(),
            name,
            title,
            summary: said,
            next,
            tool,
            author,
            project: project.or(store.name.as_deref()),
            tags,
            created_at: summary.started_at(),
            ended_at: summary.ended_at(),
            expires_at: summary.expires_at(),
            expired: kept.is_expired(now),
            archived: matches!(kept.spot, Spot::Archive(_)),
            project_dir: store.dir.as_deref(),
        }
    }

    /// What stands in each column.
    fn cells(&self) -> [Cow<'a, str>; COLUMNS.len()] {
        let called = self.name.or(self.title).unwrap_or_default();
        // What stands in the column before is not said twice.
        let title = self.title.filter(|_| self.name.is_some()).unwrap_or_default();
        let about = [title, beginning(self.summary)].into_iter().find(|text| !text.trim().is_empty());
        let expires = match self.expires_at {
            None => Cow::Borrowed("never"),
            Some(at) if self.expired => Cow::Owned(format!("expired {}", minutes(at))),
            Some(at) => Cow::Owned(minutes(at)),
        };
        let tags = match self.tags.as_slice() {
            [tag] => Cow::Borrowed(*tag),
            tags => Cow::Owned(tags.join(",")),
        };
        [
            self.id.into(),
            called.into(),
            self.kind.word().into(),
            self.project.unwrap_or_default().into(),
            tags,
            expires,
            self.tool.unwrap_or_default().into(),
            about.unwrap_or_default().into(),
        ]
    }

    fn row(&self) -> Row {
        let roles = match (self.expires_at, self.expired) {
            (None, _) => Role::Dim,
            (Some(_), true) => Role::Warn,
            (Some(_), false) => Role::Plain,
        };
        let roles = [Role::Id, Role::Plain, Role::Dim, Role::Plain, Role::Plain, roles, Role::Plain, Role::Plain];
        Row::new(roles.into_iter().zip(self.cells()).map(|(role, cell)| Text::of(role, cell)))
    }
}

/// How a text begins: its first line that says something, not too long.
fn beginning(text: &str) -> &str {
    const SHOWN: usize = 80;
    let line = text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    if line.len() <= SHOWN {
        return line;
    }
    line.char_indices().nth(SHOWN).map_or(line, |(end, _)| &line[..end])
}

/// A moment to the minute, in UTC.
fn minutes(at: Moment) -> String {
    let at = Offset::UTC.to_datetime(at.timestamp());
    format!("{:04}-{:02}-{:02} {:02}:{:02}", at.year(), at.month(), at.day(), at.hour(), at.minute())
}

impl Report for HandoffList {
    fn page(&self) -> Page {
        if self.handoffs.list.is_empty() {
            let page = match (self.total, self.hidden) {
                (0, _) => Page::new().line("nothing is saved here yet"),
                (_, 0) => Page::new().line(format!("none of the {} that are saved matches these filters", self.total)),
                (_, hidden) => Page::new().line(format!("nothing is left to show: {} expired", counted(hidden))),
            };
            return if self.hidden > 0 { page.advice("to see them, ", expired_too()) } else { page };
        }
        let columns = COLUMNS.map(|(name, least)| match least {
            Some(least) => Column::new(name).shrinks_to(least),
            None => Column::new(name),
        });
        let table = Table::new(columns).rows(self.handoffs.iter().map(|listed| listed.row())).without_empty_columns();
        Page::new().table(table).more(self.matches - self.handoffs.list.len(), None)
    }

    /// A long list as the lines that a table of it would be.
    fn lines(&self) -> Option<String> {
        /// Shorter ones take no time as a table either.
        const LONG: usize = 200;
        if self.handoffs.list.len() < LONG {
            return None;
        }
        let mut widths = [0; COLUMNS.len()];
        for listed in self.handoffs.iter() {
            for (width, cell) in widths.iter_mut().zip(listed.cells()) {
                *width = (*width).max(width_of(&visible(&cell, Breaks::Mark)));
            }
        }
        let shown: Vec<usize> = (0..COLUMNS.len()).filter(|column| widths[*column] > 0).collect();
        for column in &shown {
            widths[*column] = widths[*column].max(COLUMNS[*column].0.len());
        }
        let mut lines = String::with_capacity(self.handoffs.list.len() * (widths.iter().sum::<usize>() / 2 + 16));
        put_line(&mut lines, &shown, &widths, &COLUMNS.map(|(name, _)| Cow::Borrowed(name)));
        for listed in self.handoffs.iter() {
            put_line(&mut lines, &shown, &widths, &listed.cells());
        }
        let left_out = self.matches - self.handoffs.list.len();
        if left_out > 0 {
            lines.extend([left_out.to_string().as_str(), " more\n"]);
        }
        Some(lines)
    }

    fn warnings(&self) -> &[String] {
        &self.warnings
    }

    fn facts(&self) -> Facts {
        Facts::default()
    }
}

/// How many characters a text has.
fn width_of(text: &str) -> usize {
    if text.is_ascii() { text.len() } else { text.chars().count() }
}

/// One line of a table, without blanks at its end.
fn put_line(lines: &mut String, shown: &[usize], widths: &[usize], cells: &[Cow<'_, str>; COLUMNS.len()]) {
    let mut blanks = 0;
    for column in shown {
        let cell = visible(&cells[*column], Breaks::Mark);
        if !cell.is_empty() {
            lines.extend(std::iter::repeat_n(' ', blanks));
            lines.push_str(&cell);
            blanks = 0;
        }
        blanks += widths[*column] - width_of(&cell) + 2;
    }
    lines.push('\n');
}

fn counted(hidden: usize) -> String {
    if hidden == 1 { "1 is".to_owned() } else { format!("{hidden} are") }
}

fn expired_too() -> Hint {
    Hint::run_with::<ListHandoffs>(json!({"expired": true}))
}
