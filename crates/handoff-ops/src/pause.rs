//! `handoff pause` and `handoff unpause`: the brake.
//!
//! **Invariant:** the brake waits for nobody and needs nothing but a directory to stand in: no lock is taken, no store is
//! opened, and what is paused already can be paused again.

mod lift;
mod set;
mod view;

pub use lift::UnpauseWriting;
pub use set::PauseWriting;
pub use view::{PauseState, PauseView};
