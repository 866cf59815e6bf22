//! The one calendar: how many minutes anybody can work on any day.
//!
//! Planner, capacity and metrics all ask here, so no two of them can disagree. Days are calendar days and work is in
//! whole minutes; no time of day exists, so summer time never shifts anything.
//!
//! Whether a day is worked by somebody is said by the first of these that says anything:
//!
//! 1. their `closed_dates`: no
//! 2. their `open_dates`, or the date in their `day_hours`: yes
//! 3. the calendar's `closed_dates`: no
//! 4. their `closed_weekdays`, when they have a list of their own: no
//! 5. the calendar's `open_dates`, or the date in its `day_hours`: yes
//! 6. the calendar's `closed_weekdays`, when they have no list of their own: no
//! 7. nothing: yes
//!
//! and for how long, by the first of these:
//!
//! 1. the date in their `day_hours`
//! 2. the date in the calendar's `day_hours`, yet never more than their own ordinary hours (3, 4)
//! 3. the day of the week in their `day_hours`
//! 4. their `work_hours_per_day`
//! 5. the day of the week in the calendar's `day_hours`
//! 6. the calendar's `work_hours_per_day`
//!
//! Somebody the configuration does not know, and work that is nobody's, goes by the calendar alone.

use std::collections::{BTreeMap, BTreeSet};

use crate::config::{Assignee, Calendar, DayKey, Decimal, Weekday};
use crate::text::Name;
use crate::when::Day;

mod days;
#[cfg(test)]
mod tests;

pub use days::beginning_of;

/// The hours of a configuration's `day_hours`.
type DayHours = BTreeMap<DayKey, Decimal<0, 2_400>>;

/// The days that are worked, by everybody and by each person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkCalendar {
    week_start: Weekday,
    everybody: WorkDays,
    people: BTreeMap<String, WorkDays>,
}

/// How many minutes are worked on each day.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkDays {
    /// By day of the week, Sunday first
    weekdays: [u32; 7],
    /// The dates that differ from their day of the week, or may
    dates: BTreeMap<Day, u32>,
}

/// A calendar on which nothing can ever be done.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{} no working time from {from} on: set `work_hours_per_day` above 0, take a day out of `closed_weekdays`, or add \
     dates to `open_dates`",
    who.as_ref().map_or_else(|| "the calendar has".to_owned(), |who| format!("`{who}` has"))
)]
pub struct NeverWorks {
    pub who: Option<String>,
    pub from: Day,
}

impl WorkCalendar {
    pub fn new(calendar: &Calendar, people: &BTreeMap<Name, Assignee>) -> Self {
        let person = |assignee: &Assignee| WorkDays::of(calendar, assignee);
        WorkCalendar {
            week_start: calendar.week_start,
            everybody: WorkDays::of(calendar, &Assignee::default()),
            people: people.iter().map(|(name, assignee)| (name.as_str().to_owned(), person(assignee))).collect(),
        }
    }

    /// The days of a person, or of nobody in particular.
    pub fn of(&self, who: Option<&str>) -> &WorkDays {
        who.and_then(|who| self.people.get(who)).unwrap_or(&self.everybody)
    }

    /// The first day, from this one on, on which somebody works.
    pub fn next_working_day(&self, who: Option<&str>, from: Day) -> Result<Day, NeverWorks> {
        self.of(who).next_from(from).ok_or_else(|| NeverWorks { who: who.map(str::to_owned), from })
    }

    /// The day that the week of a day begins with.
    pub fn week_of(&self, day: Day) -> Day {
        let back = (7 + day.weekday() as i64 - self.week_start as i64) % 7;
        day.plus(-back).unwrap_or(day)
    }
}

impl Default for WorkCalendar {
    fn default() -> Self {
        WorkCalendar::new(&Calendar::default(), &BTreeMap::new())
    }
}

impl WorkDays {
    fn of(calendar: &Calendar, person: &Assignee) -> WorkDays {
        let rules = Rules { calendar, person };
        let mut dates: BTreeSet<Day> = BTreeSet::new();
        for list in [&calendar.closed_dates, &calendar.open_dates, &person.closed_dates, &person.open_dates] {
            dates.extend(list);
        }
        for hours in [&calendar.day_hours, &person.day_hours] {
            dates.extend(hours.keys().filter_map(|key| if let DayKey::Date(day) = key { Some(*day) } else { None }));
        }
        WorkDays {
            weekdays: Weekday::ALL.map(|weekday| rules.ordinary(weekday)),
            dates: dates.into_iter().map(|day| (day, rules.on(day))).collect(),
        }
    }

    /// The minutes that can be worked on a day.
    pub fn minutes_on(&self, day: Day) -> u32 {
        self.dates.get(&day).copied().unwrap_or_else(|| self.ordinary(day))
    }

    /// The minutes of an ordinary week, Sunday first.
    pub fn ordinary_week(&self) -> [u32; 7] {
        self.weekdays
    }

    fn ordinary(&self, day: Day) -> u32 {
        self.weekdays[day.weekday() as usize]
    }

    /// The minutes that can be worked from one day to another, both included; none when they are the wrong way round.
    pub fn minutes_between(&self, first: Day, last: Day) -> u64 {
        let days = first.days_until(last) + 1;
        if days <= 0 {
            return 0;
        }
        let week: u64 = self.weekdays.iter().map(|&minutes| u64::from(minutes)).sum();
        let rest = (0..days % 7).filter_map(|offset| first.plus(offset)).map(|day| u64::from(self.ordinary(day)));
        let ordinary = week * (days.unsigned_abs() / 7) + rest.sum::<u64>();
        let (more, less) = self.dates.range(first..=last).fold((0, 0), |(more, less), (&day, &minutes)| {
            (more + u64::from(minutes), less + u64::from(self.ordinary(day)))
        });
        ordinary + more - less
    }

    /// The days with any working time from one day to another, both included.
    pub fn days_between(&self, first: Day, last: Day) -> u64 {
        let days = first.days_until(last) + 1;
        if days <= 0 {
            return 0;
        }
        let worked = |minutes: u32| u64::from(minutes > 0);
        let week: u64 = self.weekdays.iter().map(|&minutes| worked(minutes)).sum();
        let rest = (0..days % 7).filter_map(|offset| first.plus(offset)).map(|day| worked(self.ordinary(day)));
        let ordinary = week * (days.unsigned_abs() / 7) + rest.sum::<u64>();
        let (more, less) = self
            .dates
            .range(first..=last)
            .fold((0, 0), |(more, less), (&day, &minutes)| (more + worked(minutes), less + worked(self.ordinary(day))));
        ordinary + more - less
    }

    /// The first day, from this one on, with any working time.
    pub fn next_from(&self, from: Day) -> Option<Day> {
        if self.weekdays.iter().all(|&minutes| minutes == 0) {
            return self.dates.range(from..).find(|(_, minutes)| **minutes > 0).map(|(&day, _)| day);
        }
        // Only dates that were named can put it off further than a week, so this ends.
        std::iter::successors(Some(from), |day| day.plus(1)).find(|&day| self.minutes_on(day) > 0)
    }

    /// The last day, up to this one, with any working time.
    pub fn last_until(&self, until: Day) -> Option<Day> {
        if self.weekdays.iter().all(|&minutes| minutes == 0) {
            return self.dates.range(..=until).rev().find(|(_, minutes)| **minutes > 0).map(|(&day, _)| day);
        }
        std::iter::successors(Some(until), |day| day.plus(-1)).find(|&day| self.minutes_on(day) > 0)
    }
}

/// The two layers of rules: the calendar's and the person's.
struct Rules<'a> {
    calendar: &'a Calendar,
    person: &'a Assignee,
}

impl Rules<'_> {
    /// The minutes on an ordinary day of the week.
    fn ordinary(&self, weekday: Weekday) -> u32 {
        let closed = self.person.closed_weekdays.as_ref().unwrap_or(&self.calendar.closed_weekdays);
        if closed.contains(&weekday) { 0 } else { self.length(weekday) }
    }

    /// The minutes on a day of the week when it is worked.
    fn length(&self, weekday: Weekday) -> u32 {
        let hours = self.own_length(weekday).or_else(|| on_weekday(&self.calendar.day_hours, weekday));
        hours.unwrap_or_else(|| in_minutes(self.calendar.work_hours_per_day))
    }

    fn own_length(&self, weekday: Weekday) -> Option<u32> {
        on_weekday(&self.person.day_hours, weekday).or_else(|| self.person.work_hours_per_day.map(in_minutes))
    }

    /// The minutes on a date that some list names.
    fn on(&self, day: Day) -> u32 {
        let (calendar, person, weekday) = (self.calendar, self.person, day.weekday());
        let (own, common) = (on_date(&person.day_hours, day), on_date(&calendar.day_hours, day));
        let worked = if person.closed_dates.contains(&day) {
            false
        } else if person.open_dates.contains(&day) || own.is_some() {
            true
        } else if calendar.closed_dates.contains(&day) {
            false
        } else if let Some(closed) = &person.closed_weekdays {
            !closed.contains(&weekday)
        } else {
            calendar.open_dates.contains(&day) || common.is_some() || !calendar.closed_weekdays.contains(&weekday)
        };
        let length = || {
            let common = common.map(|minutes| minutes.min(self.own_length(weekday).unwrap_or(minutes)));
            own.or(common).unwrap_or_else(|| self.length(weekday))
        };
        if worked { length() } else { 0 }
    }
}

fn on_date(hours: &DayHours, day: Day) -> Option<u32> {
    hours.get(&DayKey::Date(day)).copied().map(in_minutes)
}

fn on_weekday(hours: &DayHours, weekday: Weekday) -> Option<u32> {
    hours.get(&DayKey::Weekday(weekday)).copied().map(in_minutes)
}

fn in_minutes(hours: Decimal<0, 2_400>) -> u32 {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a day has 0 to 24 hours")]
    let minutes = (hours.get() * 60.0).round() as u32;
    minutes
}
