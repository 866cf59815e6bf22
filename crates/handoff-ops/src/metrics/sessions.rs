//! `handoff metrics sessions`

use clap::Args;
use handoff_model::id::TaskId;
use handoff_model::metrics::{Figure, SessionSum, SessionTime};
use handoff_model::when::Day;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::figures::{Asked, Figures, Names};
use super::words::{count, hours, hours_of, hours_u, in_hours, large, said};
use crate::page::{Cell, Column, Role, Row, Sheet, Table, Text};
use crate::{Effect, OpError, Operation, Page, Project, Report, ToolSet};

/// How long sessions were and what tokens they took, by tool and task
///
/// Archived sessions count too. Tokens are known where a hook or `handoff capture` read the agent's transcript.
#[derive(Clone, Debug, Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ShowSessionTime {
    /// Only sessions that ended on this day or later
    #[arg(long, value_name = "DATE")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<Day>,
}

/// Sessions in time and tokens.
#[derive(Debug, Serialize, JsonSchema)]
pub struct SessionTimeReport {
    /// The day it is of
    pub day: Day,
    pub sessions: Figure<SessionTime>,
    #[serde(skip)]
    names: Names,
}

/// Tasks that are shown, the longest.
const SHOWN: usize = 15;

impl Operation for ShowSessionTime {
    const NAME: &'static str = "metrics.sessions";
    const TOOL: &'static str = "handoff_get_session_time";
    const SET: ToolSet = ToolSet::Planning;
    const EFFECT: Effect = Effect::Read;
    const SHEET: bool = true;
    type Outcome = SessionTimeReport;

    fn example() -> Value {
        json!({"since": "2026-11-01"})
    }

    fn run(self, project: &mut Project) -> Result<SessionTimeReport, OpError> {
        let figures = Figures::read(project, Asked { since: self.since, ..Asked::default() })?;
        let sessions = figures.sessions(project)?;
        let tasks: Vec<TaskId> =
            sessions.known().into_iter().flat_map(|time| &time.by_task).map(|task| task.id).collect();
        let names = figures.names(tasks);
        Ok(SessionTimeReport { day: figures.today(), sessions, names })
    }
}

impl Report for SessionTimeReport {
    fn page(&self) -> Page {
        let page = Page::new().heading("Sessions");
        let page = match self.sessions.known() {
            Some(time) => self.listed(page, time),
            None => page.line(said(&self.sessions, |_| String::new())),
        };
        page.blank().line(Text::of(Role::Dim, format!("how: {}", self.sessions.how)))
    }

    fn sheet(&self) -> Option<Sheet> {
        let heading = [
            "by",
            "name",
            "title",
            "sessions",
            "timed",
            "open_hours",
            "logged_hours",
            "with_tokens",
            "input_tokens",
            "output_tokens",
            "turn_hours",
        ];
        let cells = |by: &str, name: Cell, title: Cell, sum: &SessionSum| {
            [
                Cell::plain(by),
                name,
                title,
                Cell::plain(sum.sessions),
                Cell::plain(sum.timed),
                Cell::plain(hours_of(sum.minutes)),
                Cell::plain(in_hours(sum.logged)),
                Cell::plain(sum.with_tokens),
                Cell::plain(sum.input_tokens),
                Cell::plain(sum.output_tokens),
                Cell::plain(hours_of(sum.turn_minutes)),
            ]
        };
        let sheet = Sheet::new(heading);
        let Some(time) = self.sessions.known() else { return Some(sheet) };
        let none = || Cell::plain("");
        let tools = time.by_tool.iter().map(|tool| cells("tool", Cell::text(&tool.tool), none(), &tool.sum));
        let title = |id| Cell::text(&self.names.title(id));
        let tasks = time.by_task.iter().map(|task| cells("task", Cell::plain(task.id), title(task.id), &task.sum));
        Some(sheet.row(cells("all", none(), none(), &time.all)).rows(tools).rows(tasks))
    }
}

impl SessionTimeReport {
    fn listed(&self, page: Page, time: &SessionTime) -> Page {
        let columns = |first: &str| {
            [
                Column::new(first).shrinks_to(12),
                Column::new("sessions").right(),
                Column::new("open").right(),
                Column::new("logged").right(),
                Column::new("tokens in").right().optional(),
                Column::new("out").right().optional(),
                Column::new("told by").right().optional(),
            ]
        };
        let cells = |name: Text, sum: &SessionSum| {
            let tokens = |count: u64| if sum.with_tokens == 0 { String::new() } else { large(count) };
            let told =
                if sum.with_tokens == 0 { String::new() } else { format!("{} of {}", sum.with_tokens, sum.sessions) };
            Row::new([
                name,
                Text::from(sum.sessions.to_string()),
                Text::from(hours_u(sum.minutes)),
                Text::from(hours(sum.logged)),
                Text::from(tokens(sum.input_tokens)),
                Text::from(tokens(sum.output_tokens)),
                Text::of(Role::Dim, told),
            ])
        };
        let tool = |name: &str| if name.is_empty() { Text::of(Role::Dim, "no tool named") } else { Text::from(name) };
        let mut tools = Table::new(columns("tool")).rows(time.by_tool.iter().map(|it| cells(tool(&it.tool), &it.sum)));
        if time.by_tool.len() > 1 {
            tools.push(cells(Text::of(Role::Strong, "all"), &time.all));
        }
        let tasks = time.by_task.iter().take(SHOWN).map(|task| {
            let shared = if task.shared > 0 { format!(" ({} shared)", task.shared) } else { String::new() };
            let name = Text::of(Role::Id, self.names.number(task.id)).plain(" ").plain(self.names.title(task.id));
            cells(name.and(Role::Dim, shared), &task.sum)
        });
        let tasks = Table::new(columns("task")).rows(tasks).without_empty_columns();
        let mut page = page.table(tools.without_empty_columns());
        if !tasks.rows.is_empty() {
            page = page.blank().table(tasks).more_of(time.by_task.len().saturating_sub(SHOWN), "tasks", None);
        }
        let untimed = time.all.sessions - time.all.timed;
        if untimed > 0 {
            page = page.line(Text::of(Role::Dim, format!("{} without beginning or end", count(untimed, "session"))));
        }
        if time.logged_elsewhere != 0 {
            let elsewhere = hours(time.logged_elsewhere);
            page =
                page.line(Text::of(Role::Dim, format!("{elsewhere} logged in sessions that are not there any more")));
        }
        page
    }
}
