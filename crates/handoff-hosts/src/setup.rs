//! `handoff setup`: what is put into which file of which agent, worked out without writing anything.
//!
//! **Invariant:** nothing in here touches a file. A host is described as a list of [`Target`]s; a plan turns the targets
//! and the files as they are into changes; whoever carries the plan out writes them.
//!
//! A host is one file in `host/` that implements [`Describe`], and one line in [`describe`].

#[cfg(test)]
mod bench;
mod edit;
mod host;
mod machine;
mod ours;
mod piece;
mod plan;
mod record;
mod shell;
mod target;
mod trust;

pub use edit::{Hunk, Refusal};
pub use host::describe;
pub use machine::{Disk, Machine, Platform};
pub use piece::State;
pub use plan::{FileChange, HostPlan, PartPlan, Plan, Wish, add, install, remove, set_up};
pub use record::Record;
pub use shell::Shell;
pub use target::{Entry, OWN_FILE, Part, Piece, Target};
pub use trust::CodexHooks;

use std::path::PathBuf;

use handoff_model::agent::Host;
use serde::{Deserialize, Serialize};

/// For whom a host is set up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Scope {
    /// For all projects of this user
    #[default]
    User,
    /// For everybody who works in one project
    Project,
}

impl Scope {
    pub const fn word(self) -> &'static str {
        match self {
            Scope::User => "user",
            Scope::Project => "project",
        }
    }
}

/// What handoff knows of a host's settings.
pub trait Describe: Sync {
    fn host(&self) -> Host;

    /// By what it is seen that the host is installed.
    fn signs(&self, machine: &Machine<'_>) -> Signs;

    /// Everything that is put somewhere. Several targets may name the same file; they are put in one after the other.
    fn targets(&self, machine: &Machine<'_>, scope: Scope) -> Vec<Target>;

    /// Where an earlier setup may have put something, depending on what was there then; looked at when taking out.
    fn former(&self, machine: &Machine<'_>, scope: Scope) -> Vec<Target> {
        let _ = (machine, scope);
        Vec::new()
    }

    /// What the person should know once it is set up: a sentence each.
    fn notes(&self, machine: &Machine<'_>, scope: Scope) -> Vec<String> {
        let _ = (machine, scope);
        Vec::new()
    }
}

/// By what it is seen that a host is installed: any of these is enough.
#[derive(Clone, Debug, Default)]
pub struct Signs {
    /// Names of programs on the `PATH`
    pub programs: &'static [&'static str],
    /// Directories it makes for itself
    pub directories: Vec<PathBuf>,
}

#[cfg(test)]
mod tests;
