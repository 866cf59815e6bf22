//! What a tool did, by its name and its input: files, a command, a list of things to do.

use handoff_model::agent::{Heard, Todo, TodoStatus};
use serde_json::Value;

use super::common::in_full;
use super::patch;
use super::said::text_of;

/// What a tool was used for.
#[derive(Debug, Default)]
pub(crate) struct Used {
    files: Vec<String>,
    is_change: bool,
    command: Option<String>,
    todos: Vec<Todo>,
}

/// Names of tools that change the files they are given, over all hosts.
const CHANGING: &[&str] = &[
    "Edit",
    "MultiEdit",
    "NotebookEdit",
    "Write",
    "StrReplace",
    "Delete",
    "edit",
    "create",
    "write",
    "patch",
    "replace",
    "write_file",
    "write_to_file",
    "replace_in_file",
    "new_rule",
    "editor",
    "create_file",
    "createFile",
    "editFiles",
    "edit_notebook_file",
    "insert_edit_into_file",
    "multi_replace_string_in_file",
    "replace_string_in_file",
    "str_replace",
    "str_replace_editor",
    "apply_patch",
];

/// Fields that name a file.
const FILE: &[&str] =
    &["file_path", "filePath", "notebook_path", "notebookPath", "absolute_path", "target_file", "path"];

impl Used {
    pub(crate) fn of(name: &str, input: &Value) -> Used {
        let parsed;
        // Some hosts write the input as JSON in a text.
        let input = match input.as_str().map(serde_json::from_str::<Value>) {
            Some(Ok(value)) if value.is_object() => {
                parsed = value;
                &parsed
            }
            _ => input,
        };
        let command = ["command", "cmd"].iter().find_map(|key| text_of(input.get(key)?));
        let patch = ["input", "patch", "patchText", "command"].iter().find_map(|key| text_of(input.get(key)?));
        if let Some(patch) = patch.or_else(|| text_of(input)).filter(|text| patch::is_patch(text)) {
            return Used { files: patch::files(patch), is_change: true, ..Used::default() };
        }
        let commands = input.get("commands").and_then(Value::as_array).into_iter().flatten().filter_map(text_of);
        let commands: Vec<&str> = command.into_iter().chain(commands).collect();
        let mut used = Used {
            files: FILE.iter().find_map(|key| text_of(input.get(key)?)).map(str::to_owned).into_iter().collect(),
            is_change: CHANGING.contains(&name),
            command: (!commands.is_empty()).then(|| commands.join(" && ")),
            todos: todos(input),
        };
        for key in ["files", "filePaths", "paths", "replacements"] {
            let each = input.get(key).and_then(Value::as_array).into_iter().flatten();
            used.files.extend(each.filter_map(path_of).map(str::to_owned));
        }
        // An editor that was only asked to show a file.
        used.is_change &= input.get("command").and_then(Value::as_str) != Some("view");
        if !used.files.is_empty() {
            used.command = None;
        }
        used
    }

    /// Adds it to what was heard; a tool that failed changed nothing.
    pub(crate) fn tell(self, heard: &mut Heard) {
        let cwd = heard.cwd.clone();
        for file in self.files {
            let file = in_full(&file, cwd.as_deref());
            if !heard.files.contains(&file) {
                heard.files.push(file);
            }
        }
        heard.is_change = self.is_change && !heard.files.is_empty() && heard.failure.is_none();
        heard.command = self.command;
        heard.todos = self.todos;
    }
}

fn path_of(value: &Value) -> Option<&str> {
    text_of(value).or_else(|| FILE.iter().find_map(|key| text_of(value.get(key)?)))
}

/// The list of things to do, under any of the names it goes by.
pub(crate) fn todos(input: &Value) -> Vec<Todo> {
    let list = ["todos", "plan", "todoList"].iter().find_map(|key| input.get(key)?.as_array());
    list.into_iter().flatten().filter_map(todo).collect()
}

fn todo(item: &Value) -> Option<Todo> {
    let text = ["content", "step", "description", "text", "title"].iter().find_map(|key| text_of(item.get(key)?))?;
    let status = match item.get("status").and_then(Value::as_str)? {
        "in_progress" | "in-progress" | "active" => TodoStatus::InProgress,
        "completed" | "done" => TodoStatus::Completed,
        "cancelled" | "canceled" => TodoStatus::Cancelled,
        _ => TodoStatus::Pending,
    };
    Some(Todo { id: item.get("id").and_then(text_of).map(str::to_owned), text: text.to_owned(), status, line: None })
}
