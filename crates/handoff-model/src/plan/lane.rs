//! The time of one person as a row of minutes without gaps.
//!
//! A position on the calendar (a day, and a minute of its working time) becomes a number on the row and back. Pinned
//! work comes first on its day and is not on the row.

use std::collections::BTreeMap;

use super::graph::Graph;
use super::{HORIZON_DAYS, PlanInput};
use crate::calendar::WorkDays;
use crate::when::Day;

/// A time on the calendar: days after today, and the minute of the working day.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Position {
    pub(super) day: i32,
    pub(super) minute: u32,
}

impl Position {
    pub(super) const START: Position = Position { day: 0, minute: 0 };

    pub(super) fn end_of(day: i32) -> Position {
        Position { day, minute: u32::MAX }
    }
}

/// The free minutes of one person from today on.
pub(super) struct Lane<'a> {
    pub(super) who: Option<&'a str>,
    work_days: &'a WorkDays,
    today: Day,
    reserved: BTreeMap<i32, u32>,
    /// How many free minutes lie before each day; grows as far as it is needed
    before: Vec<u64>,
}

pub(super) struct Lanes<'a> {
    pub(super) all: Vec<Lane<'a>>,
    today: Day,
}

impl<'a> Lanes<'a> {
    pub(super) fn new(input: &PlanInput<'a>, graph: &Graph<'a>) -> Self {
        let lane = |who: Option<&'a str>| Lane {
            who,
            work_days: input.calendar.of(who),
            today: input.today,
            reserved: BTreeMap::new(),
            before: vec![0],
        };
        Lanes { all: graph.people.iter().copied().map(lane).collect(), today: input.today }
    }

    /// So many days after today.
    pub(super) fn day(&self, number: i32) -> Day {
        self.today.plus(i64::from(number)).unwrap_or(self.today)
    }
}

impl Lane<'_> {
    /// The minutes of the calendar on a day.
    fn worked(&self, day: i32) -> u32 {
        self.today.plus(i64::from(day)).map_or(0, |day| self.work_days.minutes_on(day))
    }

    fn reserved(&self, day: i32) -> u32 {
        self.reserved.get(&day).copied().unwrap_or(0)
    }

    /// Takes minutes of a day for pinned work, at most as many as are left, and returns how many.
    pub(super) fn reserve(&mut self, day: i32, wanted: u32) -> u32 {
        let taken = wanted.min(self.worked(day) - self.reserved(day));
        if taken > 0 {
            *self.reserved.entry(day).or_insert(0) += taken;
        }
        taken
    }

    /// The first day, from this one on, on which the calendar gives time.
    pub(super) fn next_working_day(&self, from: i32) -> Option<i32> {
        let from = self.today.plus(i64::from(from))?;
        let next = i32::try_from(self.today.days_until(self.work_days.next_from(from)?)).ok()?;
        (next < HORIZON_DAYS).then_some(next)
    }

    /// Makes the row long enough for a day, as far as the horizon.
    fn reach(&mut self, day: i32) {
        let wanted = usize::try_from(day.clamp(0, HORIZON_DAYS)).unwrap_or(0);
        while self.before.len() <= wanted {
            let last = i32::try_from(self.before.len() - 1).unwrap_or(HORIZON_DAYS);
            let free = self.worked(last) - self.reserved(last);
            self.before.push(self.before[self.before.len() - 1] + u64::from(free));
        }
    }

    fn before(&mut self, day: i32) -> u64 {
        self.reach(day);
        self.before[usize::try_from(day).unwrap_or(0).min(self.before.len() - 1)]
    }

    /// How many free minutes lie before a position.
    pub(super) fn minute_at(&mut self, at: Position) -> u64 {
        if at.day < 0 {
            return 0;
        }
        if at.day >= HORIZON_DAYS {
            return self.before(HORIZON_DAYS);
        }
        let (before, after) = (self.before(at.day), self.before(at.day + 1));
        let past = u64::from(at.minute.saturating_sub(self.reserved(at.day)));
        before + past.min(after - before)
    }

    /// The day that holds a minute of the row, if one before the horizon does.
    fn day_of(&mut self, minute: u64) -> Option<i32> {
        while self.before[self.before.len() - 1] <= minute {
            let length = i32::try_from(self.before.len()).unwrap_or(HORIZON_DAYS);
            if length > HORIZON_DAYS {
                return None;
            }
            self.reach(length.saturating_mul(2).min(HORIZON_DAYS));
        }
        let day = self.before.partition_point(|&before| before <= minute) - 1;
        i32::try_from(day).ok()
    }

    /// Where a minute of the row begins.
    pub(super) fn begins_at(&mut self, minute: u64) -> Option<Position> {
        let day = self.day_of(minute)?;
        Some(self.within(day, minute))
    }

    /// Where the minutes of the row up to this one end.
    pub(super) fn ends_at(&mut self, minute: u64) -> Option<Position> {
        let day = self.day_of(minute.checked_sub(1)?)?;
        Some(self.within(day, minute))
    }

    fn within(&mut self, day: i32, minute: u64) -> Position {
        let past = u32::try_from(minute - self.before(day)).unwrap_or(u32::MAX);
        Position { day, minute: self.reserved(day).saturating_add(past) }
    }

    /// The days that a stretch of the row lies on, with its minutes on each.
    pub(super) fn days_of(&mut self, begin: u64, end: u64) -> Vec<(i32, u32)> {
        let mut days = Vec::new();
        let mut at = begin;
        while at < end {
            let Some(day) = self.day_of(at) else { break };
            let until = self.before(day + 1).min(end);
            days.push((day, u32::try_from(until - at).unwrap_or(u32::MAX)));
            at = until;
        }
        days
    }
}
