//! A task as agents name it.

use std::convert::Infallible;
use std::str::FromStr;

use handoff_model::id::{TaskId, TaskRef};
use handoff_store::Found;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{OpError, Project};

/// The id or number of a task. Any text is taken: one that can be no id is answered with close matches, like one that
/// nobody has.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
#[schemars(inline)]
pub struct Wanted(String);

impl Wanted {
    /// The task, as it is now.
    pub(crate) fn find(&self, project: &Project) -> Result<Found, OpError> {
        Ok(project.store().find(&self.reference()?)?)
    }

    /// The task to put others under, or none where this says the top.
    pub(crate) fn find_parent(&self, project: &Project) -> Result<Option<Found>, OpError> {
        if self.0.trim() == "root" { Ok(None) } else { self.find(project).map(Some) }
    }

    pub(crate) fn reference(&self) -> Result<TaskRef, OpError> {
        let text = self.0.trim();
        if text.is_empty() {
            return Err(OpError::usage("an empty text names no task: give an id, or leave the field out"));
        }
        Ok(text.parse().unwrap_or_else(|_| TaskRef::Prefix(text.to_lowercase())))
    }
}

impl FromStr for Wanted {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Self, Infallible> {
        Ok(Wanted(text.to_owned()))
    }
}

impl From<TaskId> for Wanted {
    fn from(id: TaskId) -> Wanted {
        Wanted(id.to_string())
    }
}
