//! What the settings say of the calendar, as it is shown.

use std::collections::BTreeMap;

use handoff_model::calendar::WorkCalendar;
use handoff_model::config::{Calendar, DayKey, Weekday};
use handoff_model::when::Day;
use schemars::JsonSchema;
use serde::Serialize;

use crate::Page;
use crate::team::input::{DayLength, shown};
use crate::time::hours;

/// The days that are worked, as the settings say.
#[derive(Debug, Serialize, JsonSchema)]
pub struct CalendarSettings {
    pub work_hours_per_day: f64,
    /// Hours in an ordinary week
    pub hours_per_week: f64,
    pub closed_weekdays: Vec<Weekday>,
    pub closed_dates: Vec<Day>,
    pub open_dates: Vec<Day>,
    pub day_hours: BTreeMap<DayKey, DayLength>,
    pub week_start: Weekday,
    /// That of the machine when null
    pub time_zone: Option<String>,
}

impl CalendarSettings {
    pub(crate) fn of(calendar: &Calendar, days: &WorkCalendar) -> CalendarSettings {
        let week: u32 = days.of(None).ordinary_week().iter().sum();
        CalendarSettings {
            work_hours_per_day: calendar.work_hours_per_day.get(),
            hours_per_week: hours(i64::from(week)),
            closed_weekdays: calendar.closed_weekdays.clone(),
            closed_dates: calendar.closed_dates.clone(),
            open_dates: calendar.open_dates.clone(),
            day_hours: calendar.day_hours.clone(),
            week_start: calendar.week_start,
            time_zone: calendar.time_zone.clone().map(String::from),
        }
    }

    /// Adds it to a page, with the dates from today on.
    pub(crate) fn fields(&self, page: Page, today: Day) -> Page {
        let coming = |days: &[Day]| {
            let mut days: Vec<Day> = days.iter().copied().filter(|day| *day >= today).collect();
            days.sort_unstable();
            days.dedup();
            (!days.is_empty()).then(|| shown(&days))
        };
        let words: Vec<&str> = self.closed_weekdays.iter().map(|day| day.word()).collect();
        let special = |(day, hours): (&DayKey, &DayLength)| match day {
            DayKey::Date(date) if *date < today => None,
            day => Some(format!("{} {} h", String::from(*day), hours.get())),
        };
        let special: Vec<String> = self.day_hours.iter().filter_map(special).collect();
        page.field("hours", format!("{} a day, {} a week", self.work_hours_per_day, self.hours_per_week))
            .field("closed", if words.is_empty() { "no day of the week".to_owned() } else { words.join(", ") })
            .field_if("closed dates", coming(&self.closed_dates))
            .field_if("open dates", coming(&self.open_dates))
            .field_if("other hours", (!special.is_empty()).then(|| special.join(", ")))
            .field("week begins", self.week_start.word())
            .field_if("time zone", self.time_zone.as_deref())
    }
}
