//! Calls of tools and their results.

use handoff_model::agent::{FileChange, Todo, TodoStatus, Touch, What};
use serde_json::value::RawValue;

use super::Carried;
use super::record::{Block, CreatedTask, Input, Noted, TodoItem};
use crate::lines::Tell;
use crate::text::{Text, content_text, part};
use crate::tool::{handoff_tool, todo_status};

/// How many files that are being written are remembered.
const WRITES: usize = 8;

/// Tells of a call.
pub(super) fn begin(block: &Block<'_>, carried: &mut Carried, tell: &mut Tell<'_>) {
    let id = block.id.as_str().to_owned();
    let input: Input<'_> = part(block.input);
    let name = block.name.as_str();
    let call = |name: Option<&str>, touches| What::Call { id: id.clone(), name: name.map(str::to_owned), touches };
    let touch = |path: &str, change| vec![Touch { path: path.to_owned(), change }];
    let what = match name {
        "Bash" => What::Command { id, command: input.command.as_str().to_owned() },
        "Read" => call(None, touch(input.file_path.as_str(), None)),
        "Edit" | "MultiEdit" => call(Some(name), touch(input.file_path.as_str(), Some(FileChange::Updated))),
        "NotebookEdit" => call(Some(name), touch(input.notebook_path.as_str(), Some(FileChange::Updated))),
        "Write" => {
            // Only the result says whether the file was there before.
            carried.writes.push((id.clone(), input.file_path.as_str().to_owned()));
            if carried.writes.len() > WRITES {
                carried.writes.remove(0);
            }
            call(Some(name), Vec::new())
        }
        "TodoWrite" => {
            tell.say(What::Todos(todos(input.todos)));
            call(None, Vec::new())
        }
        "TaskUpdate" => {
            if let Some(task) = input.task.some() {
                let text = input.subject.some().map(str::to_owned);
                tell.say(What::Todo { id: task.to_owned(), text, status: status(input.status.as_str()) });
            }
            call(None, Vec::new())
        }
        "ExitPlanMode" => {
            if let Some(plan) = input.plan.some() {
                tell.say(What::Plan(plan.to_owned()));
            }
            call(None, Vec::new())
        }
        "Task" | "Agent" | "Skill" => call(Some(name), Vec::new()),
        _ if name.starts_with("mcp__") => call(Some(handoff_tool(name).as_deref().unwrap_or(name)), Vec::new()),
        _ => call(None, Vec::new()),
    };
    tell.say(what);
}

/// Tells how a call ended.
pub(super) fn end(block: &Block<'_>, noted: Option<&RawValue>, carried: &mut Carried, tell: &mut Tell<'_>) {
    let id = block.tool_use_id.as_str();
    let is_text = noted.is_some_and(|noted| noted.get().starts_with('"'));
    let (error, noted) = if is_text { (part(noted), Noted::default()) } else { (Text::default(), part(noted)) };
    let is_interrupted = noted.interrupted == Some(true);
    let is_failure = block.is_error == Some(true) || is_interrupted;
    let written = carried.writes.iter().position(|(write, _)| write == id).map(|place| carried.writes.remove(place).1);
    if is_failure {
        // The note is what went wrong; what the model got may go on with schemas and advice.
        let text = if error.is_empty() { content_text(block.content) } else { error.as_str().to_owned() };
        let (exit, output) = exit_code(unwrapped(&text));
        tell.say(What::Outcome { id: id.to_owned(), exit, is_failure, output: output.to_owned() });
        return;
    }
    let is_going_on = !noted.background_task_id.is_empty();
    let exit = (!is_going_on).then_some(0);
    tell.say(What::Outcome { id: id.to_owned(), exit, is_failure, output: String::new() });
    let is_written = matches!(noted.kind.as_str(), "create" | "update");
    if let Some(path) = noted.file_path.some().filter(|_| is_written).map(str::to_owned).or(written) {
        let change = if noted.kind.as_str() == "create" { FileChange::Added } else { FileChange::Updated };
        tell.say(What::Changed { path, change });
    }
    if let Some((id, subject)) = created_task(&noted, block) {
        tell.say(What::Todo { id, text: Some(subject), status: Some(TodoStatus::Pending) });
    }
}

/// A failure without what says no more than that it is one.
fn unwrapped(text: &str) -> &str {
    let text = text.trim_start_matches("Error: ");
    let inner = text.strip_prefix("<tool_use_error>").unwrap_or(text);
    inner.strip_suffix("</tool_use_error>").unwrap_or(inner)
}

/// A command that failed says so in its first line.
fn exit_code(text: &str) -> (Option<i32>, &str) {
    let Some(after) = text.strip_prefix("Exit code ") else { return (None, text) };
    let (code, output) = after.split_once('\n').unwrap_or((after, ""));
    code.trim().parse().map_or((None, text), |code| (Some(code), output))
}

/// Id and subject of a task that was created, from what was noted or from what the model was told.
fn created_task(noted: &Noted<'_>, block: &Block<'_>) -> Option<(String, String)> {
    const TOLD: &str = "\"Task #";
    if let Some(task) = noted.task {
        let task: CreatedTask<'_> = part(Some(task));
        return Some((task.id.owned()?, task.subject.owned()?));
    }
    let is_told = block.content.is_some_and(|content| content.get().starts_with(TOLD));
    let text = is_told.then(|| content_text(block.content))?;
    let (id, subject) = text.strip_prefix("Task #")?.split_once(" created successfully: ")?;
    Some((id.to_owned(), subject.to_owned()))
}

fn status(word: &str) -> Option<TodoStatus> {
    match word {
        "" => None,
        "deleted" => Some(TodoStatus::Cancelled),
        word => Some(todo_status(word)),
    }
}

fn todos(list: Option<&RawValue>) -> Vec<Todo> {
    let items: Vec<TodoItem<'_>> = part(list);
    let todo = |item: TodoItem<'_>| {
        let status = todo_status(item.status.as_str());
        Some(Todo { id: None, text: item.content.owned()?, status, line: None })
    };
    items.into_iter().filter_map(todo).collect()
}
