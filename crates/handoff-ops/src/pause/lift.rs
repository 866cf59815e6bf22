//! `handoff unpause`

use clap::Args;
use handoff_model::pause::PausePlace;
use handoff_store::{Lifted, PauseFile, PauseForm};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::PauseState;
use crate::{Door, Effect, Hint, OpError, Operation, Project, ToolSet};

/// Lift the pause of this project: writing goes on
///
/// What is paused elsewhere stays paused, and is told. A person lifts a pause, so agents have no tool for it.
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct UnpauseWriting {
    /// Lift your own pause, of all your projects and the user store
    #[arg(long)]
    #[serde(default)]
    pub user: bool,
    /// Lift every pause that stops writing here, that of agent-handover too
    #[arg(long)]
    #[serde(default)]
    pub all: bool,
}

impl Operation for UnpauseWriting {
    const NAME: &'static str = "unpause";
    const TOOL: &'static str = "handoff_unpause";
    const SET: ToolSet = ToolSet::Project;
    const EFFECT: Effect = Effect::Brake;
    const DOORS: &'static [Door] = &[Door::Cli, Door::Http];
    const REPEATABLE: bool = true;
    type Outcome = PauseState;

    fn example() -> Value {
        json!({})
    }

    fn run(self, project: &mut Project) -> Result<PauseState, OpError> {
        let is_user_only = self.user && !self.all;
        let in_project = match project.project_store_dir() {
            Err(error) if !is_user_only => return Err(error),
            found => found.ok().flatten(),
        };
        let user_store = project.user_dir().ok();
        // Outside any project, what is written goes to the user store.
        let store = in_project.clone().or_else(|| user_store.clone());
        let mut files = project.place.pause_files(store.as_deref());
        // The user's own includes the pause of the user store, also when it is asked for in a project.
        if self.user || self.all {
            let own = user_store.map(|dir| PauseFile::within(PausePlace::Project, &dir));
            files.extend(own.filter(|own| files.iter().all(|file| file.path != own.path)));
        }
        let own_path = in_project.as_deref().map(|dir| PauseFile::within(PausePlace::Project, dir).path);
        let is_meant = |file: &PauseFile| match file.place {
            PausePlace::Project => !is_user_only || Some(file.path.as_path()) != own_path.as_deref(),
            PausePlace::User => self.user || self.all,
            PausePlace::AgentHandover => self.all,
        };
        let (mut lifted, mut failed) = (Vec::new(), Vec::new());
        for file in files.iter().filter(|file| is_meant(file)) {
            let shown = project.pause_shown(&file.path);
            match file.lift() {
                Ok(Lifted::Now) => lifted.push(format!("`{shown}`")),
                Ok(Lifted::NotPaused) => {}
                Err(error) => failed.push((shown, file.look(), OpError::from(error))),
            }
        }
        let lifted = lifted.join(" and ");
        if let Some((shown, left, error)) = failed.into_iter().next() {
            let error = match left.map(|pause| pause.form) {
                Some(PauseForm::Directory) => {
                    let message = format!("`{shown}` is a directory that is not empty, so it stays");
                    OpError::refused(message).hint(Hint::say(format!("look what is in `{shown}`, and move it away")))
                }
                _ => error,
            };
            return Err(if lifted.is_empty() { error } else { error.detail(format!("{lifted} is lifted")) });
        }
        let is_open = project.place.pauses(store.as_deref()).is_empty();
        let message = match (lifted.is_empty(), is_open) {
            (true, true) => "nothing is paused".to_owned(),
            (true, false) => "nothing was lifted".to_owned(),
            (false, true) => format!("{lifted} is removed: writing goes on"),
            (false, false) => format!("{lifted} is removed"),
        };
        Ok(PauseState::of(project, store.as_deref(), None, message))
    }
}
