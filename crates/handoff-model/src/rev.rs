//! The revision of a record: a hash of the bytes of its file.

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// Tells whether a record changed since it was read; given back as `if_rev`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
#[schemars(with = "String", extend("pattern" = "^[0-9a-f]{16}$"))]
pub struct Rev([u8; 8]);

/// A text that is no revision.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a revision: sixteen digits of 0-9 and a-f, as shown in `rev`")]
pub struct NotARev(String);

/// The whole hash of some bytes, where a part of it would not do.
pub fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().fold(String::with_capacity(64), |mut hex, byte| {
        use std::fmt::Write as _;
        write!(hex, "{byte:02x}").expect("writing to a string cannot fail");
        hex
    })
}

impl Rev {
    /// The revision of a file with these bytes.
    pub fn of(bytes: &[u8]) -> Self {
        let digest = Sha256::digest(bytes);
        let mut short = [0; 8];
        short.copy_from_slice(&digest[..8]);
        Rev(short)
    }

    /// The revision that is this number, see [`Rev::as_number`].
    pub fn of_number(number: u64) -> Self {
        Rev(number.to_be_bytes())
    }

    /// The revision as one number, for tables that hold many.
    pub fn as_number(self) -> u64 {
        u64::from_be_bytes(self.0)
    }
}

impl FromStr for Rev {
    type Err = NotARev;

    fn from_str(text: &str) -> Result<Self, NotARev> {
        let wrong = || NotARev(crate::id::shorten(text));
        if text.len() != 16 || !text.bytes().all(|b| b.is_ascii_hexdigit()) {
            return Err(wrong());
        }
        let value = u64::from_str_radix(text, 16).map_err(|_| wrong())?;
        Ok(Rev(value.to_be_bytes()))
    }
}

impl TryFrom<String> for Rev {
    type Error = NotARev;

    fn try_from(text: String) -> Result<Self, NotARev> {
        text.parse()
    }
}

impl From<Rev> for String {
    fn from(rev: Rev) -> String {
        rev.to_string()
    }
}

impl fmt::Display for Rev {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.as_number())
    }
}

impl fmt::Debug for Rev {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_revision_prints_and_parses_back_and_differs_with_the_bytes() {
        let rev = Rev::of(b"a");
        assert_eq!(rev.to_string().parse(), Ok(rev));
        assert_ne!(rev, Rev::of(b"b"));
        assert!("zz".parse::<Rev>().is_err());
    }
}
