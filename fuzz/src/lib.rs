//! What the fuzz targets do with their bytes.
//!
//! The same files are part of the crates' property tests, so that plain `cargo test` tries them too.

pub mod choices;
pub mod config_file;
pub mod configs;
pub mod conflict_markers;
pub mod edited;
pub mod edits;
pub mod ids_and_refs;
pub mod notation;
pub mod record_file;
pub mod records;
pub mod slug_and_names;
pub mod texts;
pub mod written;
