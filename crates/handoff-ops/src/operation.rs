//! What an operation is, and how the registry holds it without knowing its type.

use std::fmt;

use clap::Command;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::dispatch::Reply;
use crate::page::Sheet;
use crate::{ErrorKind, OpError, Page, Project, Request, request};

/// One thing a person, an agent or the dashboard can ask handoff to do.
///
/// The struct is the request: its fields are command line flags, MCP arguments and HTTP body, its doc comments the help
/// text of all three. The first line of the struct's doc comment says what it does; the rest shows in the long help.
pub trait Operation: clap::Args + DeserializeOwned + JsonSchema + 'static {
    /// `noun.verb`, read as `handoff noun verb` or `POST /api/noun.verb`; without a dot it is a top-level command.
    const NAME: &'static str;
    /// The MCP tool's name, `handoff_verb_noun`; the published ones are fixed.
    const TOOL: &'static str;
    /// The tool set it is listed in: `core` costs every client tokens, so little is in it.
    const SET: ToolSet;
    /// What it may change. Locking, the pause check and MCP hints follow from this.
    const EFFECT: Effect;
    /// Where it is offered; narrow it where a door makes no sense, such as a passphrase over MCP.
    const DOORS: &'static [Door] = Door::ALL;
    /// Other names of its command.
    const ALIASES: &'static [&'static str] = &[];
    /// Whether asking twice comes to the same as asking once.
    const REPEATABLE: bool = false;
    /// Arguments that published tools take and this one does not need: accepted, and mentioned in the answer.
    const UNNEEDED: &'static [&'static str] = &[];
    /// Whether its answer is meant for a model wherever it is asked for, so that no secret is in it.
    const FOR_MODELS: bool = false;
    /// What the exit codes of its command mean.
    const CODES: ExitCodes = ExitCodes::Usual;
    /// Whether its answer has a form for spreadsheets, [`Report::sheet`].
    const SHEET: bool = false;
    /// What it answers.
    type Outcome: Serialize + JsonSchema + Report + Send + 'static;

    /// One request that succeeds in the sample project; the contract and the tests of every door use it.
    fn example() -> Value;

    /// Finds out what nobody shall wait for under the lock, such as what git says. Runs before the lock is taken, so
    /// what it reads of the store may have changed when [`run`](Self::run) comes.
    fn prepare(&mut self, _project: &mut Project) -> Result<(), OpError> {
        Ok(())
    }

    /// What this request may change, where some requests of an operation change less than others.
    fn effect(&self) -> Effect {
        Self::EFFECT
    }

    /// Does it.
    fn run(self, project: &mut Project) -> Result<Self::Outcome, OpError>;
}

/// How an outcome shows itself to a reader.
pub trait Report {
    /// The outcome as headings, lines and tables.
    fn page(&self) -> Page;

    /// The outcome as nothing but a text, where it is one. A command writes it as it is, and only a terminal is spared
    /// its control characters.
    fn raw(&self) -> Option<Vec<u8>> {
        None
    }

    /// The page as lines for a reader that is a program, where a page of everything would take long to make.
    fn lines(&self) -> Option<String> {
        None
    }

    /// The outcome as rows for a spreadsheet; an operation that has them says so in [`Operation::SHEET`].
    fn sheet(&self) -> Option<Sheet> {
        None
    }

    /// What the reader should know although the operation succeeded.
    fn warnings(&self) -> &[String] {
        &[]
    }

    /// What sort of trouble the answer tells of, although the operation succeeded. A command ends with its exit code.
    fn trouble(&self) -> Option<ErrorKind> {
        None
    }

    /// The exit code of the command, where it says more than success.
    fn exit_code(&self) -> Option<u8> {
        None
    }

    /// What a change comes to, for an agent that is shown nothing else.
    fn facts(&self) -> Facts {
        Facts { message: self.page().to_markdown(None), ..Facts::default() }
    }
}

/// What a change comes to, in a few facts: the whole answer for an agent that sees only structured content.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Facts {
    /// What was done, in words
    pub message: String,
    /// Id of the record
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Number of the task
    #[serde(skip_serializing_if = "Option::is_none")]
    pub number: Option<String>,
    /// Status it has now
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<String>,
    /// Give this back as `if_rev` to change it only if nobody else did meanwhile
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rev: Option<String>,
    /// What to know although it succeeded
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    /// What else this operation has to tell
    #[serde(flatten)]
    #[schemars(skip)]
    pub more: serde_json::Map<String, Value>,
}

/// What an operation may change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Effect {
    /// Nothing.
    Read,
    /// Nothing, and there need not be a project.
    Look,
    /// Nothing; it finds its store itself, and has an answer also where there is none.
    Seek,
    /// Records in a store.
    Write,
    /// Records in a store that is there already; none is made for it.
    Amend,
    /// Records of a store that is there already, step by step: each step takes the lock for itself.
    Steps,
    /// Makes the place itself, so it needs no project yet.
    Found,
    /// Whether anything may be changed. No pause stops it, and it waits for nobody.
    Brake,
}

impl Effect {
    /// Whether nothing is changed.
    pub const fn is_reading(self) -> bool {
        matches!(self, Effect::Read | Effect::Look | Effect::Seek)
    }

    /// The word the contract uses.
    pub const fn as_str(self) -> &'static str {
        match self {
            Effect::Read => "read",
            Effect::Look => "look",
            Effect::Seek => "seek",
            Effect::Write => "write",
            Effect::Amend => "amend",
            Effect::Steps => "steps",
            Effect::Found => "found",
            Effect::Brake => "brake",
        }
    }
}

/// What the exit codes of a command mean.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ExitCodes {
    #[default]
    Usual,
    /// 1 and 2 are answers there, so nothing that goes wrong may be told by them
    OfCheck,
}

impl ExitCodes {
    /// Wrong usage, where 2 means something else.
    const WRONG_USAGE: u8 = 64;

    /// The code for an error.
    pub const fn of(self, kind: ErrorKind) -> u8 {
        match (self, kind) {
            (ExitCodes::OfCheck, ErrorKind::Usage) => ExitCodes::WRONG_USAGE,
            (ExitCodes::OfCheck, ErrorKind::Failure | ErrorKind::Refused) => ErrorKind::Damaged.exit_code(),
            _ => kind.exit_code(),
        }
    }
}

/// A way in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Door {
    /// The command line.
    Cli,
    /// MCP, over stdio or HTTP.
    Mcp,
    /// Local HTTP and JSON-RPC: the dashboard and the editors.
    Http,
}

impl Door {
    /// Every door, the default of an operation.
    pub const ALL: &'static [Door] = &[Door::Cli, Door::Mcp, Door::Http];

    /// The word the contract uses.
    pub const fn as_str(self) -> &'static str {
        match self {
            Door::Cli => "cli",
            Door::Mcp => "mcp",
            Door::Http => "http",
        }
    }
}

/// A group of MCP tools that a client lists or leaves out as a whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ToolSet {
    /// Listed by default.
    Core,
    /// Single steps on tasks.
    Tasks,
    /// Settings.
    Config,
    /// The project itself: making, sharing, mending.
    Project,
    /// Single steps on sessions.
    Sessions,
    /// Time that was worked: log and timer.
    Time,
    /// Plans, figures and what is next.
    Planning,
    /// People, milestones and working days.
    Team,
    /// Named packages and records.
    Packages,
    /// What was changed, and taking it back.
    History,
    /// Lasting memory.
    Memory,
}

impl ToolSet {
    /// The word `--tools` and the contract use.
    pub const fn as_str(self) -> &'static str {
        match self {
            ToolSet::Core => "core",
            ToolSet::Tasks => "tasks",
            ToolSet::Config => "config",
            ToolSet::Project => "project",
            ToolSet::Sessions => "sessions",
            ToolSet::Time => "time",
            ToolSet::Planning => "planning",
            ToolSet::Team => "team",
            ToolSet::Packages => "packages",
            ToolSet::History => "history",
            ToolSet::Memory => "memory",
        }
    }
}

/// An operation in the registry: its facts, and functions in place of its type.
#[derive(Clone, Copy)]
pub struct Entry {
    pub name: &'static str,
    pub tool: &'static str,
    pub set: ToolSet,
    pub effect: Effect,
    pub doors: &'static [Door],
    pub is_repeatable: bool,
    pub is_for_models: bool,
    pub aliases: &'static [&'static str],
    pub codes: ExitCodes,
    pub has_sheet: bool,
    unneeded: &'static [&'static str],
    arguments: fn(Command) -> Command,
    read: fn(Request<'_>) -> Result<Box<dyn Prepared>, OpError>,
    request_schema: fn() -> Value,
    outcome_schema: fn() -> Value,
    example: fn() -> Value,
}

impl Entry {
    /// The entry of one operation.
    pub const fn of<T: Operation>() -> Entry {
        Entry {
            name: T::NAME,
            tool: T::TOOL,
            set: T::SET,
            effect: T::EFFECT,
            doors: T::DOORS,
            is_repeatable: T::REPEATABLE,
            is_for_models: T::FOR_MODELS,
            aliases: T::ALIASES,
            codes: T::CODES,
            has_sheet: T::SHEET,
            unneeded: T::UNNEEDED,
            arguments: T::augment_args,
            read: request::read::<T>,
            request_schema: request::schema::<T>,
            outcome_schema: request::outcome_schema::<T::Outcome>,
            example: T::example,
        }
    }

    /// The part before the dot: the group a command is in.
    pub fn noun(&self) -> Option<&'static str> {
        self.name.split_once('.').map(|(noun, _)| noun)
    }

    /// The part after the dot, or the whole name of a top-level command.
    pub fn verb(&self) -> &'static str {
        self.name.split_once('.').map_or(self.name, |(_, verb)| verb)
    }

    /// Whether this door shows it.
    pub fn offered_at(&self, door: Door) -> bool {
        self.doors.contains(&door)
    }

    /// The command, named by the verb, with its arguments and help.
    pub fn command(&self) -> Command {
        (self.arguments)(Command::new(self.verb()).visible_aliases(self.aliases.iter().copied()))
    }

    /// What it does, in one line.
    pub fn about(&self) -> String {
        self.command().get_about().map(ToString::to_string).unwrap_or_default()
    }

    /// The whole help text.
    pub fn doc(&self) -> String {
        let command = self.command();
        command.get_long_about().or(command.get_about()).map(ToString::to_string).unwrap_or_default()
    }

    /// JSON Schema of the request.
    pub fn schema(&self) -> Value {
        (self.request_schema)()
    }

    /// JSON Schema of what it answers.
    pub fn outcome_schema(&self) -> Value {
        (self.outcome_schema)()
    }

    /// One request that succeeds in the sample project.
    pub fn example(&self) -> Value {
        (self.example)()
    }

    /// Arguments that are accepted and not needed.
    pub fn unneeded(&self) -> &'static [&'static str] {
        self.unneeded
    }

    /// Reads a request without running it.
    pub(crate) fn read(&self, request: Request<'_>) -> Result<Box<dyn Prepared>, OpError> {
        (self.read)(request)
    }
}

impl fmt::Debug for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Entry").field(&self.name).finish()
    }
}

/// A request that was read and can be run: an [`Operation`] without its type.
pub(crate) trait Prepared {
    fn effect(&self) -> Effect;
    fn prepare(&mut self, project: &mut Project) -> Result<(), OpError>;
    fn run(self: Box<Self>, project: &mut Project) -> Result<Reply, OpError>;
}

impl<T: Operation> Prepared for T {
    fn effect(&self) -> Effect {
        Operation::effect(self)
    }

    fn prepare(&mut self, project: &mut Project) -> Result<(), OpError> {
        Operation::prepare(self, project)
    }

    fn run(self: Box<Self>, project: &mut Project) -> Result<Reply, OpError> {
        Ok(Reply::of(T::run(*self, project)?))
    }
}
