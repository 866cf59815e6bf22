//! What was found wrong in the files, told beside the answer instead of hiding it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One thing that is not as it should be, by file and line.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub struct Problem {
    /// The file or directory, relative to `.handoff/`
    pub path: String,
    /// The line it stands on, where there is one
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
    /// What is wrong and how it was read all the same, or what to do
    pub reason: String,
    /// Whether the record is shown regardless
    pub severity: Severity,
}

/// How much of a record a problem hides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// The record could not be read and is not shown
    Damaged,
    /// The record is shown, read as the reason says
    Mended,
}

impl Problem {
    pub fn damaged(path: impl Into<String>, reason: impl Into<String>) -> Self {
        Problem { path: path.into(), line: None, reason: reason.into(), severity: Severity::Damaged }
    }

    pub fn mended(path: impl Into<String>, reason: impl Into<String>) -> Self {
        Problem { path: path.into(), line: None, reason: reason.into(), severity: Severity::Mended }
    }

    /// Returns whether a record is missing from the answer: it cannot be read, or another one has its id.
    pub fn hides(&self) -> bool {
        self.severity == Severity::Damaged || self.reason.contains("kept aside")
    }

    #[must_use]
    pub fn at_line(mut self, line: Option<usize>) -> Self {
        self.line = line;
        self
    }
}

impl std::fmt::Display for Problem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.line {
            Some(line) => write!(f, "{}:{line}: {}", self.path, self.reason),
            None => write!(f, "{}: {}", self.path, self.reason),
        }
    }
}
