//! What tells one list of steps from another, and one deed from another.

use std::fmt::Write;

use serde::Serialize;
use sha2::{Digest, Sha256};

use crate::Step;

/// The same for the same list, and another for any other.
pub fn fingerprint<A: Serialize>(steps: &[Step<A>]) -> String {
    mark(&steps)
}

/// The same for the same thing, and another for any other.
pub fn mark(thing: &impl Serialize) -> String {
    let text = serde_json::to_vec(thing).expect("steps are plain data");
    let mut written = String::new();
    for byte in Sha256::digest(&text).iter().take(16) {
        write!(written, "{byte:02x}").expect("writing to a string cannot fail");
    }
    written
}
