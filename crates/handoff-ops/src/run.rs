//! `handoff run`: the steps of a handover, done one after another.

pub mod command;
