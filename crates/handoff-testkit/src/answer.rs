//! What a command answered, with everything that differs from machine to machine taken out.

use std::fmt;

use serde_json::Value;

/// The streams and the exit code of one command.
///
/// Shown, it reads like a terminal: standard output, standard error, and the exit code unless that is 0.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    pub stdout: String,
    pub stderr: String,
    pub code: i32,
}

impl Answer {
    /// The JSON on standard output, which must be all there is.
    pub fn json(&self) -> Value {
        assert!(self.stderr.is_empty(), "`--json` leaves nothing for standard error:\n{self}");
        one_value(&self.stdout).unwrap_or_else(|error| panic!("standard output is not JSON: {error}\n{self}"))
    }

    /// The JSON on standard error, which must be all there is.
    pub fn json_error(&self) -> Value {
        assert!(self.stdout.is_empty() && self.code != 0, "this is no error:\n{self}");
        one_value(&self.stderr).unwrap_or_else(|error| panic!("standard error is not JSON: {error}\n{self}"))
    }

    /// Checks that it is a success.
    pub fn succeeded(&self) -> &Answer {
        assert_eq!(self.code, 0, "{self}");
        self
    }

    /// Checks that it is an error with this exit code, told on standard error alone.
    pub fn failed(&self, code: i32) -> &Answer {
        assert_eq!(self.code, code, "{self}");
        assert!(self.stdout.is_empty() && !self.stderr.is_empty(), "an error goes to standard error:\n{self}");
        self
    }

    /// Checks that it has this text in it.
    pub fn says(&self, text: &str) -> &Answer {
        assert!(self.to_string().contains(text), "`{text}` is missing:\n{self}");
        self
    }

    /// Checks that it does not have this text in it.
    pub fn hides(&self, text: &str) -> &Answer {
        assert!(!self.to_string().contains(text), "`{text}` must not be there:\n{self}");
        self
    }

    /// What every command promises.
    pub(crate) fn check_contract(&self, allows_color: bool) {
        assert!((0..=6).contains(&self.code) || self.code == 64, "an exit code of the contract:\n{self}");
        assert!(!self.to_string().contains("internal error"), "an internal error:\n{self}");
        let raw = |c: char| is_raw(c) && !(allows_color && c == '\u{1b}');
        if let Some(c) = self.stdout.chars().chain(self.stderr.chars()).find(|c| raw(*c)) {
            panic!("the raw character U+{:04X} was printed:\n{self:?}", u32::from(c));
        }
    }
}

fn one_value(text: &str) -> serde_json::Result<Value> {
    serde_json::from_str(text)
}

/// Whether a character could rewrite a terminal or make text read as something else than it says.
fn is_raw(c: char) -> bool {
    (c.is_control() && c != '\n')
        || matches!(c, '\u{200e}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
        || matches!(c, '\u{200b}' | '\u{feff}' | '\u{2028}' | '\u{2029}' | '\u{e0000}'..='\u{e007f}')
}

impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.stdout)?;
        f.write_str(&self.stderr)?;
        if self.code != 0 {
            write!(f, "[exit {}]", self.code)?;
        }
        Ok(())
    }
}
