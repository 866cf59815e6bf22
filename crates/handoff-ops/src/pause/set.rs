//! `handoff pause`

use std::path::PathBuf;

use clap::Args;
use handoff_model::pause::{PauseNote, PausePlace, one_line};
use handoff_store::{Pause, PauseFile};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::PauseState;
use crate::{Effect, Hint, OpError, Operation, Project, ToolSet};

/// Pause: nothing is written in this project until a person lifts it; reading goes on
///
/// It is one file, `.handoff/PAUSE`, which `touch` makes as well. With `--user` it holds for everything on this machine
/// that is yours. A pause that is there stays, and gets the reason if one is given.
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PauseWriting {
    /// Why, in one line
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    #[serde(default)]
    pub reason: Option<String>,
    /// Pause all your projects and the user store
    #[arg(long)]
    #[serde(default)]
    pub user: bool,
}

impl Operation for PauseWriting {
    const NAME: &'static str = "pause";
    const TOOL: &'static str = "handoff_pause";
    const SET: ToolSet = ToolSet::Project;
    const EFFECT: Effect = Effect::Brake;
    const REPEATABLE: bool = true;
    type Outcome = PauseState;

    fn example() -> Value {
        json!({"reason": "release in progress"})
    }

    fn run(self, project: &mut Project) -> Result<PauseState, OpError> {
        let (store, file) = if self.user {
            (project.project_store_dir().ok().flatten(), user_file(project)?)
        } else {
            let dir = store_dir(project)?;
            let file = PauseFile::within(PausePlace::Project, &dir);
            (Some(dir), file)
        };
        let reason = self.reason.as_deref().map(one_line).filter(|reason| !reason.is_empty());
        let before = file.look();
        let is_new = before.is_none();
        if is_new || reason.is_some() {
            let note = note(project, reason.unwrap_or_default(), before);
            match file.set(&note) {
                Ok(()) => {}
                // It is paused; only why cannot be said.
                Err(error) if !is_new => {
                    let why = OpError::from(error).sentence();
                    project.note(format!("it is paused, but the reason could not be kept: {why}"));
                }
                Err(error) => {
                    let failed = OpError::from(error);
                    let user = Hint::run_with::<PauseWriting>(json!({"user": true}));
                    return Err(if self.user { failed } else { failed.hint(user) });
                }
            }
        }
        let what = if self.user { "all your projects" } else { "this project" };
        let already = if is_new { "is" } else { "was already" };
        let message = format!("writing {already} paused for {what}");
        Ok(PauseState::of(project, store.as_deref(), Some(&file), message))
    }
}

/// What the file will say. Who paused first, and when, stays: nobody else's brake becomes one's own by giving a reason.
fn note(project: &Project, reason: String, before: Option<Pause>) -> PauseNote {
    let (by, since) = before.map(|pause| (pause.by, pause.since)).unwrap_or_default();
    let by = by.unwrap_or_else(|| project.by().unwrap_or_else(|_| project.person()));
    PauseNote { reason, by: Some(by), since: since.or(Some(project.now())) }
}

fn store_dir(project: &Project) -> Result<PathBuf, OpError> {
    project.project_store_dir()?.ok_or_else(|| {
        OpError::not_found("no handoff project here or in a directory above")
            .hint(Hint::run_with::<PauseWriting>(json!({"user": true})))
    })
}

/// The pause for everything that is the user's.
fn user_file(project: &Project) -> Result<PauseFile, OpError> {
    let dir = project.place.user_config_dir();
    let dir = dir.ok_or_else(|| OpError::failure("there is no home directory: set HOME or HANDOFF_HOME"))?;
    Ok(PauseFile::within(PausePlace::User, &dir))
}
