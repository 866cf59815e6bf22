//! Portable bundles: what a handoff is when it travels.
//!
//! **Invariant:** bytes in, bytes out. Nothing here touches a file, a clock or the environment; only keys and nonces are
//! drawn at random. `docs/bundle.md` has the format.

mod canonical;
pub mod compat;
mod content;
mod encrypt;
mod key;
mod limits;
mod open;
mod passphrase;
mod seal;
mod sshsig;
mod trust;

pub use content::{CarriedSession, CarriedTask, Content};
pub use encrypt::{
    DecryptError, EncryptError, Encryption, Identity, IdentityError, NotARecipient, Recipient, To, With, decrypt,
    encrypt, is_encrypted,
};
pub use key::{KeyError, NotAKey, PublicKey, SigningKey};
pub use limits::{Armor, Excess, Limits};
pub use open::{OpenError, Opened, Origin, is_bundle, open};
pub use passphrase::{BlankPassphrase, Passphrase};
pub use seal::{Draft, SealError, Signer, Signing, seal, statement};
pub use sshsig::{NAMESPACE, SignatureFlaw};
pub use trust::{Level, NotAdded, Trust, TrustEntry, TrustList, check_signer};

/// The version of the bundle format that is written, and the only one that is read.
pub const VERSION: u64 = 1;
