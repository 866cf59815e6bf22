//! A store does what a simple picture of it says, whatever is asked of it and whatever happens around it.
//!
//! `PROPTEST_CASES` sets how many sequences are tried.
#![expect(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    clippy::print_stderr,
    reason = "tests change files as a person would, and show what they did"
)]

#[path = "../../../../fuzz/src/choices.rs"]
pub mod choices;
#[path = "../../../../fuzz/src/store_state.rs"]
pub mod store_state;

mod doctor;
mod files;
mod locator;
mod mixture;
mod picture;
mod recovery;
mod sequence;
mod state;

use handoff_model::when::Moment;
use proptest::prelude::ProptestConfig;
use proptest::strategy::Strategy;

/// This many cases, unless the environment says otherwise.
fn cases(count: u32) -> ProptestConfig {
    let config = ProptestConfig { failure_persistence: None, max_shrink_iters: 400, ..ProptestConfig::default() };
    if std::env::var_os("PROPTEST_CASES").is_some() { config } else { ProptestConfig { cases: count, ..config } }
}

/// Bytes to choose with.
fn bytes(most: usize) -> impl Strategy<Value = Vec<u8>> {
    proptest::collection::vec(proptest::num::u8::ANY, 0..most)
}

/// A directory in memory where there is one: these tests are about order, not about disks.
fn scratch() -> tempfile::TempDir {
    tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap()
}

fn noon() -> Moment {
    "2026-11-15T12:00:00Z".parse().unwrap()
}
