//! Instants and calendar days as they stand in files and answers.
//!
//! In TOML both are native date-times, in JSON strings; a string is understood in TOML too, because people write it.

use std::fmt;
use std::str::FromStr;

use jiff::civil::{Date, DateTime};
use jiff::tz::TimeZone;
use jiff::{RoundMode, Timestamp, TimestampRound, Unit};
use schemars::JsonSchema;
use serde::de::{self, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

mod point;

pub use point::{NotAPoint, PointInTime};

/// An instant, kept to the millisecond and shown in UTC.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema)]
#[serde(into = "String")]
#[schemars(with = "String", extend("format" = "date-time"))]
pub struct Moment(Timestamp);

/// A calendar day.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema)]
#[serde(into = "String")]
#[schemars(with = "String", extend("format" = "date"))]
pub struct Day(Date);

/// A text that is no instant or no day.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotATime {
    #[error("`{0}` is not a time such as `2026-11-15T09:15:03Z`")]
    Moment(String),
    #[error("`{0}` is not a date of the calendar: write it as `2026-11-15`")]
    Day(String),
}

impl Moment {
    /// The instant, cut to whole seconds: enough for almost everything, and easier to read.
    pub fn new(at: Timestamp) -> Self {
        Moment::cut(at, Unit::Second)
    }

    /// The instant to the millisecond, where the order of two matters.
    pub fn precise(at: Timestamp) -> Self {
        Moment::cut(at, Unit::Millisecond)
    }

    fn cut(at: Timestamp, unit: Unit) -> Self {
        let whole = TimestampRound::new().smallest(unit).mode(RoundMode::Trunc);
        Moment(at.round(whole).unwrap_or(at))
    }

    /// The instant so many milliseconds after the first of 1970; `None` for one that no calendar has.
    pub fn from_milliseconds(milliseconds: i64) -> Option<Self> {
        Timestamp::from_millisecond(milliseconds).ok().map(Moment)
    }

    /// The same, in whole seconds.
    #[must_use]
    pub fn in_seconds(self) -> Self {
        Moment::new(self.0)
    }

    /// The day it falls on, in UTC.
    pub fn day(self) -> Day {
        Day::new(self.0.to_zoned(jiff::tz::TimeZone::UTC).date())
    }

    pub fn timestamp(self) -> Timestamp {
        self.0
    }
}

impl Day {
    pub fn new(date: Date) -> Self {
        Day(date)
    }

    pub fn date(self) -> Date {
        self.0
    }
}

impl fmt::Display for Moment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

impl fmt::Display for Day {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

impl From<Moment> for String {
    fn from(moment: Moment) -> String {
        moment.to_string()
    }
}

impl From<Day> for String {
    fn from(day: Day) -> String {
        day.to_string()
    }
}

impl FromStr for Moment {
    type Err = NotATime;

    fn from_str(text: &str) -> Result<Self, NotATime> {
        let text = text.trim();
        if let Ok(at) = text.parse::<Timestamp>() {
            return Ok(Moment::precise(at));
        }
        // A time without an offset, as people write by hand, is taken as UTC.
        text.parse::<DateTime>()
            .ok()
            .and_then(|civil| civil.to_zoned(TimeZone::UTC).ok())
            .map(|zoned| Moment::precise(zoned.timestamp()))
            .ok_or_else(|| NotATime::Moment(crate::id::shorten(text)))
    }
}

impl FromStr for Day {
    type Err = NotATime;

    fn from_str(text: &str) -> Result<Self, NotATime> {
        let text = text.trim();
        let wrong = || NotATime::Day(crate::id::shorten(text));
        if text.len() != "2026-11-15".len() {
            return Err(wrong());
        }
        text.parse().map(Day).map_err(|_| wrong())
    }
}

/// Reads a TOML date-time or a string, and parses its text.
struct Written<T>(std::marker::PhantomData<T>);

impl<'de, T: FromStr<Err = NotATime>> Visitor<'de> for Written<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a date or time such as 2026-11-15 or 2026-11-15T09:15:03Z")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<T, E> {
        text.parse().map_err(E::custom)
    }

    fn visit_map<M: MapAccess<'de>>(self, map: M) -> Result<T, M::Error> {
        let written = toml::value::Datetime::deserialize(de::value::MapAccessDeserializer::new(map))?;
        written.to_string().parse().map_err(de::Error::custom)
    }
}

impl<'de> Deserialize<'de> for Moment {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Written(std::marker::PhantomData))
    }
}

impl<'de> Deserialize<'de> for Day {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Written(std::marker::PhantomData))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Deserialize)]
    struct File {
        at: Moment,
        day: Day,
    }

    #[test]
    fn native_and_quoted_times_read_the_same() {
        let native: File = toml::from_str("at = 2026-11-15T09:15:03Z\nday = 2026-11-16").unwrap();
        let quoted: File = toml::from_str("at = \"2026-11-15T10:15:03+01:00\"\nday = \"2026-11-16\"").unwrap();
        assert_eq!(native.at, quoted.at);
        assert_eq!(native.day, quoted.day);
        assert_eq!(native.at.to_string(), "2026-11-15T09:15:03Z");
    }

    #[test]
    fn days_that_the_calendar_does_not_have_are_refused() {
        for text in ["2026-02-30", "2026-13-01", "2026-1-1", "tomorrow", "", "2026-11-15T00:00:00Z", "99999-01-01"] {
            assert!(text.parse::<Day>().is_err(), "{text:?}");
        }
    }

    #[test]
    fn a_moment_is_never_later_than_the_instant_it_was_made_from() {
        let at: Timestamp = "2026-11-15T09:15:03.999Z".parse().unwrap();
        assert_eq!(Moment::new(at).to_string(), "2026-11-15T09:15:03Z");
    }

    #[test]
    fn a_time_without_an_offset_is_utc() {
        assert_eq!("2026-11-15T09:15:03".parse::<Moment>().unwrap().to_string(), "2026-11-15T09:15:03Z");
    }
}
