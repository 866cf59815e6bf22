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
mod effort;
mod flow;
mod spread;
mod standing;
#[cfg(test)]
mod tests;
mod timeline;
mod velocity;

pub use accuracy::{Accuracy, Ratio, TaskAccuracy};
pub use burndown::{Burndown, BurndownDay};
pub use effort::{Budget, Counts, Effort};
pub use flow::FlowDay;
pub use spread::Spread;
pub use standing::{MilestoneProgress, Overdue, Stale};
pub use velocity::{Velocity, Week};

/// Days without any sign after which something that is begun counts as stale.
pub const STALE_DAYS: u32 = 14;

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
    pub stale_days: u32,
    /// The day by which everything should be done, for the ideal line of the burndown
    pub target: Option<Day>,
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
    Metrics {
        budget: input.budget_minutes.map(|total| effort::budget(&work, total)),
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
    /// Its milestones: its own and those of its parents
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
    /// Minutes logged on everything that is no leaf: parents, and tasks that are not there
    spent_elsewhere: i64,
}

impl<'i, 'a> Work<'i, 'a> {
    fn new(input: &'i MetricsInput<'a>) -> Self {
        /// No tree is deeper; one that seems so goes in circles.
        const DEEPEST: usize = 64;
        let by_id: BTreeMap<TaskId, &MetricTask<'a>> = input.tasks.iter().map(|task| (task.task.id, task)).collect();
        let parents: BTreeSet<TaskId> =
            by_id.values().filter_map(|task| task.parent).filter(|parent| by_id.contains_key(parent)).collect();
        let mut spent = input.times.minutes_by_task();
        let leaves: Vec<Leaf<'a>> = by_id
            .values()
            .filter(|task| !parents.contains(&task.task.id))
            .map(|task| {
                let parent = |at: &&MetricTask<'a>| at.parent.and_then(|parent| by_id.get(&parent).copied());
                let line = std::iter::successors(Some(*task), parent).take(DEEPEST);
                Leaf {
                    task: task.task,
                    milestones: line.filter_map(|task| task.task.schedule.milestone.as_deref()).collect(),
                    timeline: timeline::Timeline::of(task.task),
                    spent: spent.remove(&task.task.id).unwrap_or(0),
                }
            })
            .collect();
        let spent_elsewhere = spent.values().sum();
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
        Some(self.day(created).max(earliest).min(self.today))
    }
}
