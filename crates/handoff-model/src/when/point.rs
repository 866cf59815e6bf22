//! A point in time as people give it: so long ago, a day, or a moment.

use std::str::FromStr;

use jiff::SignedDuration;
use jiff::tz::TimeZone;
use schemars::JsonSchema;
use serde::Deserialize;

use super::{Day, Moment};
use crate::id::shorten;

/// So long ago (`90m`, `6h`, `7d`, `2w`, `1d12h`), a day (`2026-11-15`), or a moment (`2026-11-15T09:15:03Z`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(try_from = "String")]
#[schemars(with = "String")]
pub enum PointInTime {
    Ago(SignedDuration),
    Day(Day),
    Moment(Moment),
}

/// A text that is no point in time.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{0}` is no point in time: write how long ago, such as `90m`, `6h`, `7d`, `2w` or `1d12h`, a date such as \
     `2026-11-15`, or a time such as `2026-11-15T09:15:03Z`"
)]
pub struct NotAPoint(String);

impl PointInTime {
    /// Where it begins: a day begins at midnight in UTC. `None` for one that no calendar has.
    pub fn beginning(self, now: Moment) -> Option<Moment> {
        match self {
            PointInTime::Ago(length) => now.timestamp().checked_sub(length).ok().map(Moment::precise),
            PointInTime::Moment(at) => Some(at),
            PointInTime::Day(day) => {
                let midnight = day.date().to_zoned(TimeZone::UTC).ok()?;
                Some(Moment::precise(midnight.timestamp()))
            }
        }
    }

    /// Where it ends: a day ends with its last millisecond.
    pub fn end(self, now: Moment) -> Option<Moment> {
        match self {
            PointInTime::Day(_) => {
                let day = SignedDuration::from_hours(24) - SignedDuration::from_millis(1);
                self.beginning(now)?.timestamp().checked_add(day).ok().map(Moment::precise)
            }
            _ => self.beginning(now),
        }
    }
}

/// The units of a duration with their seconds, the largest first.
const UNITS: [(u8, i64); 5] = [(b'w', 7 * 86_400), (b'd', 86_400), (b'h', 3_600), (b'm', 60), (b's', 1)];

/// Reads `1d12h`: numbers with units, the larger ones first, more than nothing altogether.
fn read_length(text: &str) -> Option<SignedDuration> {
    let (mut rest, mut units, mut seconds) = (text.as_bytes(), UNITS.as_slice(), 0_i64);
    while !rest.is_empty() {
        let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let count: i64 = std::str::from_utf8(&rest[..digits]).ok()?.parse().ok()?;
        let place = units.iter().position(|(unit, _)| rest.get(digits) == Some(unit))?;
        seconds = seconds.checked_add(count.checked_mul(units[place].1)?)?;
        units = &units[place + 1..];
        rest = &rest[digits + 1..];
    }
    (seconds > 0).then(|| SignedDuration::from_secs(seconds))
}

impl FromStr for PointInTime {
    type Err = NotAPoint;

    fn from_str(text: &str) -> Result<Self, NotAPoint> {
        let trimmed = text.trim();
        if let Some(length) = read_length(trimmed) {
            return Ok(PointInTime::Ago(length));
        }
        if let Ok(day) = trimmed.parse() {
            return Ok(PointInTime::Day(day));
        }
        let is_time = trimmed.contains(['T', 't', ' ']);
        let moment = trimmed.parse().ok().filter(|_| is_time);
        moment.map(PointInTime::Moment).ok_or_else(|| NotAPoint(shorten(text)))
    }
}

impl TryFrom<String> for PointInTime {
    type Error = NotAPoint;

    fn try_from(text: String) -> Result<Self, NotAPoint> {
        text.parse()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn beginning(text: &str) -> Option<String> {
        let now: Moment = "2026-11-15T12:00:00Z".parse().unwrap();
        Some(text.parse::<PointInTime>().ok()?.beginning(now)?.to_string())
    }

    #[test]
    fn a_point_in_time_is_a_length_a_day_or_a_moment() {
        for (text, expected) in [
            ("90m", "2026-11-15T10:30:00Z"),
            ("6h", "2026-11-15T06:00:00Z"),
            ("7d", "2026-11-08T12:00:00Z"),
            ("2w", "2026-11-01T12:00:00Z"),
            ("1d12h", "2026-11-14T00:00:00Z"),
            ("30s", "2026-11-15T11:59:30Z"),
            ("2026-11-10", "2026-11-10T00:00:00Z"),
            ("2026-11-10T08:00:00+01:00", "2026-11-10T07:00:00Z"),
        ] {
            assert_eq!(beginning(text).as_deref(), Some(expected), "{text}");
        }
    }

    #[test]
    fn anything_else_is_refused() {
        for wrong in [
            "",
            "7",
            "d",
            "0d",
            "-1d",
            "+1d",
            "1.5h",
            "7 d",
            "7D",
            "12h1d",
            "1h1h",
            "1d12",
            "99999999999999999999d",
            "yesterday",
        ] {
            assert!(wrong.parse::<PointInTime>().is_err(), "{wrong:?}");
        }
        assert_eq!(beginning("9999999w"), None, "before all time");
    }

    #[test]
    fn a_day_lasts_to_its_end() {
        let now: Moment = "2026-11-15T12:00:00Z".parse().unwrap();
        let day: PointInTime = "2026-11-10".parse().unwrap();
        assert_eq!(day.end(now).unwrap().to_string(), "2026-11-10T23:59:59.999Z");
    }
}
