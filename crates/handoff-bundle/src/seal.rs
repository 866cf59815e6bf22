//! Making a bundle of what it carries.

use handoff_model::heal::hidden;
use handoff_model::when::Moment;

use crate::canonical::{self, Envelope, Signature};
use crate::{Content, Excess, Limits, PublicKey, SignatureFlaw, SigningKey, VERSION, sshsig};

/// What is about to become a bundle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Draft {
    pub content: Content,
    pub created_at: Moment,
}

/// Who signs, and with which key. Both are part of what is signed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signer {
    pub name: Option<String>,
    pub key: PublicKey,
}

/// How a bundle is signed.
#[derive(Clone, Debug)]
pub enum Signing<'a> {
    /// Not at all: whoever imports it must allow that
    None,
    /// With this key, in this name
    Key(&'a SigningKey, Option<String>),
    /// With what another program made of the [`statement`]: an armored SSH signature in our namespace
    Made { signature: String, signer: Signer },
}

/// Why something does not become a bundle.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SealError {
    #[error("the name of the signer {0}")]
    SignerName(&'static str),
    #[error("the signature made for the bundle is refused")]
    Signature(#[source] SignatureFlaw),
    #[error("`{0}` is not a time of the years 0 to 9999")]
    Time(Moment),
    #[error("the bundle is too large")]
    TooLarge(#[source] Excess),
}

/// The longest name of a signer, in bytes.
const LONGEST_NAME: usize = 200;

/// The bytes that a signature is made over: `ssh-keygen -Y sign -n handoff-bundle@v1 -f KEY FILE` with these in FILE.
pub fn statement(draft: &Draft, signer: &Signer) -> Vec<u8> {
    canonical::statement(&envelope(draft), &signer.key.fingerprint(), signer.name.as_deref())
}

/// Makes the bundle. Opening it with the default [`Limits`] gives back what the draft says.
pub fn seal(draft: &Draft, signing: Signing<'_>) -> Result<Vec<u8>, SealError> {
    if !has_plain_year(draft.created_at) {
        return Err(SealError::Time(draft.created_at));
    }
    let mut envelope = envelope(draft);
    envelope.signature = match signing {
        Signing::None => None,
        Signing::Key(key, signer) => {
            check_name(signer.as_deref())?;
            let fingerprint = key.public().fingerprint();
            let statement = canonical::statement(&envelope, &fingerprint, signer.as_deref());
            Some(Signature { key: fingerprint, signer, sshsig: sshsig::sign(key, &statement) })
        }
        Signing::Made { signature, signer } => {
            check_name(signer.name.as_deref())?;
            let fingerprint = signer.key.fingerprint();
            let statement = canonical::statement(&envelope, &fingerprint, signer.name.as_deref());
            let (key, sshsig) = sshsig::adopt(&signature, &statement).map_err(SealError::Signature)?;
            if key != signer.key {
                let flaw = SignatureFlaw::OtherSigner { made_with: key.fingerprint(), said: fingerprint };
                return Err(SealError::Signature(flaw));
            }
            Some(Signature { key: fingerprint, signer: signer.name, sshsig })
        }
    };
    let mut bytes = Vec::new();
    canonical::document(&mut bytes, &envelope, &draft.content);
    Limits::default().check_json(&bytes).map_err(SealError::TooLarge)?;
    Ok(bytes)
}

fn envelope(draft: &Draft) -> Envelope {
    Envelope {
        checksum: canonical::checksum(&draft.content),
        created_at: draft.created_at,
        version: VERSION,
        signature: None,
    }
}

/// RFC 3339 has four digits for the year.
pub(crate) fn has_plain_year(at: Moment) -> bool {
    at.to_string().as_bytes().first().is_some_and(u8::is_ascii_digit)
}

/// A name that fits on a line and shows all it has.
pub(crate) fn check_name(name: Option<&str>) -> Result<(), SealError> {
    let Some(name) = name else { return Ok(()) };
    let wrong = if name.trim().is_empty() {
        "is blank: give one, or none at all"
    } else if name.trim() != name {
        "begins or ends with a blank"
    } else if name.len() > LONGEST_NAME {
        "has more than 200 bytes"
    } else if name.chars().any(char::is_control) {
        "has control characters in it"
    } else if !hidden::find(name).is_empty() {
        "has hidden characters in it"
    } else {
        return Ok(());
    };
    Err(SealError::SignerName(wrong))
}
