//! Which leaves count, and what they have from those above them.
//!
//! What a leaf does not say itself, its nearest parent says: its person and its due date, as in the planner. It belongs
//! to its own milestone and to those of its parents.

use std::collections::{BTreeMap, BTreeSet};

use super::MetricTask;
use crate::id::TaskId;
use crate::task::Task;
use crate::when::Day;

/// Which leaves count: all of them, or those of a person, of a milestone, or of both.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Only<'a> {
    pub person: Option<&'a str>,
    pub milestone: Option<&'a str>,
}

impl Only<'_> {
    pub(super) fn is_everything(self) -> bool {
        self.person.is_none() && self.milestone.is_none()
    }

    fn takes(self, leaf: &Place<'_>) -> bool {
        self.person.is_none_or(|person| leaf.assignee == Some(person))
            && self.milestone.is_none_or(|milestone| leaf.milestones.contains(milestone))
    }
}

/// A leaf in its place.
pub(super) struct Place<'a> {
    pub(super) task: &'a Task,
    pub(super) assignee: Option<&'a str>,
    pub(super) due: Option<Day>,
    pub(super) milestones: BTreeSet<&'a str>,
    /// The parents above it
    pub(super) above: Vec<TaskId>,
}

/// The ids of the leaves that count.
pub fn chosen(tasks: &[MetricTask<'_>], only: Only<'_>) -> BTreeSet<TaskId> {
    places(tasks, only).iter().map(|leaf| leaf.task.id).collect()
}

/// The leaves that count, by id.
pub(super) fn places<'a>(tasks: &[MetricTask<'a>], only: Only<'_>) -> Vec<Place<'a>> {
    /// No tree is deeper; one that seems so goes in circles.
    const DEEPEST: usize = 64;
    let by_id: BTreeMap<TaskId, &MetricTask<'a>> = tasks.iter().map(|task| (task.task.id, task)).collect();
    let parents: BTreeSet<TaskId> = by_id.values().filter_map(|task| task.parent).collect();
    let place = |leaf: &MetricTask<'a>| {
        let parent = |at: &&MetricTask<'a>| at.parent.and_then(|parent| by_id.get(&parent).copied());
        let line: Vec<&'a Task> =
            std::iter::successors(Some(leaf), |at| parent(at)).take(DEEPEST).map(|task| task.task).collect();
        Place {
            task: leaf.task,
            assignee: line.iter().find_map(|task| task.assignee.as_deref()),
            due: line.iter().find_map(|task| task.schedule.due_date),
            milestones: line.iter().filter_map(|task| task.schedule.milestone.as_deref()).collect(),
            above: line[1..].iter().map(|task| task.id).collect(),
        }
    };
    let leaves = by_id.values().filter(|task| !parents.contains(&task.task.id)).map(|leaf| place(leaf));
    leaves.filter(|leaf| only.takes(leaf)).collect()
}
