//! What a bundle carries: records as the files they are, so that what was put in comes out byte for byte.

use handoff_model::id::TaskId;
use serde::{Deserialize, Serialize};

/// Everything one bundle carries.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Content {
    /// The name of the project it comes from
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
    /// In the order of their names
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sessions: Vec<CarriedSession>,
    /// Parents before what is below them
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tasks: Vec<CarriedTask>,
}

/// A session, record or package.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CarriedSession {
    /// Its full name, such as `2026-11-15-a3f9c12e`
    pub name: String,
    /// The text of its file
    pub text: String,
    /// Its free-form body
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body: Option<String>,
}

/// A task.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CarriedTask {
    pub id: TaskId,
    /// The task it is below
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<TaskId>,
    /// Its own number below that, such as the 2 of `01.2`
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub number: Option<u32>,
    /// The text of its file
    pub text: String,
    /// Whether it was packed into an archive
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub archived: bool,
}
