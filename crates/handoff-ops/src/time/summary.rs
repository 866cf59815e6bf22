//! `handoff time summary`

use std::cmp::Reverse;
use std::collections::BTreeMap;

use clap::Args;
use handoff_model::id::{TaskId, TaskRef};
use handoff_model::number::Number;
use handoff_model::text::Name;
use handoff_model::time_log::{self, Odd, Overlap, TimeSums};
use handoff_model::when::{Day, PointInTime};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::list::odd_words;
use super::range::Days;
use super::spent::overlap_words;
use super::words::hours;
use crate::page::{Cell, Column, Draw, Role, Row, Sheet, Table, Text, sparkline};
use crate::task::change;
use crate::{Effect, OpError, Operation, Page, Project, Report, ToolSet};

/// Add up the time that was logged: by task, person and day
///
/// What a person logged twice for the same time counts once, and is told. Days are those of the project's time zone.
#[derive(Clone, Debug, Default, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SummarizeTime {
    /// Only this task
    #[arg(long = "task", value_name = "TASK")]
    pub task_id: Option<TaskRef>,
    /// Only this person
    #[arg(long, value_name = "NAME")]
    pub who: Option<Name>,
    /// Only from this day on: a date, or how long ago, such as 7d
    #[arg(long, value_name = "WHEN")]
    pub since: Option<PointInTime>,
    /// Only up to this day
    #[arg(long, value_name = "WHEN")]
    pub until: Option<PointInTime>,
}

/// The time that was logged.
#[derive(Debug, Serialize, JsonSchema)]
pub struct TimeSummary {
    pub minutes: i64,
    pub hours: f64,
    /// The most first
    pub by_task: Vec<TimeByTask>,
    /// The most first
    pub by_person: Vec<TimeByPerson>,
    /// The newest last
    pub by_day: Vec<TimeByDay>,
    /// The time of each person on each task on each day
    pub cells: Vec<TimeCell>,
    /// Time that was logged more than once by the same person
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub overlaps: Vec<Overlap>,
    /// Entries that cannot be right
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub odd: Vec<Odd>,
    #[serde(skip)]
    warnings: Vec<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct TimeByTask {
    pub task_id: TaskId,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub number: Option<Number>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    pub minutes: i64,
    pub hours: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub estimate_hours: Option<f64>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct TimeByPerson {
    pub who: String,
    pub minutes: i64,
    pub hours: f64,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct TimeByDay {
    pub day: Day,
    pub minutes: i64,
    pub hours: f64,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct TimeCell {
    pub day: Day,
    pub task_id: TaskId,
    pub who: String,
    pub minutes: i64,
}

/// So many tasks and days are shown on a page.
const TASKS: usize = 20;
const DAYS: usize = 14;
/// So many overlaps are told in words.
const TOLD: usize = 5;

impl Operation for SummarizeTime {
    const NAME: &'static str = "time.summary";
    const TOOL: &'static str = "handoff_summarize_time";
    const SET: ToolSet = ToolSet::Time;
    const EFFECT: Effect = Effect::Read;
    const SHEET: bool = true;
    type Outcome = TimeSummary;

    fn example() -> Value {
        json!({"since": "30d"})
    }

    fn run(self, project: &mut Project) -> Result<TimeSummary, OpError> {
        let days = Days::of(project, self.since, self.until)?;
        let task = self.task_id.as_ref().map(|task| change::find(project, task, None)).transpose()?;
        let task = task.map(|found| found.task.id);
        let who = self.who.as_ref().map(Name::as_str);
        let zone = project.zone();
        let (log, problems) = project.store().intervals()?;
        let mut warnings: Vec<String> = problems
            .iter()
            .map(|problem| format!("not counted: {problem}; `handoff doctor` says what to do"))
            .collect();
        let is_on = |id: TaskId| task.is_none_or(|task| task == id);
        let is_of = |name: &str| who.is_none_or(|who| who == name);
        // What counts is decided among all entries, and only then looked at in part.
        let mut sums = time_log::sum(&log, &zone);
        sums.cells.retain(|cell| is_on(cell.task) && is_of(&cell.who) && days.contain(cell.day));
        sums.overlaps.retain(|it| {
            is_of(&it.who) && (is_on(it.counted) || is_on(it.ignored)) && days.contain(it.from.day_in(&zone))
        });
        sums.odd.retain(|odd| {
            let (Odd::Backwards { task, who, .. } | Odd::TooLong { task, who, .. } | Odd::Impossible { task, who, .. }) = odd;
            is_on(*task) && is_of(who)
        });
        warnings.extend(sums.overlaps.iter().take(TOLD).map(|overlap| overlap_words(project, overlap)));
        if sums.overlaps.len() > TOLD {
            warnings.push(format!("{} more overlaps are not counted twice", sums.overlaps.len() - TOLD));
        }
        warnings.extend(sums.odd.iter().take(TOLD).map(odd_words));
        summed(project, sums, warnings)
    }
}

fn summed(project: &Project, sums: TimeSums, warnings: Vec<String>) -> Result<TimeSummary, OpError> {
    let forest = project.store().forest()?;
    project.store().notice(forest.problems.iter().filter(|problem| problem.hides()));
    let mut by_task: Vec<TimeByTask> = sums
        .minutes_by_task()
        .into_iter()
        .map(|(task, minutes)| {
            let node = forest.get(task);
            TimeByTask {
                task_id: task,
                number: node.map(|node| node.number.clone()),
                title: node.map(|node| node.task.title.clone()),
                minutes,
                hours: hours(minutes),
                estimate_hours: node.and_then(|node| node.task.schedule.estimate_hours),
            }
        })
        .collect();
    by_task.sort_by_key(|of| (Reverse(of.minutes), of.task_id));
    let person = |(who, minutes): (String, i64)| TimeByPerson { who, minutes, hours: hours(minutes) };
    let mut by_person: Vec<TimeByPerson> = sums.minutes_by_person().into_iter().map(person).collect();
    by_person.sort_by(|one, other| (Reverse(one.minutes), &one.who).cmp(&(Reverse(other.minutes), &other.who)));
    let by_day = sums.minutes_by_day().into_iter();
    let by_day = by_day.map(|(day, minutes)| TimeByDay { day, minutes, hours: hours(minutes) }).collect();
    let minutes = sums.total_minutes();
    let cells = sums.cells.into_iter().map(|cell| TimeCell {
        day: cell.day,
        task_id: cell.task,
        who: cell.who,
        minutes: (cell.seconds + 30).div_euclid(60),
    });
    Ok(TimeSummary {
        minutes,
        hours: hours(minutes),
        by_task,
        by_person,
        by_day,
        cells: cells.collect(),
        overlaps: sums.overlaps,
        odd: sums.odd,
        warnings,
    })
}

/// The days, each as a bar, up to the last that fits.
#[derive(Debug)]
struct Bars(Vec<(Day, i64)>);

impl Bars {
    /// Every day from the first to the last, also those without work.
    fn of(days: &[TimeByDay], most: i64) -> Option<Bars> {
        let (first, last) = (days.first()?.day, days.last()?.day);
        let known: BTreeMap<Day, i64> = days.iter().map(|day| (day.day, day.minutes)).collect();
        let from = last.plus(1 - most).map_or(first, |from| from.max(first));
        let length = from.days_until(last);
        let each = (0..=length).filter_map(|offset| from.plus(offset));
        Some(Bars(each.map(|day| (day, known.get(&day).copied().unwrap_or(0))).collect()))
    }
}

impl Draw for Bars {
    #[expect(clippy::cast_precision_loss, reason = "the minutes of a day")]
    fn lines(&self, width: usize) -> Vec<Text> {
        let ends = "2026-11-01  2026-11-15".len() + 2;
        let room = width.saturating_sub(ends).max(7);
        let shown = &self.0[self.0.len().saturating_sub(room)..];
        let (Some((first, _)), Some((last, _))) = (shown.first(), shown.last()) else { return Vec::new() };
        let values: Vec<f64> = shown.iter().map(|(_, minutes)| *minutes as f64).collect();
        let bars = Text::of(Role::Dim, format!("{first}  ")).plain(sparkline(&values));
        vec![bars.and(Role::Dim, format!("  {last}"))]
    }
}

impl Report for TimeSummary {
    fn page(&self) -> Page {
        if self.cells.is_empty() {
            return Page::new().line("no time is logged");
        }
        let mut page = Page::new().line(Text::of(Role::Strong, format!("{} h", self.hours)).plain(" logged"));
        if let Some(bars) = Bars::of(&self.by_day, 90) {
            page = page.chart(bars);
        }
        let columns = [
            Column::new("task").shrinks_to(16),
            Column::new("id"),
            Column::new("hours").right(),
            Column::new("estimate").right().optional(),
        ];
        let rows = self.by_task.iter().take(TASKS).map(task_row);
        page = page.blank().table(Table::new(columns).rows(rows).without_empty_columns());
        page = page.more_of(self.by_task.len().saturating_sub(TASKS), "tasks", None);
        let columns = [Column::new("person").shrinks_to(8), Column::new("hours").right()];
        let rows = self.by_person.iter().map(|of| Row::new([of.who.clone().into(), of.hours.to_string().into()]));
        page = page.blank().table(Table::new(columns).rows(rows));
        let columns = [Column::new("day"), Column::new("hours").right()];
        let first = self.by_day.len().saturating_sub(DAYS);
        let rows = self.by_day[first..].iter();
        let rows = rows.map(|of| Row::new([of.day.to_string().into(), of.hours.to_string().into()]));
        page = page.blank().table(Table::new(columns).rows(rows));
        page.more_of(first, "earlier days", None)
    }

    fn sheet(&self) -> Option<Sheet> {
        let task = |id: TaskId| self.by_task.iter().find(|of| of.task_id == id);
        let rows = self.cells.iter().map(|cell| {
            let task = task(cell.task_id);
            [
                Cell::plain(cell.day),
                Cell::plain(cell.task_id),
                Cell::plain_if(task.and_then(|task| task.number.as_ref())),
                Cell::text_if(task.and_then(|task| task.title.as_deref())),
                Cell::text(&cell.who),
                Cell::plain(cell.minutes),
                Cell::plain(hours(cell.minutes)),
            ]
        });
        Some(Sheet::new(["day", "task", "number", "title", "who", "minutes", "hours"]).rows(rows))
    }

    fn warnings(&self) -> &[String] {
        &self.warnings
    }
}

fn task_row(of: &TimeByTask) -> Row {
    let task = match (&of.number, &of.title) {
        (Some(number), Some(title)) => Text::of(Role::Number, format!("{number} ")).plain(title),
        _ => Text::of(Role::Dim, "(gone)"),
    };
    Row::new([
        task,
        Text::of(Role::Id, of.task_id.to_string()),
        of.hours.to_string().into(),
        of.estimate_hours.map(|hours| hours.to_string()).unwrap_or_default().into(),
    ])
}
