//! Arithmetic on calendar days. A day is a name on the calendar, so clocks that are put forward or back never matter.

use jiff::tz::TimeZone;
use jiff::{SignedDuration, Span};

use crate::config::Weekday;
use crate::when::{Day, Moment};

impl Day {
    /// The day so many days later, or earlier when negative; `None` where the calendar ends.
    pub fn plus(self, days: i64) -> Option<Day> {
        self.date().checked_add(Span::new().try_days(days).ok()?).ok().map(Day::new)
    }

    /// How many days later the other one is; negative when it is earlier.
    pub fn days_until(self, other: Day) -> i64 {
        self.date().duration_until(other.date()).as_hours() / 24
    }

    pub fn weekday(self) -> Weekday {
        let number = u64::try_from(self.date().weekday().to_sunday_zero_offset()).unwrap_or(0);
        Weekday::from_number(number).unwrap_or(Weekday::Sun)
    }
}

impl Moment {
    /// The day it falls on in a time zone.
    pub fn day_in(self, zone: &TimeZone) -> Day {
        Day::new(self.timestamp().to_zoned(zone.clone()).date())
    }

    /// How long after this the other one is; negative when it is before.
    pub fn until(self, later: Moment) -> SignedDuration {
        later.timestamp().duration_since(self.timestamp())
    }

    /// The moment so much later; the last or first there is where the calendar ends.
    #[must_use]
    pub fn later(self, by: SignedDuration) -> Moment {
        Moment::precise(self.timestamp().saturating_add(by).unwrap_or(self.timestamp()))
    }
}

/// The moment at which a day begins in a time zone, which is not midnight where the clock skips it.
pub fn beginning_of(day: Day, zone: &TimeZone) -> Option<Moment> {
    day.date().to_zoned(zone.clone()).ok().map(|zoned| Moment::precise(zoned.timestamp()))
}
