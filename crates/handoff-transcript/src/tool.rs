//! What a call of an agent's tool means, by the names agents give their tools.
//!
//! Agents differ in names and arguments and agree in kinds: run, change, look, list things to do. A name means the same
//! in every agent that uses it, so one table serves all that have no reader of their own for it.

use handoff_model::agent::{FileChange, Todo, TodoStatus, Touch, What};
use serde_json::Value;

use crate::patch;

/// Bytes at either end of an output that may be of use.
const OUTPUT_KEPT: usize = 2_000;

/// What a call does.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Call {
    Run(String),
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
            | "run_in_terminal" => Call::Run(command(input)),
            "write_file" | "write" | "Write" | "write_to_file" | "create_file" | "new_rule" => {
                change(input, &FileChange::Added)
            }
            "replace" | "edit" | "Edit" | "multiedit" | "MultiEdit" | "StrReplace" | "EditNotebook"
            | "NotebookEdit" | "replace_in_file" | "insert_content" | "search_and_replace" | "apply_diff"
            | "edit_file" | "edit_file_v2" | "search_replace" | "fast_edit_file" | "reapply" | "edit_notebook" => {
                change(input, &FileChange::Updated)
            }
            "editor" => match input.get("command").and_then(Value::as_str) {
                Some("view") => Call::Look(paths(input)),
                Some("create") => change(input, &FileChange::Added),
                _ => change(input, &FileChange::Updated),
            },
            "delete_file" | "Delete" | "delete" => change(input, &FileChange::Deleted),
            "apply_patch" | "ApplyPatch" | "patch" => Call::Change(patch_files(input)),
            "read_file" | "read_file_v2" | "read" | "Read" | "read_files" | "ReadFile" | "view" => {
                Call::Look(paths(input))
            }
            "glob"
            | "grep"
            | "list"
            | "Glob"
            | "Grep"
            | "LS"
            | "list_directory"
            | "list_dir"
            | "list_files"
            | "search_files"
            | "search_file_content"
            | "grep_search"
            | "glob_file_search"
            | "ripgrep_raw_search"
            | "codebase_search"
            | "search_codebase"
            | "list_code_definition_names" => Call::Look(Vec::new()),
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

    /// What is told when the call starts; whether it counts is known by its outcome.
    pub(crate) fn begun(&self, id: &str, name: &str) -> Vec<What> {
        let call =
            |name: Option<&str>, touches| What::Call { id: id.to_owned(), name: name.map(str::to_owned), touches };
        match self {
            Call::Run(command) => vec![What::Command { id: id.to_owned(), command: command.clone() }],
            Call::Change(files) => {
                let touch =
                    |(path, change): &(String, FileChange)| Touch { path: path.clone(), change: Some(change.clone()) };
                vec![call(Some(name), files.iter().map(touch).collect())]
            }
            // A look at what is not there is how agents find their way, so its failure is not told.
            Call::Look(files) => {
                let touch = |path: &String| Touch { path: path.clone(), change: None };
                vec![call(None, files.iter().map(touch).collect())]
            }
            Call::Todos(todos) => vec![What::Todos(todos.clone()), call(None, Vec::new())],
            Call::Plan(plan) => vec![What::Plan(plan.clone()), call(None, Vec::new())],
            Call::Handoff(tool) => vec![call(Some(tool), Vec::new())],
            Call::Other => vec![call(Some(name), Vec::new())],
        }
    }

    /// What is told of a call that has no id, so that its outcome cannot be known: it is taken as done.
    pub(crate) fn done(&self, name: &str) -> Vec<What> {
        let touched =
            |(path, change): &(String, FileChange)| What::Changed { path: path.clone(), change: change.clone() };
        match self {
            Call::Change(files) => files.iter().map(touched).collect(),
            Call::Look(files) => files.iter().map(|path| What::Looked { path: path.clone() }).collect(),
            Call::Handoff(tool) => vec![What::Handoff { id: String::new(), tool: tool.clone() }],
            Call::Other => Vec::new(),
            _ => self.begun("", name),
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

impl End<'_> {
    /// The end of a call, whatever it was.
    pub(crate) fn outcome(&self, id: String) -> What {
        let is_failure = self.is_failure || self.exit.is_some_and(|exit| exit != 0);
        let output = if is_failure { kept(self.output) } else { String::new() };
        What::Outcome { id, exit: self.exit, is_failure, output }
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
    let mut from = text.len().saturating_sub(OUTPUT_KEPT);
    while !text.is_char_boundary(from) {
        from += 1;
    }
    &text[from..]
}

/// An output, of which only head and tail are ever shown.
fn kept(text: &str) -> String {
    let text = text.trim();
    if text.len() <= 2 * OUTPUT_KEPT {
        return text.to_owned();
    }
    let mut to = OUTPUT_KEPT;
    while !text.is_char_boundary(to) {
        to -= 1;
    }
    format!("{}…{}", &text[..to], tail(text))
}

fn text<'a>(input: &'a Value, names: &[&str]) -> Option<&'a str> {
    let found = names.iter().find_map(|name| input.get(name)?.as_str())?;
    (!found.trim().is_empty()).then_some(found)
}

fn change(input: &Value, kind: &FileChange) -> Call {
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

/// The command a call runs: one text, a program with arguments, or a list of either.
fn command(input: &Value) -> String {
    fn one(entry: &Value) -> Option<String> {
        let mut words = entry.as_str().or_else(|| text(entry, &["command", "cmd"]))?.trim().to_owned();
        for argument in entry.get("args").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str) {
            words.push(' ');
            words.push_str(argument);
        }
        (!words.is_empty()).then_some(words)
    }
    match input.get("commands").unwrap_or(input) {
        Value::Array(entries) => entries.iter().filter_map(one).collect::<Vec<_>>().join("; "),
        other => one(other).unwrap_or_default(),
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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_tool_of_handoff_is_known_behind_any_prefix() {
        for name in ["handoff_init", "mcp_handoff_handoff_init", "handoff_handoff_init", "mcp__handoff__handoff_init"] {
            assert_eq!(handoff_tool(name).as_deref(), Some("handoff_init"), "{name}");
        }
        assert_eq!(handoff_tool("make_handoff"), None);
        assert_eq!(handoff_tool("myhandoff_init"), None);
        assert_eq!(handoff_tool("handoff_"), None);
    }

    #[test]
    fn an_exit_code_is_found_in_the_words_around_it() {
        assert_eq!(exit_code("Command failed with exit code 1."), Some(1));
        assert_eq!(exit_code("Exit code: 127\nsh: no such"), Some(127));
        assert_eq!(exit_code("many\nlines\nCommand exited with code -1"), Some(-1));
        assert_eq!(exit_code("all is well"), None);
    }

    #[test]
    fn files_are_found_under_every_name_agents_use() {
        let looks = |input: Value| match Call::of("read_file", &input) {
            Call::Look(files) => files,
            other => panic!("{other:?}"),
        };
        assert_eq!(looks(json!({"file_path": "a"})), ["a"]);
        assert_eq!(looks(json!({"filePath": "a"})), ["a"]);
        assert_eq!(looks(json!({"targetFile": "a"})), ["a"]);
        assert_eq!(looks(json!({"files": [{"path": "a"}, "b"]})), ["a", "b"]);
        assert_eq!(looks(json!({"paths": "a"})), ["a"]);
        assert_eq!(looks(json!(["a", {"path": "b"}])), ["a", "b"]);
        assert_eq!(looks(json!({})), Vec::<String>::new());
    }

    #[test]
    fn a_checklist_is_a_list_of_things_to_do() {
        let todos = checklist("# Plan\n- [x] one\n  * [ ] two\n[-] three\n- [?] what\n- [ ]\nwords");
        let told: Vec<_> = todos.iter().map(|todo| (todo.text.as_str(), todo.status)).collect();
        assert_eq!(
            told,
            [("one", TodoStatus::Completed), ("two", TodoStatus::Pending), ("three", TodoStatus::InProgress)]
        );
    }

    #[test]
    fn a_long_output_keeps_both_its_ends() {
        let end = End { exit: Some(1), is_failure: false, output: &format!("first {} last", "ü".repeat(9_000)) };
        let What::Outcome { is_failure, output, .. } = end.outcome("c".into()) else { unreachable!() };
        assert!(is_failure && output.starts_with("first ") && output.ends_with(" last"));
        assert!(output.len() < 3 * OUTPUT_KEPT);
    }
}
