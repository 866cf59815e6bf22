//! Why nothing was published.

use std::io;
use std::time::Duration;

use super::super::run::{Ended, Failure, How};
use super::words::words;
use crate::error::StoreError;

/// Why nothing was published. Nothing of the repository was changed, but for what a hook of the person's did.
#[derive(Debug, thiserror::Error)]
pub enum PublishError {
    #[error("there is no git repository with a work tree here: {0}")]
    NoRepository(String),
    #[error("git is not installed")]
    NotInstalled,
    /// What was asked for makes no sense
    #[error("{0}")]
    Wrong(String),
    /// A rule of ours, or the state of the repository, forbids it; the sentence says what would help
    #[error("{0}")]
    Refused(String),
    /// Somebody else is at work
    #[error("{0}")]
    Busy(String),
    #[error("git cannot {doing}: {said}")]
    Git { doing: &'static str, said: String },
    #[error("git took longer than {} s to {doing} and was ended{perhaps}{}", limit.as_secs_f64(), after(said))]
    TookTooLong { doing: &'static str, limit: Duration, perhaps: String, said: String },
    #[error("cannot use the directory {path}")]
    Unusable { path: String, source: io::Error },
}

impl PublishError {
    /// Whether it may go well if it is tried again without anything else being done.
    pub fn may_pass(&self) -> bool {
        match self {
            PublishError::Busy(_) | PublishError::Git { .. } | PublishError::TookTooLong { .. } => true,
            PublishError::NoRepository(_)
            | PublishError::NotInstalled
            | PublishError::Wrong(_)
            | PublishError::Refused(_)
            | PublishError::Unusable { .. } => false,
        }
    }

    pub(super) fn asking(doing: &'static str, failure: &Failure) -> PublishError {
        match failure {
            Failure::NotInstalled => PublishError::NotInstalled,
            Failure::TookTooLong(limit) => {
                PublishError::TookTooLong { doing, limit: *limit, perhaps: String::new(), said: String::new() }
            }
            Failure::SaidTooMuch => PublishError::Git { doing, said: failure.to_string() },
            Failure::Refused(said) => PublishError::Git { doing, said: words(said.as_bytes()) },
        }
    }

    /// A git that did not come to a good end.
    pub(super) fn ended(doing: &'static str, ended: &Ended) -> PublishError {
        let said = words(&ended.complaint);
        match ended.how {
            How::TooLate => PublishError::TookTooLong { doing, limit: ended.limit, perhaps: String::new(), said },
            How::Badly(Some(code)) if said.is_empty() => {
                PublishError::Git { doing, said: format!("it ended with code {code} and said nothing") }
            }
            _ => PublishError::Git { doing, said },
        }
    }

    pub(super) fn locked(error: StoreError) -> PublishError {
        match error {
            StoreError::Locked { holder, seconds } => PublishError::Busy(format!(
                "another publish is under way in this repository ({}); gave up after {seconds} s",
                words(holder.as_bytes())
            )),
            StoreError::Write { path, source } => PublishError::Unusable { path, source },
            other => PublishError::Refused(other.to_string()),
        }
    }
}

fn after(said: &str) -> String {
    if said.is_empty() { String::new() } else { format!(": {said}") }
}
