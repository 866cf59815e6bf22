//! How far each leaf can slip before everything is finished later, with the order of each person's work as it is.

use super::graph::Graph;
use super::lane::{Lanes, Position};
use super::place::Placed;

pub(super) struct Slack {
    /// By leaf; none for what is pinned or has no place
    pub(super) minutes: Vec<Option<u64>>,
    /// The leaves that decide about the end, the first first
    pub(super) critical_path: Vec<usize>,
    pub(super) end: Option<i32>,
}

pub(super) fn of(graph: &Graph<'_>, lanes: &mut Lanes<'_>, placed: &Placed) -> Slack {
    let spots = || placed.spots.iter().enumerate().filter_map(|(leaf, spot)| Some((leaf, spot.as_ref()?)));
    let last = spots().max_by_key(|(leaf, spot)| (spot.finish, std::cmp::Reverse(*leaf)));
    let mut minutes = vec![None; graph.leaves.len()];
    let Some((last, end)) = last.map(|(leaf, spot)| (leaf, spot.finish)) else {
        return Slack { minutes, critical_path: Vec::new(), end: None };
    };
    let mut latest: Vec<Option<Position>> = vec![None; graph.after.len()];
    let mut next_of_lane: Vec<u64> = vec![u64::MAX; lanes.all.len()];
    for &node in placed.settled.iter().rev() {
        let limit = graph.after[node].iter().filter_map(|&next| latest[next]).min().unwrap_or(end);
        let leaf = graph.leaf_of[node];
        let Some((index, spot)) = leaf.and_then(|leaf| Some((leaf, placed.spots[leaf].as_ref()?))) else {
            latest[node] = Some(limit);
            continue;
        };
        let leaf = &graph.leaves[index];
        if let Some(pinned) = &leaf.pinned {
            latest[node] = Some(Position::end_of(pinned.start));
            continue;
        }
        let lane = &mut lanes.all[leaf.lane];
        let length = spot.end - spot.begin;
        let mut latest_end = lane.minute_at(limit);
        if length > 0 {
            latest_end = latest_end.min(next_of_lane[leaf.lane]);
        }
        let begin = latest_end.saturating_sub(length);
        minutes[index] = Some(begin.saturating_sub(spot.begin));
        if length > 0 {
            next_of_lane[leaf.lane] = begin;
            latest[node] = lane.begins_at(begin).or(Some(limit));
        } else {
            latest[node] = Some(limit);
        }
    }
    let mut critical_path: Vec<usize> = Vec::new();
    let mut at = Some(last);
    while let Some(leaf) = at {
        critical_path.push(leaf);
        at = placed.spots[leaf].as_ref().and_then(|spot| spot.behind);
    }
    critical_path.reverse();
    Slack { minutes, critical_path, end: Some(end.day) }
}
