//! The team's part of the configuration: people, milestones and the days that are worked.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{self, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

use super::value::Decimal;
use crate::text::{Name, OneLine};
use crate::when::Day;

/// The table whose names are days, which have more than one spelling.
pub(super) const DAY_HOURS: &str = "day_hours";

/// Which days are worked, and for how long.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, expecting = "a table")]
pub struct Calendar {
    /// Hours worked on an ordinary day
    pub work_hours_per_day: Decimal<0, 2_400>,
    /// Days of the week that are not worked
    pub closed_weekdays: Vec<Weekday>,
    /// Dates that are not worked, such as holidays
    pub closed_dates: Vec<Day>,
    /// Dates that are worked although their day of the week is not
    pub open_dates: Vec<Day>,
    /// Hours on one day of the week or one date, where they differ
    pub day_hours: BTreeMap<DayKey, Decimal<0, 2_400>>,
    /// The day a week begins with
    pub week_start: Weekday,
    /// The time zone whose days count, such as `Europe/Berlin`; that of the machine when absent
    pub time_zone: Option<ZoneName>,
}

impl Default for Calendar {
    fn default() -> Self {
        Calendar {
            work_hours_per_day: Decimal::new(8.0).expect("a day has more than eight hours"),
            closed_weekdays: vec![Weekday::Sat, Weekday::Sun],
            closed_dates: Vec::new(),
            open_dates: Vec::new(),
            day_hours: BTreeMap::new(),
            week_start: Weekday::Mon,
            time_zone: None,
        }
    }
}

/// Somebody who works on tasks. What is absent is as in the calendar.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, expecting = "a table")]
pub struct Assignee {
    /// The name to show
    pub display_name: Option<Name>,
    /// The colour to show them in
    pub color: Option<Color>,
    /// Hours they work on an ordinary day
    pub work_hours_per_day: Option<Decimal<0, 2_400>>,
    /// Days of the week they do not work
    pub closed_weekdays: Option<Vec<Weekday>>,
    /// Dates they do not work, such as holidays
    pub closed_dates: Vec<Day>,
    /// Dates they work although the day is closed
    pub open_dates: Vec<Day>,
    /// Their hours on one day of the week or one date, where they differ
    pub day_hours: BTreeMap<DayKey, Decimal<0, 2_400>>,
}

/// A date that work is planned towards.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, expecting = "a table")]
pub struct Milestone {
    /// The day it is due
    pub date: Option<Day>,
    /// The colour to show it in
    pub color: Option<Color>,
    /// What is reached by then
    pub description: Option<OneLine>,
}

/// A text that is no day of the week, no colour or no time zone.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotATeamValue {
    #[error("`{0}` is not a day of the week: use one of sun, mon, tue, wed, thu, fri, sat, or 0 (sun) to 6 (sat)")]
    Weekday(String),
    #[error("`{0}` is neither a day of the week such as `fri` nor a date such as `2026-12-24`")]
    DayKey(String),
    #[error("`{0}` is not a colour such as `#4A90D9`")]
    Color(String),
    #[error("`{0}` is not the name of a time zone such as `Europe/Berlin`")]
    Zone(String),
}

/// A day of the week.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Weekday {
    Sun,
    Mon,
    Tue,
    Wed,
    Thu,
    Fri,
    Sat,
}

impl Weekday {
    pub const ALL: [Weekday; 7] =
        [Weekday::Sun, Weekday::Mon, Weekday::Tue, Weekday::Wed, Weekday::Thu, Weekday::Fri, Weekday::Sat];
    const WORDS: [&'static str; 7] = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];
    const WHOLE_WORDS: [&'static str; 7] =
        ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"];

    /// The name in three letters.
    pub fn word(self) -> &'static str {
        Weekday::WORDS[self as usize]
    }

    /// The day with this number; Sunday is 0.
    pub fn from_number(number: u64) -> Option<Weekday> {
        usize::try_from(number).ok().and_then(|index| Weekday::ALL.get(index).copied())
    }
}

impl fmt::Display for Weekday {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

impl FromStr for Weekday {
    type Err = NotATeamValue;

    fn from_str(text: &str) -> Result<Self, NotATeamValue> {
        let word = text.trim();
        let named = (0..7).find(|&index| {
            word.eq_ignore_ascii_case(Weekday::WORDS[index]) || word.eq_ignore_ascii_case(Weekday::WHOLE_WORDS[index])
        });
        named
            .map(|index| Weekday::ALL[index])
            .or_else(|| word.parse().ok().and_then(Weekday::from_number))
            .ok_or_else(|| NotATeamValue::Weekday(crate::id::shorten(word)))
    }
}

impl<'de> Deserialize<'de> for Weekday {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(WeekdayVisitor)
    }
}

struct WeekdayVisitor;

impl Visitor<'_> for WeekdayVisitor {
    type Value = Weekday;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a day of the week such as `sun`, or its number from 0 (sun) to 6 (sat)")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Weekday, E> {
        text.parse().map_err(E::custom)
    }

    fn visit_u64<E: de::Error>(self, number: u64) -> Result<Weekday, E> {
        Weekday::from_number(number).ok_or_else(|| E::custom(NotATeamValue::Weekday(number.to_string())))
    }

    fn visit_i64<E: de::Error>(self, number: i64) -> Result<Weekday, E> {
        let known = u64::try_from(number).ok().and_then(Weekday::from_number);
        known.ok_or_else(|| E::custom(NotATeamValue::Weekday(number.to_string())))
    }
}

impl JsonSchema for Weekday {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Weekday".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "title": "weekday", "anyOf": [
            { "type": "string", "enum": Weekday::WORDS },
            { "type": "integer", "minimum": 0, "maximum": 6 },
        ] })
    }
}

/// The days an entry of `day_hours` is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum DayKey {
    Weekday(Weekday),
    Date(Day),
}

impl FromStr for DayKey {
    type Err = NotATeamValue;

    fn from_str(text: &str) -> Result<Self, NotATeamValue> {
        let date = text.parse().map(DayKey::Date).ok();
        date.or_else(|| text.parse().map(DayKey::Weekday).ok())
            .ok_or_else(|| NotATeamValue::DayKey(crate::id::shorten(text)))
    }
}

impl TryFrom<String> for DayKey {
    type Error = NotATeamValue;

    fn try_from(text: String) -> Result<Self, NotATeamValue> {
        text.parse()
    }
}

impl From<DayKey> for String {
    fn from(key: DayKey) -> String {
        match key {
            DayKey::Weekday(day) => day.to_string(),
            DayKey::Date(date) => date.to_string(),
        }
    }
}

impl JsonSchema for DayKey {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "DayKey".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "pattern": r"^(sun|mon|tue|wed|thu|fri|sat|\d{4}-\d{2}-\d{2})$" })
    }
}

/// Declares a text of a certain form.
macro_rules! formed_text {
    ($(#[$doc:meta])* $name:ident, $error:ident, $title:literal, $pattern:literal, $example:literal, $holds:expr) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
        #[serde(try_from = "String", into = "String")]
        #[schemars(with = "String", extend("title" = $title, "pattern" = $pattern, "examples" = [$example]))]
        pub struct $name(String);

        impl $name {
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl TryFrom<String> for $name {
            type Error = NotATeamValue;

            fn try_from(text: String) -> Result<Self, NotATeamValue> {
                let holds: fn(&str) -> bool = $holds;
                if holds(&text) { Ok($name(text)) } else { Err(NotATeamValue::$error(crate::id::shorten(&text))) }
            }
        }

        impl FromStr for $name {
            type Err = NotATeamValue;

            fn from_str(text: &str) -> Result<Self, NotATeamValue> {
                text.trim().to_owned().try_into()
            }
        }

        impl From<$name> for String {
            fn from(text: $name) -> String {
                text.0
            }
        }
    };
}

formed_text!(
    /// A colour as `#RRGGBB`.
    Color, Color, "colour", "^#[0-9A-Fa-f]{6}$", "#4A90D9",
    |text| text.strip_prefix('#').is_some_and(|digits| digits.len() == 6 && digits.bytes().all(|b| b.is_ascii_hexdigit()))
);
formed_text!(
    /// The name of a time zone. Whether it exists is known only where the zones are.
    ZoneName, Zone, "time zone", "^[A-Za-z0-9_+/-]{1,64}$", "Europe/Berlin",
    |text| (1..=64).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_alphanumeric() || b"_+/-".contains(&b))
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weekdays_are_named_or_numbered() {
        for (text, day) in [("sun", Weekday::Sun), ("Friday", Weekday::Fri), ("6", Weekday::Sat), ("MON", Weekday::Mon)]
        {
            assert_eq!(text.parse(), Ok(day));
        }
        for text in ["7", "-1", "", "freitag", "su"] {
            assert!(text.parse::<Weekday>().is_err(), "{text}");
        }
        let calendar: Calendar = toml::from_str("closed_weekdays = [0, \"sat\"]\nday_hours = { fri = 4 }").unwrap();
        assert_eq!(calendar.closed_weekdays, [Weekday::Sun, Weekday::Sat]);
        assert!(calendar.day_hours.contains_key(&DayKey::Weekday(Weekday::Fri)));
        assert!(toml::from_str::<Calendar>("day_hours = { freitag = 4 }").is_err());
        assert!(toml::from_str::<Calendar>("day_hours = { fri = 25 }").is_err());
    }

    #[test]
    fn colours_have_six_digits() {
        assert!(Color::try_from("#4a90D9".to_owned()).is_ok());
        for text in ["4A90D9", "#4A90D", "#4A90D99", "#4A90Dü", "red", ""] {
            assert!(Color::try_from(text.to_owned()).is_err(), "{text}");
        }
        assert!(ZoneName::try_from("../../etc/passwd".to_owned()).is_err());
    }
}
