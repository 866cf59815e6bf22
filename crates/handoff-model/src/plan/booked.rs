//! Days on which more is due than can be done, as the dates are now.
//!
//! The work of each open leaf that is due belongs between its start, or today, and its due date. Each day is given to
//! what is due first. What is left of a task at the end of its due date does not fit, and that day is overbooked by it.
//! If any order of work keeps all dates, this one does. What was due before today is overdue, and not counted.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

use super::graph::Graph;
use super::{HORIZON_DAYS, PlanInput};
use crate::when::Day;

/// The minutes that do not fit, by person and day.
pub type Overbooked = BTreeMap<(Option<String>, Day), u64>;

/// Finds the days on which somebody has too much to do.
pub fn overbooked(input: PlanInput<'_>) -> Overbooked {
    let graph = Graph::new(&input);
    let mut of_lane: Vec<Vec<(Day, Day, u64)>> = vec![Vec::new(); graph.people.len()];
    for leaf in &graph.leaves {
        if let Some(due) = leaf.task.due.filter(|&due| due >= input.today && leaf.work > 0) {
            let start = leaf.task.start.map_or(input.today, |start| start.clamp(input.today, due));
            of_lane[leaf.lane].push((start, due, leaf.work));
        }
    }
    let mut found = Overbooked::new();
    for (lane, mut tasks) in of_lane.into_iter().enumerate() {
        tasks.sort_unstable();
        let who = graph.people[lane];
        for (day, minutes) in too_much(input, who, tasks) {
            found.insert((who.map(str::to_owned), day), minutes);
        }
    }
    found
}

/// Walks through the days of one person, whose tasks come with start, due date and work, the earliest start first.
fn too_much(input: PlanInput<'_>, who: Option<&str>, tasks: Vec<(Day, Day, u64)>) -> Vec<(Day, u64)> {
    let work_days = input.calendar.of(who);
    let mut coming = tasks.into_iter().peekable();
    let mut open: BinaryHeap<Reverse<(Day, u64)>> = BinaryHeap::new();
    let mut found = Vec::new();
    let days = (0..i64::from(HORIZON_DAYS)).filter_map(|offset| input.today.plus(offset));
    for day in days {
        if open.is_empty() && coming.peek().is_none() {
            break;
        }
        while let Some((_, due, work)) = coming.next_if(|(start, ..)| *start <= day) {
            open.push(Reverse((due, work)));
        }
        let mut free = u64::from(work_days.minutes_on(day));
        while free > 0
            && let Some(Reverse((due, work))) = open.pop()
        {
            let done = work.min(free);
            free -= done;
            if work > done {
                open.push(Reverse((due, work - done)));
            }
        }
        let mut left = 0;
        while open.peek().is_some_and(|Reverse((due, _))| *due <= day) {
            left += open.pop().map_or(0, |Reverse((_, work))| work);
        }
        if left > 0 {
            found.push((day, left));
        }
    }
    found
}
