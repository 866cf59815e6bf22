//! The coding agents handoff is wired into: their settings files and the words of their hooks.

pub mod setup;
