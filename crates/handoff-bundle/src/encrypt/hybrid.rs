//! age's keys that also resist quantum computers: `age1pq1…` and `AGE-SECRET-KEY-PQ-1…`.
//!
//! ML-KEM-768 and X25519 side by side (X-Wing), under HPKE. The parts are crates; age's specification says how they go
//! together, and its published vectors check it.

use std::collections::HashSet;
use std::str::FromStr;

use age_core::format::{FILE_KEY_BYTES, FileKey, Stanza};
use age_core::primitives::{bech32_decode, hpke_open, hpke_seal};
use age_core::secrecy::ExposeSecret as _;
use base64ct::{Base64Unpadded, Encoding as _};
use hpke::{Deserializable as _, HpkeError, Serializable as _};
use ssh_key::rand_core::OsRng;
use zeroize::Zeroizing;

mod kem;

use kem::{Encapsulated, Kem, PrivateKey, PublicKey};

const TAG: &str = "mlkem768x25519";
const INFO: &[u8] = b"age-encryption.org/mlkem768x25519";
const RECIPIENT_PREFIX: &str = "age1pq";
const IDENTITY_PREFIX: &str = "age-secret-key-pq-";
/// A file key and the tag that authenticates it.
const BODY_BYTES: usize = FILE_KEY_BYTES + 16;

/// The public half.
pub(super) struct Recipient(PublicKey);

/// The private half.
pub(super) struct Identity(PrivateKey);

/// A text that is no such key.
#[derive(Clone, Copy, Debug)]
pub(super) struct NotHybrid;

impl FromStr for Recipient {
    type Err = NotHybrid;

    fn from_str(text: &str) -> Result<Self, NotHybrid> {
        let bytes = decoded(text, RECIPIENT_PREFIX)?;
        PublicKey::from_bytes(&bytes).map(Recipient).map_err(|_| NotHybrid)
    }
}

impl FromStr for Identity {
    type Err = NotHybrid;

    fn from_str(text: &str) -> Result<Self, NotHybrid> {
        let bytes = Zeroizing::new(decoded(text, IDENTITY_PREFIX)?);
        PrivateKey::from_bytes(&bytes).map(Identity).map_err(|_| NotHybrid)
    }
}

fn decoded(text: &str, prefix: &str) -> Result<Vec<u8>, NotHybrid> {
    bech32_decode(
        text,
        |_| NotHybrid,
        |found| if found.to_lowercase() == prefix { Ok(()) } else { Err(NotHybrid) },
        |_, bytes| Ok(bytes.collect()),
    )
}

impl age::Recipient for Recipient {
    fn wrap_file_key(&self, file_key: &FileKey) -> Result<(Vec<Stanza>, HashSet<String>), age::EncryptError> {
        let (encapsulated, body) = hpke_seal::<Kem, _>(&self.0, INFO, file_key.expose_secret(), &mut OsRng);
        let args = vec![Base64Unpadded::encode_string(&encapsulated.to_bytes())];
        // The label keeps it apart from recipients that do not resist.
        Ok((vec![Stanza { tag: TAG.to_owned(), args, body }], HashSet::from(["postquantum".to_owned()])))
    }
}

impl age::Identity for Identity {
    fn unwrap_stanza(&self, stanza: &Stanza) -> Option<Result<FileKey, age::DecryptError>> {
        if stanza.tag != TAG {
            return None;
        }
        let [arg] = stanza.args.as_slice() else { return Some(Err(age::DecryptError::InvalidHeader)) };
        let encapsulated = Base64Unpadded::decode_vec(arg).ok().and_then(|bytes| Encapsulated::from_bytes(&bytes).ok());
        let Some(encapsulated) = encapsulated.filter(|_| stanza.body.len() == BODY_BYTES) else {
            return Some(Err(age::DecryptError::InvalidHeader));
        };
        match hpke_open::<Kem>(&encapsulated, &self.0, INFO, &stanza.body).map(Zeroizing::new) {
            Ok(opened) => Some(Ok(FileKey::init_with_mut(|file_key| file_key.copy_from_slice(&opened)))),
            // It may be for another key of this kind.
            Err(HpkeError::OpenError) => None,
            Err(_) => Some(Err(age::DecryptError::InvalidHeader)),
        }
    }
}
