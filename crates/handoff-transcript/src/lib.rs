//! What coding agents wrote down: their transcripts, read into one shape.
//!
//! A transcript belongs to the agent: it is opened to be read, never written, and may grow, move, shrink or be compressed
//! at any time. **Invariant:** no bytes make a reader fail as a whole. What is no record is passed over and counted, so a
//! format that changed gives less, not nothing. Memory is bounded by the longest line that is taken, not by the file.

mod belonging;
mod checked;
mod claude;
mod cline;
mod codex;
mod content;
mod cursor;
mod document;
mod fingerprint;
mod gemini;
mod lines;
mod locate;
mod mark;
mod mixed;
mod opencode;
mod patch;
mod piece;
mod places;
mod recognise;
mod rows;
mod source;
mod sqlite;
mod step;
mod text;
mod time;
mod tool;

pub use belonging::transcript_of;
pub use checked::checked_against;
pub use locate::{Located, find_session, locate};
pub use mark::Mark;
pub use piece::{Piece, Transcript, read, read_on};
pub use recognise::recognise;
pub use source::{Source, Unreadable};

/// A variable of the environment, by its name.
pub type Env<'a> = &'a dyn Fn(&str) -> Option<std::ffi::OsString>;
