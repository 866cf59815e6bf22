//! `handoff dashboard`: all projects at a glance.
//!
//! One project never spoils the view of the others: what cannot be read is listed with the reason.

mod page;
mod search;
mod sessions;
mod view;

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

pub use view::{LastSession, ProjectState, ProjectTask, ProjectView};

use crate::published::{Budget, schema};
use crate::task::Summary;
use crate::{Effect, OpError, Operation, Project, ToolSet};

/// Show all projects: open tasks, blockers, last session, branch
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
        let places = search::places(project, &self, &mut warnings);
        let total = places.len();
        let mut projects = Vec::with_capacity(total);
        for (done, place) in places.iter().enumerate() {
            project.stop.check()?;
            project.report_progress("reading projects", done, Some(total));
            projects.push(ProjectView::of(place, self.include_completed, &project.stop));
        }
        // One that was read while it stopped may be told as broken.
        project.stop.check()?;
        projects.sort_by(|one, other| one.rank().cmp(&other.rank()));
        let mut summary = Summary::default();
        for view in &projects {
            summary.add(&view.summary);
        }
        let budget = Budget::of(project, &warnings);
        Ok(Projects { projects, summary, budget, warnings })
    }
}
