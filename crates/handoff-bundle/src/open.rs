//! Taking a bundle apart, or saying why not.
//!
//! **Invariant:** what is opened was sealed exactly so. A file that differs from the canonical form in one bit is
//! refused, and a signature covers all of it.

use handoff_model::when::Moment;
use serde::Deserialize;

use crate::canonical::{self, Envelope, SameAs, Signature};
use crate::seal::{check_name, has_plain_year};
use crate::{Content, Excess, Limits, PublicKey, SealError, SignatureFlaw, VERSION, sshsig};

/// What was in a bundle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Opened {
    pub content: Content,
    pub created_at: Moment,
    pub origin: Origin,
}

/// Where a bundle comes from, as far as it proves it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// From anybody: the checksum finds accidents and nothing else
    Unsigned,
    /// From who has this key. The name is what that signer calls itself; whom it belongs to says a [`crate::TrustList`]
    Signed { signer: Option<String>, key: PublicKey },
}

/// Why a bundle is not opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    #[error("the bundle is too large")]
    TooLarge(#[source] Excess),
    #[error("the bundle is encrypted: it has to be decrypted first")]
    Encrypted,
    #[error("this is not a handoff bundle")]
    NotABundle(#[source] serde_json::Error),
    #[error("the bundle is of version {found}, and this handoff reads version {VERSION}")]
    OtherVersion { found: u64 },
    #[error("the bundle was changed or written anew since it was sealed: it is not in its canonical form")]
    NotCanonical,
    #[error("the bundle is damaged: its content does not fit its checksum")]
    Checksum,
    #[error("`{0}` is not a time that a bundle can be made at")]
    Time(Moment),
    #[error("the bundle's signer is refused")]
    Signer(#[source] SealError),
    #[error("the bundle's signature is refused")]
    Signature(#[source] SignatureFlaw),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Document {
    checksum: String,
    content: Content,
    created_at: Moment,
    handoff_bundle: u64,
    #[serde(default)]
    signature: Option<Signature>,
}

/// Whether it looks like a bundle of ours, whole or damaged.
pub fn is_bundle(bytes: &[u8]) -> bool {
    const MARK: &[u8] = b"\"handoff_bundle\":";
    // Sealed ones begin so, whatever they carry; ones that somebody wrote anew are found by their mark.
    bytes.starts_with(b"{\"checksum\":\"")
        || (bytes.starts_with(b"{") && bytes.windows(MARK.len()).any(|part| part == MARK))
}

/// Opens a bundle, signed or not. Nothing is believed before all of it is checked.
pub fn open(bytes: &[u8], limits: &Limits) -> Result<Opened, OpenError> {
    if crate::is_encrypted(bytes).is_some() {
        return Err(OpenError::Encrypted);
    }
    limits.check_json(bytes).map_err(OpenError::TooLarge)?;
    let document: Document = serde_json::from_slice(bytes).map_err(|error| other_version(bytes, error))?;
    let Document { checksum, content, created_at, handoff_bundle: version, signature } = document;
    if version != VERSION {
        return Err(OpenError::OtherVersion { found: version });
    }
    let envelope = Envelope { checksum, created_at, version, signature };
    let mut same = SameAs::new(bytes);
    canonical::document(&mut same, &envelope, &content);
    if !same.is_same() {
        return Err(OpenError::NotCanonical);
    }
    if !has_plain_year(created_at) {
        return Err(OpenError::Time(created_at));
    }
    if envelope.checksum != canonical::checksum(&content) {
        return Err(OpenError::Checksum);
    }
    let origin = origin(&envelope)?;
    Ok(Opened { content, created_at, origin })
}

fn origin(envelope: &Envelope) -> Result<Origin, OpenError> {
    let Some(Signature { key: said, signer, sshsig }) = &envelope.signature else { return Ok(Origin::Unsigned) };
    check_name(signer.as_deref()).map_err(OpenError::Signer)?;
    let statement = canonical::statement(envelope, said, signer.as_deref());
    let key = sshsig::verify(sshsig, &statement).map_err(OpenError::Signature)?;
    let made_with = key.fingerprint();
    if made_with != *said {
        let flaw = SignatureFlaw::OtherSigner { made_with, said: handoff_model::id::shorten(said) };
        return Err(OpenError::Signature(flaw));
    }
    Ok(Origin::Signed { signer: signer.clone(), key })
}

/// A bundle of a later version has keys that this one does not know; that is worth saying instead.
fn other_version(bytes: &[u8], error: serde_json::Error) -> OpenError {
    #[derive(Deserialize)]
    struct Mark {
        handoff_bundle: u64,
    }
    match serde_json::from_slice(bytes) {
        Ok(Mark { handoff_bundle: found }) if found != VERSION => OpenError::OtherVersion { found },
        _ => OpenError::NotABundle(error),
    }
}
