//! Reading a bundle of session-handoff.

use base64ct::{Base64, Encoding as _};
use ed25519_dalek::{Signature, VerifyingKey};
use handoff_model::id::shorten;
use serde::Deserialize;

use super::record::Written;
use super::{CompatRecord, RecordFlaw};
use crate::{Excess, Limits, PublicKey};

/// What was in a bundle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompatOpened {
    pub record: CompatRecord,
    pub version: i64,
    pub origin: CompatOrigin,
}

/// What a bundle proves about where it comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CompatOrigin {
    /// Nothing, not even that it is whole (version 1)
    Unchecked,
    /// That it is whole (version 2)
    Unsigned,
    /// That somebody with this key signed the record (version 3). The name is not part of what is signed: anybody may
    /// have written it
    Signed { key: PublicKey, unsigned_name: Option<String> },
}

/// Whether bundles without a signature are taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unsigned {
    Refuse,
    Allow,
}

/// Why a bundle is not taken.
#[derive(Debug, thiserror::Error)]
pub enum CompatError {
    #[error("the bundle is too large")]
    TooLarge(#[source] Excess),
    #[error("the bundle is encrypted: it has to be decrypted first")]
    Encrypted,
    #[error("this is not a bundle of session-handoff")]
    NotABundle(#[source] serde_json::Error),
    #[error("the bundle says it is of version {found}: 1, 2 and 3 are known")]
    OtherVersion { found: i64 },
    #[error("the bundle is of version {version} and not signed, so anybody can have written it")]
    Unsigned { version: i64 },
    #[error("the bundle is of version {version} but has a `{field}`: somebody changed its version")]
    Downgraded { version: i64, field: &'static str },
    #[error("the bundle has no `{0}`")]
    Missing(&'static str),
    #[error("the bundle was changed: its record does not fit its checksum")]
    Checksum,
    #[error("the bundle's `{0}` cannot be read as base64 of the right length")]
    Encoding(&'static str),
    #[error("the bundle's key is refused")]
    Key(#[source] crate::NotAKey),
    #[error("the bundle says its key is `{said}`, but the key in it is `{found}`")]
    KeyId { said: String, found: String },
    #[error("the bundle's signature does not fit its record")]
    Signature,
    #[error("the bundle's record is refused")]
    Record(#[source] RecordFlaw),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Bundle {
    version: i64,
    #[serde(default)]
    checksum: Option<String>,
    record: Written,
    #[serde(default)]
    signer: Option<Signer>,
    #[serde(default)]
    signature: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Signer {
    #[serde(default)]
    name: Option<String>,
    #[serde(default)]
    key_id: Option<String>,
    #[serde(default)]
    public_key: Option<String>,
}

/// How many keys and items one record may have.
const MOST_VALUES: usize = 100_000;

/// Whether it looks like a bundle of session-handoff that is not encrypted.
pub fn is_bundle(bytes: &[u8]) -> bool {
    let start = bytes.trim_ascii_start();
    let head = &start[..start.len().min(4096)];
    let has = |mark: &[u8]| head.windows(mark.len()).any(|part| part == mark);
    start.starts_with(b"{") && has(b"\"version\"") && has(b"\"record\"") && !crate::is_bundle(bytes)
}

/// Reads a bundle. One without a signature is taken only where that is allowed, whatever version it says it is.
pub fn read(bytes: &[u8], unsigned: Unsigned, limits: &Limits) -> Result<CompatOpened, CompatError> {
    if super::is_envelope(bytes) {
        return Err(CompatError::Encrypted);
    }
    let limits = Limits { records: limits.records.min(MOST_VALUES), ..*limits };
    limits.check_json(bytes).map_err(CompatError::TooLarge)?;
    let bundle: Bundle = serde_json::from_slice(bytes).map_err(CompatError::NotABundle)?;
    let version = bundle.version;
    let origin = match version {
        1..=3 => check(&bundle, unsigned)?,
        found => return Err(CompatError::OtherVersion { found }),
    };
    let record = bundle.record.into_record().map_err(CompatError::Record)?;
    Ok(CompatOpened { record, version, origin })
}

fn check(bundle: &Bundle, unsigned: Unsigned) -> Result<CompatOrigin, CompatError> {
    let Bundle { version, checksum, record, signer, signature } = bundle;
    let version = *version;
    let present = |text: &Option<String>| text.as_ref().is_some_and(|text| !text.trim().is_empty());
    let signs = [("signature", present(signature)), ("signer", signer.is_some())];
    if let Some((field, _)) = signs.into_iter().find(|(_, present)| version < 3 && *present) {
        return Err(CompatError::Downgraded { version, field });
    }
    if version == 1 && present(checksum) {
        return Err(CompatError::Downgraded { version, field: "checksum" });
    }
    if version < 3 && unsigned == Unsigned::Refuse {
        return Err(CompatError::Unsigned { version });
    }
    if version == 1 {
        return Ok(CompatOrigin::Unchecked);
    }
    let checksum = checksum.as_ref().filter(|text| !text.is_empty()).ok_or(CompatError::Missing("checksum"))?;
    if !record.has_checksum(checksum) {
        return Err(CompatError::Checksum);
    }
    if version == 2 {
        return Ok(CompatOrigin::Unsigned);
    }
    let signature = signature.as_ref().filter(|text| !text.is_empty()).ok_or(CompatError::Missing("signature"))?;
    let signer = signer.as_ref().ok_or(CompatError::Missing("signer"))?;
    let key = signed_by(checksum, signature, signer)?;
    Ok(CompatOrigin::Signed { key, unsigned_name: signer.name.clone().filter(|name| !name.is_empty()) })
}

/// The key that signed a checksum: its 64 digits are what is signed.
fn signed_by(checksum: &str, signature: &str, signer: &Signer) -> Result<PublicKey, CompatError> {
    let public_key = signer.public_key.as_ref().ok_or(CompatError::Missing("public_key"))?;
    let key = PublicKey::from_raw(decoded(public_key, "public_key")?).map_err(CompatError::Key)?;
    let said = signer.key_id.as_ref().ok_or(CompatError::Missing("key_id"))?;
    if *said != key.key_id() {
        return Err(CompatError::KeyId { said: shorten(said), found: key.key_id() });
    }
    let signature = Signature::from_bytes(&decoded(signature, "signature")?);
    VerifyingKey::from_bytes(key.raw())
        .and_then(|key| key.verify_strict(checksum.as_bytes(), &signature))
        .map_err(|_| CompatError::Signature)?;
    Ok(key)
}

fn decoded<const N: usize>(text: &str, field: &'static str) -> Result<[u8; N], CompatError> {
    let mut bytes = [0; N];
    let length = Base64::decode(text, &mut bytes).map(<[u8]>::len);
    if length == Ok(N) { Ok(bytes) } else { Err(CompatError::Encoding(field)) }
}
