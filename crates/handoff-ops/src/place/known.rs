//! `handoff project list` and `handoff project forget`

use std::path::PathBuf;

use clap::Args;
use handoff_model::close::close_matches;
use handoff_store::{DIRECTORY, Known, Registry, is_project};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::page::{Column, Role, Row, Table, Text};
use crate::{Effect, Hint, OpError, Operation, Page, Project, Report, ToolSet};

/// List the projects known on this machine
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ListProjects {}

/// Forget a project; its files stay where they are
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ForgetProject {
    /// Name or directory of the project
    pub project: String,
}

/// The projects known on this machine.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Projects {
    pub projects: Vec<KnownProject>,
}

/// One project.
#[derive(Debug, Serialize, JsonSchema)]
pub struct KnownProject {
    pub name: String,
    pub path: String,
    /// Whether it is still there
    pub present: bool,
}

/// A project that was forgotten.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Forgotten {
    pub name: String,
    pub path: String,
    pub message: String,
}

impl Operation for ListProjects {
    const NAME: &'static str = "project.list";
    const TOOL: &'static str = "handoff_list_projects";
    const SET: ToolSet = ToolSet::Project;
    const EFFECT: Effect = Effect::Look;
    type Outcome = Projects;

    fn example() -> Value {
        json!({})
    }

    fn run(self, project: &mut Project) -> Result<Projects, OpError> {
        let known = Registry::read(&project.user_dir()?)?;
        let projects = known.into_iter().map(|known| KnownProject {
            present: is_project(&known.path),
            path: known.path.display().to_string(),
            name: known.name,
        });
        Ok(Projects { projects: projects.collect() })
    }
}

impl Operation for ForgetProject {
    const NAME: &'static str = "project.forget";
    const TOOL: &'static str = "handoff_forget_project";
    const SET: ToolSet = ToolSet::Project;
    const EFFECT: Effect = Effect::Found;
    type Outcome = Forgotten;

    fn example() -> Value {
        json!({"project": "old-app"})
    }

    fn run(self, project: &mut Project) -> Result<Forgotten, OpError> {
        let user = project.user_dir()?;
        project.refuse_paused_in(Some(&user))?;
        let known = Registry::read(&user)?;
        if self.project.trim().is_empty() {
            return Err(OpError::usage("name a project, or its directory"));
        }
        let wanted = project.place.cwd.join(PathBuf::from(&self.project));
        let wanted = if wanted.ends_with(DIRECTORY) { wanted.parent().unwrap_or(&wanted).to_owned() } else { wanted };
        // The registry has real paths; one that is gone is compared as it is written.
        let wanted = wanted.canonicalize().unwrap_or(wanted);
        let by_path: Vec<&Known> = known.iter().filter(|known| known.path == wanted).collect();
        let by_name: Vec<&Known> = known.iter().filter(|known| known.name == self.project).collect();
        let found = if by_path.is_empty() { by_name } else { by_path };
        match found.as_slice() {
            [one] => {
                Registry::forget(&user, &one.path)?;
                let path = one.path.display().to_string();
                let message = format!("forgot `{}`; its files stay in {path}", one.name);
                Ok(Forgotten { name: one.name.clone(), path, message })
            }
            [] => {
                let close = close_matches(&self.project, known.iter().map(|known| known.name.as_str()), 5);
                Err(OpError::not_found(format!("no known project `{}`", self.project))
                    .details(close.into_iter().map(|name| format!("close: {name}")))
                    .hint(Hint::run::<ListProjects>()))
            }
            several => Err(OpError::refused(format!("`{}` could be {} projects", self.project, several.len()))
                .details(several.iter().map(|known| known.path.display().to_string()))
                .hint(Hint::say("give the directory"))),
        }
    }
}

impl Report for Projects {
    fn page(&self) -> Page {
        if self.projects.is_empty() {
            return Page::new().line("no project is known on this machine yet");
        }
        let rows = self.projects.iter().map(|project| {
            let gone = if project.present { Text::default() } else { Text::of(Role::Warn, "not there") };
            Row::new([Text::of(Role::Strong, &project.name), (&project.path).into(), gone])
        });
        let columns = [Column::new("name").shrinks_to(8), Column::new("directory").shrinks_to(16), Column::new("")];
        Page::new().table(Table::new(columns).rows(rows))
    }
}

impl Report for Forgotten {
    fn page(&self) -> Page {
        Page::new().line(Text::of(Role::Good, "✓ ").plain(&self.message))
    }
}
