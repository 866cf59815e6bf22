//! The nouns of handoff and their rules.
//!
//! **Invariant:** nothing here touches files, the clock, the environment or randomness. What needs one of them takes
//! its result as an argument, so every rule can be tested with plain values.

pub mod agent;
pub mod calendar;
pub mod change;
pub mod checksum;
pub mod close;
pub mod config;
pub mod conflict;
pub mod document;
pub mod entry_check;
pub mod governed;
pub mod handover;
pub mod heal;
pub mod history;
pub mod id;
pub mod known_keys;
pub mod layers;
pub mod lifetime;
pub mod likely;
pub mod limits;
pub mod line_map;
pub mod memory;
pub mod metrics;
pub mod name;
pub mod number;
pub mod origin;
pub mod pause;
pub mod plan;
pub mod problem;
pub mod relevant;
pub mod rev;
pub mod schema;
pub mod search;
pub mod secret;
pub mod session;
pub mod slug;
pub mod task;
pub mod text;
pub mod time_log;
pub mod timer;
pub mod tokens;
pub mod when;
pub mod why;
mod words;

/// The version of the on-disk format this build writes.
pub const FORMAT: u32 = 1;

pub use limits::{MAX_BODY_BYTES, MAX_DEPTH, MAX_FILE_BYTES};
