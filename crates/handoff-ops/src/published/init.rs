//! `handoff_init`

use clap::Args;
use handoff_model::text::{Name, Prose};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{UpdateTask, schema};
use crate::page::{Role, Text};
use crate::place::{self, NewProject};
use crate::{Door, Effect, Facts, OpError, Operation, Page, Project, Report, ToolSet};

/// Start using handoff in a project: make .handoff/
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = schema::brief)]
pub struct Init {
    #[schemars(schema_with = "schema::text")]
    pub project_name: Name,
    #[serde(default)]
    #[schemars(schema_with = "schema::text")]
    pub description: Option<Prose>,
}

/// A project that was made.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(transparent)]
pub struct MadeProject(NewProject);

impl Operation for Init {
    const NAME: &'static str = "project.init";
    const TOOL: &'static str = "handoff_init";
    const SET: ToolSet = ToolSet::Core;
    const EFFECT: Effect = Effect::Found;
    const DOORS: &'static [Door] = &[Door::Mcp];
    type Outcome = MadeProject;

    fn example() -> Value {
        json!({"project_name": "my-app"})
    }

    fn run(self, project: &mut Project) -> Result<MadeProject, OpError> {
        let request =
            place::Init { name: Some(self.project_name), description: self.description, shared: false, import: false };
        request.run(project).map(MadeProject)
    }
}

impl MadeProject {
    fn message(&self) -> String {
        let next = UpdateTask::TOOL;
        format!("{}; private, so git sees nothing of it. `{next}` adds the first task", self.0.message)
    }
}

impl Report for MadeProject {
    fn page(&self) -> Page {
        Page::new().line(Text::of(Role::Good, "✓ ").plain(self.message()))
    }

    fn warnings(&self) -> &[String] {
        self.0.warnings()
    }

    fn facts(&self) -> Facts {
        Facts { message: self.message(), ..Facts::default() }
    }
}
