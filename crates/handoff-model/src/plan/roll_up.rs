//! New dates of leaves as changes: what is written for them, and what becomes of the parents above them.
//!
//! A parent that is open and not pinned reaches from the first to the last day of the leaves below it; those that are
//! skipped do not count. Only parents above a leaf that changes follow.

use std::collections::HashMap;

use super::graph::Graph;
use super::{DateChange, Plan, PlanInput};
use crate::id::TaskId;
use crate::task::Status;
use crate::when::Day;

/// The first and the last day of a task.
pub(super) type Dates = (Option<Day>, Option<Day>);

/// The changes that a plan makes to the tasks of one person alone, with their parents.
///
/// What others do stays where it is now, also where the plan would move it.
pub fn changes_of(input: PlanInput<'_>, plan: &Plan, person: &str) -> Vec<DateChange> {
    let graph = Graph::new(&input);
    let theirs = plan.tasks.iter().filter(|task| task.who.as_deref() == Some(person));
    let new: HashMap<TaskId, Dates> = theirs.map(|task| (task.id, (Some(task.start), Some(task.end)))).collect();
    // What is pinned is in the plan, but its dates are not the plan's to change.
    let moves = |task: usize| !graph.tasks[task].pinned && graph.leaf_of[task].is_some();
    let dates: Vec<Dates> = (0..graph.tasks.len())
        .map(|task| match new.get(&graph.tasks[task].id).filter(|_| moves(task)) {
            Some(dates) => *dates,
            None => (graph.tasks[task].start, graph.tasks[task].due),
        })
        .collect();
    changes(&graph, &dates)
}

/// What changes when the leaves have these dates, given by task; from the top of the tree to the bottom.
pub(super) fn changes(graph: &Graph<'_>, dates: &[Dates]) -> Vec<DateChange> {
    let before = |task: usize| (graph.tasks[task].start, graph.tasks[task].due);
    let leaves = || (0..graph.tasks.len()).filter(|&task| !graph.is_parent[task]);
    let mut follows = vec![false; graph.tasks.len()];
    for leaf in leaves().filter(|&leaf| dates[leaf] != before(leaf)) {
        for parent in graph.line(leaf).skip(1) {
            follows[parent] = graph.tasks[parent].status.is_open() && !graph.tasks[parent].pinned;
        }
    }
    let mut after: Vec<Dates> =
        (0..graph.tasks.len()).map(|task| if follows[task] { (None, None) } else { dates[task] }).collect();
    for leaf in leaves().filter(|&leaf| graph.tasks[leaf].status != Status::Skipped) {
        let (start, due) = dates[leaf];
        for parent in graph.line(leaf).skip(1).filter(|&parent| follows[parent]) {
            let (first, last) = &mut after[parent];
            *first = (*first).into_iter().chain(start.or(due)).min();
            *last = (*last).into_iter().chain(due.or(start)).max();
        }
    }
    let mut changed: Vec<usize> = (0..graph.tasks.len()).filter(|&task| after[task] != before(task)).collect();
    changed.sort_by_key(|&task| (graph.tasks[task].place, graph.tasks[task].id));
    changed.into_iter().map(|task| change(graph, task, after[task])).collect()
}

fn change(graph: &Graph<'_>, task: usize, (start, due): Dates) -> DateChange {
    let task = graph.tasks[task];
    let later = task.due.zip(due).map_or(0, |(before, after)| before.days_until(after).max(0));
    DateChange {
        id: task.id,
        start_before: task.start,
        start,
        due_before: task.due,
        due,
        later_days: u32::try_from(later).unwrap_or(u32::MAX),
    }
}
