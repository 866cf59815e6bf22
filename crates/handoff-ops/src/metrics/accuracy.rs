//! `handoff metrics accuracy`

use clap::Args;
use handoff_model::id::TaskId;
use handoff_model::metrics::{Accuracy, Figure, Measured, Ratio, TaskAccuracy};
use handoff_model::when::Day;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::figures::{Asked, Figures, Names};
use super::show::hundredths;
use super::words::{hours, hours_of, hours_u, in_hours, not_enough};
use crate::page::{Cell, Column, Role, Row, Sheet, Table, Text};
use crate::{Effect, OpError, Operation, Page, Project, Report, ToolSet};

/// How estimates compare with the time that was worked, by task, label and person
#[derive(Clone, Debug, Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ShowAccuracy {
    /// Only the tasks of this person
    #[arg(long, value_name = "NAME")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub assignee: Option<String>,
    /// Only what was done on this day or later
    #[arg(long, value_name = "DATE")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<Day>,
}

/// Estimates and actual time.
#[derive(Debug, Serialize, JsonSchema)]
pub struct AccuracyReport {
    /// The day it is of
    pub day: Day,
    /// In minutes
    pub accuracy: Accuracy,
    #[serde(skip)]
    names: Names,
}

/// Tasks that are shown: those that were farthest off.
const SHOWN: usize = 10;

impl Operation for ShowAccuracy {
    const NAME: &'static str = "metrics.accuracy";
    const TOOL: &'static str = "handoff_get_accuracy";
    const SET: ToolSet = ToolSet::Planning;
    const EFFECT: Effect = Effect::Read;
    const SHEET: bool = true;
    type Outcome = AccuracyReport;

    fn example() -> Value {
        json!({"since": "2026-11-01"})
    }

    fn run(self, project: &mut Project) -> Result<AccuracyReport, OpError> {
        let ShowAccuracy { assignee, since } = self;
        let figures = Figures::read(project, Asked { assignee, milestone: None, since })?;
        let accuracy = figures.measure().accuracy;
        let names = figures.names(accuracy.tasks.iter().map(|task| task.id).collect::<Vec<TaskId>>());
        Ok(AccuracyReport { day: figures.today(), accuracy, names })
    }
}

/// A group of tasks, what it is and its figure.
fn groups(accuracy: &Accuracy) -> Vec<(&'static str, &str, &Figure<Ratio>)> {
    let people = accuracy.by_person.iter().map(|(name, figure)| ("person", name.as_str(), figure));
    let labels = accuracy.by_label.iter().map(|(name, figure)| ("label", name.as_str(), figure));
    [("all", "", &accuracy.all)].into_iter().chain(people).chain(labels).collect()
}

impl Report for AccuracyReport {
    fn page(&self) -> Page {
        let columns = [
            Column::new("estimates of"),
            Column::new("name").shrinks_to(8),
            Column::new("tasks").right(),
            Column::new("actual by estimate"),
            Column::new("median").right().optional(),
            Column::new("spread").optional(),
            Column::new("adjusted").right().optional(),
        ];
        let row = |(what, name, figure): (&'static str, &str, &Figure<Ratio>)| {
            let (what, name) = (Text::of(Role::Dim, what), Text::from(name));
            match &figure.value {
                Measured::Known(ratio) => {
                    let spread = &ratio.spread;
                    let ends = format!("{} to {}", hundredths(spread.least), hundredths(spread.most));
                    let adjusted = ratio.of_sums_adjusted.map(|it| format!("× {}", hundredths(it)));
                    Row::new([
                        what,
                        name,
                        Text::from(ratio.samples.to_string()),
                        Text::from(format!("× {}", hundredths(ratio.of_sums))),
                        Text::from(hundredths(spread.median)),
                        Text::of(Role::Dim, ends),
                        Text::from(adjusted.unwrap_or_default()),
                    ])
                }
                Measured::NotEnough { have, need } => {
                    Row::new([what, name, Text::from(have.to_string()), Text::of(Role::Dim, not_enough(*have, *need))])
                }
            }
        };
        let table = Table::new(columns).rows(groups(&self.accuracy).into_iter().map(row)).without_empty_columns();
        let page = Page::new().heading("Estimates and actual time").table(table);
        self.farthest(page).blank().line(Text::of(Role::Dim, format!("how: {}", self.accuracy.all.how)))
    }

    fn sheet(&self) -> Option<Sheet> {
        let heading = ["of", "name", "title", "tasks", "estimate_hours", "actual_hours", "ratio", "ratio_adjusted"];
        let task = |task: &TaskAccuracy| {
            [
                Cell::plain("task"),
                Cell::plain(task.id),
                Cell::text(&self.names.title(task.id)),
                Cell::plain(1),
                Cell::plain(hours_of(task.estimate.into())),
                Cell::plain(in_hours(task.actual)),
                Cell::plain(hundredths(task.ratio)),
                Cell::plain_if(task.ratio_adjusted.map(hundredths)),
            ]
        };
        let none = || Cell::plain("");
        let group = |(what, name, figure): (&'static str, &str, &Figure<Ratio>)| {
            let (samples, ratio, adjusted) = match &figure.value {
                Measured::Known(ratio) => (
                    ratio.samples,
                    Cell::plain(hundredths(ratio.of_sums)),
                    Cell::plain_if(ratio.of_sums_adjusted.map(hundredths)),
                ),
                Measured::NotEnough { have, .. } => (*have, Cell::plain("not enough data"), none()),
            };
            [Cell::plain(what), Cell::text(name), none(), Cell::plain(samples), none(), none(), ratio, adjusted]
        };
        let sheet = Sheet::new(heading).rows(groups(&self.accuracy).into_iter().map(group));
        Some(sheet.rows(self.accuracy.tasks.iter().map(task)))
    }
}

impl AccuracyReport {
    /// The tasks that took most more or less than was thought.
    fn farthest(&self, page: Page) -> Page {
        let mut tasks: Vec<&TaskAccuracy> = self.accuracy.tasks.iter().collect();
        let off = |task: &TaskAccuracy| task.ratio.max(f64::MIN_POSITIVE).ln().abs();
        tasks.sort_by(|one, other| off(other).total_cmp(&off(one)).then(one.id.cmp(&other.id)));
        let columns = [
            Column::new("task"),
            Column::new("title").shrinks_to(12),
            Column::new("estimate").right(),
            Column::new("actual").right(),
            Column::new("ratio").right(),
        ];
        let row = |task: &&TaskAccuracy| {
            let role = if task.ratio > 1.0 { Role::Warn } else { Role::Good };
            Row::new([
                Text::of(Role::Id, self.names.number(task.id)),
                Text::from(self.names.title(task.id)),
                Text::from(hours_u(task.estimate.into())),
                Text::from(hours(task.actual)),
                Text::of(role, format!("× {}", hundredths(task.ratio))),
            ])
        };
        let more = tasks.len().saturating_sub(SHOWN);
        let table = Table::new(columns).rows(tasks.iter().take(SHOWN).map(row));
        if table.rows.is_empty() { page } else { page.heading("Farthest off").table(table).more(more, None) }
    }
}
