//! What holds for every record, text and name, tried on many.
//!
//! `PROPTEST_CASES` sets how many. The makers of things are shared with the fuzz targets in `fuzz/`.

#[path = "../../../../fuzz/src/choices.rs"]
pub mod choices;
#[path = "../../../../fuzz/src/edited.rs"]
pub mod edited;
#[path = "../../../../fuzz/src/edits.rs"]
pub mod edits;
#[path = "../../../../fuzz/src/notation.rs"]
pub mod notation;
#[path = "../../../../fuzz/src/records.rs"]
pub mod records;
#[path = "../../../../fuzz/src/texts.rs"]
pub mod texts;
#[path = "../../../../fuzz/src/written.rs"]
pub mod written;

mod files;

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
