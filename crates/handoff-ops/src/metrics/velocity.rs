//! `handoff metrics velocity`

use clap::Args;
use handoff_model::metrics::{Figure, Velocity, Week as WorkWeek};
use handoff_model::when::Day;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::chart::{Bar, Bars};
use super::figures::{Asked, Figures};
use super::words::{count, hours_of, hours_u, said, spread, tenths};
use crate::page::{Cell, Role, Sheet, Text};
use crate::{Effect, OpError, Operation, Page, Project, Report, ToolSet};

/// How much is done in a week, and how much that varies
#[derive(Clone, Debug, Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ShowVelocity {
    /// Only the tasks of this person
    #[arg(long, value_name = "NAME")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub assignee: Option<String>,
    /// Only weeks from this day on
    #[arg(long, value_name = "DATE")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<Day>,
}

/// What was done week by week.
#[derive(Debug, Serialize, JsonSchema)]
pub struct VelocityReport {
    /// The day it is of
    pub day: Day,
    /// In minutes of estimates, and in tasks
    pub velocity: Figure<Velocity>,
}

/// Weeks that are shown, the latest.
const SHOWN: usize = 26;

impl Operation for ShowVelocity {
    const NAME: &'static str = "metrics.velocity";
    const TOOL: &'static str = "handoff_get_velocity";
    const SET: ToolSet = ToolSet::Planning;
    const EFFECT: Effect = Effect::Read;
    const SHEET: bool = true;
    type Outcome = VelocityReport;

    fn example() -> Value {
        json!({"since": "2026-11-01"})
    }

    fn run(self, project: &mut Project) -> Result<VelocityReport, OpError> {
        let ShowVelocity { assignee, since } = self;
        let figures = Figures::read(project, Asked { assignee, milestone: None, since })?;
        Ok(VelocityReport { day: figures.today(), velocity: figures.measure().velocity })
    }
}

impl Report for VelocityReport {
    fn page(&self) -> Page {
        let page = Page::new().heading("Velocity by week");
        let page = match self.velocity.known() {
            Some(velocity) => drawn(page, velocity),
            None => page.line(said(&self.velocity, |_| String::new())),
        };
        page.blank().line(Text::of(Role::Dim, format!("how: {}", self.velocity.how)))
    }

    fn sheet(&self) -> Option<Sheet> {
        let week = |week: &WorkWeek, complete: bool| {
            let (tasks, hours) = (Cell::plain(week.tasks), Cell::plain(hours_of(week.minutes)));
            [Cell::plain(week.start), tasks, hours, Cell::plain(complete)]
        };
        let sheet = Sheet::new(["week", "tasks", "hours", "complete"]);
        Some(match self.velocity.known() {
            Some(velocity) => {
                sheet.rows(velocity.weeks.iter().map(|it| week(it, true))).row(week(&velocity.this_week, false))
            }
            None => sheet,
        })
    }
}

fn drawn(page: Page, velocity: &Velocity) -> Page {
    let weeks = &velocity.weeks[velocity.weeks.len().saturating_sub(SHOWN)..];
    let said = |week: &WorkWeek| format!("{}, {}", hours_u(week.minutes), count(week.tasks as usize, "task"));
    #[expect(clippy::cast_precision_loss, reason = "it is drawn in a few cells")]
    let bar = |week: &WorkWeek, role| Bar {
        name: week.start.to_string(),
        value: week.minutes as f64,
        said: said(week),
        role,
    };
    let mut bars: Vec<Bar> = weeks.iter().map(|week| bar(week, Role::StatusDone)).collect();
    bars.push(bar(&velocity.this_week, Role::Dim));
    let listed = weeks.iter().map(|week| format!("{} {}", week.start, said(week))).collect::<Vec<_>>().join("; ");
    let hours = |minutes: f64| format!("{} h", tenths(minutes / 60.0));
    page.chart(Bars(bars))
        .for_agents(format!("by week: {listed}; this week so far {}", said(&velocity.this_week)))
        .field("estimates", format!("{} a week", spread(&velocity.minutes, hours)))
        .field("middle half", quartiles(velocity))
        .field("tasks", format!("{} a week", spread(&velocity.tasks, tenths)))
}

fn quartiles(velocity: &Velocity) -> String {
    let hours = |minutes: f64| tenths(minutes / 60.0);
    let spread = &velocity.minutes;
    format!(
        "{} to {} h; deviation {} h",
        hours(spread.lower_quartile),
        hours(spread.upper_quartile),
        hours(spread.deviation)
    )
}
