//! What is put where: the words in which a host is described.

use std::path::PathBuf;

use serde::Serialize;
use serde_json::Value;

/// One thing that is put into one file.
#[derive(Clone, Debug)]
pub struct Target {
    pub part: Part,
    pub path: PathBuf,
    pub piece: Piece,
}

/// What a target is for, in the words of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Part {
    /// The registration of the MCP server
    Server,
    Hooks,
    Skill,
    /// An always-applied rule file of the host
    Rule,
    /// The marked block in a file that the agent always reads
    Instructions,
    /// A plugin that calls the hooks
    Plugin,
    /// The host's own note that it may run the hooks
    Trust,
}

impl Part {
    pub const fn word(self) -> &'static str {
        match self {
            Part::Server => "MCP server",
            Part::Hooks => "hooks",
            Part::Skill => "skill",
            Part::Rule => "rule",
            Part::Instructions => "instructions",
            Part::Plugin => "plugin",
            Part::Trust => "trust in the hooks",
        }
    }
}

/// What is put into the file. Whatever else is in it stays.
#[derive(Clone, Debug)]
pub enum Piece {
    /// Entries of a JSON file, with or without comments
    Json(Vec<Entry>),
    /// Entries of a TOML file; only values can be put there
    Toml(Vec<Entry>),
    /// A marked block of a Markdown file; the text is without its marks
    Block(String),
    /// A whole file of our own. Its text must hold [`OWN_FILE`], so that it is known again
    File { text: String, is_executable: bool },
}

/// What a file of our own says somewhere near its beginning, in a comment.
pub const OWN_FILE: &str = "written by `handoff setup`";

/// One entry of a settings file.
#[derive(Clone, Debug)]
pub enum Entry {
    /// A value under a name that is ours, such as `mcpServers.handoff`.
    ///
    /// Where an entry is there already that starts handoff, only what differs is changed: what a person added to it
    /// stays, also further words after ours in a list of arguments.
    Value { at: Vec<String>, value: Value },
    /// Items of ours in a list, such as `hooks.SessionStart`; those of others stay, and stay before ours.
    ///
    /// Ours are known by a command of theirs that is `… hook EVENT --host …`. An item is either such a handler, or a group
    /// with handlers in its list `hooks`.
    Items { at: Vec<String>, items: Vec<Value> },
    /// A value that the file needs whoever uses it, such as `version`: put where there is none, never changed
    Needed { at: Vec<String>, value: Value },
}

impl Entry {
    pub fn value(at: &[&str], value: Value) -> Entry {
        Entry::Value { at: owned(at), value }
    }

    pub fn items(at: &[&str], items: Vec<Value>) -> Entry {
        Entry::Items { at: owned(at), items }
    }

    pub fn needed(at: &[&str], value: Value) -> Entry {
        Entry::Needed { at: owned(at), value }
    }

    pub(crate) fn at(&self) -> &[String] {
        match self {
            Entry::Value { at, .. } | Entry::Items { at, .. } | Entry::Needed { at, .. } => at,
        }
    }
}

fn owned(at: &[&str]) -> Vec<String> {
    at.iter().map(|&key| key.to_owned()).collect()
}

impl Target {
    /// The registration of the MCP server in a JSON file.
    pub fn server(path: PathBuf, at: &[&str], value: Value) -> Target {
        Target { part: Part::Server, path, piece: Piece::Json(vec![Entry::value(at, value)]) }
    }

    /// Hooks in a JSON file.
    pub fn hooks(path: PathBuf, entries: Vec<Entry>) -> Target {
        Target { part: Part::Hooks, path, piece: Piece::Json(entries) }
    }

    /// The marked block in a file that the agent always reads.
    pub fn block(path: PathBuf, text: impl Into<String>) -> Target {
        Target { part: Part::Instructions, path, piece: Piece::Block(text.into()) }
    }

    /// A file of our own.
    pub fn file(part: Part, path: PathBuf, text: impl Into<String>) -> Target {
        Target { part, path, piece: Piece::File { text: text.into(), is_executable: false } }
    }
}
