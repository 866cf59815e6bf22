//! The coding agents handoff is wired into: their settings files, the words of their hooks, and what they are taught.

pub mod foreign;
pub mod hook;
pub mod setup;
pub mod text;
