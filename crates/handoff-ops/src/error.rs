//! The error that leaves an operation, and the one table of what its kind means at each door.

use std::error::Error;
use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::{Door, Hint};

/// What sort of trouble it is, as far as callers treat it differently.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ErrorKind {
    /// It should have worked: a full disk, a missing permission, a bug.
    Failure,
    /// The request makes no sense as it stands.
    Usage,
    /// Something named in the request does not exist.
    NotFound,
    /// A rule, a conflict or an ambiguity stands against it.
    Refused,
    /// Writing is paused, for the project or by the user.
    Paused,
    /// Files on disk cannot be understood.
    Damaged,
}

/// What a kind means at each door.
struct Meaning {
    name: &'static str,
    exit_code: u8,
    http_status: u16,
    mcp_code: i32,
}

impl ErrorKind {
    /// Every kind, in the order of the exit codes.
    pub const ALL: [ErrorKind; 6] = [
        ErrorKind::Failure,
        ErrorKind::Usage,
        ErrorKind::NotFound,
        ErrorKind::Refused,
        ErrorKind::Paused,
        ErrorKind::Damaged,
    ];

    const fn meaning(self) -> Meaning {
        let (name, exit_code, http_status, mcp_code) = match self {
            ErrorKind::Failure => ("failure", 1, 500, -32603),
            ErrorKind::Usage => ("usage", 2, 400, -32602),
            ErrorKind::NotFound => ("not_found", 3, 404, -32002),
            ErrorKind::Refused => ("refused", 4, 409, -32004),
            ErrorKind::Paused => ("paused", 5, 423, -32005),
            ErrorKind::Damaged => ("damaged", 6, 500, -32006),
        };
        Meaning { name, exit_code, http_status, mcp_code }
    }

    /// The word used in JSON.
    pub const fn as_str(self) -> &'static str {
        self.meaning().name
    }

    /// Exit code of the command line.
    pub const fn exit_code(self) -> u8 {
        self.meaning().exit_code
    }

    /// HTTP status.
    pub const fn http_status(self) -> u16 {
        self.meaning().http_status
    }

    /// JSON-RPC error code, where MCP asks for one.
    pub const fn mcp_code(self) -> i32 {
        self.meaning().mcp_code
    }
}

/// Why an operation did not happen: a kind, a sentence, and perhaps a way out.
#[derive(Debug)]
pub struct OpError {
    // Boxed, because every operation returns one and almost none is made.
    inner: Box<Inner>,
}

#[derive(Debug)]
struct Inner {
    kind: ErrorKind,
    message: String,
    details: Vec<String>,
    hints: Vec<Hint>,
    source: Option<Box<dyn Error + Send + Sync>>,
}

impl OpError {
    /// An error of this kind. The message is one sentence in lower case, without a full stop, with backticks around
    /// what the user typed.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> OpError {
        let inner = Inner { kind, message: message.into(), details: Vec::new(), hints: Vec::new(), source: None };
        OpError { inner: Box::new(inner) }
    }

    /// It should have worked.
    pub fn failure(message: impl Into<String>) -> OpError {
        OpError::new(ErrorKind::Failure, message)
    }

    /// The request makes no sense as it stands.
    pub fn usage(message: impl Into<String>) -> OpError {
        OpError::new(ErrorKind::Usage, message)
    }

    /// Something named in the request does not exist.
    pub fn not_found(message: impl Into<String>) -> OpError {
        OpError::new(ErrorKind::NotFound, message)
    }

    /// A rule, a conflict or an ambiguity stands against it.
    pub fn refused(message: impl Into<String>) -> OpError {
        OpError::new(ErrorKind::Refused, message)
    }

    /// Writing is paused.
    pub fn paused(message: impl Into<String>) -> OpError {
        OpError::new(ErrorKind::Paused, message)
    }

    /// Files on disk cannot be understood.
    pub fn damaged(message: impl Into<String>) -> OpError {
        OpError::new(ErrorKind::Damaged, message)
    }

    /// Adds a line below the message, such as a candidate or a close match.
    #[must_use]
    pub fn detail(mut self, line: impl Into<String>) -> OpError {
        self.inner.details.push(line.into());
        self
    }

    /// Adds several lines below the message.
    #[must_use]
    pub fn details<L: Into<String>>(mut self, lines: impl IntoIterator<Item = L>) -> OpError {
        self.inner.details.extend(lines.into_iter().map(Into::into));
        self
    }

    /// Adds a way out.
    #[must_use]
    pub fn hint(mut self, hint: Hint) -> OpError {
        self.inner.hints.push(hint);
        self
    }

    /// Names the cause, which doors show after the message.
    #[must_use]
    pub fn caused_by(mut self, source: impl Into<Box<dyn Error + Send + Sync>>) -> OpError {
        self.inner.source = Some(source.into());
        self
    }

    pub fn kind(&self) -> ErrorKind {
        self.inner.kind
    }

    /// The sentence, without its causes.
    pub fn message(&self) -> &str {
        &self.inner.message
    }

    /// The lines below the message.
    pub fn detail_lines(&self) -> &[String] {
        &self.inner.details
    }

    pub fn hints(&self) -> &[Hint] {
        &self.inner.hints
    }

    /// The chain of causes, outermost first. A cause that only repeats the one before it is left out.
    pub fn causes(&self) -> Vec<String> {
        let mut causes: Vec<String> = Vec::new();
        let mut next = self.source();
        while let Some(cause) = next {
            let text = cause.to_string();
            if causes.last().unwrap_or(&self.inner.message) != &text {
                causes.push(text);
            }
            next = cause.source();
        }
        causes
    }

    /// The message and its causes, with colons between them.
    pub fn sentence(&self) -> String {
        let mut sentence = self.inner.message.clone();
        for cause in self.causes() {
            sentence.push_str(": ");
            sentence.push_str(&cause);
        }
        sentence
    }

    /// The error for programs.
    pub fn to_json(&self, door: Door) -> Value {
        json!({ "error": {
            "kind": self.kind().as_str(),
            "message": self.message(),
            "details": self.detail_lines(),
            "hints": self.hints().iter().map(|hint| hint.to_json(door)).collect::<Vec<_>>(),
            "causes": self.causes(),
        }})
    }
}

impl fmt::Display for OpError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.inner.message)
    }
}

impl Error for OpError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.inner.source.as_deref().map(|source| source as &(dyn Error + 'static))
    }
}

#[cfg(test)]
mod tests {
    use std::io;

    use super::*;

    #[test]
    fn every_kind_has_its_own_exit_code() {
        let table: Vec<_> =
            ErrorKind::ALL.iter().map(|kind| (kind.as_str(), kind.exit_code(), kind.http_status())).collect();
        let expected = [
            ("failure", 1, 500),
            ("usage", 2, 400),
            ("not_found", 3, 404),
            ("refused", 4, 409),
            ("paused", 5, 423),
            ("damaged", 6, 500),
        ];
        assert_eq!(table, expected);
    }

    #[test]
    fn the_name_in_the_table_is_the_one_serde_writes() {
        for kind in ErrorKind::ALL {
            assert_eq!(serde_json::to_value(kind).unwrap(), kind.as_str());
        }
    }

    #[test]
    fn causes_follow_the_message_once_each() {
        let inner = io::Error::new(io::ErrorKind::StorageFull, "no space left on device");
        let error = OpError::failure("cannot save task `k7f3`").caused_by(io::Error::other(inner));
        assert_eq!(error.sentence(), "cannot save task `k7f3`: no space left on device");
    }

    #[test]
    fn the_json_form_says_everything() {
        let error = OpError::refused("task `1` has 1 open criterion").detail("tests pass").hint(Hint::say("check it"));
        insta::assert_snapshot!(
            error.to_json(Door::Cli),
            @r#"{"error":{"kind":"refused","message":"task `1` has 1 open criterion","details":["tests pass"],"hints":[{"text":"check it"}],"causes":[]}}"#
        );
    }
}
