//! Coding agents: which there are, what their hooks tell, and what a stretch of their work came to.
//!
//! Readers of transcripts turn what an agent wrote into [`Event`]s; a [`Digest`] is what many events come to. Everything
//! above works with digests alone, so it knows no agent's format.

mod activity;
mod check;
mod compile;
mod digest;
mod event;
mod hook;
mod host;
mod last_words;
mod usefulness;

pub use activity::{Activity, uncovered};
pub use check::CheckCommand;
pub use compile::{
    COMPILED, Compiled, CompiledItem, PassedCheck, Place, SaidDone, SpokenEnd, Taken, compile, compiled_from,
    current_summary, implied_check, summary_compiled_from,
};
pub use digest::{Crowd, Digest, Failure, LooseEnds, Prompt, Ran, Said, Tally, Todo, TouchedFile};
pub use event::{About, Event, FileChange, Fill, TodoStatus, Touch, Usage, What};
pub use hook::{Heard, HookEvent, NotAHookEvent, StartSource, remembered_id};
pub use host::{Host, NotAHost};
pub use last_words::{LastWords, SettledMention, SpokenItem};
pub use usefulness::{Given, Left, Share, Usefulness};
