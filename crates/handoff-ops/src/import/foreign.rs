//! Where other systems keep their records, and reading them there.

use std::path::{Path, PathBuf};

use handoff_import::{Reading, System, Unreadable, is_handoff_mcp};
use handoff_store::DIRECTORY;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::Incoming;
use crate::place::Init;
use crate::{Hint, OpError, Project};

/// A system whose records can be taken over.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema, clap::ValueEnum)]
#[serde(rename_all = "kebab-case")]
#[schemars(inline)]
pub enum ForeignSystem {
    /// The Go program `handoff`: packages in `~/.handoff/handoff.db`, or what `HANDOFF_DB` names
    HandoffCli,
    /// session-handoff: records in `handoffs.json` of the user's configuration
    SessionHandoff,
    /// agent-handover: memory layers and checkpoint below the project's directory
    AgentHandover,
    /// handoff-mcp: the JSON files in a project's `.handoff/`
    HandoffMcp,
}

impl From<ForeignSystem> for System {
    fn from(system: ForeignSystem) -> System {
        match system {
            ForeignSystem::HandoffCli => System::HandoffCli,
            ForeignSystem::SessionHandoff => System::SessionHandoff,
            ForeignSystem::AgentHandover => System::AgentHandover,
            ForeignSystem::HandoffMcp => System::HandoffMcp,
        }
    }
}

/// Reads what a system keeps.
pub(super) fn read(project: &Project, system: ForeignSystem, path: Option<&Path>) -> Result<Incoming, OpError> {
    let path = match path {
        Some(path) => project.place.cwd.join(path),
        None => usual_place(project, system)?,
    };
    if system == ForeignSystem::HandoffMcp {
        refuse_own_store(project, &path)?;
    }
    let system = System::from(system);
    let scratch = ["TMPDIR", "TEMP", "TMP"].iter().find_map(|name| project.place.env.path(name));
    let scratch = scratch.filter(|dir| dir.is_dir()).unwrap_or_else(std::env::temp_dir);
    let reading = Reading { path: &path, scratch: &scratch, now: project.now() };
    let taken = handoff_import::read(system, reading).map_err(|error| unreadable(project, error))?;
    Ok(Incoming::of(format!("{} in {}", system.word(), project.shown(&path)), taken))
}

/// Where a system keeps its records when nobody says otherwise.
fn usual_place(project: &Project, system: ForeignSystem) -> Result<PathBuf, OpError> {
    let env = &project.place.env;
    let no_home = || OpError::usage("no home directory is known: name the place to import from");
    match system {
        ForeignSystem::HandoffCli => {
            // What follows a question mark there is for the program's own database driver.
            let named = env.text("HANDOFF_DB").map(|path| path.split('?').next().unwrap_or(path).to_owned());
            match named.filter(|path| !path.is_empty()) {
                Some(path) => Ok(project.place.cwd.join(path.strip_prefix("file:").unwrap_or(&path))),
                None => Ok(project.home_dir().ok_or_else(no_home)?.join(".handoff/handoff.db")),
            }
        }
        ForeignSystem::SessionHandoff => {
            let base = env.base_dir("XDG_CONFIG_HOME", ".config");
            Ok(base.ok_or_else(no_home)?.join("session-handoff/handoffs.json"))
        }
        ForeignSystem::AgentHandover => Ok(project.dir().unwrap_or_else(|| project.place.cwd.clone())),
        ForeignSystem::HandoffMcp => Ok(project.dir().unwrap_or_else(|| project.place.cwd.clone()).join(DIRECTORY)),
    }
}

/// The directory that this project itself keeps its records in is no place to import from: that would mix the two.
fn refuse_own_store(project: &Project, path: &Path) -> Result<(), OpError> {
    let Some(store) = project.store_if_open().and_then(|store| store.path().canonicalize().ok()) else {
        return Ok(());
    };
    let is_own =
        [path.to_owned(), path.join(DIRECTORY)].iter().any(|path| path.canonicalize().ok() == Some(store.clone()));
    if !is_own {
        return Ok(());
    }
    if is_handoff_mcp(&store) {
        return Err(in_the_way(project, &store));
    }
    let shown = project.shown(path);
    Err(OpError::usage(format!("`{shown}` is the store of this project itself: name the one to import from")))
}

/// The answer where handoff-mcp's records lie where ours would.
pub(crate) fn in_the_way(project: &Project, store: &Path) -> OpError {
    let shown = project.shown(store);
    OpError::refused(format!("`{shown}` was written by handoff-mcp, and the two are never mixed"))
        .hint(Hint::run_with::<Init>(json!({"import": true})))
}

/// Why a source cannot be read, as an operation's error.
pub(crate) fn unreadable(project: &Project, error: Unreadable) -> OpError {
    match error {
        Unreadable::Missing(path) => {
            OpError::not_found(format!("there is nothing to import in `{}`", project.shown(&path)))
        }
        Unreadable::Refused { path, what } => {
            OpError::usage(format!("cannot import from `{}`: it is {what}", project.shown(&path)))
        }
        Unreadable::Damaged { path, reason } => {
            OpError::damaged(format!("cannot import from `{}`: {reason}", project.shown(&path)))
        }
        Unreadable::Io { path, source } => {
            OpError::failure(format!("cannot read `{}`", project.shown(&path))).caused_by(source)
        }
    }
}
