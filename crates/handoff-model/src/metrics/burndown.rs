//! How the work that is left went down, and how the work there is grew.

use schemars::JsonSchema;
use serde::Serialize;

use super::flow::place;
use super::{Figure, Leaf, Measured, SAMPLES, SERIES_DAYS, Work};
use crate::task::Status;
use crate::when::Day;

/// Work left at the end of each day.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Burndown {
    pub days: Vec<BurndownDay>,
    /// How the ideal line goes on after today, of a year at most
    pub ahead: Vec<IdealDay>,
    /// Where the ideal line ends
    pub target: Option<Target>,
    /// Leaves without an estimate that are not skipped; the line does not show them
    pub unestimated: usize,
}

/// The day by which everything should be done, and what says so.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Target {
    pub day: Day,
    /// What says so, such as `milestone beta`
    pub by: String,
}

/// Where the ideal line is on a day to come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct IdealDay {
    pub day: Day,
    pub ideal: u64,
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
        let on = |at| place(first, work.day(at)).min(length);
        let states: Vec<(usize, Status)> = leaf.timeline.states.iter().map(|(at, status)| (on(*at), *status)).collect();
        let estimates: Vec<(usize, u32)> = leaf.timeline.estimates.iter().map(|(at, it)| (on(*at), *it)).collect();
        // Between any two changes of state or estimate both are fixed; each such piece adds to its days.
        let (mut state, mut estimate) = (states.iter().peekable(), estimates.iter().peekable());
        let (mut status, mut minutes) = (None, 0);
        let next = |state: Option<&&(usize, Status)>, estimate: Option<&&(usize, u32)>| {
            state.map(|(at, _)| *at).into_iter().chain(estimate.map(|(at, _)| *at)).min()
        };
        while let Some(from) = next(state.peek(), estimate.peek()) {
            while let Some((_, it)) = state.next_if(|(at, _)| *at == from) {
                status = Some(*it);
            }
            while let Some((_, it)) = estimate.next_if(|(at, _)| *at == from) {
                minutes = i64::from(*it);
            }
            let to = next(state.peek(), estimate.peek()).unwrap_or(length);
            for (sums, counts) in [
                (&mut scope, status.is_some_and(|status| status != Status::Skipped)),
                (&mut remaining, status.is_some_and(Status::is_open)),
            ] {
                if counts {
                    sums[from] += minutes;
                    sums[to] -= minutes;
                }
            }
        }
    }
    let is_unestimated =
        |leaf: &&Leaf<'_>| leaf.task.schedule.estimate_hours.is_none() && leaf.task.status != Status::Skipped;
    let unestimated = work.leaves.iter().filter(is_unestimated).count();
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
            let ideal = target.map(|target| ideal(work, start, first, day, target.day));
            days.push(BurndownDay { day, remaining: left, scope: whole, scope_change, ideal });
        }
        let start = days.first().map_or(0, |first| first.remaining);
        let ahead = target.map(|target| {
            let day = |offset| i64::try_from(offset).ok().and_then(|offset| work.today.plus(offset));
            let days = (1..=SERIES_DAYS).map_while(day).take_while(|day| *day <= target.day);
            days.map(|day| IdealDay { day, ideal: ideal(work, start, first, day, target.day) }).collect()
        });
        Burndown { days, ahead: ahead.unwrap_or_default(), target: target.cloned(), unestimated }
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
