//! One thing that is not as it should be.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Kind;

/// How much it matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Weight {
    /// Something cannot be read, is not shown, or is shown where it does not belong
    Damage,
    /// Everything is shown; how it lies there is not how it should
    Drift,
    /// Worth knowing, and nothing more
    Note,
}

/// One thing that is not as it should be, by file and line, and the way out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Finding {
    /// A word that stays the same in later versions
    pub kind: Kind,
    pub weight: Weight,
    /// The file or directory, relative to the store
    pub path: String,
    /// The line it stands on, where there is one
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
    /// What is wrong
    pub what: String,
    /// What `doctor` does about it when it is asked to mend; absent where that is left to people
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fix: Option<String>,
    /// What a person can do about it
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub advice: Option<String>,
}

impl Finding {
    pub fn new(kind: Kind, path: impl Into<String>, what: impl Into<String>) -> Finding {
        let (path, what) = (path.into(), what.into());
        Finding { kind, weight: kind.weight(), path, line: None, what, fix: None, advice: None }
    }

    #[must_use]
    pub fn at_line(mut self, line: Option<usize>) -> Finding {
        self.line = line;
        self
    }

    #[must_use]
    pub fn fixed_by(mut self, fix: impl Into<String>) -> Finding {
        self.fix = Some(fix.into());
        self
    }

    #[must_use]
    pub fn advising(mut self, advice: impl Into<String>) -> Finding {
        self.advice = Some(advice.into());
        self
    }

    /// Where it is, as editors and terminals take it.
    pub fn place(&self) -> String {
        match self.line {
            Some(line) => format!("{}:{line}", self.path),
            None => self.path.clone(),
        }
    }
}
