//! The planner: who does what on which days.
//!
//! **The rule.** Time is a row of working minutes for each person (work that is nobody's has a row of its own, by the
//! calendar alone). Whenever a person is free, they take the first of their tasks that are ready, and work on nothing
//! else until it is finished; closed days and pinned work are stepped over. *Ready* means that all dependencies have
//! ended, at the latest at that minute of that day: what follows may begin on the same day, if minutes remain. The
//! *first* is the smallest by, in this order:
//!
//! 1. what is begun (`in_progress`, `review`); then what is pressing; then the rest; then what is `blocked`; last
//!    what is pinned without dates
//! 2. if pressing: the deadline, the earliest first
//! 3. priority: high, medium or none, low
//! 4. the present due date, the earliest first, none last
//! 5. the present start date, likewise
//! 6. the place in the tree, then the id
//!
//! A *deadline* is the date of a milestone that the task or a parent of it belongs to, or the time by which it must
//! have ended for everything after it to keep such a date or to begin when it is pinned to. A task is *pressing* from
//! the day on which its person must begin to do nothing but work with deadlines up to its own, or a later one, to keep
//! them all.
//!
//! Only leaves are worked on. A dependency on a parent is one on all its leaves, and a parent's dependencies are those
//! of its leaves. What a leaf does not say itself (person, priority, due date) its nearest parent says. Finished tasks
//! take no time and hold up nothing; neither does a dependency that is not among the tasks.
//!
//! A pinned task is not moved: its work goes on its days before anything else is placed, its dependents begin on a later
//! day than its end, and what does not fit or cannot be is told. The start of a task that is begun stays. Nothing is
//! planned before today, nor more than [`HORIZON_DAYS`] ahead.
//!
//! The choices of a day are made again, sorted by the dates that they gave in place of the present ones (what was not
//! chosen comes after, as it was sorted before), until they are the same. Dates say nothing about the order within a
//! day, so without this a second plan could sort a day otherwise than the first, and what follows would move. It comes to
//! an end: with the choices before it settled, a choice can only move towards the front of the tree.
//!
//! **Invariants:** no day of a person holds more than the calendar gives; the same input gives the same plan; what is
//! on a cycle of dependencies, or after it, is told and left alone; and planning a plan changes nothing.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use crate::calendar::WorkCalendar;
use crate::id::TaskId;
use crate::task::{Priority, Status, Task};
use crate::when::Day;

mod booked;
mod capacity;
mod deadline;
mod desk;
mod graph;
mod lane;
mod next;
mod pinned;
mod place;
mod problem;
mod report;
mod restart;
mod roll_up;
mod shift;
mod slack;

#[cfg(test)]
mod naive;
#[cfg(test)]
mod properties;
#[cfg(test)]
mod tests;

pub use booked::{Overbooked, overbooked};
pub use capacity::{Capacity, DayCapacity, capacity};
pub use next::{Next, Reason, next};
pub use problem::{Problem, hours};
pub use restart::{CannotRestart, restart};
pub use roll_up::changes_of;
pub use shift::{CannotMove, Move, Moved, Shift, shift};

/// How far ahead is planned: ten years.
pub const HORIZON_DAYS: i32 = 3_653;

/// The work that a task without an estimate is taken for: one day of eight hours.
pub const UNESTIMATED_MINUTES: u32 = 480;

/// What the planner knows about a task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlanTask {
    pub id: TaskId,
    pub parent: Option<TaskId>,
    pub status: Status,
    pub priority: Option<Priority>,
    /// Minutes of work that are left; `None` when nobody estimated it
    pub work: Option<u32>,
    pub dependencies: Vec<TaskId>,
    pub assignee: Option<String>,
    pub start: Option<Day>,
    pub due: Option<Day>,
    pub pinned: bool,
    pub milestone: Option<String>,
    /// The place in the tree, as it is shown from top to bottom
    pub place: usize,
}

impl PlanTask {
    /// What the planner knows of a task as it is kept.
    ///
    /// The parent and the place come from the tree. What is left is what the task says is left, or else the estimate,
    /// times the multiplier if there is one, less what was spent.
    pub fn of(task: &Task, parent: Option<TaskId>, place: usize, spent_minutes: i64, multiplier: Option<f64>) -> Self {
        PlanTask {
            id: task.id,
            parent,
            status: task.status,
            priority: task.priority,
            work: task.remaining_minutes(spent_minutes, multiplier),
            dependencies: task.dependencies.clone(),
            assignee: task.assignee.clone(),
            start: task.schedule.start_date,
            due: task.schedule.due_date,
            pinned: task.schedule.pinned == Some(true),
            milestone: task.schedule.milestone.clone(),
            place,
        }
    }
}

/// Whether the dates that unpinned tasks have now are a wish.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PresentDates {
    /// They decide between tasks that are otherwise equal, so a plan stays as it is until something changes
    #[default]
    Wished,
    /// They do not count
    Forgotten,
}

/// What a plan is made from.
#[derive(Clone, Copy, Debug)]
pub struct PlanInput<'a> {
    pub tasks: &'a [PlanTask],
    pub calendar: &'a WorkCalendar,
    /// The milestones that have a date
    pub milestones: &'a BTreeMap<String, Day>,
    pub today: Day,
    pub present: PresentDates,
}

/// Which task is worked on when, and what cannot be.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Plan {
    /// The open leaves that have a place, from the top of the tree to the bottom
    pub tasks: Vec<PlannedTask>,
    /// What the leaves of each parent come to
    pub parents: Vec<PlannedParent>,
    /// The tasks that decide when everything is finished, the first first
    pub critical_path: Vec<TaskId>,
    /// The day on which everything is finished
    pub end: Option<Day>,
    /// What becomes of the milestones, by date
    pub milestones: Vec<Forecast>,
    /// Dates that would change
    pub changes: Vec<DateChange>,
    /// What cannot be kept or cannot be planned, and what would help
    pub problems: Vec<Problem>,
}

/// An open leaf and its days.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct PlannedTask {
    pub id: TaskId,
    /// The person it is planned for
    pub who: Option<String>,
    pub start: Day,
    pub end: Day,
    /// The minutes of each day
    pub days: Vec<DayWork>,
    /// Minutes of its person by which it can slip before everything is finished later; none for what is pinned
    pub slack_minutes: Option<u64>,
    /// Whether it has no slack, or decides about the end although it is pinned
    pub critical: bool,
    /// The day from which it goes before everything without a deadline
    pub pressing_from: Option<Day>,
    pub pinned: bool,
}

/// Work on one day.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct DayWork {
    pub day: Day,
    pub minutes: u32,
}

/// What the leaves under a parent come to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct PlannedParent {
    pub id: TaskId,
    pub start: Option<Day>,
    pub end: Option<Day>,
    /// Work left in its open leaves
    pub minutes: u64,
}

/// When a milestone will be reached.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Forecast {
    pub milestone: String,
    pub date: Day,
    /// The day its last open task ends; none when nothing of it is planned
    pub end: Option<Day>,
    /// The task that ends last
    pub last: Option<TaskId>,
    pub late_days: u32,
    /// Open tasks of it that have no place in the plan
    pub unplanned: usize,
}

/// The dates of a task, before and after.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct DateChange {
    pub id: TaskId,
    pub start_before: Option<Day>,
    pub start: Option<Day>,
    pub due_before: Option<Day>,
    pub due: Option<Day>,
    /// How many days later than it was due; 0 when it is not later
    pub later_days: u32,
}

/// Plans the open leaves by the rule of this module.
pub fn plan(input: PlanInput<'_>) -> Plan {
    let mut graph = graph::Graph::new(&input);
    let mut problems = graph.cycles();
    let mut lanes = lane::Lanes::new(&input, &graph);
    problems.extend(pinned::reserve(&mut graph, &mut lanes));
    problems.extend(deadline::spread(&mut graph, &mut lanes));
    let mut placed = place::run(&graph, &mut lanes);
    problems.extend(std::mem::take(&mut placed.problems));
    let slack = slack::of(&graph, &mut lanes, &placed);
    report::write(&input, &graph, &mut lanes, &placed, &slack, problems)
}
