//! What coding agents wrote down: their transcripts, read into one shape.

mod opencode;
mod patch;
mod sqlite;
mod step;
mod time;
mod tool;
