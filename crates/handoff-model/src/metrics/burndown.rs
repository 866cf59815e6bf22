//! How the work that is left went down, and how the work there is grew.

use schemars::JsonSchema;
use serde::Serialize;

use super::flow::place;
use super::{Figure, Measured, SAMPLES, Work};
use crate::task::Status;
use crate::when::Day;

/// Work left at the end of each day.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Burndown {
    pub days: Vec<BurndownDay>,
    /// Where the ideal line ends
    pub target: Option<Day>,
    /// Leaves without an estimate, which the line does not show
    pub unestimated: usize,
}

/// Work at the end of a day, in minutes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct BurndownDay {
    pub day: Day,
    /// Estimates of the leaves that are open
    pub remaining: i64,
    /// Estimates of all leaves that are not skipped
    pub scope: i64,
    /// How much the scope grew on this day
    pub scope_change: i64,
    /// What would be left if the work of the first day went down with the working time until the target
    pub ideal: Option<u64>,
}

pub(super) fn burndown(work: &Work<'_, '_>) -> Figure<Burndown> {
    let how = "estimates, as they were on each day, of the leaves that were open at its end; ideal: the work of the \
               first day, going down evenly with working time until the target";
    let Some(first) = work.first_day() else {
        return Figure { value: Measured::NotEnough { have: 0, need: SAMPLES }, how };
    };
    let length = place(first, work.today) + 1;
    let mut scope = vec![0_i64; length + 1];
    let mut remaining = vec![0_i64; length + 1];
    for leaf in &work.leaves {
        let timeline = &leaf.timeline;
        // Between any two changes of state or estimate both are fixed; each such piece adds to its days.
        let mut changes: Vec<usize> = timeline
            .states
            .iter()
            .map(|(at, _)| *at)
            .chain(timeline.estimates.iter().map(|(at, _)| *at))
            .map(|at| place(first, work.day(at)).min(length))
            .collect();
        changes.sort_unstable();
        changes.dedup();
        for (index, &from) in changes.iter().enumerate() {
            let to = changes.get(index + 1).copied().unwrap_or(length);
            let on_day = |at| place(first, work.day(at)) <= from;
            let status = timeline.states.iter().rev().find(|(at, _)| on_day(*at)).map(|(_, status)| *status);
            let estimate = timeline.estimates.iter().rev().find(|(at, _)| on_day(*at)).map_or(0, |(_, it)| *it);
            for (sums, counts) in [
                (&mut scope, status.is_some_and(|status| status != Status::Skipped)),
                (&mut remaining, status.is_some_and(Status::is_open)),
            ] {
                if counts {
                    sums[from] += i64::from(estimate);
                    sums[to] -= i64::from(estimate);
                }
            }
        }
    }
    let unestimated = work.leaves.iter().filter(|leaf| leaf.task.schedule.estimate_hours.is_none()).count();
    let target = work.input.target;
    Figure::of(length, SAMPLES, how, || {
        let (mut left, mut whole) = (0, 0);
        let mut days: Vec<BurndownDay> = Vec::with_capacity(length);
        for offset in 0..length {
            left += remaining[offset];
            whole += scope[offset];
            let Some(day) = i64::try_from(offset).ok().and_then(|offset| first.plus(offset)) else { break };
            let start = days.first().map_or(left, |first| first.remaining);
            let scope_change = if offset == 0 { 0 } else { scope[offset] };
            let ideal = target.map(|target| ideal(work, start, first, day, target));
            days.push(BurndownDay { day, remaining: left, scope: whole, scope_change, ideal });
        }
        Burndown { days, target, unestimated }
    })
}

/// The share of the first day's work that the ideal line has left at the end of a day.
fn ideal(work: &Work<'_, '_>, start: i64, first: Day, day: Day, target: Day) -> u64 {
    let work_days = work.input.calendar.of(None);
    // The first day's work is what was left at its end, so time counts from the day after.
    let after = |first: Day| first.plus(1).unwrap_or(first);
    let whole = u128::from(work_days.minutes_between(after(first), target));
    let past = u128::from(work_days.minutes_between(after(first), day.min(target)));
    let start = u128::try_from(start).unwrap_or(0);
    if whole == 0 {
        return if day < target { u64::try_from(start).unwrap_or(0) } else { 0 };
    }
    u64::try_from((start * (whole - past) + whole / 2) / whole).unwrap_or(0)
}
