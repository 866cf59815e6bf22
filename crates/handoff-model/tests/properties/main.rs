//! What holds for every record, text and name, tried on many.
//!
//! `PROPTEST_CASES` sets how many. The makers of things are shared with the fuzz targets in `fuzz/`.
#![expect(clippy::unwrap_used, reason = "a test stops at the first surprise")]

#[path = "../../../../fuzz/src/archive_file.rs"]
pub mod archive_file;
#[path = "../../../../fuzz/src/choices.rs"]
pub mod choices;
#[path = "../../../../fuzz/src/config_file.rs"]
pub mod config_file;
#[path = "../../../../fuzz/src/configs.rs"]
pub mod configs;
#[path = "../../../../fuzz/src/conflict_markers.rs"]
pub mod conflict_markers;
#[path = "../../../../fuzz/src/edited.rs"]
pub mod edited;
#[path = "../../../../fuzz/src/edits.rs"]
pub mod edits;
#[path = "../../../../fuzz/src/ids_and_refs.rs"]
pub mod ids_and_refs;
#[path = "../../../../fuzz/src/notation.rs"]
pub mod notation;
#[path = "../../../../fuzz/src/record_file.rs"]
pub mod record_file;
#[path = "../../../../fuzz/src/records.rs"]
pub mod records;
#[path = "../../../../fuzz/src/session_edits.rs"]
pub mod session_edits;
#[path = "../../../../fuzz/src/slug_and_names.rs"]
pub mod slug_and_names;
#[path = "../../../../fuzz/src/texts.rs"]
pub mod texts;
#[path = "../../../../fuzz/src/written.rs"]
pub mod written;

mod bytes;
mod config;
mod files;
mod kept;
mod words;

use proptest::prelude::ProptestConfig;
use proptest::strategy::Strategy;

/// This many cases, unless the environment says otherwise.
fn cases(count: u32) -> ProptestConfig {
    let config = ProptestConfig { failure_persistence: None, ..ProptestConfig::default() };
    if std::env::var_os("PROPTEST_CASES").is_some() { config } else { ProptestConfig { cases: count, ..config } }
}

/// Bytes to choose with.
fn bytes(most: usize) -> impl Strategy<Value = Vec<u8>> {
    proptest::collection::vec(proptest::num::u8::ANY, 0..most)
}
