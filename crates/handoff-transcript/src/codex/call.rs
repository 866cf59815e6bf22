//! Calls of tools, and what Codex tells of how they ended.
//!
//! One call may be told up to three times: as the model made it, as what was done, as what the model got back. **Invariant:**
//! a call is begun by the first of them and ended by the first that can tell how; the others are passed over.

use handoff_model::agent::{FileChange, Touch, What};
use serde_json::value::RawValue;

use super::Carried;
use super::record::{Answered, Arguments, Change, Changes, Done, Invocation, Item, Moved, Parsed, Problem};
use super::script;
use crate::lines::Tell;
use crate::patch;
use crate::text::{Text, content_text, part};
use crate::tool::{exit_code, handoff_tool};

/// How many calls are remembered until they end.
const OPEN: usize = 32;

/// A call that has not ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Kind {
    Command,
    /// The files stand in the call
    Patch,
    /// What was done to files is told apart from the call
    PatchToldApart,
    Script,
    Mcp,
}

/// Tells of a call that the model made.
pub(super) fn begin(item: &Item<'_>, carried: &mut Carried, tell: &mut Tell<'_>) {
    let id = item.call_id.as_str();
    let name = item.name.as_str();
    let arguments: Arguments<'_> = serde_json::from_str(item.arguments.as_str()).unwrap_or_default();
    match name {
        "update_plan" => tell.say(What::Todos(script::steps(part(arguments.plan)))),
        "exec" if item.kind.as_str() == "custom_tool_call" => {
            if let Some(todos) = script::plan(item.input.as_str()) {
                tell.say(What::Todos(todos));
            }
            carried.open(id, Kind::Script);
            tell.say(call(id, name, Vec::new()));
        }
        "apply_patch" => {
            let text = item.input.some().unwrap_or(arguments.input.as_str());
            begin_patch(id, text, carried, tell);
        }
        "exec_command" | "shell" | "shell_command" | "local_shell" | "container.exec" | "" => {
            let action: Arguments<'_> = part(item.action);
            let words = arguments.command.or(action.command);
            let command = arguments.cmd.some().map_or_else(|| command_text(words), str::to_owned);
            if let Some(patch) = patch_in(&command) {
                begin_patch(id, patch, carried, tell);
            } else if !command.is_empty() {
                carried.open(id, Kind::Command);
                tell.say(What::Command { id: id.to_owned(), command });
            }
        }
        _ => {
            let handoff = handoff_tool(name);
            let is_mcp = name.contains("__") || handoff.is_some();
            if is_mcp {
                carried.open(id, Kind::Mcp);
                tell.say(call(id, handoff.as_deref().unwrap_or(name), Vec::new()));
            }
        }
    }
}

fn begin_patch(id: &str, text: &str, carried: &mut Carried, tell: &mut Tell<'_>) {
    let kind = if carried.tells_items { Kind::PatchToldApart } else { Kind::Patch };
    let files = if kind == Kind::Patch { patch::files(text) } else { Vec::new() };
    let touches = files.into_iter().map(|(path, change)| Touch { path, change: Some(change) }).collect();
    carried.open(id, kind);
    tell.say(call(id, "apply_patch", touches));
}

fn call(id: &str, name: &str, touches: Vec<Touch>) -> What {
    What::Call { id: id.to_owned(), name: Some(name.to_owned()), touches }
}

/// Tells how a call ended, by what the model got back.
pub(super) fn end(item: &Item<'_>, carried: &mut Carried, tell: &mut Tell<'_>) {
    let id = item.call_id.as_str();
    let Some(kind) = carried.kind_of(id) else { return };
    let text = output_text(item.output);
    let exit = exit_in(&text);
    let output = text.split_once("Output:\n").map_or(text.as_str(), |(_, output)| output);
    let is_failure = match kind {
        Kind::Command if text.contains("Process running with session ID") => return,
        Kind::Command => exit.is_none_or(|exit| exit != 0),
        Kind::Patch | Kind::PatchToldApart => exit != Some(0) && !text.contains("Success. Updated"),
        Kind::Script => text.starts_with("Script failed"),
        Kind::Mcp => output.trim_start().starts_with("Error") || text.contains("tool call error:"),
    };
    let output = output.trim_start().strip_prefix("Script error:\n").unwrap_or(output);
    carried.close(id);
    tell.say(What::Outcome { id: id.to_owned(), exit, is_failure, output: output.to_owned() });
}

/// Tells of a command that was run.
pub(super) fn ran(done: &Done<'_>, carried: &mut Carried, tell: &mut Tell<'_>) {
    let id = done.id.as_str();
    if carried.close(id).is_none() {
        tell.say(What::Command { id: id.to_owned(), command: command_text(done.command) });
    }
    let is_failure = done.exit_code.map_or(matches!(done.status.as_str(), "failed" | "declined"), |exit| exit != 0);
    let all = done.aggregated_output.some().map(str::to_owned);
    let output = all.unwrap_or_else(|| format!("{}\n{}", done.stdout.as_str(), done.stderr.as_str()));
    let output = if is_failure { output } else { String::new() };
    tell.say(What::Outcome { id: id.to_owned(), exit: done.exit_code, is_failure, output });
    let parsed: Vec<Parsed<'_>> = part(done.parsed_cmd);
    for read in parsed.iter().filter(|parsed| parsed.kind.as_str() == "read" && !is_failure) {
        if let Some(path) = read.path.some() {
            tell.say(What::Looked { path: within(&local_path(done.cwd.as_str()), path) });
        }
    }
}

/// Tells of files that were changed.
pub(super) fn changed(done: &Done<'_>, carried: &mut Carried, tell: &mut Tell<'_>) {
    let id = done.id.as_str();
    let is_failure = done.success == Some(false) || matches!(done.status.as_str(), "failed" | "declined");
    let known = carried.close(id);
    if known.is_some() {
        tell.say(outcome(id, is_failure, done.stderr.as_str()));
    } else if is_failure {
        tell.say(What::Failed(format!("apply_patch: {}", done.stderr.as_str())));
    }
    if is_failure || known == Some(Kind::Patch) {
        return;
    }
    let changes: Changes<'_> = part(done.changes);
    for (path, change) in &changes {
        tell.say(What::Changed { path: local_path(path), change: change.what() });
    }
}

/// Tells of a call of an MCP server.
pub(super) fn asked_server(done: &Done<'_>, carried: &mut Carried, tell: &mut Tell<'_>) {
    let id = done.id.as_str();
    if carried.close(id).is_none() {
        let invocation: Invocation<'_> = part(done.invocation);
        let server = done.server.some().unwrap_or(invocation.server.as_str());
        let tool = done.tool.some().unwrap_or(invocation.tool.as_str());
        let name = handoff_tool(tool).unwrap_or_else(|| format!("{server}/{tool}"));
        tell.say(call(id, &name, Vec::new()));
    }
    let mut answered: Answered<'_> = part(done.result);
    let problem: Problem<'_> = part(done.error);
    let badly = std::mem::take(&mut answered.badly).owned().or(problem.message.owned());
    if answered.well.is_some() {
        answered = part(answered.well);
    }
    let is_failure = badly.is_some() || answered.is_error == Some(true) || done.status.as_str() == "failed";
    let text = badly.unwrap_or_else(|| if is_failure { content_text(answered.content) } else { String::new() });
    tell.say(outcome(id, is_failure, text.trim_start_matches("Error: ")));
}

fn outcome(id: &str, is_failure: bool, output: &str) -> What {
    What::Outcome { id: id.to_owned(), exit: None, is_failure, output: output.to_owned() }
}

impl Carried {
    fn open(&mut self, id: &str, kind: Kind) {
        self.open.push((id.to_owned(), kind));
        if self.open.len() > OPEN {
            self.open.remove(0);
        }
    }

    fn kind_of(&self, id: &str) -> Option<Kind> {
        self.open.iter().rfind(|(open, _)| open == id).map(|(_, kind)| *kind)
    }

    fn close(&mut self, id: &str) -> Option<Kind> {
        let place = self.open.iter().rposition(|(open, _)| open == id)?;
        Some(self.open.remove(place).1)
    }
}

impl Change<'_> {
    fn what(&self) -> FileChange {
        let update: Moved<'_> = part(self.update);
        let to = self.move_path.some().or(update.move_path.some());
        match self.kind.as_str() {
            _ if to.is_some() => FileChange::Moved { to: local_path(to.unwrap_or_default()) },
            "add" => FileChange::Added,
            "delete" => FileChange::Deleted,
            "" if self.add.is_some() => FileChange::Added,
            "" if self.delete.is_some() => FileChange::Deleted,
            _ => FileChange::Updated,
        }
    }
}

/// A command as a person would type it, without the shell that it was given to.
fn command_text(raw: Option<&RawValue>) -> String {
    let Some(raw) = raw else { return String::new() };
    if raw.get().starts_with('"') {
        return part::<String>(Some(raw));
    }
    let words: Vec<Text<'_>> = part(Some(raw));
    match words.as_slice() {
        [_, flag, script] if matches!(flag.as_str(), "-lc" | "-c" | "-Command" | "/c") => script.as_str().to_owned(),
        words => words.iter().map(Text::as_str).collect::<Vec<_>>().join(" "),
    }
}

/// The patch in a command that applies one.
fn patch_in(command: &str) -> Option<&str> {
    let patch = command.trim_start().strip_prefix("apply_patch")?;
    patch.find("*** Begin Patch").map(|at| &patch[at..])
}

/// What the model got back: a text, a list of texts, or, in older files, JSON with the exit code.
fn output_text(raw: Option<&RawValue>) -> String {
    #[derive(Default, serde::Deserialize)]
    #[serde(default)]
    struct Packed<'a> {
        #[serde(borrow)]
        output: Text<'a>,
        #[serde(borrow)]
        content: Text<'a>,
        metadata: Option<Metadata>,
    }
    #[derive(Default, serde::Deserialize)]
    #[serde(default)]
    struct Metadata {
        exit_code: Option<i32>,
    }
    let text = match raw.map(RawValue::get) {
        Some(json) if json.starts_with('{') => json.to_owned(),
        _ => content_text(raw),
    };
    let Ok(packed) = serde_json::from_str::<Packed<'_>>(&text) else { return text };
    let Some(words) = packed.output.some().or(packed.content.some()) else { return text };
    match packed.metadata.and_then(|metadata| metadata.exit_code) {
        Some(code) => format!("Exit code: {code}\nOutput:\n{words}"),
        None => words.to_owned(),
    }
}

/// The exit code in what stands before the output.
fn exit_in(text: &str) -> Option<i32> {
    let before = text.split_once("Output:\n").map_or(text, |(before, _)| before);
    before.lines().take(6).find_map(exit_code)
}

/// A path that may be written as a URI.
pub(super) fn local_path(text: &str) -> String {
    let Some(path) = text.strip_prefix("file://") else { return text.to_owned() };
    let mut bytes = Vec::with_capacity(path.len());
    let mut rest = path.as_bytes();
    while let [first, after @ ..] = rest {
        let coded = after.get(..2).filter(|_| *first == b'%').and_then(|code| std::str::from_utf8(code).ok());
        if let Some(byte) = coded.and_then(|code| u8::from_str_radix(code, 16).ok()) {
            bytes.push(byte);
            rest = &after[2..];
        } else {
            bytes.push(*first);
            rest = after;
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn within(directory: &str, path: &str) -> String {
    let is_absolute = path.starts_with(['/', '~']) || path.get(1..2) == Some(":");
    if is_absolute || directory.is_empty() {
        return path.to_owned();
    }
    format!("{}/{path}", directory.trim_end_matches('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_as_a_uri_is_one_on_this_machine() {
        assert_eq!(local_path("file:///home/dev/my%20app/%C3%BC%"), "/home/dev/my app/ü%");
        assert_eq!(local_path("/plain/%20"), "/plain/%20");
    }

    #[test]
    fn the_exit_code_stands_before_the_output() {
        assert_eq!(exit_in("Chunk ID: 1\nProcess exited with code 3\nOutput:\nExit code: 0\n"), Some(3));
        assert_eq!(exit_in("apply_patch verification failed: exit code"), None);
    }
}
