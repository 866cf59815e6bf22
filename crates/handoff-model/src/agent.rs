//! Coding agents: which there are, what their hooks tell, and what a stretch of their work came to.
//!
//! Readers of transcripts turn what an agent wrote into [`Event`]s; a [`Digest`] is what many events come to. Everything
//! above works with digests alone, so it knows no agent's format.

mod activity;
mod compile;
mod digest;
mod event;
mod hook;
mod host;
mod usefulness;

pub use activity::{Activity, uncovered};
pub use compile::{COMPILED, Compiled, Place, Taken, compile, compiled_from};
pub use digest::{Crowd, Digest, Failure, LooseEnds, Prompt, Ran, Said, Tally, Todo, TouchedFile};
pub use event::{About, Event, FileChange, Fill, TodoStatus, Touch, Usage, What};
pub use hook::{Heard, HookEvent, NotAHookEvent, StartSource, remembered_id};
pub use host::{Host, NotAHost};
pub use usefulness::{Given, Left, Share, Usefulness};
