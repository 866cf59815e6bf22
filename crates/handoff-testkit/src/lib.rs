//! Projects to test in. A [`TestProject`] owns its directory, home, clock and ids, so nothing a test prints depends on
//! the machine, and every command is the real program.
//!
//! **Invariant:** every command run here keeps what all commands promise, whatever the test is about: it ends in time,
//! with an exit code of the contract; it prints no raw control character and no internal error; it leaves no temporary
//! file behind.
#![expect(clippy::disallowed_methods, reason = "the files of a test need not survive a power failure")]

mod agent;
mod answer;
mod call;
mod draft;
mod handover;
mod mcp;
mod project;
mod sample;
mod session;
mod transcript;
mod tree;
mod words;

pub use agent::{Agent, context};
pub use answer::Answer;
pub use call::{Call, Running};
pub use draft::TaskDraft;
pub use mcp::{McpClient, McpStart, text_of};
pub use project::TestProject;
pub use session::{list_in, text_in};
pub use transcript::Transcript;
pub use tree::Tree;

/// A new project, private as `handoff init my-app` makes it. Only for tests of the crate that builds the program.
#[macro_export]
macro_rules! project {
    () => {
        $crate::TestProject::private(env!("CARGO_BIN_EXE_handoff"))
    };
}

/// A new shared project, whose task directories are flat and fixed.
#[macro_export]
macro_rules! shared_project {
    () => {
        $crate::TestProject::shared(env!("CARGO_BIN_EXE_handoff"))
    };
}

/// A directory that is no project yet.
#[macro_export]
macro_rules! empty_directory {
    () => {
        $crate::TestProject::empty(env!("CARGO_BIN_EXE_handoff"))
    };
}

/// The project in which the example of every operation succeeds.
#[macro_export]
macro_rules! sample_project {
    () => {
        $crate::TestProject::sample(env!("CARGO_BIN_EXE_handoff"))
    };
}

/// A project that holds a copy of a tree in `fixtures/`.
#[macro_export]
macro_rules! fixture {
    ($name:expr) => {
        $crate::TestProject::fixture(env!("CARGO_BIN_EXE_handoff"), $name)
    };
}
