//! How long tasks take, and how many are in each state on each day.

use schemars::JsonSchema;
use serde::Serialize;

use super::spread::Spread;
use super::{Figure, Leaf, Measured, SAMPLES, Work};
use crate::calendar::beginning_of;
use crate::task::Status;
use crate::when::{Day, Moment};

/// How many leaves are in each state at the end of a day.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct FlowDay {
    pub day: Day,
    pub todo: i64,
    pub in_progress: i64,
    pub review: i64,
    pub done: i64,
    pub blocked: i64,
    pub skipped: i64,
}

pub(super) fn lead_time(work: &Work<'_, '_>) -> Figure<Spread> {
    let how = "from the making of a task to its being done, in calendar time, over leaves that are done";
    times(work, how, |leaf| minutes(leaf.timeline.created?, work.done_at(leaf)?))
}

pub(super) fn cycle_time(work: &Work<'_, '_>) -> Figure<Spread> {
    let how =
        "from the first time a task is in progress to its being done, in calendar time, over leaves that are done";
    times(work, how, |leaf| minutes(leaf.timeline.begun_at()?, work.done_at(leaf)?))
}

pub(super) fn blocked_time(work: &Work<'_, '_>) -> Figure<Spread> {
    let how = "time spent blocked, in calendar time, over leaves that ever were";
    let since = work.input.since.and_then(|since| beginning_of(since, work.input.zone));
    times(work, how, |leaf| {
        let seconds = leaf.timeline.seconds_in(Status::Blocked, since, work.input.now);
        let ever = leaf.timeline.states.iter().any(|(_, status)| *status == Status::Blocked);
        // Whoever asks about some time only wants what was blocked in it.
        (ever && (since.is_none() || seconds > 0)).then(|| in_float(seconds) / 60.0)
    })
}

fn minutes(from: Moment, to: Moment) -> Option<f64> {
    let seconds = from.until(to).as_secs();
    (seconds >= 0).then(|| in_float(seconds) / 60.0)
}

#[expect(clippy::cast_precision_loss, reason = "no project is so old")]
fn in_float(seconds: i64) -> f64 {
    seconds as f64
}

fn times(work: &Work<'_, '_>, how: &'static str, time: impl Fn(&Leaf<'_>) -> Option<f64>) -> Figure<Spread> {
    let values: Vec<f64> = work.leaves.iter().filter_map(time).collect();
    let have = values.len();
    match Spread::of(values).filter(|_| have >= SAMPLES) {
        Some(spread) => Figure { value: Measured::Known(spread), how },
        None => Figure { value: Measured::NotEnough { have, need: SAMPLES }, how },
    }
}

/// The number of a day in a series, at least 0.
pub(super) fn place(first: Day, day: Day) -> usize {
    usize::try_from(first.days_until(day)).unwrap_or(0)
}

pub(super) fn flow(work: &Work<'_, '_>) -> Figure<Vec<FlowDay>> {
    let how = "leaves in each state at the end of each day, of the last year at most";
    let Some(first) = work.first_day() else {
        return Figure { value: Measured::NotEnough { have: 0, need: SAMPLES }, how };
    };
    let length = place(first, work.today) + 1;
    let mut changes = vec![[0_i64; Status::ALL.len()]; length + 1];
    for leaf in &work.leaves {
        let states = &leaf.timeline.states;
        for (index, &(at, status)) in states.iter().enumerate() {
            let from = place(first, work.day(at)).min(length);
            let to = states.get(index + 1).map_or(length, |(at, _)| place(first, work.day(*at)).min(length));
            changes[from][status as usize] += 1;
            changes[to.max(from)][status as usize] -= 1;
        }
    }
    Figure::of(length, SAMPLES, how, || {
        let mut now = [0_i64; Status::ALL.len()];
        let mut days = Vec::with_capacity(length);
        for (offset, change) in changes.iter().take(length).enumerate() {
            for (count, change) in now.iter_mut().zip(change) {
                *count += change;
            }
            let of = |status: Status| now[status as usize];
            days.extend(i64::try_from(offset).ok().and_then(|offset| first.plus(offset)).map(|day| FlowDay {
                day,
                todo: of(Status::Todo),
                in_progress: of(Status::InProgress),
                review: of(Status::Review),
                done: of(Status::Done),
                blocked: of(Status::Blocked),
                skipped: of(Status::Skipped),
            }));
        }
        days
    })
}
