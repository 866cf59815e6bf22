//! Pinned tasks: their work is put on their days before anything else is.

use super::graph::{Graph, Pinned};
use super::lane::Lanes;
use super::{HORIZON_DAYS, Problem};
use crate::when::Day;

/// Reserves the time of the pinned leaves, the earliest first, and tells what does not fit.
///
/// One that has a start alone ends when its work is done; one that has an end alone is worked on as early as possible.
pub(super) fn reserve(graph: &mut Graph<'_>, lanes: &mut Lanes<'_>) -> Vec<Problem> {
    let today = graph.today;
    let number = |day: Day| {
        let days = today.days_until(day).clamp(i64::from(-HORIZON_DAYS), i64::from(HORIZON_DAYS) - 1);
        i32::try_from(days).unwrap_or(0)
    };
    let mut pinned: Vec<usize> = (0..graph.leaves.len())
        .filter(|&leaf| {
            let task = graph.leaves[leaf].task;
            task.pinned && (task.start.is_some() || task.due.is_some())
        })
        .collect();
    pinned.sort_by_key(|&leaf| {
        let task = graph.leaves[leaf].task;
        (task.start.or(task.due), task.due, task.place, task.id)
    });
    let mut problems = Vec::new();
    for index in pinned {
        let leaf = &mut graph.leaves[index];
        let lane = &mut lanes.all[leaf.lane];
        let (start, due) = (leaf.task.start.map(number), leaf.task.due.map(number));
        let last = due.unwrap_or(HORIZON_DAYS - 1);
        let mut left = u32::try_from(leaf.work).unwrap_or(u32::MAX);
        let mut days = Vec::new();
        let mut next = lane.next_working_day(start.unwrap_or(0).max(0));
        while let Some(day) = next.filter(|&day| day <= last && left > 0) {
            let taken = lane.reserve(day, left);
            if taken > 0 {
                days.push((day, taken));
                left -= taken;
            }
            next = lane.next_working_day(day + 1);
        }
        let first_day = days.first().map(|&(day, _)| day);
        let last_day = days.last().map(|&(day, _)| day);
        let start = start.or(first_day).or(due).unwrap_or(0);
        let end = due.or(last_day).unwrap_or(start);
        if left > 0 && leaf.task.work.is_some() {
            let who = lane.who.map(str::to_owned);
            problems.push(if end < 0 {
                Problem::PinnedInThePast { task: leaf.task.id, due: leaf.task.due.unwrap_or(today), minutes: left }
            } else {
                Problem::PinnedTooShort { task: leaf.task.id, who, minutes: left }
            });
        }
        leaf.pinned = Some(Pinned { start, end, days });
    }
    problems
}
