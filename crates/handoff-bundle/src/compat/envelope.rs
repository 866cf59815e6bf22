//! session-handoff's encryption: scrypt and AES-256-GCM, with fixed parameters.

use aes_gcm::aead::{Aead as _, KeyInit as _};
use aes_gcm::{Aes256Gcm, Key, Nonce};
use base64ct::{Base64, Encoding as _};
use serde::Deserialize;
use zeroize::Zeroizing;

use crate::{Excess, Limits, Passphrase};

const ALGORITHM: &str = "aes-256-gcm";
const DERIVATION: &str = "scrypt(N=32768,r=8,p=1)";
const SALT_BYTES: usize = 16;
const NONCE_BYTES: usize = 12;
const TAG_BYTES: usize = 16;

/// Why an envelope is not opened.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EnvelopeError {
    #[error("the bundle is too large")]
    TooLarge(#[source] Excess),
    #[error("the encrypted bundle cannot be read: {0}")]
    Unreadable(String),
    #[error("the encrypted bundle says `{field}` is `{found}`, and only `{known}` is known")]
    Other { field: &'static str, found: String, known: &'static str },
    #[error("the encrypted bundle's `{field}` is not base64 of {wanted}")]
    Size { field: &'static str, wanted: &'static str },
    #[error("the passphrase does not open it, or it was changed")]
    WrongPassphrase,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Envelope {
    version: i64,
    algorithm: String,
    kdf: String,
    salt: String,
    nonce: String,
    ciphertext: String,
}

/// Whether it looks like an encrypted bundle of session-handoff.
pub fn is_envelope(bytes: &[u8]) -> bool {
    const MARK: &[u8] = b"\"ciphertext\"";
    let start = bytes.trim_ascii_start();
    let head = &start[..start.len().min(4096)];
    start.starts_with(b"{") && head.windows(MARK.len()).any(|part| part == MARK)
}

/// Opens an envelope; what is inside is a bundle that [`super::read`] reads.
pub fn decrypt(bytes: &[u8], passphrase: &Passphrase, limits: &Limits) -> Result<Vec<u8>, EnvelopeError> {
    limits.check_encrypted_size(bytes.len()).map_err(EnvelopeError::TooLarge)?;
    let small = Limits { bytes: usize::MAX, records: 1, depth: 1, ..*limits };
    small.check_json(bytes).map_err(EnvelopeError::TooLarge)?;
    let envelope: Envelope =
        serde_json::from_slice(bytes).map_err(|error| EnvelopeError::Unreadable(error.to_string()))?;
    let version = envelope.version.to_string();
    let said =
        [("version", &version, "1"), ("algorithm", &envelope.algorithm, ALGORITHM), ("kdf", &envelope.kdf, DERIVATION)];
    if let Some((field, found, known)) = said.into_iter().find(|(_, found, known)| *found != known) {
        return Err(EnvelopeError::Other { field, found: handoff_model::id::shorten(found), known });
    }
    let salt: [u8; SALT_BYTES] = exact(&envelope.salt, "salt", "16 bytes")?;
    let nonce: [u8; NONCE_BYTES] = exact(&envelope.nonce, "nonce", "12 bytes")?;
    let too_short = EnvelopeError::Size { field: "ciphertext", wanted: "at least 16 bytes" };
    let ciphertext = Base64::decode_vec(&envelope.ciphertext).ok().filter(|bytes| bytes.len() >= TAG_BYTES);
    let ciphertext = ciphertext.ok_or(too_short)?;
    cipher(passphrase, &salt)
        .decrypt(Nonce::from_slice(&nonce), ciphertext.as_slice())
        .map_err(|_| EnvelopeError::WrongPassphrase)
}

/// The envelope around a bundle that [`super::write`] made.
pub fn encrypt(bundle: &[u8], passphrase: &Passphrase) -> Vec<u8> {
    let mut random = [0; SALT_BYTES + NONCE_BYTES];
    getrandom::fill(&mut random).expect("the operating system gives random bytes");
    let (salt, nonce) = random.split_at(SALT_BYTES);
    encrypt_with(bundle, passphrase, salt, nonce)
}

pub(super) fn encrypt_with(bundle: &[u8], passphrase: &Passphrase, salt: &[u8], nonce: &[u8]) -> Vec<u8> {
    // That tool encrypts the bundle without its final line end.
    let plain = bundle.strip_suffix(b"\n").unwrap_or(bundle);
    let ciphertext =
        cipher(passphrase, salt).encrypt(Nonce::from_slice(nonce), plain).expect("a bundle is below 64 GB");
    let [salt, nonce, ciphertext] = [salt, nonce, &ciphertext].map(Base64::encode_string);
    let lines = [
        "{\n  \"version\": 1".to_owned(),
        format!("  \"algorithm\": \"{ALGORITHM}\""),
        format!("  \"kdf\": \"{DERIVATION}\""),
        format!("  \"salt\": \"{salt}\""),
        format!("  \"nonce\": \"{nonce}\""),
        format!("  \"ciphertext\": \"{ciphertext}\"\n}}\n"),
    ];
    lines.join(",\n").into_bytes()
}

fn cipher(passphrase: &Passphrase, salt: &[u8]) -> Aes256Gcm {
    let parameters = scrypt::Params::new(15, 8, 1, 32).expect("these are valid");
    let mut key = Zeroizing::new([0; 32]);
    scrypt::scrypt(passphrase.as_bytes(), salt, &parameters, key.as_mut_slice()).expect("32 bytes can be derived");
    Aes256Gcm::new(Key::<Aes256Gcm>::from_slice(key.as_slice()))
}

fn exact<const N: usize>(text: &str, field: &'static str, wanted: &'static str) -> Result<[u8; N], EnvelopeError> {
    let mut bytes = [0; N];
    let length = Base64::decode(text, &mut bytes).map(<[u8]>::len);
    if length == Ok(N) { Ok(bytes) } else { Err(EnvelopeError::Size { field, wanted }) }
}
