//! Portable bundles: what a handoff is when it travels.
//!
//! **Invariant:** bytes in, bytes out. Nothing here touches a file, a clock or the environment; only keys and nonces are
//! drawn at random.

mod content;

pub use content::{CarriedSession, CarriedTask, Content};
