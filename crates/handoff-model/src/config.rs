//! Configuration: what every setting is, where its value comes from, and how it is changed.
//!
//! The types here are the one place a setting is said: its key, type, default and range, and in its doc comment the
//! meaning that people are shown. Reading, `config explain`, the environment variables and the JSON Schema for editors
//! follow from them.
//!
//! **Invariant:** one odd value never disables anything else. Files are read key by key; what cannot be understood is
//! reported and counts as if it were not there.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::name::Layout;
use crate::secret::Fingerprint;
use crate::text::{Hours, Name, OneLine, Prose};
use crate::when::Day;

mod check;
mod describe;
mod edit;
mod key;
mod read;
mod resolve;
pub(crate) mod tables;
mod team;
mod template;
mod value;

pub(crate) use check::to_json;
pub use edit::{Assignment, Given, Refused, apply, assign, rename};
pub use key::{Key, KeyName, Keys, Scope, Target, UnknownKey, join, split};
pub use resolve::{Entry, Fault, Layer, Origin, Resolved, Said, Source, Sources, resolve};
pub use team::{Assignee, Calendar, Color, DayKey, Milestone, NotATeamValue, Weekday, ZoneName};
pub use template::new_file;
pub use value::{Decimal, InsidePath, NotInRange, NotInside, Whole};

/// Every setting of handoff, with the value that is in force.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, expecting = "a table")]
pub struct Config {
    pub project: ProjectFacts,
    pub settings: Settings,
    pub dashboard: Dashboard,
    pub layers: MirrorLayers,
    pub hooks: Hooks,
    pub secrets: Secrets,
    pub user: User,
    /// The labels in use; any other may be given all the same
    pub labels: Vec<Name>,
    pub calendar: Calendar,
    pub assignees: BTreeMap<Name, Assignee>,
    pub milestones: BTreeMap<Name, Milestone>,
    pub effort_budget: EffortBudget,
    /// The day the project started, as handoff-mcp writes it; `project.started_at` counts before it
    pub started_at: Option<Day>,
}

impl Config {
    /// The day the project started, if anybody said so.
    pub fn started_at(&self) -> Option<Day> {
        self.project.started_at.or(self.started_at)
    }
}

/// What the project is.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, expecting = "a table")]
pub struct ProjectFacts {
    /// What the project is called; the name of its directory when absent
    pub name: Option<Name>,
    /// What the project is about
    #[serde(deserialize_with = "value::blank_is_none")]
    pub description: Option<Prose>,
    /// The day the project started or starts
    pub started_at: Option<Day>,
}

/// How handoff behaves.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, expecting = "a table")]
pub struct Settings {
    /// Closed sessions kept as single files; older ones are archived, never deleted
    pub history_limit: Whole<0, 100_000>,
    /// Finished tasks shown in a list; the rest are counted
    pub done_task_limit: Whole<0, 100_000>,
    /// Whether a handoff notes branch, commit and changed files
    pub auto_git_summary: bool,
    /// Days after which `handoff gc` packs finished tasks into the archive
    pub archive_after_days: Whole<0, 36_500>,
    /// How task directories are named; changed by `handoff share` and `handoff unshare`, which convert them
    pub task_dirs: Layout,
    /// Tokens that loading a handoff may cost
    pub budget_tokens: Whole<100, 200_000>,
    /// Whether saving a handoff tells what is missing or vague in it
    pub lint: bool,
    /// Seconds a change waits for another one to finish; 0 gives up at once
    pub lock_wait_seconds: Whole<0, 600>,
    /// Files worth reading at the start of a session, relative to the project
    pub context_files: Vec<InsidePath>,
    /// Whether a task needs an estimate
    pub require_estimate_hours: bool,
    /// How long work takes an agent, as a share of the estimate for a person; estimates are not adjusted when absent
    pub ai_estimate_multiplier: Option<Decimal<1, 10_000>>,
    /// Minutes without activity after which a running timer asks what to do
    pub timer_idle_timeout_minutes: Whole<1, 1_440>,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            history_limit: Whole::fixed(20),
            done_task_limit: Whole::fixed(10),
            auto_git_summary: true,
            archive_after_days: Whole::fixed(30),
            task_dirs: Layout::Status,
            budget_tokens: Whole::fixed(2_000),
            lint: true,
            lock_wait_seconds: Whole::fixed(10),
            context_files: Vec::new(),
            require_estimate_hours: false,
            ai_estimate_multiplier: None,
            timer_idle_timeout_minutes: Whole::fixed(10),
        }
    }
}

/// Where the view over all projects looks for them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, expecting = "a table")]
pub struct Dashboard {
    /// Directories to search for projects; `~/` is the home directory
    pub scan_dirs: Vec<OneLine>,
    /// Directory names that the search leaves out
    pub exclude_patterns: Vec<OneLine>,
    /// How many levels deep the search goes
    pub max_depth: Whole<1, 64>,
}

impl Default for Dashboard {
    fn default() -> Self {
        Dashboard { scan_dirs: Vec::new(), exclude_patterns: Vec::new(), max_depth: Whole::fixed(5) }
    }
}

/// Copies of the memory for tools that read plain Markdown.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, expecting = "a table")]
pub struct MirrorLayers {
    /// Directory in the project where sessions, current state and archive are also written as plain Markdown
    #[schemars(extend("examples" = ["memory/"]))]
    pub mirror: Option<InsidePath>,
}

/// What happens when coding agents call by themselves.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, expecting = "a table")]
pub struct Hooks {
    /// Whether agents get context and their work is recorded when they call; `HANDOFF_HOOKS=off` does it for one session
    pub enabled: bool,
    /// Tokens that fit into the context of the agent in use, where neither it nor its model says so
    pub context_window: Option<Whole<1_000, 100_000_000>>,
    /// Milliseconds that git may take when a conversation begins; what it does not answer in time is left out
    pub git_wait_milliseconds: Whole<0, 10_000>,
}

impl Default for Hooks {
    fn default() -> Self {
        Hooks { enabled: true, context_window: None, git_wait_milliseconds: Whole::fixed(300) }
    }
}

/// What is let through although it looks like a secret.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, expecting = "a table")]
pub struct Secrets {
    /// Fingerprints of what may leave this machine, as `handoff secrets scan` tells them; yours and the project's both count
    pub allow: Vec<Fingerprint>,
}

/// Who is working.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, expecting = "a table")]
pub struct User {
    /// The name written into notes, history and time log; the login name when absent
    pub name: Option<Name>,
}

/// How much work the project may cost.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, expecting = "a table")]
pub struct EffortBudget {
    /// Hours the project may cost in all
    pub total_hours: Option<Hours>,
}

#[cfg(test)]
mod properties;
#[cfg(test)]
mod tests;
