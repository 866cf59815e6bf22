//! How long something is shown: `30m`, `2h`, `7d`, `2w` or `never`.

use std::str::FromStr;

use jiff::SignedDuration;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::id::shorten;
use crate::when::Moment;

/// A stretch of time after which something is no longer shown, or no end at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
#[schemars(with = "String")]
pub enum Lifetime {
    Never,
    Minutes(u64),
}

/// A text that is no lifetime.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a lifetime: write a number and m, h, d or w, such as `30m`, `2h`, `7d`, `2w`, or `never`")]
pub struct NotALifetime(String);

/// A hundred years; more is `never`.
const LONGEST: u64 = 100 * 366 * 24 * 60;

impl Lifetime {
    /// When it ends if it begins at `start`; `None` when it does not end.
    pub fn after(self, start: Moment) -> Option<Moment> {
        match self {
            Lifetime::Never => None,
            Lifetime::Minutes(minutes) => {
                let length = SignedDuration::from_mins(i64::try_from(minutes).ok()?);
                start.timestamp().checked_add(length).ok().map(Moment::new)
            }
        }
    }
}

impl FromStr for Lifetime {
    type Err = NotALifetime;

    fn from_str(text: &str) -> Result<Self, NotALifetime> {
        let wrong = || NotALifetime(shorten(text));
        if text == "never" {
            return Ok(Lifetime::Never);
        }
        let minutes_in = match text.as_bytes().last().ok_or_else(wrong)? {
            b'm' => 1,
            b'h' => 60,
            b'd' => 24 * 60,
            b'w' => 7 * 24 * 60,
            _ => return Err(wrong()),
        };
        let digits = &text[..text.len() - 1];
        let plain = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        let count: u64 = if plain { digits.parse().map_err(|_| wrong())? } else { return Err(wrong()) };
        let minutes = count.checked_mul(minutes_in).filter(|minutes| (1..=LONGEST).contains(minutes));
        minutes.map(Lifetime::Minutes).ok_or_else(wrong)
    }
}

impl TryFrom<String> for Lifetime {
    type Error = NotALifetime;

    fn try_from(text: String) -> Result<Self, NotALifetime> {
        text.parse()
    }
}

impl From<Lifetime> for String {
    fn from(lifetime: Lifetime) -> String {
        match lifetime {
            Lifetime::Never => "never".to_owned(),
            Lifetime::Minutes(minutes) => format!("{minutes}m"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lifetime_is_a_number_and_a_unit() {
        let minutes = |text: &str| text.parse::<Lifetime>();
        assert_eq!(minutes("30m"), Ok(Lifetime::Minutes(30)));
        assert_eq!(minutes("2h"), Ok(Lifetime::Minutes(120)));
        assert_eq!(minutes("7d"), Ok(Lifetime::Minutes(7 * 1440)));
        assert_eq!(minutes("2w"), Ok(Lifetime::Minutes(14 * 1440)));
        assert_eq!(minutes("never"), Ok(Lifetime::Never));
        let wrong =
            ["", "d", "7", "7 d", "-1d", "+1d", "1.5h", "0d", "7D", "1y", "99999999999999999999w", "9999999w", "é"];
        for wrong in wrong {
            assert!(minutes(wrong).is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn the_end_is_counted_from_the_start() {
        let start: Moment = "2026-11-15T09:00:00Z".parse().unwrap();
        let end = "7d".parse::<Lifetime>().unwrap().after(start).unwrap();
        assert_eq!(end.to_string(), "2026-11-22T09:00:00Z");
        assert_eq!(Lifetime::Never.after(start), None);
    }
}
