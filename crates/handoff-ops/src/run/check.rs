//! `handoff check`: whether a handover is open, told by an exit code.
//!
//! **Invariant:** every code means one thing. What goes wrong in looking is told as damage, never as one of the answers
//! that others act on.

use std::path::PathBuf;

use clap::Args;
use handoff_model::when::Moment;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::standing;
use crate::pause::PauseView;
use crate::{Effect, ExitCodes, OpError, Operation, Page, Project, Report, ToolSet};

/// Tell by the exit code whether a handover was cut short: quick enough for a prompt or a hook
///
/// Exit codes: 0 clean, 1 a handover must be finished or waits (`handoff run` does it), 2 the last one is completed and no
/// session was begun since, 3 no project, 5 paused, 6 damaged, 64 wrong usage.
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CheckHandover {
    /// Look at this file of agent-handover, or of handoff, in place of the project's
    #[arg(long, value_name = "FILE")]
    #[serde(default)]
    pub checkpoint: Option<PathBuf>,
    /// Print nothing
    #[arg(long, short = 'q')]
    #[serde(default)]
    #[schemars(skip)]
    pub quiet: bool,
}

/// How it stands with handovers.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct HandoverCheck {
    pub status: CheckStatus,
    /// The exit code of the command
    pub code: u8,
    pub message: String,
    /// The run that is meant
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run: Option<String>,
    /// The step it stands at
    #[serde(skip_serializing_if = "Option::is_none")]
    pub step: Option<String>,
    /// `pending`, `begun` or `failed`
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state: Option<String>,
    /// Whether nobody knows if the step happened: `handoff run` does not finish it before it is told
    pub unsettled: bool,
    /// What went wrong
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// How many times the step was tried
    #[serde(skip_serializing_if = "Option::is_none")]
    pub attempts: Option<u32>,
    /// When the run last came further, or ended
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<Moment>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub age_seconds: Option<i64>,
    /// Whether somebody drives a run at this moment
    pub running: bool,
    /// How many requests wait in the queue
    pub waiting: usize,
    /// The pauses in force, whatever the status is
    pub paused: Vec<PauseView>,
    /// The file that was looked at
    #[serde(skip_serializing_if = "Option::is_none")]
    pub checkpoint: Option<String>,
    #[serde(skip)]
    pub(super) is_quiet: bool,
}

/// The answer in one word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CheckStatus {
    Clean,
    Resume,
    Completed,
    NoProject,
    Paused,
    Damaged,
}

impl CheckStatus {
    /// Its exit code.
    pub const fn code(self) -> u8 {
        match self {
            CheckStatus::Clean => 0,
            CheckStatus::Resume => 1,
            CheckStatus::Completed => 2,
            CheckStatus::NoProject => 3,
            CheckStatus::Paused => 5,
            CheckStatus::Damaged => 6,
        }
    }
}

impl Operation for CheckHandover {
    const NAME: &'static str = "check";
    const TOOL: &'static str = "handoff_check";
    const SET: ToolSet = ToolSet::Sessions;
    const EFFECT: Effect = Effect::Seek;
    const CODES: ExitCodes = ExitCodes::OfCheck;
    type Outcome = HandoverCheck;

    fn example() -> Value {
        json!({})
    }

    fn run(self, project: &mut Project) -> Result<HandoverCheck, OpError> {
        let check = match &self.checkpoint {
            Some(path) => standing::in_file(project, path),
            None => standing::here(project),
        };
        Ok(HandoverCheck { is_quiet: self.quiet, ..check })
    }
}

impl Report for HandoverCheck {
    fn page(&self) -> Page {
        Page::new().line(self.message.as_str())
    }

    fn raw(&self) -> Option<Vec<u8>> {
        self.is_quiet.then(Vec::new)
    }

    fn exit_code(&self) -> Option<u8> {
        Some(self.code)
    }
}
