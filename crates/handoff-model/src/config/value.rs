//! Values that cannot be out of range once they exist.

use std::fmt;
use std::str::FromStr;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{self, Unexpected, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

use crate::text::{BadText, OneLine, Prose};

/// A whole number from `MIN` to `MAX`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct Whole<const MIN: u32, const MAX: u32>(u32);

impl<const MIN: u32, const MAX: u32> Whole<MIN, MAX> {
    /// A number known to be in range, such as a default.
    pub(super) const fn fixed(number: u32) -> Self {
        assert!(MIN <= number && number <= MAX, "a default lies in its own range");
        Whole(number)
    }

    /// The number, if it is in range.
    pub fn new(number: u32) -> Option<Self> {
        (MIN..=MAX).contains(&number).then_some(Whole(number))
    }

    pub const fn get(self) -> u32 {
        self.0
    }

    /// The number as a count of things in memory.
    pub const fn count(self) -> usize {
        self.0 as usize
    }
}

impl<const MIN: u32, const MAX: u32> FromStr for Whole<MIN, MAX> {
    type Err = NotInRange;

    fn from_str(text: &str) -> Result<Self, NotInRange> {
        let number = text.trim().parse().ok().and_then(Whole::new);
        number.ok_or_else(|| NotInRange { text: crate::id::shorten(text), min: MIN.to_string(), max: MAX.to_string() })
    }
}

impl<'de, const MIN: u32, const MAX: u32> Deserialize<'de> for Whole<MIN, MAX> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(WholeVisitor)
    }
}

struct WholeVisitor<const MIN: u32, const MAX: u32>;

impl<const MIN: u32, const MAX: u32> Visitor<'_> for WholeVisitor<MIN, MAX> {
    type Value = Whole<MIN, MAX>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a whole number from {MIN} to {MAX}")
    }

    fn visit_i64<E: de::Error>(self, number: i64) -> Result<Self::Value, E> {
        let known = u32::try_from(number).ok().and_then(Whole::new);
        known.ok_or_else(|| E::invalid_value(Unexpected::Signed(number), &self))
    }

    fn visit_u64<E: de::Error>(self, number: u64) -> Result<Self::Value, E> {
        let known = u32::try_from(number).ok().and_then(Whole::new);
        known.ok_or_else(|| E::invalid_value(Unexpected::Unsigned(number), &self))
    }

    /// Some clients know only one kind of number and send `20.0`.
    fn visit_f64<E: de::Error>(self, number: f64) -> Result<Self::Value, E> {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the range is checked before")]
        let whole = (number.fract() == 0.0 && (0.0..=f64::from(u32::MAX)).contains(&number)).then_some(number as u32);
        whole.and_then(Whole::new).ok_or_else(|| E::invalid_value(Unexpected::Float(number), &self))
    }
}

impl<const MIN: u32, const MAX: u32> JsonSchema for Whole<MIN, MAX> {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        format!("Whole_{MIN}_to_{MAX}").into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "integer", "minimum": MIN, "maximum": MAX })
    }
}

/// A finite number whose bounds are given in hundredths.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd, Serialize)]
#[serde(transparent)]
pub struct Decimal<const MIN: u32, const MAX: u32>(f64);

impl<const MIN: u32, const MAX: u32> Decimal<MIN, MAX> {
    fn bounds() -> (f64, f64) {
        (f64::from(MIN) / 100.0, f64::from(MAX) / 100.0)
    }

    /// The number, if it is in range.
    pub fn new(number: f64) -> Option<Self> {
        let (min, max) = Self::bounds();
        // `-0.0` passes the range and would be written with its sign.
        (min..=max).contains(&number).then(|| Decimal(number.abs()))
    }

    pub const fn get(self) -> f64 {
        self.0
    }
}

/// A text that is no number in range.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not a number from {min} to {max}")]
pub struct NotInRange {
    text: String,
    min: String,
    max: String,
}

impl<const MIN: u32, const MAX: u32> FromStr for Decimal<MIN, MAX> {
    type Err = NotInRange;

    fn from_str(text: &str) -> Result<Self, NotInRange> {
        let (min, max) = Self::bounds();
        let number = text.trim().parse().ok().and_then(Decimal::new);
        number.ok_or_else(|| NotInRange { text: crate::id::shorten(text), min: min.to_string(), max: max.to_string() })
    }
}

impl<'de, const MIN: u32, const MAX: u32> Deserialize<'de> for Decimal<MIN, MAX> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(DecimalVisitor)
    }
}

struct DecimalVisitor<const MIN: u32, const MAX: u32>;

impl<const MIN: u32, const MAX: u32> Visitor<'_> for DecimalVisitor<MIN, MAX> {
    type Value = Decimal<MIN, MAX>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (min, max) = Decimal::<MIN, MAX>::bounds();
        write!(f, "a number from {min} to {max}")
    }

    fn visit_i64<E: de::Error>(self, number: i64) -> Result<Self::Value, E> {
        let known = i32::try_from(number).ok().and_then(|small| Decimal::new(f64::from(small)));
        known.ok_or_else(|| E::invalid_value(Unexpected::Signed(number), &self))
    }

    fn visit_u64<E: de::Error>(self, number: u64) -> Result<Self::Value, E> {
        let known = u32::try_from(number).ok().and_then(|small| Decimal::new(f64::from(small)));
        known.ok_or_else(|| E::invalid_value(Unexpected::Unsigned(number), &self))
    }

    fn visit_f64<E: de::Error>(self, number: f64) -> Result<Self::Value, E> {
        Decimal::new(number).ok_or_else(|| E::invalid_value(Unexpected::Float(number), &self))
    }
}

impl<const MIN: u32, const MAX: u32> JsonSchema for Decimal<MIN, MAX> {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        format!("Decimal_{MIN}_to_{MAX}_hundredths").into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let (min, max) = Self::bounds();
        json_schema!({ "type": "number", "minimum": min, "maximum": max })
    }
}

/// A path relative to the project that stays inside it and out of `.git` and `.handoff`.
///
/// A configuration may have come with somebody's repository, so it never names a place elsewhere.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
#[schemars(with = "String", extend("title" = "path", "examples" = ["docs/notes.md"]))]
pub struct InsidePath(String);

/// A text that names no path inside the project.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotInside {
    #[error(transparent)]
    BadText(#[from] BadText),
    #[error("`{0}` is not a path inside the project: give it relative to the project, with `/`, without `..`")]
    Outside(String),
    #[error("`{0}` lies in a directory that is not for this")]
    Reserved(String),
}

impl InsidePath {
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for InsidePath {
    type Err = NotInside;

    fn from_str(text: &str) -> Result<Self, NotInside> {
        let text = String::from(text.parse::<OneLine>()?);
        let parts = || text.split('/').filter(|part| !part.is_empty() && *part != ".");
        let outside = text.starts_with(['/', '~']) || text.contains(['\\', ':']) || parts().any(|part| part == "..");
        let Some(first) = parts().next().filter(|_| !outside) else {
            return Err(NotInside::Outside(crate::id::shorten(&text)));
        };
        if [".git", ".handoff"].iter().any(|own| first.eq_ignore_ascii_case(own)) {
            return Err(NotInside::Reserved(crate::id::shorten(&text)));
        }
        Ok(InsidePath(text))
    }
}

impl TryFrom<String> for InsidePath {
    type Error = NotInside;

    fn try_from(text: String) -> Result<Self, NotInside> {
        text.parse()
    }
}

impl From<InsidePath> for String {
    fn from(path: InsidePath) -> String {
        path.0
    }
}

/// Reads a text that may be left empty, as it is in a fresh file.
pub(super) fn blank_is_none<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Prose>, D::Error> {
    match Option::<String>::deserialize(deserializer)? {
        None => Ok(None),
        Some(text) if text.trim().is_empty() => Ok(None),
        Some(text) => text.parse().map(Some).map_err(de::Error::custom),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn whole(json: &str) -> Result<u32, String> {
        serde_json::from_str::<Whole<1, 600>>(json).map(Whole::get).map_err(|error| error.to_string())
    }

    #[test]
    fn numbers_out_of_range_say_the_range() {
        assert_eq!(whole("600"), Ok(600));
        assert_eq!(whole("20.0"), Ok(20));
        for wrong in ["0", "601", "-1", "1.5", "18446744073709551615", "1e300", "\"20\"", "true"] {
            assert!(whole(wrong).unwrap_err().contains("expected a whole number from 1 to 600"), "{wrong}");
        }
        let decimal = |json| serde_json::from_str::<Decimal<1, 10_000>>(json).map(Decimal::get);
        assert!((decimal("0.2").unwrap() - 0.2).abs() < 1e-9);
        for wrong in ["0", "-0.5", "100.1", "1e300", "-1"] {
            assert!(decimal(wrong).unwrap_err().to_string().contains("a number from 0.01 to 100"), "{wrong}");
        }
        assert!(Decimal::<0, 100>::new(f64::NAN).is_none());
        assert!(Decimal::<0, 100>::new(f64::INFINITY).is_none());
        assert!(Decimal::<0, 100>::new(-0.0).unwrap().get().is_sign_positive());
        assert_eq!("6.5".parse::<Decimal<0, 2_400>>().map(Decimal::get), Ok(6.5));
        for wrong in ["25", "-1", "nan", "inf", "", "six"] {
            let error = wrong.parse::<Decimal<0, 2_400>>().unwrap_err().to_string();
            assert_eq!(error, format!("`{wrong}` is not a number from 0 to 24"));
        }
    }

    #[test]
    fn a_path_stays_inside_the_project() {
        for fine in ["memory/", "docs/a.md", "./docs", ".github/x", "a b/ü.md"] {
            assert!(fine.parse::<InsidePath>().is_ok(), "{fine}");
        }
        for outside in
            ["/etc", "~/x", "../x", "a/../../b", "C:\\x", "a\\..\\b", ".", "", "a\0b", ".git/hooks", ".GIT", ".handoff"]
        {
            assert!(outside.parse::<InsidePath>().is_err(), "{outside:?}");
        }
    }
}
