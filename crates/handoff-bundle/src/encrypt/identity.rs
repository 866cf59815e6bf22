//! Keys that decrypt.

use std::fmt;
use std::sync::Arc;

use handoff_model::id::shorten;

use super::hybrid;
use crate::{KeyError, Passphrase, SigningKey};

/// A private key that something may be encrypted to.
#[derive(Clone)]
pub struct Identity(Arc<dyn age::Identity + Send + Sync>);

/// Why a private key cannot be used to decrypt.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum IdentityError {
    #[error("there is no private key in it: wanted are lines `AGE-SECRET-KEY-1…` or an OpenSSH private key")]
    None,
    #[error("line {line} is not a private key of age")]
    Line { line: usize },
    #[error("keys of type `{0}` cannot decrypt: ssh-ed25519 and ssh-rsa can, and keys of age")]
    OtherType(String),
    #[error("the key is refused")]
    Key(#[source] KeyError),
}

impl Identity {
    /// Reads a file of keys: those of age, one a line, with comments; or one OpenSSH or PKCS#8 private key.
    pub fn read(text: &[u8], passphrase: Option<&Passphrase>) -> Result<Vec<Self>, IdentityError> {
        let text = std::str::from_utf8(text).map_err(|_| IdentityError::None)?.trim();
        if text.starts_with("-----BEGIN OPENSSH PRIVATE KEY-----")
            || text.starts_with("-----BEGIN RSA PRIVATE KEY-----")
        {
            return read_ssh(text, passphrase).map(|identity| vec![identity]);
        }
        if text.starts_with("-----BEGIN ") {
            let key = SigningKey::read(text.as_bytes(), passphrase).map_err(IdentityError::Key)?;
            return read_ssh(&key.to_openssh(""), None).map(|identity| vec![identity]);
        }
        let mut identities = Vec::new();
        for (index, line) in text.lines().enumerate() {
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            identities.push(read_age(line).ok_or(IdentityError::Line { line: index + 1 })?);
        }
        if identities.is_empty() { Err(IdentityError::None) } else { Ok(identities) }
    }

    pub(super) fn age(&self) -> &dyn age::Identity {
        self.0.as_ref()
    }
}

impl fmt::Debug for Identity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Identity(…)")
    }
}

fn read_age(line: &str) -> Option<Identity> {
    if line.starts_with("AGE-SECRET-KEY-PQ-1") {
        return Some(Identity(Arc::new(line.parse::<hybrid::Identity>().ok()?)));
    }
    Some(Identity(Arc::new(line.parse::<age::x25519::Identity>().ok()?)))
}

fn read_ssh(text: &str, passphrase: Option<&Passphrase>) -> Result<Identity, IdentityError> {
    use age::ssh::{Identity as Ssh, UnsupportedKey};
    // The last line of the key has to be whole to be read.
    let text = zeroize::Zeroizing::new(format!("{text}\n"));
    let identity = Ssh::from_buffer(text.as_bytes(), None).map_err(|_| IdentityError::Key(KeyError::Unreadable))?;
    let key = match identity {
        Ssh::Unencrypted(key) => key,
        Ssh::Encrypted(key) => {
            let file = ssh_key::PrivateKey::from_openssh(text.trim());
            let file = file.map_err(|_| IdentityError::Key(KeyError::Unreadable))?;
            crate::key::check_rounds(file.kdf()).map_err(IdentityError::Key)?;
            let passphrase = passphrase.ok_or(IdentityError::Key(KeyError::NeedsPassphrase))?;
            key.decrypt(passphrase.secret()).map_err(|_| IdentityError::Key(KeyError::WrongPassphrase))?
        }
        Ssh::Unsupported(UnsupportedKey::Type(kind) | UnsupportedKey::Hardware(kind)) => {
            return Err(IdentityError::OtherType(shorten(&kind)));
        }
        Ssh::Unsupported(_) => return Err(IdentityError::OtherType("encrypted PEM".to_owned())),
    };
    Ok(Identity(Arc::new(Ssh::from(key))))
}
