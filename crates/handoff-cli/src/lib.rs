//! The command line: every operation as a command, pages on a terminal.
//!
//! **Invariant:** this crate is a loop over the registry. It knows operations by their entries, never by their names,
//! and never touches storage.

mod command;
mod desk;
mod draw;
mod failure;
mod flags;
mod json;
mod local;
mod process;
mod progress;
mod quick;
mod request_file;
mod run;
#[cfg(test)]
mod sample;
mod screen;
mod secret_prompt;
mod usage;

pub use process::main;
pub use run::{Answer, Course, Invocation, run};
pub use screen::Screen;

/// The whole tree of commands, for man pages and the reference.
pub fn command() -> clap::Command {
    command::Catalogue::product().whole(flags::Arguments::Required)
}

/// The commands of the program `agent-handover`, for the same.
pub fn agent_handover_command() -> clap::Command {
    local::agent_handover::program()
}
