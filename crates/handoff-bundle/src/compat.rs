//! The bundles of session-handoff: one record each, in versions 1 to 3, and its encrypted envelope.
//!
//! **Invariant:** nothing is believed that its checksum or signature does not cover. That tool matches keys in any
//! case, lets the last of two count and drops what it does not know; here such a file is refused.

mod envelope;
mod read;
mod record;
mod write;

pub use envelope::{EnvelopeError, decrypt, encrypt, is_envelope};
pub use read::{CompatError, CompatOpened, CompatOrigin, Unsigned, is_bundle, read};
pub use record::{CompatRecord, RecordFlaw};
pub use write::{WriteError, write};

#[cfg(test)]
mod tests;
