//! Text that comes in from outside, checked once at the door.
//!
//! Files that a person edited are read as they are; only what is about to be written must pass here.

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::limits::{MAX_LINE_CHARS, MAX_NAME_CHARS, MAX_PROSE_CHARS, MAX_TITLE_CHARS};

/// Why a text is not accepted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadText {
    #[error("{what} must not be empty")]
    Empty { what: &'static str },
    #[error("{what} has {length} characters; at most {limit} are allowed")]
    TooLong { what: &'static str, length: usize, limit: usize },
    #[error("{what} contains {name} at character {position}; remove it")]
    Forbidden { what: &'static str, name: String, position: usize },
}

/// A text as it is compared with others: neither the case of letters nor how many blanks there are makes a difference.
pub fn plain_form(text: &str) -> String {
    text.split_whitespace().map(str::to_lowercase).collect::<Vec<_>>().join(" ")
}

/// Whether two texts have the same plain form.
pub fn read_the_same(one: &str, other: &str) -> bool {
    one == other || plain_form(one) == plain_form(other)
}

/// Which line breaks a text may have.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Lines {
    One,
    Many,
}

/// Trims, and refuses what is empty, too long, or could disguise itself on a screen.
fn check(what: &'static str, text: &str, limit: usize, lines: Lines) -> Result<String, BadText> {
    let text = text.trim();
    if text.is_empty() {
        return Err(BadText::Empty { what });
    }
    // Bytes first: a text of 10 MB need not be counted to be refused.
    let length = if text.len() > limit.saturating_mul(4) { text.len() } else { text.chars().count() };
    if length > limit {
        return Err(BadText::TooLong { what, length, limit });
    }
    match first_forbidden(text, lines) {
        None => Ok(text.to_owned()),
        Some((position, name)) => Err(BadText::Forbidden { what, name, position: position + 1 }),
    }
}

fn first_forbidden(text: &str, lines: Lines) -> Option<(usize, String)> {
    let mut in_flag = false;
    for (position, c) in text.chars().enumerate() {
        let tag = ('\u{e0000}'..='\u{e007f}').contains(&c);
        if tag && in_flag {
            continue;
        }
        // Flags of regions are a black flag followed by tag characters; anywhere else tags hide text.
        in_flag = c == '\u{1f3f4}';
        let name = match c {
            '\n' | '\r' | '\t' if lines == Lines::Many => continue,
            c if c.is_control() => format!("the control character U+{:04X}", u32::from(c)),
            '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => {
                format!("the bidirectional control U+{:04X}", u32::from(c))
            }
            '\u{2028}' | '\u{2029}' if lines == Lines::One => "a line break".to_owned(),
            _ if tag => format!("the hidden tag character U+{:04X}", u32::from(c)),
            _ => continue,
        };
        return Some((position, name));
    }
    None
}

/// Declares a checked text: what it is called in errors, how long it may be, whether it may have several lines.
macro_rules! checked_text {
    ($(#[$doc:meta])* $name:ident, $what:literal, $limit:expr, $lines:expr) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
        #[serde(try_from = "String", into = "String")]
        #[schemars(with = "String")]
        pub struct $name(String);

        impl $name {
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl FromStr for $name {
            type Err = BadText;

            fn from_str(text: &str) -> Result<Self, BadText> {
                check($what, text, $limit, $lines).map($name)
            }
        }

        impl TryFrom<String> for $name {
            type Error = BadText;

            fn try_from(text: String) -> Result<Self, BadText> {
                text.parse()
            }
        }

        impl From<$name> for String {
            fn from(text: $name) -> String {
                text.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
    };
}

checked_text!(
    /// What a task or session is called: one line, not empty, at most 500 characters.
    Title, "the title", MAX_TITLE_CHARS, Lines::One
);
checked_text!(
    /// Free text of several lines.
    Prose, "the text", MAX_PROSE_CHARS, Lines::Many
);
checked_text!(
    /// A short name on one line: a label, a person, a milestone, a project.
    Name, "the name", MAX_NAME_CHARS, Lines::One
);
checked_text!(
    /// One line of text: a criterion, a link's target.
    OneLine, "the text", MAX_LINE_CHARS, Lines::One
);

/// Hours of work: zero or more, finite.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "f64", into = "f64")]
#[schemars(with = "f64", extend("minimum" = 0, "maximum" = 100_000))]
pub struct Hours(f64);

/// A number that cannot be hours of work.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("`{0}` is not a number of hours: give zero or more, at most 100000, such as `1.5`")]
pub struct NotHours(String);

impl Hours {
    pub fn value(self) -> f64 {
        self.0
    }
}

impl TryFrom<f64> for Hours {
    type Error = NotHours;

    fn try_from(hours: f64) -> Result<Self, NotHours> {
        if hours.is_finite() && (0.0..=100_000.0).contains(&hours) {
            // `-0.0` passes the range and would be written with its sign.
            Ok(Hours(hours.abs()))
        } else {
            Err(NotHours(hours.to_string()))
        }
    }
}

impl From<Hours> for f64 {
    fn from(hours: Hours) -> f64 {
        hours.0
    }
}

impl FromStr for Hours {
    type Err = NotHours;

    fn from_str(text: &str) -> Result<Self, NotHours> {
        let number: f64 = text.trim().parse().map_err(|_| NotHours(crate::id::shorten(text)))?;
        Hours::try_from(number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_title_is_trimmed_and_never_empty() {
        assert_eq!("  Fix it ".parse::<Title>().unwrap().as_str(), "Fix it");
        assert_eq!(" \n ".parse::<Title>().unwrap_err().to_string(), "the title must not be empty");
    }

    #[test]
    fn ten_megabytes_are_refused_with_the_limit() {
        let error = "x".repeat(10_000_000).parse::<Title>().unwrap_err();
        assert_eq!(error.to_string(), "the title has 10000000 characters; at most 500 are allowed");
    }

    #[test]
    fn characters_that_disguise_text_are_named() {
        for (text, name) in [
            ("a\u{1b}[31m", "U+001B"),
            ("a\0", "U+0000"),
            ("two\nlines", "U+000A"),
            ("a\u{202e}b", "U+202E"),
            ("a\u{2066}b", "U+2066"),
            ("a\u{e0041}b", "U+E0041"),
            ("a\u{9b}b", "U+009B"),
        ] {
            let error = text.parse::<Title>().unwrap_err().to_string();
            assert!(error.contains(name), "{text:?}: {error}");
        }
    }

    #[test]
    fn ordinary_writing_of_all_scripts_passes() {
        for text in [
            "שלום עולם",
            "مرحبا",
            "👩‍👩‍👧 family",
            "🏴\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f} flag",
            "日本語",
            "naïve",
        ] {
            assert!(text.parse::<Title>().is_ok(), "{text:?}");
        }
        assert!("line one\nline two\r\n\tindented".parse::<Prose>().is_ok());
    }

    #[test]
    fn hours_are_finite_and_not_negative() {
        for text in ["-1", "inf", "NaN", "1e300", "", "two"] {
            assert!(text.parse::<Hours>().is_err(), "{text:?}");
        }
        assert_eq!("1.5".parse::<Hours>().unwrap().value().to_string(), "1.5");
        assert_eq!("-0".parse::<Hours>().unwrap().value().to_string(), "0");
    }
}
