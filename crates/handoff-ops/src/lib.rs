//! Every operation of handoff as request and outcome, and the one place that runs them.
//!
//! **Invariant:** nothing in here prints, reads the environment or knows who is asking. A door hands in a [`Project`]
//! and a [`Request`], and gets a [`Reply`] or an [`OpError`] that it words in its own way.

pub mod agent;
pub mod calendar;
pub mod config;
pub mod contract;
pub mod dashboard;
mod dispatch;
pub mod doctor;
mod error;
pub mod export;
mod hint;
pub mod history;
pub mod import;
pub mod item;
pub mod keys;
pub mod label;
pub mod layers;
pub mod leaving;
pub mod local_state;
pub mod memory;
pub mod metrics;
pub mod milestone;
mod operation;
pub mod package;
pub mod page;
mod passphrase;
pub mod pause;
pub mod place;
pub mod plan;
mod project;
pub mod published;
pub mod registry;
pub mod render;
mod request;
pub mod resume;
pub mod run;
#[cfg(test)]
mod sample;
pub mod search;
pub mod secrets;
mod server_cache;
pub mod session;
pub mod setup;
mod store_error;
pub mod task;
pub mod team;
pub mod time;
pub mod timer;
pub mod trust;
mod visible;
pub mod why;
mod workload;

pub use dispatch::{Reply, dispatch};
pub use error::{ErrorKind, OpError};
pub use handoff_store::{Marks, Stop, Stopped};
pub use hint::Hint;
pub use operation::{Door, Effect, Entry, ExitCodes, Facts, Operation, Report, ToolSet};
pub use page::Page;
pub use project::{
    AskSecret, Caller, Choice, ConfigFile, ConfigLayer, ConfigSources, Confirm, Connection, Desk, Editor, Environment,
    Picker, Place, Progress, Project,
};
pub use request::Request;
pub use server_cache::ServerCache;
pub use visible::{Breaks, is_hidden, visible, visible_json};
