//! How much time somebody has in a range of days, and how much of it is planned.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use super::Plan;
use crate::calendar::WorkCalendar;
use crate::when::Day;

/// No more days than this are listed one by one: a year.
const LISTED_DAYS: u64 = 366;

/// The time of a person in a range of days.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Capacity {
    pub who: Option<String>,
    pub first: Day,
    pub last: Day,
    /// The minutes that can be worked in the whole range
    pub minutes: u64,
    /// The days of the whole range that are worked
    pub work_days: u64,
    /// The minutes of the whole range that are planned
    pub planned_minutes: u64,
    /// The days with working time or planned work, at most a year of them
    pub days: Vec<DayCapacity>,
    /// How many days of the range were not looked at one by one
    pub unlisted_days: u64,
}

/// The time of a person on one day.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct DayCapacity {
    pub day: Day,
    pub minutes: u32,
    pub planned_minutes: u32,
}

/// The time of a person from one day to another, both included.
pub fn capacity(calendar: &WorkCalendar, plan: &Plan, who: Option<&str>, first: Day, last: Day) -> Capacity {
    let mut planned: BTreeMap<Day, u32> = BTreeMap::new();
    let work = plan.tasks.iter().filter(|task| task.who.as_deref() == who).flat_map(|task| &task.days);
    for work in work.filter(|work| (first..=last).contains(&work.day)) {
        *planned.entry(work.day).or_insert(0) += work.minutes;
    }
    let work_days = calendar.of(who);
    let length = u64::try_from(first.days_until(last) + 1).unwrap_or(0);
    let listed = length.min(LISTED_DAYS);
    let days = (0..listed)
        .filter_map(|offset| first.plus(i64::try_from(offset).ok()?))
        .map(|day| DayCapacity {
            day,
            minutes: work_days.minutes_on(day),
            planned_minutes: planned.get(&day).copied().unwrap_or(0),
        })
        .filter(|day| day.minutes > 0 || day.planned_minutes > 0)
        .collect();
    Capacity {
        who: who.map(str::to_owned),
        first,
        last,
        minutes: work_days.minutes_between(first, last),
        work_days: work_days.days_between(first, last),
        planned_minutes: planned.values().map(|&minutes| u64::from(minutes)).sum(),
        days,
        unlisted_days: length - listed,
    }
}
