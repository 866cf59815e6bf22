//! What the fuzz targets do with their bytes.
//!
//! The same files are part of the crates' property tests, so that plain `cargo test` tries them too.

pub mod archive_file;
pub mod bundle_file;
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
pub mod requests;
pub mod session_edits;
pub mod slug_and_names;
pub mod store_state;
pub mod texts;
pub mod written;

/// A directory for this process alone, in memory where that is possible.
pub fn scratch() -> std::path::PathBuf {
    let memory = std::path::Path::new("/dev/shm");
    let parent = if memory.is_dir() { memory.to_owned() } else { std::env::temp_dir() };
    let dir = parent.join(format!("handoff-fuzz-{}", std::process::id()));
    std::fs::create_dir_all(&dir).expect("a scratch directory can be made");
    dir
}
