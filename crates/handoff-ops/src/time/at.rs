//! A moment as people give it for work they did: a time of the day, or a day with a time.

use std::str::FromStr;

use handoff_model::when::{Day, Moment};
use jiff::civil::{DateTime, Time};
use jiff::tz::TimeZone;
use schemars::JsonSchema;
use serde::Deserialize;

/// `09:30`, `2026-11-15T09:30`, both in the zone of the project, or `2026-11-15T09:30:00Z`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(try_from = "String")]
#[schemars(with = "String")]
pub enum TimeGiven {
    /// On the day that is meant
    OfDay(Time),
    Local(DateTime),
    Exact(Moment),
}

/// A text that is no such time.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no time: write `09:30`, `2026-11-15T09:30`, or `2026-11-15T09:30:00Z`")]
pub struct NotATimeOfDay(String);

impl TimeGiven {
    /// The moment, a time of the day being one of this day. `None` where no calendar has it.
    pub(super) fn on(self, day: Day, zone: &TimeZone) -> Option<Moment> {
        let local = match self {
            TimeGiven::Exact(moment) => return Some(moment.in_seconds()),
            TimeGiven::OfDay(time) => day.date().to_datetime(time),
            TimeGiven::Local(local) => local,
        };
        // Where the clock skips the time, or has it twice, the earlier way of counting is as good as any.
        local.to_zoned(zone.clone()).ok().map(|zoned| Moment::new(zoned.timestamp()))
    }
}

impl FromStr for TimeGiven {
    type Err = NotATimeOfDay;

    fn from_str(text: &str) -> Result<Self, NotATimeOfDay> {
        let trimmed = text.trim();
        let wrong = || NotATimeOfDay(trimmed.chars().take(40).collect());
        if trimmed.len() <= "09:30:00".len() && trimmed.contains(':') {
            let padded = if trimmed.find(':') == Some(1) { format!("0{trimmed}") } else { trimmed.to_owned() };
            return padded.parse().map(TimeGiven::OfDay).map_err(|_| wrong());
        }
        if !trimmed.contains(['T', 't', ' ']) {
            return Err(wrong());
        }
        if let Ok(exact) = trimmed.parse::<jiff::Timestamp>() {
            return Ok(TimeGiven::Exact(Moment::new(exact)));
        }
        trimmed.parse().map(TimeGiven::Local).map_err(|_| wrong())
    }
}

impl TryFrom<String> for TimeGiven {
    type Error = NotATimeOfDay;

    fn try_from(text: String) -> Result<Self, NotATimeOfDay> {
        text.parse()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_those_of_the_zone_unless_they_say_otherwise() {
        let zone = TimeZone::fixed(jiff::tz::offset(1));
        let day: Day = "2026-11-15".parse().unwrap();
        let on = |text: &str| text.parse::<TimeGiven>().unwrap().on(day, &zone).unwrap().to_string();
        assert_eq!(on("09:30"), "2026-11-15T08:30:00Z");
        assert_eq!(on("9:30"), "2026-11-15T08:30:00Z");
        assert_eq!(on("2026-11-14T09:30"), "2026-11-14T08:30:00Z");
        assert_eq!(on("2026-11-14 09:30:15"), "2026-11-14T08:30:15Z");
        assert_eq!(on("2026-11-14T09:30:00Z"), "2026-11-14T09:30:00Z");
        assert_eq!(on("2026-11-14T09:30:00+02:00"), "2026-11-14T07:30:00Z");
    }

    #[test]
    fn anything_else_is_refused() {
        for wrong in ["", "9", "25:00", "09:61", "noon", "2026-11-15", "90m", "2026-13-01T09:00", ":"] {
            assert!(wrong.parse::<TimeGiven>().is_err(), "{wrong:?}");
        }
    }
}
