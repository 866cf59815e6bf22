//! `handoff_bulk_update_tasks`, `handoff task bulk`

use clap::Args;
use handoff_model::task::{Priority, Status};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::task_change::task_input;
use super::update_task::put;
use super::{Wanted, schema};
use crate::page::{Role, Text};
use crate::{Effect, ErrorKind, Facts, OpError, Operation, Page, Project, Report, ToolSet};

/// Change several tasks at once: status, priority, assignee, notes, schedule
///
/// Each is changed by the rules that hold for one, and sees what those before it in the list did. All that can be done
/// is one change, which `handoff undo` takes back, and the rest is told; with `atomic`, one mistake and nothing is
/// done. The list is given as a JSON request.
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = schema::brief)]
pub struct BulkUpdateTasks {
    /// What to change in each task; what is left out stays, null clears
    #[arg(skip)]
    #[schemars(schema_with = "updates")]
    pub updates: Vec<Value>,
    /// All of them or none
    #[arg(long)]
    #[serde(default)]
    pub atomic: bool,
}

fn updates(generator: &mut SchemaGenerator) -> Schema {
    let schedule = schema::schedule(generator);
    json_schema!({ "type": "array", "items": {
        "type": "object",
        "properties": {
            "task_id": { "type": "string" },
            "status": { "type": "string", "enum": Status::WORDS },
            "priority": { "type": "string", "enum": Priority::WORDS },
            "assignee": { "type": "string" },
            "notes": { "type": "string" },
            "notes_append": { "type": "string" },
            "schedule": schedule,
        },
        "required": ["task_id"],
    }})
}

/// How many were changed, and why the others were not.
#[derive(Debug, Serialize, JsonSchema)]
pub struct BulkUpdate {
    /// How many items of the list were done
    pub applied: usize,
    pub errors: Vec<BulkError>,
    pub message: String,
    #[serde(skip)]
    done: Vec<String>,
}

/// An item that was not done.
#[derive(Debug, Serialize, JsonSchema)]
pub struct BulkError {
    /// As it was given; empty where none was
    pub task_id: String,
    pub error: String,
}

impl Operation for BulkUpdateTasks {
    const NAME: &'static str = "task.bulk";
    const TOOL: &'static str = "handoff_bulk_update_tasks";
    const SET: ToolSet = ToolSet::Planning;
    const EFFECT: Effect = Effect::Amend;
    type Outcome = BulkUpdate;

    fn example() -> Value {
        json!({"updates": [
            {"task_id": "m2x9a4te", "status": "in_progress", "schedule": {"estimate_hours": 6}},
            {"task_id": "q4w8e2rt", "priority": "high", "notes_append": "waits for the key"},
        ]})
    }

    fn run(self, project: &mut Project) -> Result<BulkUpdate, OpError> {
        if self.updates.is_empty() {
            return Err(OpError::usage(
                "`updates` is empty: give at least one such as {\"task_id\": \"1\", \"status\": \"done\"}",
            ));
        }
        let count = self.updates.len();
        let (mut done, mut errors) = (Vec::new(), Vec::new());
        for (index, item) in self.updates.into_iter().enumerate() {
            let task_id = named(&item);
            match one(project, item)? {
                Ok(message) => done.push(message),
                Err(error) => errors.push((index, BulkError { task_id, error })),
            }
        }
        if self.atomic && !errors.is_empty() {
            let lines = errors.iter().map(|(index, it)| format!("updates[{index}], `{}`: {}", it.task_id, it.error));
            let message = format!("{} of {count} updates cannot be done, so none was", errors.len());
            return Err(OpError::refused(message).details(lines));
        }
        let message = match errors.len() {
            0 => format!("did {count} of {count} updates"),
            wrong => format!("did {} of {count} updates; {wrong} could not be done", done.len()),
        };
        Ok(BulkUpdate { applied: done.len(), errors: errors.into_iter().map(|(_, it)| it).collect(), message, done })
    }
}

/// The task an item says it is about.
fn named(item: &Value) -> String {
    let id = item.get("task_id");
    id.and_then(Value::as_str).map(str::to_owned).or_else(|| id.map(Value::to_string)).unwrap_or_default()
}

/// Does one item. What is wrong with it is told; what is wrong with the store ends the whole.
fn one(project: &mut Project, item: Value) -> Result<Result<String, String>, OpError> {
    let task = match read(item) {
        Ok(task) => task,
        Err(error) => return Ok(Err(error)),
    };
    // A task whose own file is damaged holds up no other.
    let wanted = task.id.clone().unwrap_or_default();
    if let Err(error) = wanted.find(project) {
        return Ok(Err(error.sentence()));
    }
    match put(project, task, None, None) {
        Ok(view) => Ok(Ok(view.message.unwrap_or_default())),
        Err(error) if matches!(error.kind(), ErrorKind::Usage | ErrorKind::NotFound | ErrorKind::Refused) => {
            let lines = error.detail_lines().join("; ");
            Ok(Err(if lines.is_empty() { error.sentence() } else { format!("{}: {lines}", error.sentence()) }))
        }
        Err(error) => Err(error),
    }
}

fn read(item: Value) -> Result<super::TaskInput, String> {
    const SHAPE: &str = "an update is an object such as {\"task_id\": \"k7f3q2ma\", \"status\": \"done\"}";
    let Value::Object(mut fields) = item else { return Err(SHAPE.to_owned()) };
    if fields.contains_key("id") {
        return Err("the task is named by `task_id`, not by `id`".to_owned());
    }
    let Some(id) = fields.remove("task_id") else { return Err(format!("`task_id` is missing: {SHAPE}")) };
    let id: Wanted = serde_json::from_value(id).map_err(|_| format!("`task_id` is not a text: {SHAPE}"))?;
    if fields.is_empty() {
        return Err("it says nothing to change".to_owned());
    }
    task_input(Value::Object(fields)).map(|task| super::TaskInput { id: Some(id), ..task })
}

impl Report for BulkUpdate {
    fn page(&self) -> Page {
        const SHOWN: usize = 30;
        let mark = if self.applied > 0 { Text::of(Role::Good, "✓ ") } else { Text::default() };
        let mut page = Page::new().line(mark.plain(&self.message));
        page = self.done.iter().take(SHOWN).map(Text::from).fold(page, Page::said);
        page = page.more(self.done.len().saturating_sub(SHOWN), None);
        let wrong = |it: &BulkError| Text::of(Role::Bad, "not done: ").plain(format!("`{}`: {}", it.task_id, it.error));
        self.errors.iter().map(wrong).fold(page, Page::said)
    }

    fn trouble(&self) -> Option<ErrorKind> {
        (!self.errors.is_empty()).then_some(ErrorKind::Refused)
    }

    fn facts(&self) -> Facts {
        let mut more = Map::new();
        more.insert("applied".to_owned(), json!(self.applied));
        more.insert("errors".to_owned(), json!(self.errors));
        Facts { message: self.page().to_markdown(None), more, ..Facts::default() }
    }
}
