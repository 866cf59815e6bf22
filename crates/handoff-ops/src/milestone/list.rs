//! `handoff milestone list`

use std::collections::BTreeMap;

use clap::Args;
use handoff_model::config::Milestone;
use handoff_model::metrics::MilestoneProgress;
use handoff_model::when::Day;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::AddMilestone;
use crate::metrics::{Asked, Figures};
use crate::page::{Cell, Column, Role, Row, Sheet, Table, Text};
use crate::time::hours;
use crate::{Effect, Hint, OpError, Operation, Page, Project, Report, ToolSet};

/// List milestones with how far they are
///
/// Those that only tasks name are marked.
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ListMilestones {}

/// The milestones of a project.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Milestones {
    pub milestones: BTreeMap<String, MilestoneView>,
}

/// A milestone and the tasks that belong to it, themselves or by a parent.
#[derive(Debug, Serialize, JsonSchema)]
pub struct MilestoneView {
    pub date: Option<Day>,
    pub color: Option<String>,
    pub description: Option<String>,
    /// Whether the settings know it; otherwise it only occurs in tasks
    pub configured: bool,
    /// Tasks without tasks below them that are not finished
    pub open: usize,
    /// Those that are done; skipped ones do not count
    pub done: usize,
    /// Work left, by estimates and time logged
    pub remaining_hours: f64,
    /// Whether its date is over while something is open
    pub overdue: bool,
}

impl Operation for ListMilestones {
    const NAME: &'static str = "milestone.list";
    const TOOL: &'static str = "handoff_list_milestones";
    const SET: ToolSet = ToolSet::Team;
    const EFFECT: Effect = Effect::Read;
    const SHEET: bool = true;
    type Outcome = Milestones;

    fn example() -> Value {
        json!({})
    }

    fn run(self, project: &mut Project) -> Result<Milestones, OpError> {
        let figures = Figures::read(project, Asked::default())?;
        Ok(Milestones { milestones: milestones(&figures) })
    }
}

/// Every milestone that is defined or used.
pub(crate) fn milestones(figures: &Figures) -> BTreeMap<String, MilestoneView> {
    let defined = &figures.work().config.milestones;
    let view = |progress: MilestoneProgress| {
        let own = defined.iter().find(|(name, _)| name.as_str() == progress.milestone);
        let Milestone { date, color, description } = own.map(|(_, own)| own.clone()).unwrap_or_default();
        let view = MilestoneView {
            date,
            color: color.map(String::from),
            description: description.map(String::from),
            configured: progress.defined,
            open: progress.tasks - progress.done,
            done: progress.done,
            remaining_hours: hours(i64::try_from(progress.remaining).unwrap_or(i64::MAX)),
            overdue: progress.overdue,
        };
        (progress.milestone, view)
    };
    figures.milestones().into_iter().map(view).collect()
}

/// Milestones as a table, those with a date first.
pub(crate) fn milestone_table(milestones: &BTreeMap<String, MilestoneView>) -> Table {
    let columns = [
        Column::new("milestone").shrinks_to(8),
        Column::new("date"),
        Column::new("done").right(),
        Column::new("left").right(),
        Column::new("description").shrinks_to(10),
        Column::new(""),
    ];
    let mut sorted: Vec<(&String, &MilestoneView)> = milestones.iter().collect();
    sorted.sort_by_key(|(_, milestone)| (milestone.date.is_none(), milestone.date));
    let row = |(name, milestone): (&String, &MilestoneView)| {
        let role = if milestone.overdue { Role::Bad } else { Role::Plain };
        let all = milestone.open + milestone.done;
        let note = match (milestone.configured, milestone.overdue) {
            (false, _) => "only in tasks",
            (true, true) => "overdue",
            (true, false) => "",
        };
        Row::new([
            Text::of(Role::Strong, name),
            Text::of(role, milestone.date.map(|date| date.to_string()).unwrap_or_default()),
            format!("{}/{all}", milestone.done).into(),
            if milestone.open == 0 { Text::default() } else { format!("{} h", milestone.remaining_hours).into() },
            milestone.description.as_deref().unwrap_or_default().into(),
            Text::of(Role::Warn, note),
        ])
    };
    Table::new(columns).rows(sorted.into_iter().map(row)).without_empty_columns()
}

impl Report for Milestones {
    fn page(&self) -> Page {
        if self.milestones.is_empty() {
            let none = Text::of(Role::Dim, "there are no milestones yet");
            return Page::new().line(none).advice("add one: ", Hint::run_with::<AddMilestone>(json!({"name": "NAME"})));
        }
        Page::new().table(milestone_table(&self.milestones)).rest(Hint::run::<ListMilestones>())
    }

    fn sheet(&self) -> Option<Sheet> {
        let heading = ["milestone", "date", "done", "open", "remaining_hours", "description", "configured"];
        let row = |(name, milestone): (&String, &MilestoneView)| {
            [
                Cell::text(name),
                Cell::plain_if(milestone.date),
                Cell::plain(milestone.done),
                Cell::plain(milestone.open),
                Cell::plain(milestone.remaining_hours),
                Cell::text_if(milestone.description.as_deref()),
                Cell::plain(milestone.configured),
            ]
        };
        Some(Sheet::new(heading).rows(self.milestones.iter().map(row)))
    }
}
