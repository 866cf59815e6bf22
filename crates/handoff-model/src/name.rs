//! Directory names of tasks, in both layouts.
//!
//! A name is a view of what the file says. It is read leniently (any directory with a `task.toml` is a task) and
//! written strictly.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::id::TaskId;
use crate::number::Number;
use crate::slug::slug;
use crate::task::Status;

/// How task directories are named and nested.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Layout {
    /// Nested, with number and status in the name: `01-todo--slug/01.1-done--slug`
    #[default]
    Status,
    /// Flat and fixed: `slug-id`, with parent and number as fields
    Stable,
}

/// The name of a task's directory in the status layout, such as `01.2-in_progress--write-handlers`.
pub fn status_name(number: &Number, status: Status, title: &str) -> String {
    format!("{number}-{}--{}", status.word(), slug(title))
}

/// The name of a task's directory in the stable layout, such as `write-handlers-k7f3q2ma`.
pub fn stable_name(title: &str, id: TaskId) -> String {
    format!("{}-{id}", slug(title))
}

/// What a directory name tells, as far as it does.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NameParts {
    /// The number in front; its last ordinal is the task's own
    pub number: Option<Number>,
    /// The status word, if it is one
    pub status: Option<Status>,
    /// The id at the end, if the name is one of the stable layout
    pub id: Option<TaskId>,
}

/// Reads a directory name; what it does not tell stays empty.
pub fn read_name(name: &str) -> NameParts {
    let mut parts = NameParts::default();
    if let Some((front, rest)) = name.split_once('-') {
        parts.number = front.parse().ok();
        // A title may begin with a number too; only names of the status layout have two dashes.
        if let (Some(_), Some((word, _))) = (&parts.number, rest.split_once("--")) {
            parts.status = word.parse().ok();
            return parts;
        }
    }
    parts.id = name.rsplit_once('-').and_then(|(_, id)| id.parse().ok());
    // With an id at its end the number in front is part of a title.
    parts.number = parts.number.filter(|_| parts.id.is_none());
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_both_layouts_read_back() {
        let number: Number = "1.2".parse().unwrap();
        let name = status_name(&number, Status::InProgress, "Write handlers");
        assert_eq!(name, "01.2-in_progress--write-handlers");
        let parts = read_name(&name);
        assert_eq!((parts.number, parts.status, parts.id), (Some(number), Some(Status::InProgress), None));

        let id: TaskId = "k7f3q2ma".parse().unwrap();
        assert_eq!(stable_name("Write handlers", id), "write-handlers-k7f3q2ma");
        assert_eq!(read_name("write-handlers-k7f3q2ma").id, Some(id));
        assert_eq!(read_name(&stable_name("12 monkeys", id)).id, Some(id));
    }

    #[test]
    fn strange_names_tell_what_they_can() {
        assert_eq!(read_name("01-doing--x").status, None);
        assert_eq!(read_name("01-doing--x").number, "1".parse().ok());
        assert_eq!(read_name("notes"), NameParts::default());
        assert_eq!(read_name(""), NameParts::default());
    }
}
