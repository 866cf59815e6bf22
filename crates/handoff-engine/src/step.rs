//! One step: what is to be done, and how far that has come.

use std::time::Duration;

use handoff_model::when::Moment;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A step as it was declared.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Step<A> {
    /// What it is called in this run; unique
    pub id: String,
    /// What is to be done, in the driver's own terms
    pub action: A,
    /// How many times it is tried again when it fails
    #[serde(default)]
    pub retries: u32,
    /// How long to wait before the first of these; the next waits twice as long
    #[serde(default)]
    pub backoff_milliseconds: u64,
    /// Whether a later run makes up for it, so that others need not wait until it succeeds
    #[serde(default)]
    pub carries_over: bool,
}

/// No wait between two tries is longer.
const LONGEST_WAIT: Duration = Duration::from_mins(1);

impl<A> Step<A> {
    /// A step that is tried once.
    pub fn new(id: impl Into<String>, action: A) -> Step<A> {
        Step { id: id.into(), action, retries: 0, backoff_milliseconds: 0, carries_over: false }
    }

    /// How long to wait after so many failures.
    pub(crate) fn wait(&self, failures: u32) -> Duration {
        let doubled = 2_u64.saturating_pow(failures.saturating_sub(1));
        Duration::from_millis(self.backoff_milliseconds.saturating_mul(doubled)).min(LONGEST_WAIT)
    }
}

/// A step and how far it has come.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Track<A> {
    #[serde(flatten)]
    pub step: Step<A>,
    pub progress: Progress,
    /// How many times it was begun; a try that was cut short and taken up again counts once
    #[serde(default)]
    pub attempts: u32,
    /// What went wrong the last time
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// Why it was passed over
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// What came of it, for the steps after it and for those who resume
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub outcome: Value,
    /// Whether it stands in no list: the driver found it necessary
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub added: bool,
    /// Whether it is to be done again although it was done before
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub again: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub begun_at: Option<Moment>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<Moment>,
    /// Failures since somebody last took the run up
    #[serde(skip)]
    pub(crate) failures: u32,
}

impl<A> Track<A> {
    pub(crate) fn new(step: Step<A>) -> Track<A> {
        Track {
            step,
            progress: Progress::Pending,
            attempts: 0,
            error: None,
            reason: None,
            outcome: Value::Null,
            added: false,
            again: false,
            begun_at: None,
            ended_at: None,
            failures: 0,
        }
    }

    /// Whether nothing is left to do about it.
    pub fn is_over(&self) -> bool {
        matches!(self.progress, Progress::Done | Progress::Skipped)
    }

    /// Forgets how it went: it is to be done again.
    pub(crate) fn again(&mut self) {
        self.again = self.again || self.attempts > 0;
        (self.progress, self.error, self.reason, self.outcome) = (Progress::Pending, None, None, Value::Null);
        (self.begun_at, self.ended_at) = (None, None);
    }
}

/// How far a step has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Progress {
    /// Not begun
    Pending,
    /// Begun; whether it happened is known to whoever performs it
    Begun,
    Failed,
    Done,
    /// Passed over, for a reason
    Skipped,
}

impl Progress {
    /// The word for it in files and answers.
    pub const fn word(self) -> &'static str {
        match self {
            Progress::Pending => "pending",
            Progress::Begun => "begun",
            Progress::Failed => "failed",
            Progress::Done => "done",
            Progress::Skipped => "skipped",
        }
    }
}
