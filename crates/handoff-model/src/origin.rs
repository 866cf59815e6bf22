//! Where a record came from, when another system kept it before.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The record of another system that this one was made from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Origin {
    /// The system, such as `handoff-mcp`
    pub system: String,
    /// What the record was called there; it is found by that too
    #[serde(default)]
    pub id: String,
    /// SHA-256 of the record as it was there, so that the same is not taken twice
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub digest: Option<String>,
    /// What the record said there that has no place of its own here
    #[serde(default, skip_serializing_if = "Map::is_empty", deserialize_with = "crate::session::facts")]
    pub fields: Map<String, Value>,
}

impl Origin {
    /// Whether this is a record of that system, as it was when it was taken.
    pub fn is_same_as(&self, other: &Origin) -> bool {
        self.digest.is_some() && (&self.system, &self.digest) == (&other.system, &other.digest)
    }
}
