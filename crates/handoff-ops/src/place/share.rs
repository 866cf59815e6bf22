//! `handoff share` and `handoff unshare`

use clap::Args;
use handoff_model::name::Layout;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::page::{Role, Text};
use crate::{Effect, OpError, Operation, Page, Project, Report, ToolSet, leaving};

/// Let git carry this project to other machines and people
///
/// Task directories become flat and fixed, so that two people's changes merge, and git sees the files. One change:
/// it happens as a whole or not at all, and `handoff unshare` goes back.
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Share {}

/// Keep this project to this machine again
///
/// Task directories are nested and show their status, and git no longer picks the files up.
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Unshare {}

/// What became of the project.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Sharing {
    /// Whether git sees the files now
    pub shared: bool,
    /// Tasks whose directory has another place now
    pub moved: usize,
    pub message: String,
    /// What is left for the person to do
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
}

impl Operation for Share {
    const NAME: &'static str = "share";
    const TOOL: &'static str = "handoff_share_project";
    const SET: ToolSet = ToolSet::Project;
    const EFFECT: Effect = Effect::Write;
    type Outcome = Sharing;

    fn example() -> Value {
        json!({})
    }

    fn run(self, project: &mut Project) -> Result<Sharing, OpError> {
        convert(project, Layout::Stable)
    }
}

impl Operation for Unshare {
    const NAME: &'static str = "unshare";
    const TOOL: &'static str = "handoff_unshare_project";
    const SET: ToolSet = ToolSet::Project;
    const EFFECT: Effect = Effect::Write;
    type Outcome = Sharing;

    fn example() -> Value {
        json!({})
    }

    fn run(self, project: &mut Project) -> Result<Sharing, OpError> {
        convert(project, Layout::Status)
    }
}

fn convert(project: &mut Project, to: Layout) -> Result<Sharing, OpError> {
    if project.is_user_store() {
        return Err(OpError::refused("the user store belongs to this machine alone; only a project can be shared"));
    }
    let shared = to == Layout::Stable;
    let word = if shared { "shared" } else { "private" };
    let moved = project.store_mut().convert(to)?;
    if !project.store().has_changes() {
        let message = format!("this project is {word} already; nothing was changed");
        return Ok(Sharing { shared, moved: 0, message, next: None });
    }
    if shared {
        let texts = project.store().travelling_texts()?;
        leaving::shared(&texts, project)?;
    }
    let next = if shared {
        "commit .handoff/ with git"
    } else {
        "what git already tracks stays tracked: run `git rm -r --cached .handoff` to have it forget the files"
    };
    let directories = if moved == 1 { "task directory" } else { "task directories" };
    let message = format!("this project is {word} now; {moved} {directories} moved");
    Ok(Sharing { shared, moved, message, next: Some(next.to_owned()) })
}

impl Report for Sharing {
    fn page(&self) -> Page {
        let page = Page::new().line(Text::of(Role::Good, "✓ ").plain(&self.message));
        match &self.next {
            Some(next) => page.line(Text::of(Role::Strong, "Next: ").plain(next)),
            None => page,
        }
    }
}
