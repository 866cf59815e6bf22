//! `handoff metrics flow`

use clap::Args;
use handoff_model::metrics::{Figure, FlowDay};
use handoff_model::task::Status;
use handoff_model::when::Day;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::chart::{FlowChart, in_state};
use super::figures::{Asked, Figures};
use super::words::said;
use crate::page::{Cell, Column, Role, Row, Sheet, Table, Text};
use crate::{Effect, OpError, Operation, Page, Project, Report, ToolSet};

/// How many tasks were in each state, day by day
#[derive(Clone, Debug, Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ShowFlow {
    /// Only the tasks of this milestone
    #[arg(long, value_name = "NAME")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub milestone: Option<String>,
    /// Only the tasks of this person
    #[arg(long, value_name = "NAME")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub assignee: Option<String>,
    /// Begin on this day
    #[arg(long, value_name = "DATE")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<Day>,
}

/// Tasks in each state day by day.
#[derive(Debug, Serialize, JsonSchema)]
pub struct FlowReport {
    /// The day it is of
    pub day: Day,
    pub flow: Figure<Vec<FlowDay>>,
}

/// The states in the order of work.
const ORDER: [Status; 6] =
    [Status::Todo, Status::Blocked, Status::InProgress, Status::Review, Status::Done, Status::Skipped];

/// Days that are listed below the chart: one of each seven.
const LISTED: usize = 8;

impl Operation for ShowFlow {
    const NAME: &'static str = "metrics.flow";
    const TOOL: &'static str = "handoff_get_flow";
    const SET: ToolSet = ToolSet::Planning;
    const EFFECT: Effect = Effect::Read;
    const SHEET: bool = true;
    type Outcome = FlowReport;

    fn example() -> Value {
        json!({"since": "2026-11-01"})
    }

    fn run(self, project: &mut Project) -> Result<FlowReport, OpError> {
        let ShowFlow { milestone, assignee, since } = self;
        let figures = Figures::read(project, Asked { assignee, milestone, since })?;
        Ok(FlowReport { day: figures.today(), flow: figures.measure().flow })
    }
}

impl Report for FlowReport {
    fn page(&self) -> Page {
        let page = Page::new().heading("Tasks by state");
        let page = match self.flow.known() {
            Some(days) => page.chart(FlowChart(days.clone())).blank().table(table(days)),
            None => page.line(said(&self.flow, |_| String::new())),
        };
        page.blank().line(Text::of(Role::Dim, format!("how: {}", self.flow.how)))
    }

    fn sheet(&self) -> Option<Sheet> {
        let row = |day: &FlowDay| {
            let [todo, blocked, in_progress, review, done, skipped] =
                ORDER.map(|status| Cell::plain(in_state(day, status)));
            [Cell::plain(day.day), todo, blocked, in_progress, review, done, skipped]
        };
        let heading = ["day", "todo", "blocked", "in_progress", "review", "done", "skipped"];
        Some(Sheet::new(heading).rows(self.flow.known().into_iter().flatten().map(row)))
    }
}

fn table(days: &[FlowDay]) -> Table {
    let mut shown: Vec<&FlowDay> = days.iter().rev().step_by(7).take(LISTED).collect();
    shown.reverse();
    let columns = [Column::new("day")].into_iter().chain(ORDER.map(|status| Column::new(status.word()).right()));
    Table::new(columns)
        .rows(shown.into_iter().map(|day| {
            let number = |status| match in_state(day, status) {
                0 => Text::default(),
                count => Text::of(crate::task::status_role(status), count.to_string()),
            };
            Row::new([Text::of(Role::Dim, day.day.to_string())].into_iter().chain(ORDER.map(number)))
        }))
        .without_empty_columns()
}
