//! What is paused, as it is told.

use std::path::Path;

use handoff_model::pause::PausePlace;
use handoff_model::when::Moment;
use handoff_store::{Pause, PauseFile, PauseForm};
use schemars::JsonSchema;
use serde::Serialize;

use crate::page::{Role, Text};
use crate::{Breaks, Page, Project, Report, visible};

/// Whether writing is paused, and by what.
#[derive(Debug, Serialize, JsonSchema)]
pub struct PauseState {
    /// Whether anything stops writing here
    pub paused: bool,
    pub message: String,
    /// Every pause that does
    pub pauses: Vec<PauseView>,
    /// The pause that was asked for, and the command that lifts it
    #[serde(skip)]
    own: Option<(String, String)>,
    #[serde(skip)]
    warnings: Vec<String>,
}

/// One pause.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct PauseView {
    /// `project`, `user` or `agent_handover`
    pub place: &'static str,
    /// The file, or whatever has its name
    pub file: String,
    /// Why, as somebody wrote it; absent where nobody did
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Who paused, where that is known
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<Moment>,
    /// What is wrong with the file; it counts all the same
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
}

impl PauseView {
    /// A pause as it can be shown.
    pub fn of(project: &Project, pause: &Pause) -> PauseView {
        let clean = |text: &str| visible(text, Breaks::Mark).into_owned();
        let problem = match &pause.form {
            PauseForm::File => None,
            PauseForm::Directory => Some("a directory".to_owned()),
            PauseForm::Link => Some("a symbolic link".to_owned()),
            PauseForm::Other => Some("no ordinary file".to_owned()),
            PauseForm::Hidden(why) => Some(format!("cannot be looked at: {why}")),
        };
        PauseView {
            place: pause.place.as_str(),
            file: project.pause_shown(&pause.path),
            reason: Some(clean(&pause.reason)).filter(|reason| !reason.is_empty()),
            by: pause.by.as_deref().map(clean),
            since: pause.since,
            problem,
        }
    }
}

impl PauseState {
    /// What stops writing in a store. What is paused elsewhere than by `asked` is warned of.
    pub(super) fn of(
        project: &Project,
        store: Option<&Path>,
        asked: Option<&PauseFile>,
        message: String,
    ) -> PauseState {
        let pauses = project.place.pauses(store);
        let is_own = |pause: &&Pause| asked.is_some_and(|asked| asked.path == pause.path);
        let own = pauses.iter().find(is_own).map(|pause| (project.told(pause), lifting(pause)));
        let others = pauses.iter().filter(|pause| !is_own(pause));
        let warnings = others.map(|pause| {
            let word = if asked.is_some() { "also" } else { "still" };
            format!("{word} paused: {}; `{}` lifts it", project.told(pause), lifting(pause))
        });
        let warnings = warnings.collect();
        let views = pauses.iter().map(|pause| PauseView::of(project, pause)).collect();
        PauseState { paused: !pauses.is_empty(), message, pauses: views, own, warnings }
    }
}

/// The command that lifts a pause.
fn lifting(pause: &Pause) -> String {
    let flag = match pause.place {
        PausePlace::Project => "",
        PausePlace::User => " --user",
        PausePlace::AgentHandover => " --all",
    };
    format!("handoff unpause{flag}")
}

impl Report for PauseState {
    fn page(&self) -> Page {
        let page = Page::new().line(Text::of(Role::Good, "✓ ").plain(&self.message));
        match &self.own {
            Some((line, lifting)) => page.item(line).line(format!("`{lifting}` lifts it; reading goes on meanwhile")),
            None => page,
        }
    }

    fn warnings(&self) -> &[String] {
        &self.warnings
    }
}
