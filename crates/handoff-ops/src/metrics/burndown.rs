//! `handoff metrics burndown`

use clap::Args;
use handoff_model::metrics::{Burndown, BurndownDay, Figure};
use handoff_model::when::Day;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::chart::BurndownChart;
use super::figures::{Asked, Figures};
use super::words::{count, hours, hours_of, hours_u, in_hours, said};
use crate::page::{Cell, Column, Role, Row, Sheet, Table, Text};
use crate::{Effect, OpError, Operation, Page, Project, Report, ToolSet};

/// How the work that is left goes down: day by day, with the ideal line and what was added
#[derive(Clone, Debug, Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ShowBurndown {
    /// Only the tasks of this milestone; its date is where the ideal line ends
    #[arg(long, value_name = "NAME")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub milestone: Option<String>,
    /// Only the tasks of this person
    #[arg(long, value_name = "NAME")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub assignee: Option<String>,
    /// Begin on this day; the ideal line begins there too
    #[arg(long, value_name = "DATE")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<Day>,
}

/// Work left day by day.
#[derive(Debug, Serialize, JsonSchema)]
pub struct BurndownReport {
    /// The day it is of
    pub day: Day,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub milestone: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub assignee: Option<String>,
    /// In minutes
    pub burndown: Figure<Burndown>,
}

/// Changes of scope that are told, the latest.
const CHANGES: usize = 10;

impl Operation for ShowBurndown {
    const NAME: &'static str = "metrics.burndown";
    const TOOL: &'static str = "handoff_get_burndown";
    const SET: ToolSet = ToolSet::Planning;
    const EFFECT: Effect = Effect::Read;
    const SHEET: bool = true;
    type Outcome = BurndownReport;

    fn example() -> Value {
        json!({"since": "2026-11-01"})
    }

    fn run(self, project: &mut Project) -> Result<BurndownReport, OpError> {
        let ShowBurndown { milestone, assignee, since } = self;
        let asked = Asked { assignee: assignee.clone(), milestone: milestone.clone(), since };
        let figures = Figures::read(project, asked)?;
        Ok(BurndownReport { day: figures.today(), milestone, assignee, burndown: figures.measure().burndown })
    }
}

impl Report for BurndownReport {
    fn page(&self) -> Page {
        let of = |name: &Option<String>| name.as_ref().map(|name| format!(" of {name}")).unwrap_or_default();
        let page = Page::new().heading(format!("Burndown{}{}", of(&self.milestone), of(&self.assignee)));
        let page = match self.burndown.known() {
            Some(burndown) => drawn(page, burndown),
            None => page.line(said(&self.burndown, |_| String::new())),
        };
        page.blank().line(Text::of(Role::Dim, format!("how: {}", self.burndown.how)))
    }

    fn sheet(&self) -> Option<Sheet> {
        let heading = ["day", "remaining_hours", "scope_hours", "scope_change_hours", "ideal_hours"];
        let days = self.burndown.known().into_iter().flat_map(|burndown| &burndown.days).map(|day| {
            [
                Cell::plain(day.day),
                Cell::plain(in_hours(day.remaining)),
                Cell::plain(in_hours(day.scope)),
                Cell::plain(in_hours(day.scope_change)),
                Cell::plain_if(day.ideal.map(hours_of)),
            ]
        });
        let ahead = self.burndown.known().into_iter().flat_map(|burndown| &burndown.ahead).map(|ahead| {
            let none = || Cell::plain("");
            [Cell::plain(ahead.day), none(), none(), none(), Cell::plain(hours_of(ahead.ideal))]
        });
        Some(Sheet::new(heading).rows(days).rows(ahead))
    }
}

fn drawn(page: Page, burndown: &Burndown) -> Page {
    let (Some(first), Some(last)) = (burndown.days.first(), burndown.days.last()) else { return page };
    let against = |ideal: u64| {
        let behind = last.remaining.saturating_sub_unsigned(ideal);
        match behind {
            0 => Text::of(Role::Good, "on the line"),
            1.. => Text::of(Role::Warn, format!("{} behind", hours(behind))),
            _ => Text::of(Role::Good, format!("{} ahead", hours(-behind))),
        }
        .plain(format!(" ({} by the ideal line)", hours_u(ideal)))
    };
    let page = page
        .chart(BurndownChart::of(burndown))
        .field("left", Text::from(format!("{}, of {} on {}", hours(last.remaining), hours(first.remaining), first.day)))
        .field("scope", Text::from(format!("{}, {} on {}", hours(last.scope), hours(first.scope), first.day)))
        .field_if("ideal", last.ideal.map(against))
        .field_if("target", burndown.target.as_ref().map(|target| format!("{}, by {}", target.day, target.by)))
        .field_if("not shown", (burndown.unestimated > 0).then(|| unestimated(burndown.unestimated)))
        .for_agents(weekly(&burndown.days));
    let changes: Vec<&BurndownDay> = burndown.days.iter().filter(|day| day.scope_change != 0).collect();
    let earlier = changes.len().saturating_sub(CHANGES);
    let row = |day: &&BurndownDay| {
        let sign = if day.scope_change > 0 { "+" } else { "" };
        let role = if day.scope_change > 0 { Role::Warn } else { Role::Good };
        Row::new([
            Text::of(Role::Dim, day.day.to_string()),
            Text::of(role, format!("{sign}{}", hours(day.scope_change))),
            Text::from(hours(day.scope)),
        ])
    };
    let columns = [Column::new("scope changed"), Column::new("by").right(), Column::new("to").right()];
    let table = Table::new(columns).rows(changes[earlier..].iter().map(row));
    if table.rows.is_empty() { page } else { page.blank().table(table).more_of(earlier, "earlier changes", None) }
}

fn unestimated(tasks: usize) -> String {
    format!("{} without an estimate", count(tasks, "task"))
}

/// The series in a few words, for who sees no chart: the last day of each seven, and today.
fn weekly(days: &[BurndownDay]) -> String {
    let mut shown: Vec<&BurndownDay> = days.iter().rev().step_by(7).take(12).collect();
    shown.reverse();
    let point = |day: &&BurndownDay| format!("{} {}", day.day, hours(day.remaining));
    format!("left by week: {}", shown.iter().map(point).collect::<Vec<_>>().join(", "))
}
