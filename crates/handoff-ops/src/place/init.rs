//! `handoff init`

use std::path::Path;

use clap::Args;
use handoff_model::config::new_file;
use handoff_model::name::Layout;
use handoff_model::text::{Name, Prose};
use handoff_store::{DIRECTORY, NewStore, Store, holds_shared_tasks};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::take_over::{TakenOver, TakingOver};
use crate::page::{Role, Text};
use crate::{Door, Effect, OpError, Operation, Page, Project, Report, ToolSet};

/// Make a project here: create `.handoff/` and say what to do next
///
/// The project is private: git sees nothing of it. With `--shared` git carries it to other machines and people. What is
/// there already is never overwritten.
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Init {
    /// What the project is called; the name of the directory when absent
    pub name: Option<Name>,
    /// What the project is about
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub description: Option<Prose>,
    /// Let git see the files, for working with others
    #[arg(long)]
    #[serde(default)]
    pub shared: bool,
    /// Take over what handoff-mcp keeps here; its directory is kept beside, under another name
    #[arg(long)]
    #[serde(default)]
    pub import: bool,
}

/// A project that was made.
#[derive(Debug, Serialize, JsonSchema)]
pub struct NewProject {
    pub name: String,
    /// The directory that was made
    pub directory: String,
    /// Whether git sees the files
    pub shared: bool,
    pub message: String,
    /// What was taken over from handoff-mcp
    #[serde(skip_serializing_if = "Option::is_none")]
    pub imported: Option<TakenOver>,
    #[serde(skip)]
    warnings: Vec<String>,
}

impl Operation for Init {
    const NAME: &'static str = "init";
    const TOOL: &'static str = "handoff_make_project";
    const SET: ToolSet = ToolSet::Project;
    const EFFECT: Effect = Effect::Found;
    const DOORS: &'static [Door] = &[Door::Cli, Door::Http];
    type Outcome = NewProject;

    fn example() -> Value {
        json!({"name": "my-app"})
    }

    fn run(self, project: &mut Project) -> Result<NewProject, OpError> {
        let dir = project.new_project_dir()?;
        project.refuse_paused_in(Some(&dir.join(DIRECTORY)))?;
        let taking_over = TakingOver::begin(project, &dir, self.import)?;
        let (taking_over, mut made) = match taking_over {
            None => (None, self.make(project, &dir, None)?),
            Some(taking_over) => match self.make(project, &dir, taking_over.config()) {
                Ok(made) => (Some(taking_over), made),
                Err(error) => return Err(taking_over.take_back(error)),
            },
        };
        if let Some(taking_over) = taking_over {
            made.imported = Some(taking_over.finish(project, &dir)?);
        }
        Ok(made)
    }
}

impl Init {
    fn make(self, project: &mut Project, dir: &Path, config: Option<&str>) -> Result<NewProject, OpError> {
        let name = config.and_then(name_in).or(self.name).unwrap_or_else(|| default_name(dir));
        // A project that lost its settings stays what it was.
        let shared = self.shared || holds_shared_tasks(dir);
        let layout = if shared { Layout::Stable } else { Layout::Status };
        // Settings that were there go on, with their comments and with what only others understand.
        let fresh = new_file(&name, self.description.as_ref(), layout);
        let config = config.map_or(fresh, str::to_owned);
        let new = NewStore { config: &config, layout, private: !shared };
        let store = Store::create(&dir.join(DIRECTORY), &new)?;
        if let Ok(user) = project.user_dir()
            && project.refuse_paused_in(Some(&user)).is_ok()
            && let Err(error) = store.register(&user, || name.as_str().to_owned())
        {
            let why = OpError::from(error).sentence();
            project.note(format!("this project could not be noted in the registry: {why}"));
        }
        let mut warnings = Vec::new();
        if let Some(around) = project.project_around(dir) {
            warnings.push(format!("this project lies inside another one, {}", around.display()));
        }
        let directory = project.shown(&dir.join(DIRECTORY));
        let message = format!("project `{name}` is ready in {directory}");
        Ok(NewProject { name: name.into(), directory, shared, message, imported: None, warnings })
    }
}

/// What the project is called in settings that go on.
fn name_in(config: &str) -> Option<Name> {
    let settings: toml::Table = toml::from_str(config).ok()?;
    settings.get("project")?.get("name")?.as_str()?.parse().ok()
}

/// The directory's name, as far as it can be one.
pub(crate) fn default_name(dir: &std::path::Path) -> Name {
    let name = dir.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    name.parse().unwrap_or_else(|_| "project".parse().expect("`project` is a name"))
}

impl Report for NewProject {
    fn page(&self) -> Page {
        let seen = if self.shared {
            "It is shared: commit .handoff/ and git carries it to other machines and people."
        } else {
            "It is private: git sees nothing of it. `handoff share` changes that."
        };
        let next = |command: &str, what: &str| Text::of(Role::Strong, command).plain("  ").and(Role::Dim, what);
        let page = Page::new().line(Text::of(Role::Good, "✓ ").plain(&self.message)).line(seen);
        let page = match &self.imported {
            Some(imported) => imported.add_to(page),
            None => page,
        };
        page.blank()
            .line("Next:")
            .item(next("handoff task create \"What is to be done\"", "add a task"))
            .item(next("handoff save \"What was done\" --next \"What comes next\"", "leave a handoff"))
            .item(next("handoff resume", "pick it up again"))
            .item(next("handoff help", "everything else"))
    }

    fn warnings(&self) -> &[String] {
        &self.warnings
    }
}
