//! `handoff dashboard`: all projects at a glance.
//!
//! One project never spoils the view of the others: what cannot be read is listed with the reason.

mod page;
mod search;
mod sessions;
mod view;

use std::path::Path;
use std::time::{Duration, Instant};

use clap::Args;
use handoff_model::pause::PausePlace;
use handoff_store::{DIRECTORY, PauseFile};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

pub use view::{LastSession, OpenInProject, PausedSession, ProjectItem, ProjectState, ProjectTask, ProjectView};

use crate::agent::{finish_ended, unsaved};
use crate::published::{Budget, schema};
use crate::task::Summary;
use crate::{Breaks, Effect, OpError, Operation, Project, ToolSet, visible};

/// Show all projects: open tasks and items, blockers, last session, branch
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = schema::brief)]
pub struct Dashboard {
    /// Search here for projects, besides the known ones
    #[arg(long = "scan", value_name = "DIR")]
    #[serde(default)]
    #[schemars(schema_with = "schema::texts")]
    pub scan_dirs: Vec<String>,
    /// Levels to search
    #[arg(long, value_name = "N")]
    #[serde(default)]
    #[schemars(schema_with = "schema::integer")]
    pub max_depth: Option<usize>,
    /// Directory names to skip
    #[arg(long = "exclude", value_name = "NAME")]
    #[serde(default)]
    #[schemars(schema_with = "schema::texts")]
    pub exclude_patterns: Vec<String>,
    /// Finished tasks too
    #[arg(long)]
    #[serde(default)]
    #[schemars(schema_with = "schema::truth")]
    pub include_completed: bool,
}

/// All projects, those worked in last first.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Projects {
    pub projects: Vec<ProjectView>,
    /// Tasks of all projects, by status
    pub summary: Summary,
    #[serde(skip)]
    budget: Budget,
    #[serde(skip)]
    warnings: Vec<String>,
}

impl Operation for Dashboard {
    const NAME: &'static str = "dashboard";
    const TOOL: &'static str = "handoff_dashboard";
    const SET: ToolSet = ToolSet::Core;
    const EFFECT: Effect = Effect::Look;
    type Outcome = Projects;

    fn example() -> Value {
        json!({"include_completed": true})
    }

    fn run(self, project: &mut Project) -> Result<Projects, OpError> {
        let mut warnings = Vec::new();
        let unsaved = unsaved_here(project);
        let places = search::places(project, &self, &mut warnings);
        let total = places.len();
        let mut projects = Vec::with_capacity(total);
        let until = Instant::now() + project.patient(COMMIT_TIME);
        for (done, place) in places.iter().enumerate() {
            project.stop.check()?;
            project.report_progress("reading projects", done, Some(total));
            projects.push(ProjectView::of(project, place, self.include_completed, until));
        }
        if let Some(view) = projects.iter_mut().find(|view| project.dir().is_some_and(|dir| view.is_at(&dir))) {
            view.active_sessions.extend(unsaved);
        }
        // One that was read while it stopped may be told as broken.
        project.stop.check()?;
        projects.sort_by(|one, other| one.rank().cmp(&other.rank()));
        let mut summary = Summary::default();
        for view in &projects {
            summary.add(&view.summary);
        }
        warnings.extend(paused(project, &projects));
        let budget = Budget::of(project, &warnings);
        Ok(Projects { projects, summary, budget, warnings })
    }
}

/// Time that git may take in all projects to name the commits that settle items.
const COMMIT_TIME: Duration = Duration::from_secs(2);

/// Titles of conversations in this project whose work is in no session yet.
fn unsaved_here(project: &mut Project) -> Vec<String> {
    if project.store_if_open().is_none() {
        return Vec::new();
    }
    finish_ended(project);
    let others = unsaved(project).into_iter().filter(|conversation| !conversation.is_own);
    others.map(|conversation| conversation.headline()).collect()
}

/// What is paused, a line each.
fn paused(project: &Project, projects: &[ProjectView]) -> Vec<String> {
    let everywhere = project.place.pauses(None).into_iter().map(|pause| project.told(&pause));
    let single = projects.iter().filter_map(|view| {
        let store = Path::new(&view.path).join(DIRECTORY);
        let pause = PauseFile::within(PausePlace::Project, &store).look()?;
        Some(project.told_of(&format!("`{}`", visible(&view.name, Breaks::Mark)), &pause))
    });
    everywhere.chain(single).map(|told| format!("writing is paused for {told}")).collect()
}
