//! `handoff run`: the handover, step by step, that is noticed and finished when it dies half-way.
//!
//! **Invariant:** what a run is given is on disk before its first step, and before and after each step it is written down
//! how far the run has come. Each step finds out itself whether it happened already, so taking a run up again does
//! nothing twice.

use std::path::PathBuf;

use clap::Args;
use handoff_model::handover::TEMPLATE;
use handoff_model::id::SessionRef;
use handoff_model::text::{Name, Prose, Title};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::{Effect, OpError, Operation, Project, ToolSet};

mod agent_handover;
mod check;
mod checked;
mod choice;
pub mod command;
mod compatible;
mod drive;
mod given;
mod inputs;
mod kept;
mod notice;
mod plan;
mod queue;
mod source;
mod standing;
mod status;
mod steps;
mod view;
mod when;

pub use agent_handover::{
    AGENT_HANDOVER, CheckAgentHandover, CheckpointLines, ExecutedSteps, RunAgentHandover, ShowAgentHandover,
};
pub use check::{CheckHandover, CheckStatus, HandoverCheck};
pub(crate) use inputs::Inputs;
pub(crate) use kept::HandoverRun;
pub(crate) use notice::findings;
pub(crate) use queue::mend_queue;
pub(crate) use source::FILE;
pub use status::{LastHandoff, RunView, ShowStatus, StatusView, WaitingRequest};
pub use view::{HandoverView, StepView};

/// Hand over: close the session, write the note, tidy up, publish if told to; finish what was cut short
///
/// The steps are those of `.handoff/handover.toml`, or sensible ones where there is none. A run that died goes on where it
/// stopped, with what it was given then; a note that comes meanwhile waits its turn. Commands that the file names run
/// only after `handoff trust handover`.
#[derive(Debug, Default, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
pub struct RunHandover {
    /// What was done and where it stands; `-` reads it from standard input
    #[arg(long, visible_alias = "summary", short = 'm', value_name = "TEXT", allow_hyphen_values = true)]
    #[serde(default, alias = "summary")]
    pub note: Option<String>,
    /// The same without a flag
    #[arg(value_name = "NOTE", conflicts_with = "note")]
    #[serde(skip)]
    #[schemars(skip)]
    typed_note: Option<String>,
    /// Where the project stands, shown first to whoever comes next
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    #[serde(default)]
    pub current_state: Option<Prose>,
    /// What it is about, on one line
    #[arg(long, value_name = "TEXT")]
    #[serde(default)]
    pub title: Option<Title>,
    /// A next step; may be given several times
    #[arg(long = "next", value_name = "TEXT", allow_hyphen_values = true)]
    #[serde(default)]
    pub next: Vec<Prose>,
    /// The tag of the note
    #[arg(long, value_name = "TAG")]
    #[serde(default)]
    pub tag: Option<Name>,
    /// Session to close; your own if absent
    #[arg(long, value_name = "SESSION")]
    #[serde(default)]
    pub session: Option<SessionRef>,
    /// Another list of steps than `.handoff/handover.toml`
    #[arg(long, value_name = "FILE")]
    #[serde(default)]
    pub config: Option<PathBuf>,
    /// Commit, and push nothing
    #[arg(long)]
    #[serde(default)]
    pub no_push: bool,
    /// Perform only this step; may be given several times
    #[arg(long, value_name = "STEP")]
    #[serde(default)]
    pub only: Vec<String>,
    /// Begin with this step, also if it is done already
    #[arg(long, value_name = "STEP", conflicts_with = "only")]
    #[serde(default)]
    pub from: Option<String>,
    /// Pass over this step; may be given several times
    #[arg(long, value_name = "STEP")]
    #[serde(default)]
    pub skip: Vec<String>,
    /// Give up the run that was cut short
    #[arg(long)]
    #[serde(default)]
    pub abandon: bool,
    /// Only say what would be done
    #[arg(long)]
    #[serde(default)]
    pub dry_run: bool,
    /// Where agent-handover's checkpoint is kept as well
    #[arg(skip)]
    #[serde(skip)]
    #[schemars(skip)]
    compatible_checkpoint: Option<PathBuf>,
    /// Print a `handover.toml` to begin with
    #[arg(long)]
    #[serde(skip)]
    #[schemars(skip)]
    template: bool,
}

impl Operation for RunHandover {
    const NAME: &'static str = "run";
    const TOOL: &'static str = "handoff_run";
    const SET: ToolSet = ToolSet::Sessions;
    const EFFECT: Effect = Effect::Steps;
    type Outcome = HandoverView;

    fn example() -> Value {
        json!({"note": "Token parser extracted, refresh tests fail", "next": ["Fix refresh test matrix"]})
    }

    fn effect(&self) -> Effect {
        match (self.template, self.dry_run) {
            (true, _) => Effect::Seek,
            (false, true) => Effect::Read,
            (false, false) => Self::EFFECT,
        }
    }

    fn run(mut self, project: &mut Project) -> Result<HandoverView, OpError> {
        if self.template {
            return Ok(HandoverView::template(TEMPLATE));
        }
        if project.is_user_store() {
            return Err(given::no_project());
        }
        self.take_in(project)?;
        if self.dry_run {
            return plan::plan(project, &self);
        }
        let view = drive::drive(project, &self)?;
        Ok(view.beside(&queue::damaged(project.store())?))
    }
}
