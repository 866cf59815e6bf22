//! Deadlines, spread from milestones and pinned starts back over what comes before, and from when they press.

use super::Problem;
use super::graph::Graph;
use super::lane::{Lanes, Position};

/// Gives every leaf its deadline and the day from which it is pressing; tells who cannot keep theirs.
pub(super) fn spread(graph: &mut Graph<'_>, lanes: &mut Lanes<'_>) -> Vec<Problem> {
    latest_ends(graph, lanes);
    let mut problems = Vec::new();
    let mut of_lane: Vec<Vec<(u64, usize)>> = vec![Vec::new(); lanes.all.len()];
    for (index, leaf) in graph.leaves.iter().enumerate() {
        if let Some(deadline) = leaf.deadline.filter(|_| leaf.pinned.is_none() && leaf.work > 0) {
            of_lane[leaf.lane].push((lanes.all[leaf.lane].minute_at(deadline), index));
        }
    }
    for (lane, mut due) in of_lane.into_iter().enumerate() {
        due.sort_unstable();
        problems.extend(press(graph, lanes, lane, &due));
    }
    problems
}

/// The latest time by which each leaf must have ended, as if it were alone.
fn latest_ends(graph: &mut Graph<'_>, lanes: &mut Lanes<'_>) {
    let mut latest_begin: Vec<Option<Position>> = vec![None; graph.after.len()];
    for &node in graph.order.iter().rev() {
        let after = graph.after[node].iter().filter_map(|&next| latest_begin[next]).min();
        let Some(leaf) = graph.leaf_of[node].map(|leaf| &mut graph.leaves[leaf]) else {
            latest_begin[node] = after;
            continue;
        };
        if let Some(pinned) = &leaf.pinned {
            latest_begin[node] = Some(Position::end_of(pinned.start));
            continue;
        }
        let milestone = leaf.milestone.map(|date| {
            let farthest = i64::from(super::HORIZON_DAYS);
            let days = graph.today.days_until(date).clamp(-farthest, farthest);
            Position::end_of(i32::try_from(days).unwrap_or(0))
        });
        leaf.deadline = milestone.into_iter().chain(after).min();
        let lane = &mut lanes.all[leaf.lane];
        latest_begin[node] = leaf.deadline.map(|deadline| {
            let begin = lane.minute_at(deadline).saturating_sub(leaf.work);
            let alone = if leaf.work == 0 { None } else { lane.begins_at(begin) };
            alone.unwrap_or(deadline).min(deadline)
        });
    }
}

/// From when the work of one person presses: the day by which all that is due up to some deadline must be begun.
fn press(graph: &mut Graph<'_>, lanes: &mut Lanes<'_>, lane: usize, due: &[(u64, usize)]) -> Option<Problem> {
    let mut sum = 0;
    let mut begin: Vec<i64> = Vec::with_capacity(due.len());
    for &(deadline, leaf) in due {
        sum += graph.leaves[leaf].work;
        begin.push(i64::try_from(deadline).unwrap_or(i64::MAX) - i64::try_from(sum).unwrap_or(i64::MAX));
    }
    let mut earliest = i64::MAX;
    for (&(_, leaf), &begin) in due.iter().zip(&begin).rev() {
        earliest = earliest.min(begin);
        let minute = u64::try_from(earliest).unwrap_or(0);
        graph.leaves[leaf].pressing = lanes.all[lane].begins_at(minute).map(|position| position.day);
    }
    let (worst, &short) = begin.iter().enumerate().min_by_key(|(_, begin)| **begin)?;
    if short >= 0 {
        return None;
    }
    let by = graph.leaves[due[worst].1].deadline?.day;
    let needed = lanes.all[lane].ends_at(due[worst].0 + short.unsigned_abs());
    Some(Problem::Overload {
        who: lanes.all[lane].who.map(str::to_owned),
        by: lanes.day(by),
        minutes: short.unsigned_abs(),
        possible: needed.map(|position| lanes.day(position.day)),
    })
}
