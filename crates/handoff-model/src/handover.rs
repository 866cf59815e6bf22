//! `handover.toml`: the steps of a handover, as a person declares them.
//!
//! **Invariant:** a list is read whole or not at all. A step that is misspelt is told with its place; it is never left out
//! and never taken for another.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

mod compatible;
mod read;
mod template;
mod theirs;

pub use compatible::Compatible;
pub use read::BadHandover;
pub use template::TEMPLATE;
pub use theirs::{Meaning, TheirCheckpoint};

/// What a handover does, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Handover {
    /// The tag of notes that say none
    pub tag: Option<String>,
    pub steps: Vec<Declared>,
    /// What agent-handover's own keys say beside the steps
    pub compatible: Option<Compatible>,
}

/// One step of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Declared {
    pub id: String,
    pub act: Act,
    pub retries: u32,
    pub backoff_milliseconds: u64,
}

/// What a step does, when, and how long it may take.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Act {
    #[serde(flatten)]
    pub action: Action,
    #[serde(default, skip_serializing_if = "When::is_always")]
    pub when: When,
    pub timeout_seconds: u64,
}

/// What a step does.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Action {
    Collect(Collect),
    Close(Close),
    Note(Note),
    State(State),
    Mirror(Mirror),
    Compact(Compact),
    Pack(Pack),
    Export(Export),
    Command(Command),
    Publish(Publish),
}

/// Finds out what is to be told: what git, the tasks, timers and the agent's transcript say.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Collect {
    /// Where to look; everywhere if empty
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub from: Vec<Source>,
}

/// Where facts come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Source {
    Git,
    Tasks,
    Timers,
    Transcript,
}

impl Collect {
    /// Whether it looks there.
    pub fn looks_at(&self, source: Source) -> bool {
        self.from.is_empty() || self.from.contains(&source)
    }
}

/// Closes the session that is under way.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Close {}

/// Writes the dated note, where no session took it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Note {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tag: Option<String>,
}

/// Makes `current-state.md` anew.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct State {}

/// Writes the layers as plain Markdown for other tools.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Mirror {
    /// Directory below the project; the one of the setting `layers.mirror` if absent
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
}

/// Moves old notes to the archive of their month and tag.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Compact {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub older_than_days: Option<u32>,
    /// How many stay in any case
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub keep: Option<u32>,
}

/// Packs tasks that were finished long ago.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pack {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub older_than_days: Option<u32>,
}

/// Writes a bundle.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Export {
    /// File below the project; `{date}` and `{run}` stand for those of the run
    pub output: String,
    /// The whole project instead of the record this handover leaves
    #[serde(default)]
    pub all: bool,
    /// Records since then, such as `7d`
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sign_key: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signer: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub recipients: Vec<String>,
}

/// Runs a program of the person's own.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Command {
    /// The program and its arguments; no shell reads them
    pub run: Vec<String>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub env: BTreeMap<String, String>,
    /// Directory below the project to run it in
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub directory: Option<String>,
    /// Whether it gets what was collected, as JSON on its standard input
    #[serde(default)]
    pub facts: bool,
    /// Whether it may run twice where it cannot be told whether it ran
    #[serde(default)]
    pub repeatable: bool,
}

/// Commits what is ours to git, and pushes it if wanted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Publish {
    /// Paths below the project; the store and the mirror if absent
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub paths: Option<Vec<String>>,
    /// Branch; the current one if absent
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remote: Option<String>,
    #[serde(default)]
    pub push: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// Whether the hooks of the repository are run
    #[serde(default = "yes")]
    pub hooks: bool,
    /// Whether to sign; as the settings of git say if absent
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sign: Option<bool>,
    /// Whether paths that git ignores are added all the same
    #[serde(default)]
    pub force: bool,
}

fn yes() -> bool {
    true
}

impl Default for Publish {
    fn default() -> Publish {
        Publish {
            paths: None,
            branch: None,
            remote: None,
            push: false,
            message: None,
            hooks: true,
            sign: None,
            force: false,
        }
    }
}

/// When a step is performed: where all that is said holds.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct When {
    /// In a git work tree, or not in one
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub git: Option<bool>,
    /// In a project that is shared, or in a private one
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shared: Option<bool>,
    /// With a note, or without one
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<bool>,
    /// Where a session is to be closed, or none
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<bool>,
    /// On this branch; `*` stands for anything
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
    /// Where this variable of the environment is set and not empty
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub env: Option<String>,
    /// Where this path below the project exists
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
}

impl When {
    /// Whether nothing is asked.
    pub fn is_always(&self) -> bool {
        *self == When::default()
    }
}

impl Action {
    /// The words that `kind` may be.
    pub const KINDS: [&'static str; 10] =
        ["collect", "close", "note", "state", "mirror", "compact", "pack", "export", "command", "publish"];

    /// Its word.
    pub const fn kind(&self) -> &'static str {
        match self {
            Action::Collect(_) => "collect",
            Action::Close(_) => "close",
            Action::Note(_) => "note",
            Action::State(_) => "state",
            Action::Mirror(_) => "mirror",
            Action::Compact(_) => "compact",
            Action::Pack(_) => "pack",
            Action::Export(_) => "export",
            Action::Command(_) => "command",
            Action::Publish(_) => "publish",
        }
    }

    /// Whether the next handover makes up for it: what it does is the same however many times it was put off.
    pub const fn carries_over(&self) -> bool {
        match self {
            Action::Collect(_)
            | Action::State(_)
            | Action::Mirror(_)
            | Action::Compact(_)
            | Action::Pack(_)
            | Action::Publish(_) => true,
            Action::Close(_) | Action::Note(_) | Action::Export(_) | Action::Command(_) => false,
        }
    }

    const fn usual_timeout_seconds(&self) -> u64 {
        match self {
            Action::Collect(_) => 10,
            Action::Publish(_) => 120,
            _ => 60,
        }
    }
}

impl Declared {
    /// A step as it is when nothing else is said about it.
    pub fn usual(id: &str, action: Action) -> Declared {
        let timeout_seconds = action.usual_timeout_seconds();
        let act = Act { action, when: When::default(), timeout_seconds };
        Declared { id: id.to_owned(), act, retries: 0, backoff_milliseconds: 1_000 }
    }

    /// Refuses what no list could declare, such as a path that leads out of the project.
    ///
    /// Reading a list does that already. This is for steps that come from elsewhere.
    pub fn check(&self) -> Result<(), BadHandover> {
        read::check_declared(self)
    }

    /// Returns whether a text has the form of a step's id.
    pub fn is_id(text: &str) -> bool {
        read::is_id(text)
    }
}

impl Handover {
    /// What is done where nobody declared anything.
    pub fn usual() -> Handover {
        let actions = [
            Action::Collect(Collect::default()),
            Action::Close(Close::default()),
            Action::Note(Note::default()),
            Action::Compact(Compact::default()),
            Action::Pack(Pack::default()),
            Action::State(State::default()),
            Action::Mirror(Mirror::default()),
        ];
        let steps = actions.into_iter().map(|action| Declared::usual(action.kind(), action)).collect();
        Handover { tag: None, steps, compatible: None }
    }

    /// Reads the text of a file. Its name stands in what is told.
    pub fn read(text: &str) -> Result<Handover, BadHandover> {
        read::read(text)
    }

    /// The steps that run programs.
    pub fn commands(&self) -> impl Iterator<Item = (&str, &Command)> {
        self.steps.iter().filter_map(|step| match &step.act.action {
            Action::Command(command) => Some((step.id.as_str(), command)),
            _ => None,
        })
    }
}

#[cfg(test)]
mod tests;
