//! Starting a project on another day: all dates move together.
//!
//! The earliest date of what is open and not pinned moves to the new first day, and every other one by as many working
//! days of the calendar. A task then begins on the next day on which its person works, and keeps its number of work days.
//! Parents follow; pinned and finished tasks, and the dates of milestones, stay.

use super::graph::Graph;
use super::roll_up::{self, Dates};
use super::shift::{end_after, work_days};
use super::{DateChange, HORIZON_DAYS, PlanInput};
use crate::calendar::{NeverWorks, WorkDays};
use crate::when::Day;

/// Why dates cannot be moved together.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CannotRestart {
    #[error(transparent)]
    NeverWorks(#[from] NeverWorks),
    #[error("the first date there is now, {from}, lies more than ten years from {to}: put that right first")]
    TooFar { from: Day, to: Day },
}

/// The changes that move the work so that its first day is this one; none when nothing has dates.
pub fn restart(input: PlanInput<'_>, first: Day) -> Result<Vec<DateChange>, CannotRestart> {
    let graph = Graph::new(&input);
    let common = input.calendar.of(None);
    let mut dates: Vec<Dates> = graph.tasks.iter().map(|task| (task.start, task.due)).collect();
    let moving = || graph.leaves.iter().filter(|leaf| !leaf.task.pinned);
    let Some(earliest) = moving().filter_map(|leaf| leaf.task.start.or(leaf.task.due)).min() else {
        return Ok(Vec::new());
    };
    if earliest.days_until(first).abs() > i64::from(HORIZON_DAYS) {
        return Err(CannotRestart::TooFar { from: earliest, to: first });
    }
    let never = || NeverWorks { who: None, from: first };
    let from = common.next_from(earliest).ok_or_else(never)?;
    let to = common.next_from(first).ok_or_else(never)?;
    let by = distance(common, from, to);
    for leaf in moving() {
        let days = input.calendar.of(graph.people[leaf.lane]);
        let (start, due) = dates[leaf.node];
        let Some(begins) = start.or(due) else { continue };
        let length = work_days(start, due, days);
        let begin = moved(common, begins, by).ok_or_else(never)?;
        let begin = days.next_from(begin).unwrap_or(begin);
        dates[leaf.node] = (start.map(|_| begin), due.map(|_| end_after(begin, length, days)));
    }
    Ok(roll_up::changes(&graph, &dates))
}

/// How many working days lie between two; negative when the second is earlier.
fn distance(days: &WorkDays, from: Day, to: Day) -> i64 {
    let count = |first: Day, last: Day| {
        let length = first.days_until(last);
        let worked = (0..length).filter_map(|offset| first.plus(offset)).filter(|&day| days.minutes_on(day) > 0);
        i64::try_from(worked.count()).unwrap_or(i64::MAX)
    };
    if from <= to { count(from, to) } else { -count(to, from) }
}

/// The day so many working days after another; one that is not worked counts as the next that is.
fn moved(days: &WorkDays, day: Day, by: i64) -> Option<Day> {
    let mut at = days.next_from(day)?;
    for _ in 0..by.unsigned_abs() {
        at = if by > 0 { days.next_from(at.plus(1)?)? } else { days.last_until(at.plus(-1)?)? };
    }
    Some(at)
}
