//! What other handoff systems keep, read into the records of this one.
//!
//! **Invariant:** a source is only read: never changed, never opened as a database where it lies, never followed out of
//! itself through a link, and nothing in it is run. What is no plain file is not opened, and every size is bounded.
//! What was read differently from how it stands there, and what was left out, is told; nothing is lost silently.

mod agent_handover;
mod go_cli;
mod handoff_mcp;
mod record;
pub mod session_handoff;
mod source;
mod time;

use std::path::{Path, PathBuf};

use handoff_bundle::Content;
use handoff_model::memory::MemoryRecord;
use handoff_model::when::Moment;

pub use handoff_mcp::is_handoff_mcp;

/// A system whose records can be taken over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum System {
    /// The Go program `handoff`, which keeps packages in SQLite
    HandoffCli,
    SessionHandoff,
    AgentHandover,
    HandoffMcp,
}

impl System {
    /// What it is called in `--from` and in the origin of a record.
    pub const fn word(self) -> &'static str {
        match self {
            System::HandoffCli => "handoff-cli",
            System::SessionHandoff => "session-handoff",
            System::AgentHandover => "agent-handover",
            System::HandoffMcp => "handoff-mcp",
        }
    }
}

/// Where and when a source is read.
#[derive(Clone, Copy, Debug)]
pub struct Reading<'a> {
    pub path: &'a Path,
    /// A directory for copies, which are gone afterwards
    pub scratch: &'a Path,
    pub now: Moment,
}

/// What a source holds.
#[derive(Clone, Debug, Default)]
pub struct Taken {
    pub content: Content,
    pub memories: Vec<MemoryRecord>,
    /// What is read differently from how it stands there
    pub changed: Vec<String>,
    /// What is not taken, and why
    pub left_out: Vec<String>,
    /// What the reader should know beside that
    pub notes: Vec<String>,
    /// How many of the records are past their lifetime
    pub expired: usize,
    /// The text of its settings, where it has any
    pub config: Option<String>,
}

/// Why a source cannot be read at all.
#[derive(Debug, thiserror::Error)]
pub enum Unreadable {
    #[error("there is no `{}`", .0.display())]
    Missing(PathBuf),
    #[error("`{}` is {what}", .path.display())]
    Refused { path: PathBuf, what: String },
    #[error("`{}` cannot be understood: {reason}", .path.display())]
    Damaged { path: PathBuf, reason: String },
    #[error("`{}` cannot be read", .path.display())]
    Io { path: PathBuf, source: std::io::Error },
}

/// Reads everything a system keeps at a place.
pub fn read(system: System, reading: Reading<'_>) -> Result<Taken, Unreadable> {
    match system {
        System::HandoffCli => go_cli::read(reading),
        System::SessionHandoff => session_handoff::read(reading),
        System::AgentHandover => agent_handover::read(reading),
        System::HandoffMcp => handoff_mcp::read(reading),
    }
}
