//! What is late, what lies still, and how far milestones are.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use super::spread::{in_float, per_cent};
use super::{Figure, Leaf, Measured, STALE_DAYS, Work};
use crate::id::TaskId;
use crate::task::Status;
use crate::when::Day;

/// An open task whose due date is over.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Overdue {
    pub id: TaskId,
    pub due: Day,
    pub days: i64,
}

/// A task that is begun or blocked, and that nobody touched.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Stale {
    pub id: TaskId,
    pub status: Status,
    pub last_touched: Day,
    pub days: i64,
}

/// How far a milestone is.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct MilestoneProgress {
    pub milestone: String,
    pub date: Option<Day>,
    /// Whether the configuration knows it
    pub defined: bool,
    /// Leaves that are not skipped
    pub tasks: usize,
    pub done: usize,
    /// Per cent of its leaves; absent when it has none
    pub completion: Option<f64>,
    /// Work left, in minutes
    pub remaining: u64,
    /// Whether its date is over while something is open
    pub overdue: bool,
}

pub(super) fn overdue(work: &Work<'_, '_>) -> Figure<Vec<Overdue>> {
    let mut all: Vec<Overdue> = work
        .leaves
        .iter()
        .filter(|leaf| leaf.task.status.is_open())
        .filter_map(|leaf| {
            let due = leaf.due.filter(|&due| due < work.today)?;
            Some(Overdue { id: leaf.task.id, due, days: due.days_until(work.today) })
        })
        .collect();
    all.sort_by_key(|overdue| (overdue.due, overdue.id));
    Figure {
        value: Measured::Known(all),
        how: "open leaves whose due date, or else that of their nearest parent, lies before today",
    }
}

pub(super) fn stale(work: &Work<'_, '_>) -> Figure<Vec<Stale>> {
    let how = "leaves that are in progress, in review or blocked, without a change, a note or logged time for \
               14 days";
    let mut worked: BTreeMap<TaskId, Day> = BTreeMap::new();
    for cell in &work.input.times.cells {
        let last = worked.entry(cell.task).or_insert(cell.day);
        *last = (*last).max(cell.day);
    }
    let begun = |leaf: &&Leaf<'_>| matches!(leaf.task.status, Status::InProgress | Status::Review | Status::Blocked);
    let mut all: Vec<Stale> = work
        .leaves
        .iter()
        .filter(begun)
        .filter_map(|leaf| {
            let changed = leaf.task.last_touched().map(|at| work.day(at));
            let last_touched = changed.into_iter().chain(worked.get(&leaf.task.id).copied()).max()?;
            let days = last_touched.days_until(work.today);
            let stale = days >= STALE_DAYS;
            stale.then_some(Stale { id: leaf.task.id, status: leaf.task.status, last_touched, days })
        })
        .collect();
    all.sort_by_key(|stale| (stale.last_touched, stale.id));
    Figure { value: Measured::Known(all), how }
}

pub(super) fn milestones(work: &Work<'_, '_>) -> Figure<Vec<MilestoneProgress>> {
    let how = "leaves that belong to a milestone themselves or by a parent; those that are skipped do not count";
    Figure { value: Measured::Known(progress(work)), how }
}

/// Each milestone that is defined or used, by date.
pub(super) fn progress(work: &Work<'_, '_>) -> Vec<MilestoneProgress> {
    let defined = work.input.milestones;
    let mut by_name: BTreeMap<&str, Vec<&Leaf<'_>>> = if work.input.only.is_everything() {
        defined.keys().map(|name| (name.as_str(), Vec::new())).collect()
    } else {
        BTreeMap::new()
    };
    for leaf in &work.leaves {
        for &name in &leaf.milestones {
            let leaves = by_name.entry(name).or_default();
            leaves.extend(Some(leaf).filter(|leaf| leaf.task.status != Status::Skipped));
        }
    }
    let progress = |(name, leaves): (&str, Vec<&Leaf<'_>>)| {
        let done = leaves.iter().filter(|leaf| leaf.task.status == Status::Done).count();
        let remaining = leaves.iter().filter_map(|leaf| leaf.task.remaining_minutes(leaf.spent, work.input.multiplier));
        let date = defined.get(name).copied().flatten();
        MilestoneProgress {
            milestone: name.to_owned(),
            date,
            defined: defined.contains_key(name),
            tasks: leaves.len(),
            done,
            completion: (!leaves.is_empty()).then(|| per_cent(in_float(done), in_float(leaves.len()))),
            remaining: remaining.map(u64::from).sum(),
            overdue: done < leaves.len() && date.is_some_and(|date| date < work.today),
        }
    };
    let mut all: Vec<MilestoneProgress> = by_name.into_iter().map(progress).collect();
    all.sort_by_key(|milestone| (milestone.date.is_none(), milestone.date));
    all
}
