//! What most hosts say the same way: the words of Claude Code, in its spelling or in camel case.

use std::path::{Path, PathBuf};

use handoff_model::agent::{Fill, Heard, HookEvent, StartSource};
use serde_json::Value;

use super::said::{Said, text_of};
use super::tool::Used;

/// Claude Code, Codex and VS Code, and what the others have in common with them.
pub(crate) fn hear(said: &Said, event: HookEvent) -> Heard {
    let mut heard = Heard {
        session: said.text(&["session_id", "sessionId"]).map(str::to_owned),
        transcript: said.text(&["transcript_path", "transcriptPath"]).map(PathBuf::from),
        cwd: said.text(&["cwd"]).map(PathBuf::from),
        source: said.text(&["source"]).map(source).unwrap_or_default(),
        model: said.value(&["model"]).and_then(model),
        prompt: said.text(&["prompt"]).map(str::to_owned),
        failure: said.value(&["error"]).and_then(message).map(str::to_owned),
        answer: said.text(&["last_assistant_message"]).map(str::to_owned),
        fill: fill(said),
        is_subagent: said.text(&["agent_id", "agentId"]).is_some(),
        is_repeated: said.is_set(&["stop_hook_active", "stopHookActive"]),
        reason: said.text(&["reason", "trigger", "stop_reason", "stopReason"]).map(str::to_owned),
        ..Heard::default()
    };
    if event == HookEvent::TurnEnd && heard.failure.is_some() {
        // The turn broke off: what the agent "said" last is the message of the failure, and tells more than its kind.
        heard.failure = heard.answer.take().or(heard.failure);
    }
    if let Some(name) = said.text(&["tool_name", "toolName"]) {
        let input = said.value(&["tool_input", "toolArgs"]).unwrap_or(&Value::Null);
        Used::of(name, input).tell(&mut heard);
    }
    heard
}

pub(crate) fn source(word: &str) -> StartSource {
    match word {
        "resume" => StartSource::Resume,
        "clear" => StartSource::Clear,
        "compact" => StartSource::Compact,
        "fork" => StartSource::Fork,
        _ => StartSource::Startup,
    }
}

/// A model is told by its name, or as an object that has one.
pub(crate) fn model(value: &Value) -> Option<String> {
    let name =
        text_of(value).or_else(|| ["id", "slug", "modelID", "name"].iter().find_map(|key| text_of(value.get(key)?)));
    name.map(str::to_owned)
}

/// A failure is told in words, or as an object that has some.
pub(crate) fn message(value: &Value) -> Option<&str> {
    text_of(value).or_else(|| text_of(value.get("message")?))
}

fn fill(said: &Said) -> Option<Fill> {
    let used = said.number(&["context_tokens", "used"])?;
    Some(Fill { used, window: said.number(&["context_window_size", "window"]).filter(|window| *window > 0) })
}

/// The first of several directories.
pub(crate) fn first_root(said: &Said, names: &[&str]) -> Option<PathBuf> {
    let root = said.value(names)?.as_array()?.first()?;
    Some(PathBuf::from(plain(text_of(root)?)))
}

/// A path as the operating system writes it: some hosts put a slash before a Windows drive.
pub(crate) fn plain(path: &str) -> &str {
    match path.as_bytes() {
        [b'/', drive, b':', b'/', ..] if drive.is_ascii_alphabetic() => &path[1..],
        _ => path,
    }
}

/// `path` in full, where it was said in relation to the directory the agent works in.
pub(crate) fn in_full(path: &str, cwd: Option<&Path>) -> PathBuf {
    let path = plain(path);
    let has_drive = matches!(path.as_bytes(), [drive, b':', ..] if drive.is_ascii_alphabetic());
    match cwd {
        Some(cwd) if !has_drive => cwd.join(path),
        _ => PathBuf::from(path),
    }
}
