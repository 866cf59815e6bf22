//! Words that open something, kept from being shown.

use std::fmt;

use age::secrecy::SecretString;
use zeroize::Zeroizing;

/// A passphrase as it was typed: not trimmed, never printed, wiped from memory when it goes.
#[derive(Clone, PartialEq, Eq)]
pub struct Passphrase(Zeroizing<String>);

/// A passphrase of blanks alone would keep nobody out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the passphrase is blank: give at least one character that is not")]
pub struct BlankPassphrase;

impl Passphrase {
    pub fn new(typed: String) -> Result<Self, BlankPassphrase> {
        let typed = Zeroizing::new(typed);
        if typed.trim().is_empty() { Err(BlankPassphrase) } else { Ok(Passphrase(typed)) }
    }

    pub(crate) fn as_bytes(&self) -> &[u8] {
        self.0.as_bytes()
    }

    pub(crate) fn secret(&self) -> SecretString {
        SecretString::from(self.0.as_str())
    }
}

impl fmt::Debug for Passphrase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Passphrase(…)")
    }
}
