//! Keys that sign bundles: ed25519, in the forms that OpenSSH and OpenSSL write them.

use std::fmt;
use std::str::FromStr;

use ed25519_dalek::VerifyingKey;
use ed25519_dalek::pkcs8::DecodePublicKey as _;
use handoff_model::id::shorten;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use ssh_key::HashAlg;
use ssh_key::public::{Ed25519PublicKey, KeyData};

use crate::canonical::hex;

mod signing;

pub(crate) use signing::check_rounds;
pub use signing::{KeyError, SigningKey};

/// The public half of a signing key: ed25519, also one that lives in hardware. Shown as a line of OpenSSH.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct PublicKey(KeyData);

/// A text that is no public key of ours.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotAKey {
    #[error("`{0}` is not a public key: write `ssh-ed25519 AAAA…` or a PEM block `BEGIN PUBLIC KEY`")]
    Unreadable(String),
    #[error("keys of type `{0}` are not used for bundles: only ssh-ed25519 and sk-ssh-ed25519@openssh.com are")]
    OtherType(String),
    #[error(
        "that is a private key, which is given to nobody: give the public one, such as the file that ends in `.pub`"
    )]
    Private,
    #[error("this key would let anything pass as signed")]
    Weak,
}

impl PublicKey {
    pub(crate) fn new(data: KeyData) -> Result<Self, NotAKey> {
        let raw = match &data {
            KeyData::Ed25519(key) => key.0,
            KeyData::SkEd25519(key) => key.public_key().0,
            other => return Err(NotAKey::OtherType(other.algorithm().to_string())),
        };
        let good = VerifyingKey::from_bytes(&raw).is_ok_and(|key| !key.is_weak());
        if good { Ok(PublicKey(data)) } else { Err(NotAKey::Weak) }
    }

    /// The key with these raw bytes.
    pub fn from_raw(raw: [u8; 32]) -> Result<Self, NotAKey> {
        PublicKey::new(KeyData::Ed25519(Ed25519PublicKey(raw)))
    }

    /// The key and what stands behind it on its line, such as `alice@laptop`.
    pub fn with_comment(text: &str) -> Result<(Self, Option<String>), NotAKey> {
        let text = text.trim();
        if text.contains("PRIVATE KEY-----") {
            return Err(NotAKey::Private);
        }
        if text.starts_with("-----BEGIN PUBLIC KEY-----") {
            let key = VerifyingKey::from_public_key_pem(text).map_err(|_| NotAKey::Unreadable(shorten(text)))?;
            return Ok((PublicKey::from_raw(key.to_bytes())?, None));
        }
        let unreadable = || NotAKey::Unreadable(shorten(text));
        if text.contains('\n') {
            return Err(unreadable());
        }
        let key = match ssh_key::PublicKey::from_openssh(text) {
            Ok(key) => key,
            Err(_) => {
                let kind = text.split(' ').next().unwrap_or_default();
                let other = ["ssh-rsa", "ssh-dss", "ecdsa-", "sk-ecdsa-"].iter().any(|known| kind.starts_with(known));
                return Err(if other { NotAKey::OtherType(shorten(kind)) } else { unreadable() });
            }
        };
        let comment = key.comment().trim();
        Ok((PublicKey::new(key.key_data().clone())?, (!comment.is_empty()).then(|| comment.to_owned())))
    }

    /// `SHA256:…`, as `ssh-keygen -l` shows it. It tells keys apart.
    pub fn fingerprint(&self) -> String {
        self.0.fingerprint(HashAlg::Sha256).to_string()
    }

    /// Sixteen digits, as session-handoff writes them. Too few to tell keys apart where somebody wants them equal.
    pub fn key_id(&self) -> String {
        hex(&Sha256::digest(self.raw())[..8])
    }

    /// Whether it lives in hardware, which signs for us through `ssh-keygen -Y sign`.
    pub fn is_hardware(&self) -> bool {
        matches!(self.0, KeyData::SkEd25519(_))
    }

    pub(crate) fn raw(&self) -> &[u8; 32] {
        match &self.0 {
            KeyData::Ed25519(key) => &key.0,
            KeyData::SkEd25519(key) => &key.public_key().0,
            _ => unreachable!("no other key is taken in"),
        }
    }

    pub(crate) fn key_data(&self) -> &KeyData {
        &self.0
    }
}

impl FromStr for PublicKey {
    type Err = NotAKey;

    fn from_str(text: &str) -> Result<Self, NotAKey> {
        PublicKey::with_comment(text).map(|(key, _)| key)
    }
}

impl fmt::Display for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let line = ssh_key::PublicKey::from(self.0.clone()).to_openssh().map_err(|_| fmt::Error)?;
        f.write_str(line.trim_end())
    }
}

impl TryFrom<String> for PublicKey {
    type Error = NotAKey;

    fn try_from(text: String) -> Result<Self, NotAKey> {
        text.parse()
    }
}

impl From<PublicKey> for String {
    fn from(key: PublicKey) -> String {
        key.to_string()
    }
}
