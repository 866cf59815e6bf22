//! How long somebody worked, as people say it.

use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer};

use crate::id::shorten;

/// A length of work: hours (`1.5`), or with units (`1h30m`, `90m`). A whole number of minutes, at least one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, JsonSchema)]
#[schemars(with = "f64", extend("exclusiveMinimum" = 0, "maximum" = 1_000))]
pub struct WorkLength(u32);

/// A text or number that is no length of work.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no length of work: give hours such as `1.5`, or `1h30m` or `90m`, from a minute to 1000 hours")]
pub struct NotALength(String);

/// The longest that is believed at once.
const MOST_HOURS: f64 = 1_000.0;

impl WorkLength {
    pub fn minutes(self) -> u32 {
        self.0
    }

    /// So many hours, to the minute.
    pub fn from_hours(hours: f64) -> Result<WorkLength, NotALength> {
        let minutes = (hours * 60.0).round();
        if !hours.is_finite() || hours > MOST_HOURS || minutes < 1.0 {
            return Err(NotALength(shorten(&hours.to_string())));
        }
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it lies between 1 and 60,000")]
        let minutes = minutes as u32;
        Ok(WorkLength(minutes))
    }
}

/// Reads `1h30m`, `1.5h` or `90m`; hours come before minutes, and each at most once.
fn with_units(text: &str) -> Option<f64> {
    let (hours, rest) = match text.split_once('h') {
        Some((hours, rest)) => (number(hours)?, rest),
        None => (0.0, text),
    };
    let minutes = match rest.strip_suffix('m') {
        Some(minutes) => number(minutes)?,
        None if rest.is_empty() => 0.0,
        None => return None,
    };
    Some(hours + minutes / 60.0)
}

/// A number of digits with at most one point; no sign, no exponent, no words.
fn number(text: &str) -> Option<f64> {
    let is_plain = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    text.parse().ok().filter(|_| is_plain)
}

impl FromStr for WorkLength {
    type Err = NotALength;

    fn from_str(text: &str) -> Result<Self, NotALength> {
        let trimmed = text.trim();
        let has_units = trimmed.ends_with(['h', 'm']);
        let hours = if has_units { with_units(trimmed) } else { number(trimmed) };
        hours.and_then(|hours| WorkLength::from_hours(hours).ok()).ok_or_else(|| NotALength(shorten(text)))
    }
}

impl<'de> Deserialize<'de> for WorkLength {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Given {
            Hours(f64),
            Text(String),
        }
        let length = match Given::deserialize(deserializer)? {
            Given::Hours(hours) => WorkLength::from_hours(hours),
            Given::Text(text) => text.parse(),
        };
        length.map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hours_and_minutes_are_read_in_every_usual_way() {
        for (text, minutes) in [
            ("1.5", 90),
            ("1h30m", 90),
            ("90m", 90),
            (" 2h ", 120),
            ("1.5h", 90),
            ("0.25", 15),
            ("1m", 1),
            (".5", 30),
            ("1000", 60_000),
            ("0.1", 6),
        ] {
            assert_eq!(text.parse::<WorkLength>().map(WorkLength::minutes), Ok(minutes), "{text}");
        }
        assert_eq!(serde_json::from_str::<WorkLength>("1.5").unwrap().minutes(), 90);
        assert_eq!(serde_json::from_str::<WorkLength>("\"1h30m\"").unwrap().minutes(), 90);
    }

    #[test]
    fn anything_else_is_refused() {
        for wrong in [
            "",
            "0",
            "-1",
            "+1",
            "NaN",
            "inf",
            "infinity",
            "1e3",
            "1001",
            "1h1h",
            "30m1h",
            "1h30",
            "h",
            "m",
            "0m",
            "1d",
            "0.001",
            "1,5",
            "1:30",
            "ten",
            "99999999999999999999",
            ".",
            "1.2.3",
        ] {
            assert!(wrong.parse::<WorkLength>().is_err(), "{wrong:?}");
        }
        for wrong in ["0", "-1", "1e9", "null", "true", "[]"] {
            assert!(serde_json::from_str::<WorkLength>(wrong).is_err(), "{wrong}");
        }
    }
}
