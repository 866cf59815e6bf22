//! Numbers such as `01.2`: where a task stands, for people.

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The path of ordinals from the root: `01.2` is the second child of the first task.
///
/// Compared and sorted by value, so `2` comes before `10`.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
#[schemars(with = "String")]
pub struct Number(Vec<u32>);

/// A text that is no number.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a task number such as `1.2`")]
pub struct NotANumber(String);

/// The highest place among siblings that is given out or believed.
pub const MAX_ORDINAL: u32 = 999_999_999;

impl Number {
    /// The number of a child of `parent`, or of a root task.
    pub fn under(parent: Option<&Number>, ordinal: u32) -> Self {
        let mut ordinals = parent.map_or_else(Vec::new, |parent| parent.0.clone());
        ordinals.push(ordinal);
        Number(ordinals)
    }

    /// The ordinals from the root down; never empty for a parsed number.
    pub fn ordinals(&self) -> &[u32] {
        &self.0
    }

    /// The place among its siblings.
    pub fn ordinal(&self) -> u32 {
        self.0.last().copied().unwrap_or(0)
    }
}

impl FromStr for Number {
    type Err = NotANumber;

    fn from_str(text: &str) -> Result<Self, NotANumber> {
        let wrong = || NotANumber(crate::id::shorten(text));
        let mut ordinals = Vec::new();
        for part in text.split('.') {
            let digits = !part.is_empty() && part.len() <= 9 && part.bytes().all(|b| b.is_ascii_digit());
            let ordinal: u32 = if digits { part.parse().map_err(|_| wrong())? } else { return Err(wrong()) };
            if ordinal == 0 || ordinals.len() == crate::MAX_DEPTH {
                return Err(wrong());
            }
            ordinals.push(ordinal);
        }
        Ok(Number(ordinals))
    }
}

impl TryFrom<String> for Number {
    type Error = NotANumber;

    fn try_from(text: String) -> Result<Self, NotANumber> {
        text.parse()
    }
}

impl From<Number> for String {
    fn from(number: Number) -> String {
        number.to_string()
    }
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (depth, ordinal) in self.0.iter().enumerate() {
            if depth == 0 {
                write!(f, "{ordinal:02}")?;
            } else {
                write!(f, ".{ordinal}")?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_sort_by_value_and_print_as_in_directory_names() {
        let mut numbers: Vec<Number> = ["10", "1.10", "2", "1.2", "01"].iter().map(|n| n.parse().unwrap()).collect();
        numbers.sort();
        let shown: Vec<String> = numbers.iter().map(ToString::to_string).collect();
        assert_eq!(shown, ["01", "01.2", "01.10", "02", "10"]);
    }
}
