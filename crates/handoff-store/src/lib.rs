//! The `.handoff/` directory: layout, atomic writes, locks, recovery.
//!
//! **Invariant:** an answer of success means "on disk". A change is made of steps that can be done and undone any
//! number of times; one step is its own commit, several go through the journal. Readers take no lock.

mod agents;
mod apart;
mod commit;
mod doctor;
mod error;
pub mod git;
mod handover;
mod index;
mod layout;
mod limits;
mod line_log;
mod local;
mod locator;
mod lock;
mod log;
mod memory;
mod outside;
mod packed;
mod pause;
mod place;
mod root;
mod scan_projects;
mod seal;
mod session;
mod several;
mod step;
mod steps;
mod stop;
mod store;
mod sys;
mod task;
mod texts;
mod time;
mod timers;
mod usefulness;
mod warm;

pub use agents::{AgentLock, AgentName};
pub use apart::{apart, ask_group_to_end, has_group, in_own_session, kill_group};
pub use doctor::{Circumstances, Cure, KnownVersion};
pub use error::{MemoryLine, Result, SessionLine, StoreError, TaskLine};
pub use handover::{Glance, RunLock};
pub use local::{ForeignLocal, LocalContent, LocalRules, SetAside, SetAsideOrigin};
pub use log::{
    Entry as LogEntry, Head as LogHead, History, Kind as ChangeKind, Logged, Signature, State as ChangeState, Undo,
};
pub use memory::{FoundMemory, Memories, MemoryFiles, ReadMemory};
pub use outside::{
    Listing, NewFile, OutsideLock, OutsideTree, change_outside, has_other_names, is_owned_by_us, make_private,
    missing_dirs, read_outside, remove_empty_dirs, rename_outside, replace_private, sweep_outside, written_by_others,
};
pub use pause::{Lifted, Pause, PauseFile, PauseForm};
pub use place::{
    DIRECTORY, Known, NewStore, Registry, UserFile, discover, holds_project, holds_shared_tasks, is_project,
    make_dirs as make_dirs_outside,
};
pub use scan_projects::{NEVER_SCANNED, ProjectScan, ScannedProjects};
pub use session::bound::{Bound, Process};
pub use session::read::{FoundSession, Sessions};
pub use session::summary::{SessionSummary, Summaries, SummaryTexts};
pub use session::trash::TrashedSession;
pub use steps::{StepAttempt, StepLock, StepNote};
pub use stop::{Stop, Stopped};
pub use store::RecordWords;
pub use store::Store;
pub use sys::{login_name, machine_clock};
pub use task::archive::{ArchivedTasks, Packing};
pub use task::find::{Children, Found};
pub use task::forest::{Forest, Node};
pub use task::lazy::LazyTask;
pub use task::trash::Trashed;
pub use texts::StagedTexts;
pub use warm::{FileReading, Marks, ReadFile, Warm};

/// Fresh random bytes, for ids.
pub fn random<const N: usize>() -> [u8; N] {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).expect("the operating system gives random bytes");
    bytes
}

/// The name of the overview that is made anew with each handoff.
pub const CURRENT_STATE: &str = layout::CURRENT_STATE;

/// The name of the configuration file of a store.
pub const CONFIG_FILE: &str = layout::CONFIG;
