//! `handoff trust handover`: the person lets the commands of a list of steps be run.

use std::path::PathBuf;

use clap::Args;
use handoff_model::handover::{Command, Handover};
use handoff_model::rev::sha256;
use handoff_model::when::Moment;
use handoff_store::DIRECTORY;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::trusted::{HandoverFile, TrustedFile, TrustedList, place_of};
use crate::hint::quoted;
use crate::page::{Column, Role, Row, Table, Text};
use crate::run::FILE;
use crate::{Breaks, Door, Effect, Hint, OpError, Operation, Page, Project, Report, ToolSet, visible};

/// Let the commands of a handover be run
///
/// Shows the commands that the file names, and asks. What is trusted is the file as it is now, in its place: when
/// anything in it changes, or when it is found elsewhere, it has to be trusted again.
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TrustHandover {
    /// The file; `.handoff/handover.toml` of the project when absent
    #[arg(value_name = "FILE")]
    #[serde(default)]
    pub path: Option<PathBuf>,
    /// Trust it without asking
    #[arg(long, short)]
    #[serde(default)]
    pub yes: bool,
}

/// List the handovers whose commands may be run
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ListHandovers {}

/// Let the commands of a handover be run no longer
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RevokeHandover {
    /// The file, as it is listed or as it is reached from here
    #[arg(value_name = "FILE")]
    pub path: PathBuf,
}

/// A handover that is trusted, and what it may run.
#[derive(Debug, Serialize, JsonSchema)]
pub struct TrustedHandover {
    pub path: String,
    pub sha256: String,
    pub trusted_at: Moment,
    /// What it may run
    pub commands: Vec<NamedCommand>,
}

/// A command that a handover names.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct NamedCommand {
    /// The step
    pub step: String,
    /// The program and its arguments
    pub argv: Vec<String>,
    /// The directory it is run in, where that is not the project's own
    #[serde(skip_serializing_if = "Option::is_none")]
    pub directory: Option<String>,
    /// The variables that are set for it
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub env: Vec<String>,
}

/// The handovers that are trusted.
#[derive(Debug, Serialize, JsonSchema)]
pub struct HandoversView {
    pub handovers: Vec<HandoverEntry>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

/// One of them.
#[derive(Debug, Serialize, JsonSchema)]
pub struct HandoverEntry {
    pub path: String,
    pub sha256: String,
    pub trusted_at: Moment,
    pub state: HandoverState,
}

/// How a file stands to the one that was trusted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
pub enum HandoverState {
    /// It is the one that was trusted
    Same,
    /// It is another one now, so nothing of it is run
    Changed,
    /// It is not there, or no file
    Gone,
}

impl HandoverState {
    const fn word(self) -> &'static str {
        match self {
            HandoverState::Same => "as trusted",
            HandoverState::Changed => "changed",
            HandoverState::Gone => "gone",
        }
    }
}

impl Operation for TrustHandover {
    const NAME: &'static str = "trust.handover";
    const TOOL: &'static str = "handoff_trust_handover";
    const SET: ToolSet = ToolSet::Project;
    const EFFECT: Effect = Effect::Found;
    const DOORS: &'static [Door] = &[Door::Cli];
    const REPEATABLE: bool = true;
    type Outcome = TrustedHandover;

    fn example() -> Value {
        json!({"path": "../handover.toml", "yes": true})
    }

    fn run(self, project: &mut Project) -> Result<TrustedHandover, OpError> {
        let path = self.path.map_or_else(|| usual(project), Ok)?;
        let file = HandoverFile::read(project, &path)?;
        let commands = commands(project, &file)?;
        let list = TrustedList::read(project)?;
        if !self.yes {
            confirm(project, &file, &commands)?;
        }
        let TrustedFile { path, sha256, trusted_at } = list.trust(project, &file)?;
        Ok(TrustedHandover { path: path.display().to_string(), sha256, trusted_at, commands })
    }
}

/// The file of the project a request is about.
fn usual(project: &mut Project) -> Result<PathBuf, OpError> {
    project.open_if_there()?;
    let dir = project.dir().ok_or_else(|| {
        OpError::not_found("no handoff project here or in a directory above").hint(Hint::say("name the file to trust"))
    })?;
    let file = dir.join(DIRECTORY).join(FILE);
    if file.symlink_metadata().is_err() {
        let shown = project.shown(&file);
        return Err(OpError::not_found(format!("there is no `{shown}`, so there is nothing to trust"))
            .hint(Hint::say("`handoff run` does the usual steps without it, and they run no commands")));
    }
    Ok(file)
}

/// The commands that a file names.
fn commands(project: &Project, file: &HandoverFile) -> Result<Vec<NamedCommand>, OpError> {
    let unreadable = || OpError::damaged(format!("`{}` is no list of steps", project.shown(&file.path)));
    let text = std::str::from_utf8(&file.bytes).map_err(|error| unreadable().caused_by(error))?;
    let handover = Handover::read(text).map_err(|error| unreadable().caused_by(error))?;
    let named = |(step, command): (&str, &Command)| NamedCommand {
        step: step.to_owned(),
        argv: command.run.clone(),
        directory: command.directory.clone(),
        env: command.env.keys().cloned().collect(),
    };
    Ok(handover.commands().map(named).collect())
}

/// Shows what is to be trusted, and asks.
fn confirm(project: &mut Project, file: &HandoverFile, commands: &[NamedCommand]) -> Result<(), OpError> {
    let shown = project.shown(&file.path);
    let Some(confirm) = &mut project.desk.confirm else {
        return Err(OpError::refused(format!("there is no terminal to ask on whether you trust `{shown}`"))
            .details(commands.iter().map(NamedCommand::line))
            .hint(Hint::run_with::<TrustHandover>(json!({"path": shown, "yes": true}))));
    };
    let says = if commands.is_empty() { "names no commands" } else { "may run:" };
    let mut lines = vec![format!("{} {says}", visible(&shown, Breaks::Mark))];
    lines.extend(commands.iter().map(|command| format!("  {}", visible(&command.line(), Breaks::Mark))));
    lines.push("Trust it as it is now?".to_owned());
    let is_wanted =
        confirm(&lines.join("\n")).map_err(|error| OpError::failure("nothing could be asked").caused_by(error))?;
    if is_wanted { Ok(()) } else { Err(OpError::refused(format!("`{shown}` was not trusted: nothing was changed"))) }
}

impl NamedCommand {
    /// The command on one line, as a shell would take it, with the names of its variables.
    fn line(&self) -> String {
        let argv: Vec<String> = self.argv.iter().map(|word| quoted(word)).collect();
        let directory = self.directory.as_ref().map(|directory| format!("  (in {})", quoted(directory)));
        let variables = (!self.env.is_empty()).then(|| format!("  (with {})", self.env.join(", ")));
        let more: Vec<String> = directory.into_iter().chain(variables).collect();
        format!("{}: {}{}", self.step, argv.join(" "), more.concat())
    }
}

impl Operation for ListHandovers {
    const NAME: &'static str = "trust.handovers";
    const TOOL: &'static str = "handoff_list_trusted_handovers";
    const SET: ToolSet = ToolSet::Project;
    const EFFECT: Effect = Effect::Seek;
    const DOORS: &'static [Door] = &[Door::Cli];
    type Outcome = HandoversView;

    fn example() -> Value {
        json!({})
    }

    fn run(self, project: &mut Project) -> Result<HandoversView, OpError> {
        let list = TrustedList::read(project)?;
        let handovers = list.entries().iter().map(|entry| entry_of(project, entry)).collect();
        Ok(HandoversView { handovers, message: None })
    }
}

fn entry_of(project: &Project, entry: &TrustedFile) -> HandoverEntry {
    let state = match HandoverFile::read(project, &entry.path) {
        Ok(file) if file.path == entry.path && sha256(&file.bytes) == entry.sha256 => HandoverState::Same,
        Ok(_) => HandoverState::Changed,
        Err(_) => HandoverState::Gone,
    };
    let TrustedFile { path, sha256, trusted_at } = entry.clone();
    HandoverEntry { path: path.display().to_string(), sha256, trusted_at, state }
}

impl Operation for RevokeHandover {
    const NAME: &'static str = "trust.revoke";
    const TOOL: &'static str = "handoff_revoke_handover";
    const SET: ToolSet = ToolSet::Project;
    const EFFECT: Effect = Effect::Found;
    const DOORS: &'static [Door] = &[Door::Cli];
    type Outcome = HandoversView;

    fn example() -> Value {
        json!({"path": "../handover.toml"})
    }

    fn run(self, project: &mut Project) -> Result<HandoversView, OpError> {
        let list = TrustedList::read(project)?;
        // One that is gone, or a link by now, is still in the list under the place it had.
        let whole = project.place.cwd.join(&self.path);
        let path = place_of(project, &self.path).unwrap_or(whole);
        let revoked = list.revoke(project, &path)?.ok_or_else(|| {
            OpError::not_found(format!("no trusted file `{}` in your list", self.path.display()))
                .hint(Hint::run::<ListHandovers>())
        })?;
        let message = format!("commands of `{}` are run no longer", project.shown(&revoked.path));
        Ok(HandoversView { handovers: Vec::new(), message: Some(message) })
    }
}

impl Report for TrustedHandover {
    fn page(&self) -> Page {
        let page =
            Page::new().line(Text::of(Role::Good, "✓ ").plain(format!("`{}` is trusted as it is now", self.path)));
        if self.commands.is_empty() {
            return page.line("it names no commands, so there is nothing that it could run");
        }
        let page = page.line("it may run:");
        self.commands.iter().fold(page, |page, command| page.item(command.line()))
    }
}

impl Report for HandoversView {
    fn page(&self) -> Page {
        if let Some(message) = &self.message {
            return Page::new().line(Text::of(Role::Good, "✓ ").plain(message));
        }
        if self.handovers.is_empty() {
            return Page::new().line("no handover is trusted: `handoff trust handover` trusts one");
        }
        let rows = self.handovers.iter().map(|entry| {
            let role = if entry.state == HandoverState::Same { Role::Good } else { Role::Warn };
            Row::new([
                Text::from(entry.path.clone()),
                Text::of(role, entry.state.word()),
                Text::from(entry.trusted_at.to_string()),
                Text::of(Role::Id, entry.sha256.chars().take(12).collect::<String>()),
            ])
        });
        let columns = ["file", "state", "trusted", "sha256"].map(Column::new);
        Page::new().table(Table::new(columns).rows(rows))
    }
}
