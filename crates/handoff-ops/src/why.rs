//! `handoff why`: what is recorded about a file or a line of it.

use clap::Args;
use handoff_model::session::SessionStatus;
use handoff_model::task::Status;
use handoff_model::when::Day;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::{Effect, OpError, Operation, Project, ToolSet};

mod asked;
mod commits;
mod find;
mod page;

use asked::Asked;

/// Find out why a file or line is as it is: the decisions, tasks and sessions that concern it, and the reason for each
///
/// Looks at what governs it, points to it, names it or had it changed, at the names it had before, and at the commits
/// that made it.
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Why {
    /// File or directory, perhaps with lines: `src/auth.rs:42` or `src/auth.rs:42-78`
    #[arg(value_name = "PATH[:LINE]")]
    pub path: String,
    /// At most this many findings; 20 if absent
    #[arg(long, short = 'n', value_name = "N")]
    pub limit: Option<usize>,
}

/// What concerns a file, the closest first.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Concerns {
    /// Relative to the project
    pub path: String,
    /// The lines that were asked about
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lines: Option<String>,
    /// Whether it is there
    pub exists: bool,
    /// What it was called before
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub known_as: Vec<String>,
    /// Who made the lines
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub blame: Vec<BlamedLines>,
    pub findings: Vec<Concern>,
    /// How many findings there are in all
    pub count: usize,
    /// What was not looked at
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub skipped: Vec<String>,
    #[serde(skip)]
    asked: String,
    #[serde(skip)]
    warnings: Vec<String>,
}

/// Lines that one commit made.
#[derive(Debug, Serialize, JsonSchema)]
pub struct BlamedLines {
    pub lines: String,
    /// Absent where they are not committed
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subject: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub author: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub date: Option<Day>,
}

/// Something that concerns it.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Concern {
    /// A decision as `session#id`, a task by its id, a session by its full name
    pub id: String,
    #[serde(flatten)]
    pub what: What,
    pub text: String,
    /// The day it was decided, made or begun
    #[serde(skip_serializing_if = "Option::is_none")]
    pub date: Option<Day>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// Why it concerns it, the closest first
    pub reasons: Vec<String>,
    /// Older sessions that it took this over from, or that took it over, and that concern it for the same reasons
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub copies: Vec<String>,
}

/// What sort of thing it is, and how it stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum What {
    Decision {
        status: DecisionStatus,
        /// Why it was decided
        #[serde(skip_serializing_if = "Option::is_none")]
        reason: Option<String>,
        /// What superseded it; absent while it is in force
        #[serde(skip_serializing_if = "Option::is_none")]
        superseded_by: Option<String>,
    },
    Task {
        number: String,
        status: Status,
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        archived: bool,
    },
    Session {
        status: SessionStatus,
    },
}

/// Whether a decision holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DecisionStatus {
    InForce,
    Superseded,
}

impl Operation for Why {
    const NAME: &'static str = "why";
    const TOOL: &'static str = "handoff_why";
    const SET: ToolSet = ToolSet::Sessions;
    const EFFECT: Effect = Effect::Read;
    type Outcome = Concerns;

    fn example() -> Value {
        json!({"path": "src/auth/"})
    }

    fn run(self, project: &mut Project) -> Result<Concerns, OpError> {
        const SHOWN: usize = 20;
        if self.limit == Some(0) {
            return Err(OpError::usage("a limit of 0 shows nothing: give 1 or more"));
        }
        let asked = Asked::read(project, &self.path)?;
        let mut told = commits::look(project, &asked);
        let mut findings = find::findings(project, &asked, &mut told)?;
        if findings.is_empty() && !asked.exists && told.history.commits.is_empty() {
            return Err(asked.unknown());
        }
        let count = findings.len();
        findings.truncate(self.limit.unwrap_or(SHOWN));
        Ok(Concerns {
            path: asked.path,
            lines: asked.lines.map(|lines| lines.to_string()),
            exists: asked.exists,
            known_as: told.history.names,
            blame: told.blamed.iter().map(BlamedLines::of).collect(),
            findings,
            count,
            warnings: told.skipped.clone(),
            skipped: told.skipped,
            asked: self.path,
        })
    }
}
