//! Encryption with [age](https://age-encryption.org/v1), to a passphrase or to keys.
//!
//! **Invariant:** an encrypted file that was changed in any bit is refused. age authenticates what it encrypts; the
//! armor around it must be to the byte what we would write.

use std::io::{self, Read as _, Write as _};

use age::armor::{ArmoredReader, ArmoredWriter, Format};

use crate::{Armor, Excess, Limits, Passphrase, compat};

mod hybrid;
mod identity;
mod recipient;

pub use identity::{Identity, IdentityError};
pub use recipient::{NotARecipient, Recipient};

/// How something is encrypted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encryption {
    /// With age, as we do
    Age,
    /// As session-handoff does it
    SessionHandoff,
}

/// Who can decrypt it.
#[derive(Clone, Debug)]
pub enum To<'a> {
    Passphrase(&'a Passphrase),
    Recipients(Vec<Recipient>),
}

/// What it is decrypted with.
#[derive(Clone, Debug)]
pub enum With<'a> {
    Passphrase(&'a Passphrase),
    Identities(Vec<Identity>),
}

/// Why something is not encrypted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EncryptError {
    #[error("there is nobody to encrypt it to: name at least one recipient")]
    NoRecipients,
    #[error("{given} recipients are too many: at most {MOST_RECIPIENTS} fit")]
    TooManyRecipients { given: usize },
    #[error("recipients that resist quantum computers do not go together with others, which do not")]
    MixedRecipients,
    #[error("the bundle is too large")]
    TooLarge(#[source] Excess),
}

/// Why something is not decrypted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DecryptError {
    #[error("this is not encrypted, neither with age nor as session-handoff does it")]
    NotEncrypted,
    #[error("the bundle is too large")]
    TooLarge(#[source] Excess),
    #[error("the armor around the encrypted bundle is damaged: {0}")]
    Armor(String),
    #[error("the armor around the encrypted bundle was changed: line ends, blanks or line lengths are not as written")]
    ArmorForm,
    #[error("the head of the encrypted bundle is damaged")]
    Header,
    #[error("the head of the encrypted bundle was changed")]
    HeaderChanged,
    #[error("it is encrypted to a passphrase, not to keys")]
    NeedsPassphrase,
    #[error("it is encrypted to keys, not to a passphrase")]
    NeedsIdentity,
    #[error("the passphrase does not open it, or it is damaged")]
    WrongPassphrase,
    #[error("it is encrypted to other keys than the ones given")]
    NoMatch,
    #[error("the encrypted bundle is damaged or cut off")]
    Payload,
    #[error("trying a passphrase would cost 2^{required}, and at most 2^{most} is spent")]
    WorkFactor { required: u8, most: u8 },
    #[error("session-handoff's envelope is refused")]
    Envelope(#[source] compat::EnvelopeError),
}

/// More would make a head that is refused when it is opened.
const MOST_RECIPIENTS: usize = 100;

/// A head is read line by line; beyond this it would take long to find out that it has no end.
const HEAD_BYTES: usize = 256 * 1024;
const HEAD_LINES: usize = 8192;

/// What age itself spends on a passphrase: about a second, and 256 MB.
const WORK_FACTOR: u8 = 18;

const MAGIC: &[u8] = b"age-encryption.org/";
const BEGIN: &[u8] = b"-----BEGIN AGE ENCRYPTED FILE-----";

/// Whether and how bytes are encrypted; this looks at how they begin.
pub fn is_encrypted(bytes: &[u8]) -> Option<Encryption> {
    let start = bytes.trim_ascii_start();
    if start.starts_with(MAGIC) || start.starts_with(BEGIN) {
        Some(Encryption::Age)
    } else if compat::is_envelope(bytes) {
        Some(Encryption::SessionHandoff)
    } else {
        None
    }
}

/// Encrypts with age, in ASCII armor.
pub fn encrypt(plain: &[u8], to: To<'_>) -> Result<Vec<u8>, EncryptError> {
    encrypt_costing(plain, to, WORK_FACTOR)
}

fn encrypt_costing(plain: &[u8], to: To<'_>, work_factor: u8) -> Result<Vec<u8>, EncryptError> {
    Limits::default().check_size(plain.len()).map_err(EncryptError::TooLarge)?;
    let encryptor = match to {
        To::Passphrase(passphrase) => {
            let mut recipient = age::scrypt::Recipient::new(passphrase.secret());
            recipient.set_work_factor(work_factor);
            age::Encryptor::with_recipients(std::iter::once(&recipient as _))
        }
        To::Recipients(recipients) if recipients.len() > MOST_RECIPIENTS => {
            return Err(EncryptError::TooManyRecipients { given: recipients.len() });
        }
        To::Recipients(recipients) => age::Encryptor::with_recipients(recipients.iter().map(Recipient::age)),
    };
    let encryptor = encryptor.map_err(|error| match error {
        age::EncryptError::MissingRecipients => EncryptError::NoRecipients,
        _ => EncryptError::MixedRecipients,
    })?;
    let armored = armored(|output| {
        let mut writer = encryptor.wrap_output(output)?;
        writer.write_all(plain)?;
        writer.finish()
    });
    Ok(armored)
}

/// Decrypts what [`encrypt`] or any other age made, or session-handoff.
pub fn decrypt(bytes: &[u8], with: With<'_>, limits: &Limits) -> Result<Vec<u8>, DecryptError> {
    limits.check_encrypted_size(bytes.len()).map_err(DecryptError::TooLarge)?;
    match is_encrypted(bytes) {
        None => Err(DecryptError::NotEncrypted),
        Some(Encryption::SessionHandoff) => match with {
            With::Identities(_) => Err(DecryptError::NeedsPassphrase),
            With::Passphrase(passphrase) => compat::decrypt(bytes, passphrase, limits).map_err(|error| match error {
                compat::EnvelopeError::WrongPassphrase => DecryptError::WrongPassphrase,
                other => DecryptError::Envelope(other),
            }),
        },
        Some(Encryption::Age) if bytes.starts_with(MAGIC) => decrypt_age(bytes, with, limits),
        Some(Encryption::Age) => decrypt_age(&without_armor(bytes, limits.armor)?, with, limits),
    }
}

fn without_armor(bytes: &[u8], armor: Armor) -> Result<Vec<u8>, DecryptError> {
    let bytes = if armor == Armor::Tolerant { bytes.trim_ascii_start() } else { bytes };
    if !bytes.starts_with(BEGIN) {
        return Err(DecryptError::ArmorForm);
    }
    let mut inside = Vec::new();
    ArmoredReader::new(bytes).read_to_end(&mut inside).map_err(|error| DecryptError::Armor(error.to_string()))?;
    if armor == Armor::Exact && armored(|mut output| output.write_all(&inside).map(|()| output)) != bytes {
        return Err(DecryptError::ArmorForm);
    }
    Ok(inside)
}

fn armored<F>(write: F) -> Vec<u8>
where
    F: FnOnce(ArmoredWriter<Vec<u8>>) -> io::Result<ArmoredWriter<Vec<u8>>>,
{
    ArmoredWriter::wrap_output(Vec::new(), Format::AsciiArmor)
        .and_then(write)
        .and_then(ArmoredWriter::finish)
        .expect("writing to memory does not fail")
}

fn decrypt_age(bytes: &[u8], with: With<'_>, limits: &Limits) -> Result<Vec<u8>, DecryptError> {
    check_head(bytes)?;
    let decryptor = age::Decryptor::new_buffered(bytes).map_err(|error| match error {
        // The nonce that follows the head is cut off.
        age::DecryptError::Io(_) if has_whole_head(bytes) => DecryptError::Payload,
        _ => DecryptError::Header,
    })?;
    let is_scrypt = decryptor.is_scrypt();
    let reader = match with {
        With::Passphrase(_) if !is_scrypt => return Err(DecryptError::NeedsIdentity),
        With::Identities(_) if is_scrypt => return Err(DecryptError::NeedsPassphrase),
        With::Passphrase(passphrase) => {
            let mut identity = age::scrypt::Identity::new(passphrase.secret());
            identity.set_max_work_factor(limits.work_factor);
            decryptor.decrypt(std::iter::once(&identity as _))
        }
        With::Identities(identities) => decryptor.decrypt(identities.iter().map(Identity::age)),
    };
    let reader = reader.map_err(|error| match error {
        age::DecryptError::ExcessiveWork { required, .. } => {
            DecryptError::WorkFactor { required, most: limits.work_factor }
        }
        age::DecryptError::DecryptionFailed if is_scrypt => DecryptError::WrongPassphrase,
        age::DecryptError::DecryptionFailed | age::DecryptError::NoMatchingKeys => DecryptError::NoMatch,
        age::DecryptError::InvalidMac => DecryptError::HeaderChanged,
        age::DecryptError::Io(_) => DecryptError::Payload,
        _ => DecryptError::Header,
    })?;
    let mut plain = Vec::new();
    let most = u64::try_from(limits.bytes).unwrap_or(u64::MAX).saturating_add(1);
    reader.take(most).read_to_end(&mut plain).map_err(|_| DecryptError::Payload)?;
    limits.check_size(plain.len()).map_err(DecryptError::TooLarge)?;
    Ok(plain)
}

/// Looks for the end of the head where one of sensible size would have it.
fn check_head(bytes: &[u8]) -> Result<(), DecryptError> {
    let head = &bytes[..bytes.len().min(HEAD_BYTES)];
    let end = head.split_inclusive(|byte| *byte == b'\n').take(HEAD_LINES).any(|line| line.starts_with(b"---"));
    if end { Ok(()) } else { Err(DecryptError::Header) }
}

/// Whether the line that ends the head is whole, so that what is missing is missing behind it.
fn has_whole_head(bytes: &[u8]) -> bool {
    let mut lines = bytes.split_inclusive(|byte| *byte == b'\n');
    lines.find(|line| line.starts_with(b"---")).is_some_and(|line| line.ends_with(b"\n"))
}

#[cfg(test)]
mod tests;
