//! A task: what its file says, and the rules for changing it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::document::{self, Unreadable};
use crate::id::TaskId;
use crate::origin::Origin;
use crate::text::Hours;
use crate::when::{Day, Moment};

pub mod archive;
mod edit;
mod effort;
mod rules;
mod words;

pub use edit::{LinkEdit, TaskEdit};
pub use rules::{Refusal, check_dependencies};
pub(crate) use words::words;
pub use words::{LinkType, NotAWord, Priority, Status};

/// One node of the task tree, as it stands in `task.toml`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Task {
    /// Version of the file format
    #[serde(default = "written_format")]
    pub format: u32,
    /// Identity: eight lower-case letters and digits, never reused
    pub id: TaskId,
    /// What is to be done
    #[serde(default)]
    pub title: String,
    #[serde(default)]
    pub status: Status,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub priority: Option<Priority>,
    /// Id of the parent task; only in the stable layout, and only where no task directory encloses this one
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<TaskId>,
    /// Place among the siblings; only in the stable layout
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub number: Option<u32>,
    /// Sorts before the number: tasks with an order come first, by it
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub order: Option<i64>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub labels: Vec<String>,
    /// Ids of the tasks that must be finished first
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub dependencies: Vec<TaskId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub assignee: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub created_at: Option<Moment>,
    /// When it was finished; absent while it is open
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub completed_at: Option<Moment>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub links: Vec<Link>,
    #[serde(default, skip_serializing_if = "Schedule::is_empty")]
    pub schedule: Schedule,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub done_criteria: Vec<Criterion>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<Note>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub history: Vec<HistoryEntry>,
    /// Where it came from, when another system kept it before
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<Origin>,
}

fn written_format() -> u32 {
    crate::FORMAT
}

/// Dates, effort and milestone of a task.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Schedule {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start_date: Option<Day>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub due_date: Option<Day>,
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "possible_hours")]
    pub estimate_hours: Option<f64>,
    /// Effort left; derived from estimate and time log unless set
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "possible_hours")]
    pub remaining_hours: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub milestone: Option<String>,
    /// Whether the planner must leave the dates alone
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pinned: Option<bool>,
}

/// Hours that cannot be are read as none, so that they neither hide the task nor spread into sums.
fn possible_hours<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<f64>, D::Error> {
    let hours = Option::<f64>::deserialize(deserializer)?;
    Ok(hours.and_then(|hours| Hours::try_from(hours).ok()).map(Hours::value))
}

impl Schedule {
    pub fn is_empty(&self) -> bool {
        *self == Schedule::default()
    }
}

/// Something that must hold before the task is done.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Criterion {
    pub item: String,
    #[serde(default)]
    pub checked: bool,
}

/// A pointer from a task to something else.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Link {
    #[serde(rename = "type", default)]
    pub kind: LinkType,
    pub target: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
}

/// A dated remark; appended, never overwritten.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Note {
    pub at: Moment,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    pub text: String,
}

/// A change of status or estimate; metrics are computed from these.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct HistoryEntry {
    pub at: Moment,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<Status>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub estimate_hours: Option<f64>,
}

impl Task {
    /// A new task that has only a name; everything else is an edit.
    pub fn new(id: TaskId, title: &crate::text::Title, at: Moment) -> Self {
        Task {
            format: crate::FORMAT,
            id,
            title: title.as_str().to_owned(),
            status: Status::Todo,
            priority: None,
            parent: None,
            number: None,
            order: None,
            labels: Vec::new(),
            dependencies: Vec::new(),
            assignee: None,
            created_at: Some(at),
            completed_at: None,
            description: None,
            links: Vec::new(),
            schedule: Schedule::default(),
            done_criteria: Vec::new(),
            notes: Vec::new(),
            history: Vec::new(),
            origin: None,
        }
    }

    /// Reads a task file. A second value tells what had to be read differently from how it is written.
    pub fn read(text: &str) -> Result<(Task, Option<Unreadable>), Unreadable> {
        match document::read::<Task>(text) {
            Ok(task) => {
                let task = task.of_this_format()?;
                let impossible = task.impossible_hours(text);
                Ok((task, impossible))
            }
            Err(error) => Task::read_with_wrong_status(text).ok_or(error),
        }
    }

    fn of_this_format(self) -> Result<Task, Unreadable> {
        if self.format > crate::FORMAT {
            return Err(document::newer_format(self.format));
        }
        Ok(self)
    }

    /// Hours in the file that were read as none.
    fn impossible_hours(&self, text: &str) -> Option<Unreadable> {
        let fields =
            [("estimate_hours", self.schedule.estimate_hours), ("remaining_hours", self.schedule.remaining_hours)];
        let (key, _) = fields.into_iter().find(|(key, hours)| hours.is_none() && text.contains(key))?;
        let table: toml::Table = toml::from_str(text).ok()?;
        let written = table.get("schedule")?.as_table()?.get(key)?.to_string();
        let line = text.lines().position(|line| line.contains(key)).map(|index| index + 1);
        let reason = format!("`{key}` cannot be {written}; read as none");
        Some(Unreadable { line, reason })
    }

    /// A status word that does not exist makes the status `todo` instead of hiding the task.
    fn read_with_wrong_status(text: &str) -> Option<(Task, Option<Unreadable>)> {
        let mut table: toml::Table = toml::from_str(text).ok()?;
        let word = table.get("status")?.as_str()?.to_owned();
        if word.parse::<Status>().is_ok() {
            return None;
        }
        table.remove("status");
        let task: Task = table.try_into().ok()?;
        let line = text.lines().position(|line| line.trim_start().starts_with("status")).map(|index| index + 1);
        let reason = format!("`{word}` is not a status; read as `{}`", Status::Todo.word());
        task.of_this_format().ok().map(|task| (task, Some(Unreadable { line, reason })))
    }

    /// The text of this task's file, made from the file as it stands.
    pub fn write_over(&self, text: &str) -> Result<String, Unreadable> {
        let (old, mended) = Task::read(text)?;
        let mut written = document::object(&old);
        if mended.is_some() {
            // The file may say a status that does not exist; then that is what changes.
            let said: toml::Table = document::read(text)?;
            let word = said.get("status").and_then(toml::Value::as_str);
            written.extend(word.map(|word| ("status".to_owned(), word.into())));
        }
        document::edit_object(text, &written, self)
    }

    /// The text of a new file for this task.
    pub fn print(&self) -> String {
        document::print(self)
    }

    /// The newest time that stands anywhere in the task, to tell two copies apart.
    pub fn last_touched(&self) -> Option<Moment> {
        let notes = self.notes.iter().map(|note| note.at);
        let history = self.history.iter().map(|entry| entry.at);
        notes.chain(history).chain(self.completed_at).chain(self.created_at).max()
    }
}

#[cfg(test)]
mod tests;
