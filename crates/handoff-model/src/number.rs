//! Numbers such as `01.2`: where a task stands, for people.

use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The path of ordinals from the root: `01.2` is the second child of the first task.
///
/// Compared and sorted by value, so `2` comes before `10`.
#[derive(Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
#[schemars(with = "String")]
pub struct Number(Ordinals);

/// Most tasks lie a few levels deep, and there are thousands of them: those take no memory of their own.
#[derive(Clone)]
enum Ordinals {
    Few { count: u8, ordinals: [u32; FEW] },
    Many(Vec<u32>),
}

const FEW: usize = 5;

impl Default for Ordinals {
    fn default() -> Ordinals {
        Ordinals::Few { count: 0, ordinals: [0; FEW] }
    }
}

/// A text that is no number.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a task number such as `1.2`")]
pub struct NotANumber(String);

pub use crate::limits::MAX_ORDINAL;

impl Number {
    /// The number of a child of `parent`, or of a root task.
    pub fn under(parent: Option<&Number>, ordinal: u32) -> Self {
        let mut number = parent.cloned().unwrap_or_default();
        number.push(ordinal);
        number
    }

    fn push(&mut self, ordinal: u32) {
        match &mut self.0 {
            Ordinals::Few { count, ordinals } => match ordinals.get_mut(usize::from(*count)) {
                Some(place) => {
                    *place = ordinal;
                    *count += 1;
                }
                None => self.0 = Ordinals::Many(ordinals.iter().copied().chain([ordinal]).collect()),
            },
            Ordinals::Many(ordinals) => ordinals.push(ordinal),
        }
    }

    /// The ordinals from the root down; never empty for a parsed number.
    pub fn ordinals(&self) -> &[u32] {
        match &self.0 {
            Ordinals::Few { count, ordinals } => &ordinals[..usize::from(*count)],
            Ordinals::Many(ordinals) => ordinals,
        }
    }

    /// The place among its siblings.
    pub fn ordinal(&self) -> u32 {
        self.ordinals().last().copied().unwrap_or(0)
    }
}

impl fmt::Debug for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Number").field(&self.ordinals()).finish()
    }
}

impl PartialEq for Number {
    fn eq(&self, other: &Number) -> bool {
        self.ordinals() == other.ordinals()
    }
}

impl Eq for Number {}

impl PartialOrd for Number {
    fn partial_cmp(&self, other: &Number) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Number {
    fn cmp(&self, other: &Number) -> Ordering {
        self.ordinals().cmp(other.ordinals())
    }
}

impl Hash for Number {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.ordinals().hash(state);
    }
}

impl FromStr for Number {
    type Err = NotANumber;

    fn from_str(text: &str) -> Result<Self, NotANumber> {
        let wrong = || NotANumber(crate::id::shorten(text));
        let mut number = Number::default();
        for part in text.split('.') {
            let digits = !part.is_empty() && part.len() <= 9 && part.bytes().all(|b| b.is_ascii_digit());
            let ordinal: u32 = if digits { part.parse().map_err(|_| wrong())? } else { return Err(wrong()) };
            if ordinal == 0 || number.ordinals().len() == crate::MAX_DEPTH {
                return Err(wrong());
            }
            number.push(ordinal);
        }
        Ok(number)
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
        for (depth, ordinal) in self.ordinals().iter().enumerate() {
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

    #[test]
    fn a_number_may_be_as_deep_as_tasks_are_and_deeper() {
        let mut number = Number::default();
        for ordinal in 1..=20 {
            let above = number.clone();
            number = Number::under(Some(&above), ordinal);
            assert!(number > above);
            assert_eq!(number.ordinals(), (1..=ordinal).collect::<Vec<_>>());
        }
        let deep = (1..=16).map(|ordinal| ordinal.to_string()).collect::<Vec<_>>().join(".");
        assert_eq!(deep.parse::<Number>().unwrap().to_string(), format!("0{deep}"));
    }
}
