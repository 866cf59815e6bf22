//! The private half of a signing key.

use std::fmt;

use ed25519_dalek::pkcs8::DecodePrivateKey as _;
use ssh_key::private::{Ed25519Keypair, KeypairData};
use ssh_key::rand_core::OsRng;
use ssh_key::{Kdf, LineEnding, PrivateKey};
use zeroize::{Zeroize as _, Zeroizing};

use crate::{Passphrase, PublicKey};

/// A key to sign with. It is wiped from memory when it goes and never printed by accident.
#[derive(Clone)]
pub struct SigningKey(ed25519_dalek::SigningKey);

/// Why a private key cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum KeyError {
    #[error("this is no private key: wanted are PKCS#8 (`BEGIN PRIVATE KEY`) or OpenSSH (`BEGIN OPENSSH PRIVATE KEY`)")]
    Unreadable,
    #[error("this is a public key: give the private one that belongs to it")]
    Public,
    #[error("keys of type `{0}` cannot sign bundles: only ed25519 can, as `ssh-keygen -t ed25519` makes it")]
    OtherType(String),
    #[error("this key lives in hardware: let `ssh-keygen -Y sign` sign with it")]
    Hardware,
    #[error("the key is protected by a passphrase")]
    NeedsPassphrase,
    #[error("the passphrase does not open the key, or the key is damaged")]
    WrongPassphrase,
    #[error("an encrypted PKCS#8 key is not read: take the passphrase off with `openssl pkey`, or use an OpenSSH key")]
    EncryptedPkcs8,
    #[error("the key wants {rounds} rounds of its passphrase, and at most {MOST_ROUNDS} are tried")]
    TooManyRounds { rounds: u32 },
}

/// OpenSSH makes 16 or 24; a thousand take many seconds.
const MOST_ROUNDS: u32 = 1024;

impl SigningKey {
    /// A new key, drawn at random.
    pub fn generate() -> Self {
        let mut seed = Zeroizing::new([0; 32]);
        getrandom::fill(seed.as_mut_slice()).expect("the operating system gives random bytes");
        SigningKey::from_seed(&seed)
    }

    pub(crate) fn from_seed(seed: &[u8; 32]) -> Self {
        SigningKey(ed25519_dalek::SigningKey::from_bytes(seed))
    }

    /// Reads PKCS#8 PEM, as OpenSSL writes it, or an OpenSSH private key, which may need its passphrase.
    pub fn read(text: &[u8], passphrase: Option<&Passphrase>) -> Result<Self, KeyError> {
        let text = std::str::from_utf8(text).map_err(|_| KeyError::Unreadable)?.trim();
        let label = text.strip_prefix("-----BEGIN ").and_then(|rest| rest.split_once("-----"));
        match label.map(|(label, _)| label) {
            Some("PRIVATE KEY") => from_pkcs8(text),
            Some("OPENSSH PRIVATE KEY") => from_openssh(text, passphrase),
            Some("ENCRYPTED PRIVATE KEY") => Err(KeyError::EncryptedPkcs8),
            Some("PUBLIC KEY") => Err(KeyError::Public),
            Some(other) if other.ends_with(" PRIVATE KEY") => {
                Err(KeyError::OtherType(handoff_model::id::shorten(&other.to_lowercase().replace(" private key", ""))))
            }
            _ if text.parse::<PublicKey>().is_ok() => Err(KeyError::Public),
            _ => Err(KeyError::Unreadable),
        }
    }

    /// The text of a key file as `ssh-keygen` writes it, without a passphrase.
    pub fn to_openssh(&self, comment: &str) -> Zeroizing<String> {
        self.private_key(comment).to_openssh(LineEnding::LF).expect("a key pair can be written")
    }

    /// The same, protected by a passphrase.
    pub fn to_openssh_protected(&self, comment: &str, passphrase: &Passphrase) -> Zeroizing<String> {
        let key = self.private_key(comment).encrypt(&mut OsRng, passphrase.as_bytes());
        key.and_then(|key| key.to_openssh(LineEnding::LF)).expect("a key pair can be encrypted and written")
    }

    pub fn public(&self) -> PublicKey {
        PublicKey::from_raw(self.0.verifying_key().to_bytes()).expect("a public key of a private one is not weak")
    }

    pub(crate) fn dalek(&self) -> &ed25519_dalek::SigningKey {
        &self.0
    }

    fn private_key(&self, comment: &str) -> PrivateKey {
        let pair = Ed25519Keypair::from_seed(self.0.as_bytes());
        PrivateKey::new(KeypairData::Ed25519(pair), comment).expect("it is not encrypted")
    }
}

impl fmt::Debug for SigningKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SigningKey({})", self.public().fingerprint())
    }
}

fn from_pkcs8(text: &str) -> Result<SigningKey, KeyError> {
    // Other kinds of keys have other algorithms inside; ed25519 is the object identifier 1.3.101.112.
    ed25519_dalek::SigningKey::from_pkcs8_pem(text).map(SigningKey).map_err(|error| match error {
        ed25519_dalek::pkcs8::Error::PublicKey(_) => KeyError::OtherType("another than ed25519".to_owned()),
        _ => KeyError::Unreadable,
    })
}

fn from_openssh(text: &str, passphrase: Option<&Passphrase>) -> Result<SigningKey, KeyError> {
    let mut key = PrivateKey::from_openssh(text).map_err(|_| KeyError::Unreadable)?;
    match key.algorithm() {
        ssh_key::Algorithm::Ed25519 => {}
        ssh_key::Algorithm::SkEd25519 => return Err(KeyError::Hardware),
        other => return Err(KeyError::OtherType(other.to_string())),
    }
    if key.is_encrypted() {
        check_rounds(key.kdf())?;
        let passphrase = passphrase.ok_or(KeyError::NeedsPassphrase)?;
        key = key.decrypt(passphrase.as_bytes()).map_err(|_| KeyError::WrongPassphrase)?;
    }
    let KeypairData::Ed25519(pair) = key.key_data() else { return Err(KeyError::Unreadable) };
    let mut seed = pair.private.to_bytes();
    let signing = SigningKey::from_seed(&seed);
    seed.zeroize();
    if signing.public().raw() == &pair.public.0 { Ok(signing) } else { Err(KeyError::Unreadable) }
}

/// Whether the key's passphrase can be tried in sensible time.
pub(crate) fn check_rounds(kdf: &Kdf) -> Result<(), KeyError> {
    match kdf {
        Kdf::Bcrypt { rounds, .. } if *rounds > MOST_ROUNDS => Err(KeyError::TooManyRounds { rounds: *rounds }),
        _ => Ok(()),
    }
}
