//! Moving one task: what follows, without planning anything anew.
//!
//! The task gets the dates it is given; its work days stay as many when only one date is given. What depends on it, and
//! begins before it now ends, moves to the next working day after it and keeps its number of work days; and so on from
//! there. Nothing is drawn forward, nothing else moves, and what is pinned stays and is told. Finished tasks do not
//! move. Parents follow their leaves.

use std::collections::{HashMap, HashSet};

use schemars::JsonSchema;
use serde::Serialize;

use super::graph::Graph;
use super::{DateChange, PlanInput, PlanTask, Problem, roll_up};
use crate::calendar::WorkDays;
use crate::id::TaskId;
use crate::when::Day;

/// Where a task is moved to. With neither date nothing moves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Move {
    pub start: Option<Day>,
    pub due: Option<Day>,
}

/// What follows from moving a task.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Shift {
    /// The task itself, what is pushed by it, and their parents, from the top of the tree to the bottom
    pub moved: Vec<Moved>,
    /// What cannot be kept
    pub problems: Vec<Problem>,
}

/// A task with its new dates.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Moved {
    #[serde(flatten)]
    pub change: DateChange,
    /// The task that pushed it; none for the one that was moved, and for parents
    pub because_of: Option<TaskId>,
}

/// Why a task cannot be moved.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CannotMove {
    #[error("no task `{0}` to move")]
    Missing(TaskId),
    #[error("`{0}` has tasks under it, and its dates follow from them: move those")]
    Parent(TaskId),
    #[error("`{0}` is finished")]
    Finished(TaskId),
}

#[derive(Clone, Copy)]
struct Dates {
    start: Option<Day>,
    due: Option<Day>,
    because_of: Option<TaskId>,
}

/// Works out what moving a leaf does to the others.
pub fn shift(input: PlanInput<'_>, id: TaskId, to: Move) -> Result<Shift, CannotMove> {
    let graph = Graph::new(&input);
    let Some(target) = graph.tasks.iter().position(|task| task.id == id) else { return Err(CannotMove::Missing(id)) };
    if graph.is_parent[target] {
        return Err(CannotMove::Parent(id));
    }
    if graph.leaf_of[target].is_none() {
        return Err(CannotMove::Finished(id));
    }
    let days_of = |task: usize| {
        let leaf = graph.leaf_of[task].map(|leaf| graph.people[graph.leaves[leaf].lane]);
        input.calendar.of(leaf.flatten())
    };
    let mut dates: Vec<Dates> =
        graph.tasks.iter().map(|task| Dates { start: task.start, due: task.due, because_of: None }).collect();
    dates[target] = moved_to(graph.tasks[target], days_of(target), to);

    let mut problems = graph.cycles();
    let has_moved = |dates: &[Dates], task: usize| {
        let before = graph.tasks[task];
        (before.start, before.due) != (dates[task].start, dates[task].due)
    };
    // By node: the latest end among what moved before it, and whose that is.
    let mut ends: HashMap<usize, (Day, usize)> = HashMap::new();
    if has_moved(&dates, target) {
        problems.extend(too_early(&graph, target, dates[target]));
    }
    for &node in &graph.order {
        let mut passed_on = ends.get(&node).copied();
        if let Some(leaf) = graph.leaf_of[node] {
            let task = graph.leaves[leaf].task;
            let begins = dates[node].start.or(dates[node].due);
            if let Some((end, by)) = passed_on.filter(|(end, _)| begins.is_some_and(|begins| begins < *end)) {
                let dependency = graph.tasks[by].id;
                if task.pinned && node != target {
                    let start = begins.unwrap_or(end);
                    problems.push(Problem::PinnedTooEarly { task: task.id, start, dependency, ends: end });
                } else if node != target {
                    dates[node] = pushed(dates[node], days_of(node), end, dependency);
                }
            }
            let end = dates[node].due.or(dates[node].start);
            // Only what moved pushes: what overlapped before stays as it was.
            passed_on = end.filter(|_| has_moved(&dates, node)).map(|end| (end, node));
        }
        for &after in &graph.after[node] {
            if let Some((end, by)) = passed_on {
                let latest = ends.entry(after).or_insert((end, by));
                if end > latest.0 {
                    *latest = (end, by);
                }
            }
        }
    }
    for leaf in graph.leaves.iter().filter(|leaf| has_moved(&dates, leaf.node)) {
        problems.extend(missed(&input, &graph, leaf.node, dates[leaf.node].due));
    }
    Ok(Shift { moved: written(&graph, &dates), problems })
}

/// Whether a task that was moved begins before something that it, or a parent of it, waits for.
fn too_early(graph: &Graph<'_>, target: usize, to: Dates) -> Option<Problem> {
    let named: HashSet<TaskId> =
        graph.line(target).flat_map(|task| graph.tasks[task].dependencies.iter().copied()).collect();
    let before =
        graph.leaves.iter().filter(|leaf| graph.line(leaf.node).any(|task| named.contains(&graph.tasks[task].id)));
    let last = before.filter_map(|leaf| Some((leaf.task.due.or(leaf.task.start)?, leaf.task.id))).max();
    let (start, (ends, dependency)) = to.start.or(to.due).zip(last).filter(|(start, (ends, _))| start < ends)?;
    Some(Problem::PinnedTooEarly { task: graph.tasks[target].id, start, dependency, ends })
}

/// The milestones that a task reaches too late with its new due date.
fn missed(input: &PlanInput<'_>, graph: &Graph<'_>, task: usize, due: Option<Day>) -> Vec<Problem> {
    let dated = |at: usize| {
        let milestone = graph.tasks[at].milestone.as_ref()?;
        let (date, end) = (*input.milestones.get(milestone)?, due?);
        let late_days = u32::try_from(date.days_until(end)).ok().filter(|&days| days > 0)?;
        Some(Problem::MilestoneLate { milestone: milestone.clone(), date, end, last: graph.tasks[task].id, late_days })
    };
    graph.line(task).filter_map(dated).collect()
}

/// The dates of the task itself.
fn moved_to(task: &PlanTask, days: &WorkDays, to: Move) -> Dates {
    let length = work_days(task.start, task.due, days);
    let (start, due) = match (to.start, to.due) {
        (None, None) => (task.start, task.due),
        (Some(start), Some(due)) => (Some(start), Some(due.max(start))),
        (Some(start), None) => (Some(start), task.due.map(|_| end_after(start, length, days))),
        (None, Some(due)) => (task.start.map(|_| start_before(due, length, days)), Some(due)),
    };
    Dates { start, due, because_of: None }
}

fn pushed(dates: Dates, days: &WorkDays, end: Day, by: TaskId) -> Dates {
    let length = work_days(dates.start, dates.due, days);
    let start = end.plus(1).and_then(|next| days.next_from(next)).unwrap_or(end);
    Dates {
        start: dates.start.map(|_| start),
        due: dates.due.map(|_| if dates.start.is_some() { end_after(start, length, days) } else { start }),
        because_of: Some(by),
    }
}

/// How many days of work lie between two dates; at least one.
pub(super) fn work_days(start: Option<Day>, due: Option<Day>, days: &WorkDays) -> usize {
    let (Some(start), Some(due)) = (start, due) else { return 1 };
    let length = start.days_until(due).clamp(0, i64::from(super::HORIZON_DAYS));
    let worked = (0..=length).filter_map(|offset| start.plus(offset)).filter(|&day| days.minutes_on(day) > 0).count();
    worked.max(1)
}

pub(super) fn end_after(start: Day, length: usize, days: &WorkDays) -> Day {
    let mut end = start;
    let mut next = days.next_from(start);
    for _ in 0..length {
        let Some(day) = next else { break };
        end = day;
        next = day.plus(1).and_then(|day| days.next_from(day));
    }
    end
}

fn start_before(due: Day, length: usize, days: &WorkDays) -> Day {
    let farthest = usize::try_from(super::HORIZON_DAYS).unwrap_or(0);
    let back = std::iter::successors(Some(due), |day| day.plus(-1)).take(farthest);
    back.filter(|&day| days.minutes_on(day) > 0).take(length).last().unwrap_or(due)
}

fn written(graph: &Graph<'_>, dates: &[Dates]) -> Vec<Moved> {
    let because_of: HashMap<TaskId, Option<TaskId>> =
        graph.tasks.iter().zip(dates).map(|(task, dates)| (task.id, dates.because_of)).collect();
    let after: Vec<_> = dates.iter().map(|dates| (dates.start, dates.due)).collect();
    let moved = |change: DateChange| Moved { because_of: because_of[&change.id], change };
    roll_up::changes(graph, &after).into_iter().map(moved).collect()
}
