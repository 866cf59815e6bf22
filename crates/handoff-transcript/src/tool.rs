//! What a call of an agent's tool means, by the names agents give their tools.
//!
//! Agents differ in names and arguments and agree in kinds: run, change, look, list things to do. A name means the same
//! in every agent that uses it, so one table serves all that have no reader of their own for it.

use handoff_model::agent::{FileChange, Todo, TodoStatus, What};
use serde_json::Value;

use crate::patch;

/// The end of an output is all that is ever kept of it.
const OUTPUT_KEPT: usize = 2_000;

/// What a call does.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Call {
    Run(Vec<String>),
    Change(Vec<(String, FileChange)>),
    Look(Vec<String>),
    Todos(Vec<Todo>),
    Plan(String),
    /// One of handoff's own tools, by its own name
    Handoff(String),
    Other,
}

/// How a call ended.
#[derive(Clone, Debug, Default)]
pub(crate) struct End<'a> {
    pub(crate) exit: Option<i32>,
    pub(crate) is_failure: bool,
    pub(crate) output: &'a str,
}

impl Call {
    /// What a call with these arguments does.
    pub(crate) fn of(name: &str, input: &Value) -> Call {
        match name {
            "run_shell_command"
            | "bash"
            | "Bash"
            | "Shell"
            | "shell"
            | "execute_command"
            | "run_commands"
            | "run_terminal_cmd"
            | "run_terminal_command"
            | "run_terminal_command_v2"
            | "run_in_terminal" => Call::Run(commands(input)),
            "write_file" | "write" | "Write" | "write_to_file" | "create_file" | "new_rule" => {
                change(input, FileChange::Added)
            }
            "replace" | "edit" | "Edit" | "multiedit" | "MultiEdit" | "StrReplace" | "EditNotebook"
            | "NotebookEdit" | "replace_in_file" | "insert_content" | "search_and_replace" | "apply_diff"
            | "edit_file" | "edit_file_v2" | "search_replace" | "fast_edit_file" | "reapply" | "edit_notebook" => {
                change(input, FileChange::Updated)
            }
            "editor" => match input.get("command").and_then(Value::as_str) {
                Some("view") => Call::Look(paths(input)),
                Some("create") => change(input, FileChange::Added),
                _ => change(input, FileChange::Updated),
            },
            "delete_file" | "Delete" | "delete" => change(input, FileChange::Deleted),
            "apply_patch" | "ApplyPatch" | "patch" => Call::Change(patch_files(input)),
            "read_file" | "read_file_v2" | "read" | "Read" | "read_files" | "ReadFile" | "view" => {
                Call::Look(paths(input))
            }
            "write_todos" | "todowrite" | "todo_write" | "TodoWrite" | "update_todo_list" | "focus_chain" => {
                Call::Todos(todos(input))
            }
            "plan_mode_respond" | "create_plan" | "CreatePlan" | "exit_plan_mode" => {
                text(input, &["plan", "response"]).map_or(Call::Other, |plan| Call::Plan(plan.to_owned()))
            }
            "use_mcp_tool" | "CallMcpTool" => {
                let inner = text(input, &["tool_name", "toolName"]).unwrap_or_default();
                handoff_tool(inner).map_or(Call::Other, Call::Handoff)
            }
            other => handoff_tool(other).map_or(Call::Other, Call::Handoff),
        }
    }

    /// What is known when the call starts.
    pub(crate) fn begun(&self, id: &str) -> Vec<What> {
        let Call::Run(commands) = self else { return Vec::new() };
        let each = commands.iter().enumerate();
        each.map(|(index, command)| What::Command { id: part_of(id, index), command: command.clone() }).collect()
    }

    /// What is known when the call has ended, on top of what was known when it started.
    pub(crate) fn ended(&self, id: &str, name: &str, end: &End<'_>) -> Vec<What> {
        match self {
            Call::Run(commands) => (0..commands.len())
                .map(|index| What::Outcome {
                    id: part_of(id, index),
                    exit: end.exit,
                    is_failure: end.is_failure || end.exit.is_some_and(|exit| exit != 0),
                    output: tail(end.output).to_owned(),
                })
                .collect(),
            // A look at what is not there is how agents find their way, not a failure.
            Call::Look(_) | Call::Todos(_) | Call::Plan(_) if end.is_failure => Vec::new(),
            _ if end.is_failure => vec![What::Failed(format!("{name}: {}", head(end.output)))],
            Call::Change(files) => files
                .iter()
                .map(|(path, change)| What::Changed { path: path.clone(), change: change.clone() })
                .collect(),
            Call::Look(files) => files.iter().map(|path| What::Looked { path: path.clone() }).collect(),
            Call::Todos(todos) => vec![What::Todos(todos.clone())],
            Call::Plan(plan) => vec![What::Plan(plan.clone())],
            Call::Handoff(tool) => vec![What::Handoff { id: id.to_owned(), tool: tool.clone() }],
            Call::Other => Vec::new(),
        }
    }

    /// A new file rather than a changed one, or the other way round, where the agent says so afterwards.
    pub(crate) fn as_change(&mut self, kind: &FileChange) {
        if let Call::Change(files) = self {
            for (_, change) in files {
                *change = kind.clone();
            }
        }
    }
}

/// The word of a status, as agents write it.
pub(crate) fn todo_status(word: &str) -> TodoStatus {
    match word.to_ascii_lowercase().as_str() {
        "completed" | "complete" | "done" => TodoStatus::Completed,
        "in_progress" | "in-progress" | "active" => TodoStatus::InProgress,
        "cancelled" | "canceled" => TodoStatus::Cancelled,
        _ => TodoStatus::Pending,
    }
}

/// A checklist in Markdown as a list of things to do.
pub(crate) fn checklist(markdown: &str) -> Vec<Todo> {
    let mut todos = Vec::new();
    for line in markdown.lines() {
        let line = line.trim_start().trim_start_matches(['-', '*', '+']).trim_start();
        let Some((mark, text)) = line.strip_prefix('[').and_then(|rest| rest.split_once(']')) else { continue };
        let status = match mark.trim() {
            "" => TodoStatus::Pending,
            "x" | "X" => TodoStatus::Completed,
            "-" | "~" => TodoStatus::InProgress,
            _ => continue,
        };
        let text = text.trim();
        if !text.is_empty() {
            todos.push(Todo { id: None, text: text.to_owned(), status, line: None });
        }
    }
    todos
}

/// Handoff's own name of a tool, whatever the host put in front of it.
pub(crate) fn handoff_tool(name: &str) -> Option<String> {
    let at = name.rfind("handoff_")?;
    let is_whole = at == 0 || !name.as_bytes()[at - 1].is_ascii_alphanumeric();
    (is_whole && name.len() > at + "handoff_".len()).then(|| name[at..].to_owned())
}

/// The code in a phrase such as `Exit code: 1`, looked for in the first and the last lines of an output.
pub(crate) fn exit_code(output: &str) -> Option<i32> {
    let first = output.lines().take(2);
    let last = output.lines().rev().take(3);
    first.chain(last).find_map(|line| {
        let line = line.to_ascii_lowercase();
        let after = ["exit code", "exited with code", "exit status"]
            .iter()
            .find_map(|phrase| line.find(phrase).map(|at| &line[at + phrase.len()..]))?;
        let number = after.trim_start_matches([':', ' ', '=', '(', '`']);
        let end = number.find(|c: char| !c.is_ascii_digit() && c != '-').unwrap_or(number.len());
        number[..end].parse().ok()
    })
}

/// The end of a long text, cut between characters.
pub(crate) fn tail(text: &str) -> &str {
    let text = text.trim_end();
    let mut from = text.len().saturating_sub(OUTPUT_KEPT);
    while !text.is_char_boundary(from) {
        from += 1;
    }
    &text[from..]
}

/// The beginning of a long text, cut between characters.
pub(crate) fn head(text: &str) -> &str {
    let text = text.trim_start();
    let mut to = text.len().min(OUTPUT_KEPT);
    while !text.is_char_boundary(to) {
        to -= 1;
    }
    &text[..to]
}

fn part_of(id: &str, index: usize) -> String {
    if index == 0 { id.to_owned() } else { format!("{id}#{index}") }
}

fn text<'a>(input: &'a Value, names: &[&str]) -> Option<&'a str> {
    let found = names.iter().find_map(|name| input.get(name)?.as_str())?;
    (!found.trim().is_empty()).then_some(found)
}

fn change(input: &Value, kind: FileChange) -> Call {
    Call::Change(paths(input).into_iter().map(|path| (path, kind.clone())).collect())
}

/// Every file a call names, under the names that agents use for it.
fn paths(input: &Value) -> Vec<String> {
    const ONE: [&str; 10] = [
        "file_path",
        "filePath",
        "path",
        "target_file",
        "targetFile",
        "absolute_path",
        "relativeWorkspacePath",
        "relative_workspace_path",
        "notebook_path",
        "target_notebook",
    ];
    const MANY: [&str; 3] = ["files", "file_paths", "paths"];
    if let Some(path) = text(input, &ONE) {
        return vec![path.to_owned()];
    }
    let list = MANY.iter().find_map(|name| input.get(name)).unwrap_or(input);
    let one = |entry: &Value| entry.as_str().or_else(|| text(entry, &ONE)).map(str::to_owned);
    match list {
        Value::Array(entries) => entries.iter().filter_map(one).collect(),
        other => one(other).into_iter().collect(),
    }
}

/// Every command a call runs: one text, a program with arguments, or a list of either.
fn commands(input: &Value) -> Vec<String> {
    fn one(entry: &Value) -> Option<String> {
        let command = entry.as_str().or_else(|| text(entry, &["command", "cmd"]))?;
        let mut words = command.trim().to_owned();
        for argument in entry.get("args").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str) {
            words.push(' ');
            words.push_str(argument);
        }
        (!words.is_empty()).then_some(words)
    }
    match input.get("commands").unwrap_or(input) {
        Value::Array(entries) => entries.iter().filter_map(one).collect(),
        other => one(other).into_iter().collect(),
    }
}

fn todos(input: &Value) -> Vec<Todo> {
    let list = input.get("todos").unwrap_or(input);
    if let Some(markdown) = list.as_str() {
        return checklist(markdown);
    }
    let entries = list.as_array().into_iter().flatten();
    entries
        .filter_map(|entry| {
            let words = text(entry, &["content", "description", "text", "title"])?;
            let status = todo_status(entry.get("status").and_then(Value::as_str).unwrap_or_default());
            let id = text(entry, &["id"]).map(str::to_owned);
            Some(Todo { id, text: words.to_owned(), status, line: None })
        })
        .collect()
}

fn patch_files(input: &Value) -> Vec<(String, FileChange)> {
    let patch = input.as_str().or_else(|| text(input, &["input", "patch", "patchText", "patch_text"]));
    patch.map(patch::files).unwrap_or_default()
}
