//! Whatever was done can be taken back and made again, byte for byte and place for place.
//!
//! `PROPTEST_CASES` sets how many sequences are tried.
#![expect(clippy::unwrap_used, clippy::disallowed_methods, reason = "tests change files as a person would")]

#[path = "../../../../fuzz/src/choices.rs"]
pub mod choices;

mod deeds;
mod outside;
mod sequence;
mod world;

use proptest::prelude::ProptestConfig;
use proptest::strategy::Strategy;

/// This many cases, unless the environment says otherwise.
fn cases(count: u32) -> ProptestConfig {
    let config = ProptestConfig { failure_persistence: None, max_shrink_iters: 60, ..ProptestConfig::default() };
    if std::env::var_os("PROPTEST_CASES").is_some() { config } else { ProptestConfig { cases: count, ..config } }
}

/// Bytes to choose with: always enough of them.
fn bytes(count: usize) -> impl Strategy<Value = Vec<u8>> {
    proptest::collection::vec(proptest::num::u8::ANY, count)
}
