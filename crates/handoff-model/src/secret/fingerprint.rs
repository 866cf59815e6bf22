//! What a secret goes by where it is let through: a name that says which one is meant and not what it is.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt;
use std::fmt::Write as _;
use std::str::FromStr;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// The fingerprint of a secret: the same for the same secret found by the same rule, on every machine.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Fingerprint(String);

/// A text that is no fingerprint.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no fingerprint of a secret: it has {LENGTH} digits from 0 to 9 and a to f, such as `3f9a0c21b7de`")]
pub struct NotAFingerprint(String);

/// So many digits that two secrets of a project do not share them, and few enough to be copied.
const LENGTH: usize = 12;

impl Fingerprint {
    /// The fingerprint of what a rule found.
    pub fn of(rule: &str, secret: &str) -> Fingerprint {
        let mut hash = Sha256::new();
        hash.update(rule.as_bytes());
        hash.update([0]);
        hash.update(secret.as_bytes());
        let mut digits = String::with_capacity(LENGTH);
        for byte in hash.finalize().iter().take(LENGTH / 2) {
            let _ = write!(digits, "{byte:02x}");
        }
        Fingerprint(digits)
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for Fingerprint {
    type Err = NotAFingerprint;

    fn from_str(text: &str) -> Result<Self, NotAFingerprint> {
        let digits = text.trim().to_ascii_lowercase();
        let is_one = digits.len() == LENGTH && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
        if is_one { Ok(Fingerprint(digits)) } else { Err(NotAFingerprint(crate::id::shorten(text))) }
    }
}

impl TryFrom<String> for Fingerprint {
    type Error = NotAFingerprint;

    fn try_from(text: String) -> Result<Self, NotAFingerprint> {
        text.parse()
    }
}

impl From<Fingerprint> for String {
    fn from(fingerprint: Fingerprint) -> String {
        fingerprint.0
    }
}

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl JsonSchema for Fingerprint {
    fn schema_name() -> Cow<'static, str> {
        "Fingerprint".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "title": "fingerprint",
            "type": "string",
            "pattern": "^[0-9a-f]{12}$",
            "examples": ["3f9a0c21b7de"],
        })
    }
}

/// Secrets that somebody looked at and let through.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Allowed(BTreeSet<Fingerprint>);

impl Allowed {
    pub fn contains(&self, fingerprint: &Fingerprint) -> bool {
        self.0.contains(fingerprint)
    }
}

impl FromIterator<Fingerprint> for Allowed {
    fn from_iter<T: IntoIterator<Item = Fingerprint>>(fingerprints: T) -> Allowed {
        Allowed(fingerprints.into_iter().collect())
    }
}
