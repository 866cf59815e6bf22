//! How far a transcript was read. The caller keeps it, and hands it back to read on.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::fingerprint::Fingerprint;

/// How far a transcript was read; the default one is its beginning.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Mark {
    pub(crate) start: Fingerprint,
    pub(crate) place: Place,
    /// What was passed over to get at the newest lines, to be read when there is time
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) gaps: Vec<Gap>,
    /// Lines read in all; without gaps, those before the place
    pub(crate) lines: u64,
}

/// A place between two lines.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Place {
    pub(crate) offset: u64,
    /// How many lines are before it, where that is known
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) lines: Option<u64>,
    /// Whether it is in the middle of a line too long to be read, which is passed over
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) is_inside_line: bool,
    /// What the reader must know of what is before it
    #[serde(skip_serializing_if = "Value::is_null")]
    pub(crate) carried: Value,
}

/// A part of a transcript that was not read yet.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Gap {
    pub(crate) place: Place,
    pub(crate) until: u64,
}

impl Mark {
    /// Where the newest reading ended, in bytes from the start of the file.
    pub fn offset(&self) -> u64 {
        self.place.offset
    }

    /// A mark of a format that is no lines, which knows its own way.
    pub(crate) fn of<T: Serialize>(carried: &T) -> Mark {
        Mark { place: Place { carried: written(carried), ..Place::default() }, ..Mark::default() }
    }

    pub(crate) fn carried<T: DeserializeOwned + Default>(&self) -> T {
        self.place.carried()
    }
}

impl Place {
    pub(crate) fn carried<T: DeserializeOwned + Default>(&self) -> T {
        T::deserialize(&self.carried).unwrap_or_default()
    }
}

pub(crate) fn written<T: Serialize>(carried: &T) -> Value {
    serde_json::to_value(carried).unwrap_or_default()
}
