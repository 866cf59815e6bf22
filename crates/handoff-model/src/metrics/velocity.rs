//! How much is finished in a week.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use super::spread::Spread;
use super::{Figure, Measured, SAMPLES, Work};
use crate::when::Day;

/// The most weeks that count; the latest ones.
const WEEKS: i64 = 52;

/// What was finished in complete weeks, and how much that varies.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Velocity {
    /// The complete weeks, the oldest first
    pub weeks: Vec<Week>,
    /// The week that is under way, which does not count yet
    pub this_week: Week,
    /// Minutes of estimates finished in a week
    pub minutes: Spread,
    /// Leaves finished in a week
    pub tasks: Spread,
}

/// What was finished in a week.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Week {
    /// The day it begins with
    pub start: Day,
    pub tasks: u32,
    /// The estimates of these tasks
    pub minutes: u64,
}

pub(super) fn velocity(work: &Work<'_, '_>) -> Figure<Velocity> {
    let how = "estimates of the leaves done in each complete week since the first task was made; a week in which \
               nothing was done counts too";
    let calendar = work.input.calendar;
    let this_week = calendar.week_of(work.today);
    let mut weeks: BTreeMap<Day, Week> = BTreeMap::new();
    for leaf in &work.leaves {
        let Some(done) = leaf.timeline.done_at() else { continue };
        let start = calendar.week_of(work.day(done));
        let week = weeks.entry(start).or_insert(Week { start, tasks: 0, minutes: 0 });
        week.tasks += 1;
        week.minutes += u64::from(leaf.task.estimate_minutes(None).unwrap_or(0));
    }
    let empty = |start| Week { start, tasks: 0, minutes: 0 };
    let week_at = |start: Day| weeks.get(&start).copied().unwrap_or_else(|| empty(start));
    let first = work.leaves.iter().filter_map(|leaf| leaf.timeline.created).min().map(|at| work.day(at));
    // The first week is complete only if its first day is the first one.
    let first = first.map(|day| day.max(work.input.since.unwrap_or(day)));
    let first = first.map(|day| match calendar.week_of(day) {
        start if start == day => start,
        start => start.plus(7).unwrap_or(start),
    });
    let count = first.map_or(0, |first| first.days_until(this_week) / 7).clamp(0, WEEKS);
    let complete: Vec<Week> = (1..=count).rev().filter_map(|back| this_week.plus(-7 * back)).map(week_at).collect();
    #[expect(clippy::cast_precision_loss, reason = "no week has so many minutes")]
    let minutes = Spread::of(complete.iter().map(|week| week.minutes as f64).collect());
    let tasks = Spread::of(complete.iter().map(|week| f64::from(week.tasks)).collect());
    let have = complete.len();
    match minutes.zip(tasks).filter(|_| have >= SAMPLES) {
        Some((minutes, tasks)) => {
            let velocity = Velocity { weeks: complete, this_week: week_at(this_week), minutes, tasks };
            Figure { value: Measured::Known(velocity), how }
        }
        None => Figure { value: Measured::NotEnough { have, need: SAMPLES }, how },
    }
}
