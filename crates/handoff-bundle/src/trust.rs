//! Whose keys a person believes, and how far.
//!
//! **Invariant:** a verdict is about a key. Names inside bundles are what their signers call themselves, and decide
//! nothing.

use handoff_model::document::{self, Unreadable};
use handoff_model::when::Moment;
use serde::{Deserialize, Serialize};

use crate::PublicKey;

/// What is known about the key a bundle is signed with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Trust {
    /// Its owner was said to be trusted
    Trusted { name: String },
    /// It was seen before under this name, and nobody vouched for it
    Known { name: String },
    /// It is no longer to be believed
    Revoked { name: String },
    /// It is not in the list
    Unknown,
}

/// How far a key is believed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    Trusted,
    Known,
    Revoked,
}

/// One key in the list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TrustEntry {
    pub name: String,
    pub key: PublicKey,
    pub level: Level,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub added_at: Option<Moment>,
}

/// The list of keys, as the text of a file in which comments and unknown keys stay.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TrustList {
    text: String,
    entries: Entries,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Entries {
    #[serde(default, rename = "signer", skip_serializing_if = "Vec::is_empty")]
    signers: Vec<TrustEntry>,
}

/// Why an entry is not added.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotAdded {
    #[error("the name of the signer {0}")]
    Name(&'static str),
    #[error("this key is already in the list as `{name}`")]
    KeyTaken { name: String },
    #[error("the list already has another key under the name `{name}`: {fingerprint}")]
    NameTaken { name: String, fingerprint: String },
    #[error("this key of `{name}` is revoked, and stays so as long as it is in the list")]
    Revoked { name: String },
    #[error("the list of signers cannot be changed")]
    List(#[source] Unreadable),
}

/// Whether a signer can be listed under a name: not where something hides in it.
pub fn check_signer(name: &str) -> Result<(), NotAdded> {
    crate::seal::check_name(Some(name)).map_err(|error| match error {
        crate::SealError::SignerName(wrong) => NotAdded::Name(wrong),
        other => unreachable!("a name has no other flaw: {other}"),
    })
}

impl TrustList {
    /// Reads the list from the text of its file; no text is an empty list.
    pub fn read(text: &str) -> Result<Self, Unreadable> {
        Ok(TrustList { entries: document::read(text)?, text: text.to_owned() })
    }

    /// The text to write to its file.
    pub fn text(&self) -> &str {
        &self.text
    }

    pub fn entries(&self) -> &[TrustEntry] {
        &self.entries.signers
    }

    /// What the list says about the key of a bundle.
    pub fn verdict(&self, key: &PublicKey, _signer: Option<&str>) -> Trust {
        // A key that was revoked anywhere in the list is revoked, whatever else a person wrote.
        let entries = || self.entries.signers.iter().filter(|entry| entry.key == *key);
        let strongest = [Level::Revoked, Level::Trusted, Level::Known]
            .into_iter()
            .find_map(|level| entries().find(|entry| entry.level == level));
        let Some(TrustEntry { name, level, .. }) = strongest else { return Trust::Unknown };
        let name = name.clone();
        match level {
            Level::Trusted => Trust::Trusted { name },
            Level::Known => Trust::Known { name },
            Level::Revoked => Trust::Revoked { name },
        }
    }

    /// The entry whose name a signer with another key goes by: somebody may be posing as somebody else.
    pub fn namesake(&self, key: &PublicKey, signer: Option<&str>) -> Option<&TrustEntry> {
        let signer = signer?.to_lowercase();
        let has_name = |entry: &&TrustEntry| entry.name.to_lowercase() == signer;
        let own = self.entries.signers.iter().filter(has_name).any(|entry| entry.key == *key);
        if own { None } else { self.entries.signers.iter().find(has_name) }
    }

    /// Adds a key. One that is there under the same name gets the new level; every name has one key.
    pub fn add(&mut self, entry: TrustEntry) -> Result<(), NotAdded> {
        check_signer(&entry.name)?;
        let mut new = self.entries.clone();
        let same_name = |other: &TrustEntry| other.name.to_lowercase() == entry.name.to_lowercase();
        if let Some(other) = new.signers.iter().find(|other| other.key == entry.key && !same_name(other)) {
            return Err(NotAdded::KeyTaken { name: other.name.clone() });
        }
        if let Some(other) = new.signers.iter().find(|other| other.key != entry.key && same_name(other)) {
            return Err(NotAdded::NameTaken { name: other.name.clone(), fingerprint: other.key.fingerprint() });
        }
        let is_revoked = |other: &&TrustEntry| other.key == entry.key && other.level == Level::Revoked;
        if let Some(other) = new.signers.iter().find(is_revoked).filter(|_| entry.level != Level::Revoked) {
            return Err(NotAdded::Revoked { name: other.name.clone() });
        }
        match new.signers.iter_mut().find(|other| other.key == entry.key) {
            Some(present) => present.level = entry.level,
            None => new.signers.push(entry),
        }
        self.change(new).map_err(NotAdded::List)
    }

    /// Takes out the entries with this name, key or fingerprint, and gives them back.
    pub fn remove(&mut self, which: &str) -> Result<Vec<TrustEntry>, Unreadable> {
        let which = which.trim();
        let key = which.parse::<PublicKey>().ok();
        let is_meant = |entry: &TrustEntry| {
            entry.name == which || entry.key.fingerprint() == which || key.as_ref() == Some(&entry.key)
        };
        let (removed, signers): (Vec<_>, Vec<_>) = self.entries.signers.iter().cloned().partition(is_meant);
        self.change(Entries { signers })?;
        Ok(removed)
    }

    fn change(&mut self, new: Entries) -> Result<(), Unreadable> {
        self.text = document::edit(&self.text, &self.entries, &new)?;
        self.entries = new;
        Ok(())
    }
}
