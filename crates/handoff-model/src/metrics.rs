//! Figures about the work, from the histories of tasks and the time log alone, so that a fresh clone shows the same.
//!
//! Everything is counted over leaves: a parent is the sum of what is under it, and would be counted twice. Effort is in
//! minutes. Days and weeks are those of the given zone and calendar.
//!
//! **Invariant:** every figure says how it is computed, and a figure that needs more than there is says so instead of
//! drawing a line through two points.

use std::collections::{BTreeMap, BTreeSet};

use jiff::tz::TimeZone;
use schemars::JsonSchema;
use serde::Serialize;

use crate::calendar::WorkCalendar;
use crate::id::TaskId;
use crate::task::Task;
use crate::time_log::TimeSums;
use crate::when::{Day, Moment};

mod accuracy;
mod burndown;
mod chosen;
mod effort;
mod flow;
#[cfg(test)]
mod series_tests;
mod sessions;
mod spread;
mod standing;
#[cfg(test)]
mod tests;
mod timeline;
mod velocity;

pub use accuracy::{Accuracy, Ratio, TaskAccuracy};
pub use burndown::{Burndown, BurndownDay, IdealDay, Target};
pub use chosen::{Only, chosen};
pub use effort::{Budget, Counts, Effort};
pub use flow::FlowDay;
pub use sessions::{SessionFacts, SessionSum, SessionTime, TaskSessions, Told, ToolSessions, session_time};
pub use spread::Spread;
pub use standing::{MilestoneProgress, Overdue, Stale};
pub use velocity::{Velocity, Week};

/// Days without any sign after which something that is begun counts as stale.
const STALE_DAYS: i64 = 14;

/// Samples that a spread or a ratio needs.
const SAMPLES: usize = 3;

/// The most days that a series shows; the latest ones.
const SERIES_DAYS: usize = 366;

/// A task with its place in the tree.
#[derive(Clone, Copy, Debug)]
pub struct MetricTask<'a> {
    pub task: &'a Task,
    pub parent: Option<TaskId>,
}

/// What figures are made from.
#[derive(Clone, Copy, Debug)]
pub struct MetricsInput<'a> {
    pub tasks: &'a [MetricTask<'a>],
    pub times: &'a TimeSums,
    pub calendar: &'a WorkCalendar,
    pub zone: &'a TimeZone,
    pub now: Moment,
    /// How long work takes an agent, as a share of the estimate
    pub multiplier: Option<f64>,
    /// The milestones of the configuration
    pub milestones: &'a BTreeMap<String, Option<Day>>,
    pub budget_minutes: Option<u64>,
    /// The day by which everything should be done, for the ideal line of the burndown
    pub target: Option<&'a Target>,
    /// Which leaves count
    pub only: Only<'a>,
    /// Series begin on this day, and samples that were done before it do not count
    pub since: Option<Day>,
}

/// A figure and how it is computed.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Figure<T> {
    pub value: Measured<T>,
    /// How it is computed
    pub how: &'static str,
}

/// A value, if there is enough to tell it from.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Measured<T> {
    Known(T),
    /// There are fewer samples than are needed
    NotEnough {
        have: usize,
        need: usize,
    },
}

impl<T> Figure<T> {
    /// The value, if there are enough samples for it.
    fn of(samples: usize, need: usize, how: &'static str, value: impl FnOnce() -> T) -> Self {
        let value =
            if samples >= need { Measured::Known(value()) } else { Measured::NotEnough { have: samples, need } };
        Figure { value, how }
    }

    /// The same figure of something else.
    pub fn map<U>(self, value: impl FnOnce(T) -> U) -> Figure<U> {
        let value = match self.value {
            Measured::Known(known) => Measured::Known(value(known)),
            Measured::NotEnough { have, need } => Measured::NotEnough { have, need },
        };
        Figure { value, how: self.how }
    }

    pub fn known(&self) -> Option<&T> {
        match &self.value {
            Measured::Known(value) => Some(value),
            Measured::NotEnough { .. } => None,
        }
    }
}

/// All figures.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Metrics {
    pub counts: Counts,
    /// Per cent
    pub completion: Figure<f64>,
    pub effort: Figure<Effort>,
    /// Absent without one, and where only some leaves count
    pub budget: Option<Figure<Budget>>,
    pub accuracy: Accuracy,
    pub velocity: Figure<Velocity>,
    pub burndown: Figure<Burndown>,
    /// Minutes of the calendar
    pub lead_time: Figure<Spread>,
    /// Minutes of the calendar
    pub cycle_time: Figure<Spread>,
    /// Minutes of the calendar
    pub blocked_time: Figure<Spread>,
    pub flow: Figure<Vec<FlowDay>>,
    pub overdue: Figure<Vec<Overdue>>,
    pub stale: Figure<Vec<Stale>>,
    pub milestones: Figure<Vec<MilestoneProgress>>,
    /// Tasks that say neither when they were made nor when anything happened to them; series cannot show them
    pub undated: usize,
}

/// Computes all figures.
pub fn metrics(input: &MetricsInput<'_>) -> Metrics {
    let work = Work::new(input);
    let (counts, completion) = effort::counts(&work);
    let effort = effort::effort(&work);
    let everybodys_budget = input.budget_minutes.filter(|_| input.only.is_everything());
    Metrics {
        budget: everybodys_budget.map(|total| effort::budget(&work, total)),
        counts,
        completion,
        effort,
        accuracy: accuracy::accuracy(&work),
        velocity: velocity::velocity(&work),
        burndown: burndown::burndown(&work),
        lead_time: flow::lead_time(&work),
        cycle_time: flow::cycle_time(&work),
        blocked_time: flow::blocked_time(&work),
        flow: flow::flow(&work),
        overdue: standing::overdue(&work),
        stale: standing::stale(&work),
        milestones: standing::milestones(&work),
        undated: work.leaves.iter().filter(|leaf| leaf.timeline.created.is_none()).count(),
    }
}

/// How far milestones are, and nothing else.
pub fn milestones(input: &MetricsInput<'_>) -> Vec<MilestoneProgress> {
    standing::progress(&Work::new(input))
}

/// A leaf with its history and its time.
struct Leaf<'a> {
    task: &'a Task,
    /// Whose it is
    assignee: Option<&'a str>,
    due: Option<Day>,
    milestones: BTreeSet<&'a str>,
    timeline: timeline::Timeline,
    spent: i64,
}

/// What all figures look at.
struct Work<'i, 'a> {
    input: &'i MetricsInput<'a>,
    today: Day,
    leaves: Vec<Leaf<'a>>,
    parents: usize,
    /// Minutes logged on everything that is no leaf: parents, and tasks that are not there; none when only some count
    spent_elsewhere: i64,
}

impl<'i, 'a> Work<'i, 'a> {
    fn new(input: &'i MetricsInput<'a>) -> Self {
        let mut spent = input.times.minutes_by_task();
        let mut parents: BTreeSet<TaskId> = BTreeSet::new();
        let leaf = |place: chosen::Place<'a>| {
            let chosen::Place { task, assignee, due, milestones, above } = place;
            parents.extend(above);
            let spent = spent.remove(&task.id).unwrap_or(0);
            Leaf { task, assignee, due, milestones, timeline: timeline::Timeline::of(task), spent }
        };
        let leaves = chosen::places(input.tasks, input.only).into_iter().map(leaf).collect();
        let spent_elsewhere = if input.only.is_everything() { spent.values().sum() } else { 0 };
        let today = input.now.day_in(input.zone);
        Work { input, today, leaves, parents: parents.len(), spent_elsewhere }
    }

    fn day(&self, at: Moment) -> Day {
        at.day_in(self.input.zone)
    }

    /// The first day of a series that ends today.
    fn first_day(&self) -> Option<Day> {
        let created = self.leaves.iter().filter_map(|leaf| leaf.timeline.created).min()?;
        let earliest = self.today.plus(1 - i64::try_from(SERIES_DAYS).unwrap_or(i64::MAX))?;
        Some(self.day(created).max(earliest).max(self.input.since.unwrap_or(earliest)).min(self.today))
    }

    /// When a leaf was done, unless that was before anybody wants to know.
    fn done_at(&self, leaf: &Leaf<'_>) -> Option<Moment> {
        leaf.timeline.done_at().filter(|at| self.input.since.is_none_or(|since| self.day(*at) >= since))
    }
}
