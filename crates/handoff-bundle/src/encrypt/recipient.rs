//! Whom something is encrypted to.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use handoff_model::id::shorten;

use super::hybrid;

/// Somebody who can decrypt: a key of age or of SSH.
#[derive(Clone)]
pub struct Recipient {
    age: Arc<dyn age::Recipient + Send + Sync>,
    text: String,
}

/// A text that is no recipient.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotARecipient {
    #[error("`{0}` is not a recipient: write `age1…`, `ssh-ed25519 AAAA…` or `ssh-rsa AAAA…`")]
    Unreadable(String),
    #[error("this is a private key, which is given to nobody: give the public one")]
    Private,
    #[error("nothing can be encrypted to keys of type `{0}`: ssh-ed25519 and ssh-rsa can be used")]
    OtherType(String),
    #[error("the RSA key is too short: 2048 bits are the least")]
    RsaTooShort,
    #[error("the RSA key is too long: 4096 bits are the most")]
    RsaTooLong,
}

impl Recipient {
    pub(super) fn age(&self) -> &dyn age::Recipient {
        self.age.as_ref()
    }
}

impl FromStr for Recipient {
    type Err = NotARecipient;

    fn from_str(text: &str) -> Result<Self, NotARecipient> {
        use age::ssh::ParseRecipientKeyError as Flaw;
        let text = text.trim();
        let unreadable = || NotARecipient::Unreadable(shorten(text));
        if text.starts_with("AGE-SECRET-KEY-") || text.contains("PRIVATE KEY-----") {
            return Err(NotARecipient::Private);
        }
        let age: Arc<dyn age::Recipient + Send + Sync> = if text.starts_with("age1pq1") {
            Arc::new(text.parse::<hybrid::Recipient>().map_err(|_| unreadable())?)
        } else if text.starts_with("age1") {
            Arc::new(text.parse::<age::x25519::Recipient>().map_err(|_| unreadable())?)
        } else {
            Arc::new(text.parse::<age::ssh::Recipient>().map_err(|flaw| match flaw {
                Flaw::Unsupported(kind) => NotARecipient::OtherType(shorten(&kind)),
                Flaw::RsaModulusTooSmall => NotARecipient::RsaTooShort,
                Flaw::RsaModulusTooLarge => NotARecipient::RsaTooLong,
                _ => unreadable(),
            })?)
        };
        Ok(Recipient { age, text: text.to_owned() })
    }
}

impl fmt::Display for Recipient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl fmt::Debug for Recipient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Recipient({})", self.text)
    }
}
