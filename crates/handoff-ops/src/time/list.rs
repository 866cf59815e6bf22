//! `handoff time list`

use clap::Args;
use handoff_model::id::{TaskId, TaskRef};
use handoff_model::number::Number;
use handoff_model::text::Name;
use handoff_model::time_log::{self, Interval, Odd, Overlap, TimeSource};
use handoff_model::when::{Moment, PointInTime};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::range::Days;
use super::spent::overlap_words;
use super::words::{hours, length};
use crate::page::{Cell, Column, Role, Row, Sheet, Table, Text};
use crate::task::change;
use crate::{Effect, Hint, OpError, Operation, Page, Project, Report, ToolSet};

/// List the entries of the time log, the newest last
#[derive(Clone, Debug, Default, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ListTime {
    /// Only entries on this task
    #[arg(long = "task", value_name = "TASK")]
    pub task_id: Option<TaskRef>,
    /// Only entries of this person
    #[arg(long, value_name = "NAME")]
    pub who: Option<Name>,
    /// Only entries of this day or later: a date, or how long ago, such as 7d
    #[arg(long, value_name = "WHEN")]
    pub since: Option<PointInTime>,
    /// Only entries of this day or earlier
    #[arg(long, value_name = "WHEN")]
    pub until: Option<PointInTime>,
    /// Only entries from there: timer, manual or transcript
    #[arg(long, value_name = "SOURCE")]
    pub source: Option<TimeSource>,
    /// At most this many, the newest
    #[arg(long, value_name = "N")]
    pub limit: Option<usize>,
}

/// Entries of the time log.
#[derive(Debug, Serialize, JsonSchema)]
pub struct TimeList {
    /// The newest last
    pub entries: Vec<TimeEntry>,
    /// How many there are, limit aside
    pub matches: usize,
    /// Minutes they come to; what a person logged twice counts once
    pub minutes: i64,
    pub hours: f64,
    /// Time that was logged more than once by the same person
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub overlaps: Vec<Overlap>,
    /// Entries that cannot be right
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub odd: Vec<Odd>,
    #[serde(skip)]
    asked_for_limit: bool,
    #[serde(skip)]
    warnings: Vec<String>,
}

/// One entry.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct TimeEntry {
    pub task_id: TaskId,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub number: Option<Number>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    pub who: String,
    pub source: TimeSource,
    pub started_at: Moment,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<Moment>,
    /// How long it is, overlaps aside
    pub minutes: i64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// A page shows so many unless more are asked for.
const SHOWN: usize = 50;
/// So many overlaps are told in words.
const TOLD: usize = 10;

impl Operation for ListTime {
    const NAME: &'static str = "time.list";
    const TOOL: &'static str = "handoff_list_time";
    const SET: ToolSet = ToolSet::Time;
    const EFFECT: Effect = Effect::Read;
    const SHEET: bool = true;
    type Outcome = TimeList;

    fn example() -> Value {
        json!({"since": "30d", "limit": 20})
    }

    fn run(self, project: &mut Project) -> Result<TimeList, OpError> {
        if self.limit == Some(0) {
            return Err(OpError::usage("a limit of 0 shows nothing: give 1 or more"));
        }
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
        let is_of = |name: &str| who.is_none_or(|who| who == name);
        let is_on = |id: TaskId| task.is_none_or(|task| task == id);
        // What counts is decided among all that a person did; only then is it filtered by task and day.
        let of_source = |it: &&Interval| is_of(&it.who) && self.source.is_none_or(|source| source == it.source);
        let sums = time_log::sum(log.iter().filter(of_source), &zone);
        let cells = sums.cells.iter().filter(|cell| is_on(cell.task) && days.contain(cell.day));
        let seconds = cells.fold(0_i64, |sum, cell| sum.saturating_add(cell.seconds));
        let mut chosen: Vec<&Interval> = log
            .iter()
            .filter(of_source)
            .filter(|it| is_on(it.task) && days.contain(it.started_at.day_in(&zone)))
            .collect();
        chosen.sort_by_key(|it| (it.started_at, it.ended_at, it.task));
        let matches = chosen.len();
        let first = self.limit.map_or(0, |limit| matches.saturating_sub(limit));
        let forest = project.store().forest()?;
        project.store().notice(forest.problems.iter().filter(|problem| problem.hides()));
        let entries = chosen[first..].iter().map(|it| {
            let node = forest.get(it.task);
            TimeEntry {
                task_id: it.task,
                number: node.map(|node| node.number.clone()),
                title: node.map(|node| node.task.title.clone()),
                who: it.who.clone(),
                source: it.source,
                started_at: it.started_at,
                ended_at: it.ended_at,
                minutes: it.length_minutes(),
                session: it.session.clone(),
                note: it.note.clone(),
            }
        });
        let entries = entries.collect();
        let overlaps: Vec<Overlap> = sums
            .overlaps
            .into_iter()
            .filter(|it| (is_on(it.counted) || is_on(it.ignored)) && days.contain(it.from.day_in(&zone)))
            .collect();
        let odd: Vec<Odd> = sums.odd.into_iter().filter(|odd| is_on(task_of(odd))).collect();
        warnings.extend(overlaps.iter().take(TOLD).map(|overlap| overlap_words(project, overlap)));
        if overlaps.len() > TOLD {
            warnings.push(format!("{} more overlaps are not counted twice", overlaps.len() - TOLD));
        }
        warnings.extend(odd.iter().take(TOLD).map(odd_words));
        let minutes = seconds.saturating_add(30).div_euclid(60);
        let asked_for_limit = self.limit.is_some();
        Ok(TimeList { entries, matches, minutes, hours: hours(minutes), overlaps, odd, asked_for_limit, warnings })
    }
}

fn task_of(odd: &Odd) -> TaskId {
    match odd {
        Odd::Backwards { task, .. } | Odd::TooLong { task, .. } | Odd::Impossible { task, .. } => *task,
    }
}

/// What is wrong with an entry.
pub(super) fn odd_words(odd: &Odd) -> String {
    match odd {
        Odd::Backwards { task, who, started_at } => {
            format!("the entry of {who} on `{task}` from {started_at} ends before it begins, and counts nothing")
        }
        Odd::TooLong { task, who, started_at } => {
            format!("the entry of {who} on `{task}` from {started_at} is longer than a month")
        }
        Odd::Impossible { task, who, started_at } => {
            format!(
                "the entry of {who} on `{task}` from {started_at} says more minutes than anybody has, and counts nothing"
            )
        }
    }
}

impl Report for TimeList {
    fn page(&self) -> Page {
        if self.entries.is_empty() {
            return Page::new().line("no time is logged");
        }
        let hidden = if self.asked_for_limit { 0 } else { self.entries.len().saturating_sub(SHOWN) };
        let columns = [
            Column::new("began"),
            Column::new("length").right(),
            Column::new("task").shrinks_to(16),
            Column::new("who"),
            Column::new("source").optional(),
            Column::new("note").optional(),
        ];
        let table = Table::new(columns).rows(self.entries[hidden..].iter().map(row)).without_empty_columns();
        let count = if self.matches == 1 { "1 entry".to_owned() } else { format!("{} entries", self.matches) };
        let all = Hint::run_with::<ListTime>(json!({"limit": self.matches}));
        Page::new().table(table).blank().line(Text::of(Role::Dim, format!("{count}, {} h", self.hours))).more_of(
            hidden,
            "earlier entries",
            Some(all),
        )
    }

    fn sheet(&self) -> Option<Sheet> {
        let heading =
            ["started_at", "ended_at", "minutes", "task", "number", "title", "who", "source", "session", "note"];
        let rows = self.entries.iter().map(|entry| {
            [
                Cell::plain(entry.started_at),
                Cell::plain_if(entry.ended_at),
                Cell::plain(entry.minutes),
                Cell::plain(entry.task_id),
                Cell::plain_if(entry.number.as_ref()),
                Cell::text_if(entry.title.as_deref()),
                Cell::text(&entry.who),
                Cell::plain(entry.source),
                Cell::text_if(entry.session.as_deref()),
                Cell::text_if(entry.note.as_deref()),
            ]
        });
        Some(Sheet::new(heading).rows(rows))
    }

    fn warnings(&self) -> &[String] {
        &self.warnings
    }
}

fn row(entry: &TimeEntry) -> Row {
    let task = match (&entry.number, &entry.title) {
        (Some(number), Some(title)) => Text::of(Role::Number, format!("{number} ")).plain(title),
        _ => Text::of(Role::Id, entry.task_id.to_string()),
    };
    Row::new([
        entry.started_at.to_string().into(),
        length(entry.minutes.saturating_mul(60)).into(),
        task,
        entry.who.clone().into(),
        entry.source.word().into(),
        entry.note.clone().unwrap_or_default().into(),
    ])
}
