//! Cursor's agent transcripts: one message a line, without times.

use std::path::Path;

use handoff_model::agent::{About, Event, What};
use serde_json::Value;

use super::query::asked;
use crate::content::text_of;
use crate::time::moment;
use crate::tool::{Call, End, exit_code};

/// Tells what one line says; `false` when it could not be understood.
pub(crate) fn line(line: &[u8], events: &mut Vec<Event>) -> bool {
    let Ok(message) = serde_json::from_slice::<Value>(line) else { return false };
    let at = message.get("timestamp").and_then(moment);
    let mut add = |what| events.push(Event { at, line: None, what });
    if message.get("type").and_then(Value::as_str) == Some("turn_ended") {
        let is_failure =
            matches!(message.get("status").and_then(Value::as_str), Some("error" | "aborted" | "cancelled"));
        let seconds = None;
        add(if is_failure { What::TurnStopped { seconds } } else { What::TurnEnded { seconds } });
        return true;
    }
    let content = message.pointer("/message/content").or_else(|| message.get("content")).unwrap_or(&Value::Null);
    let blocks = content.as_array().map(Vec::as_slice).unwrap_or_default();
    match message.get("role").and_then(Value::as_str) {
        Some("user") => {
            if let Some(prompt) = asked(&text_of(content)) {
                add(What::Prompt(prompt));
            }
        }
        Some("assistant") => {
            let answer = text_of(content).replace("[REDACTED]", "").trim().to_owned();
            if !answer.is_empty() {
                add(What::Answer(answer));
            }
        }
        _ => {}
    }
    for block in blocks {
        let text = |name: &str| block.get(name).and_then(Value::as_str).unwrap_or_default();
        match text("type") {
            "tool_use" => {
                let call = Call::of(text("name"), block.get("input").unwrap_or(&Value::Null));
                match text("id") {
                    "" => call.done(text("name")),
                    id => call.begun(id, text("name")),
                }
                .into_iter()
                .for_each(&mut add);
            }
            "tool_result" if !text("tool_use_id").is_empty() => {
                let output = text_of(block.get("content").unwrap_or(&Value::Null));
                let is_failure = block.get("is_error").and_then(Value::as_bool).unwrap_or(false);
                let end = End { exit: exit_code(&output), is_failure, output: &output };
                add(end.outcome(text("tool_use_id").to_owned()));
            }
            _ => {}
        }
    }
    true
}

/// Who the session is: the file is named after it, and a sub-agent's lies apart.
pub(crate) fn about(path: &Path) -> About {
    let is_subagent = path.parent().and_then(Path::file_name).is_some_and(|name| name == "subagents");
    About {
        session: path.file_stem().and_then(|stem| stem.to_str()).map(str::to_owned),
        is_subagent,
        ..About::default()
    }
}
