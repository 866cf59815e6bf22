//! What came in on stdin, as a JSON object whose fields are asked for by name.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::Value;

/// Why stdin could not be understood. It names the place and never repeats what was said there.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Misheard {
    #[error("what the host said is no JSON object (line {line}, column {column})")]
    NotAnObject { line: usize, column: usize },
}

/// Fields of an object that somebody asks for. The rest, such as what a tool printed, can be long and is skipped.
const KNOWN: &[&str] = &[
    "agentId",
    "agent_id",
    "answer",
    "args",
    "command",
    "context_tokens",
    "context_window_size",
    "conversation_id",
    "cursor_version",
    "cwd",
    "directory",
    "error",
    "error_message",
    "file_path",
    "hookEventName",
    "hookName",
    "hook_event_name",
    "initialPrompt",
    "initial_prompt",
    "last_assistant_message",
    "loop_count",
    "model",
    "parent_agent_id",
    "parent_conversation_id",
    "parent_id",
    "postToolUse",
    "prompt",
    "prompt_response",
    "reason",
    "sessionContext",
    "sessionId",
    "session_id",
    "source",
    "status",
    "stopHookActive",
    "stopReason",
    "stop_hook_active",
    "stop_reason",
    "taskCancel",
    "taskComplete",
    "taskError",
    "taskId",
    "taskResume",
    "taskStart",
    "text",
    "timestamp",
    "todos",
    "toolArgs",
    "toolName",
    "toolResult",
    "tool_call",
    "tool_input",
    "tool_name",
    "tool_response",
    "tool_result",
    "transcriptPath",
    "transcript_path",
    "trigger",
    "turn",
    "used",
    "userPromptSubmit",
    "window",
    "workspaceRoots",
    "workspace_roots",
];

/// What a host said.
#[derive(Debug, Default)]
pub(crate) struct Said {
    fields: HashMap<String, Value>,
}

impl Said {
    pub(crate) fn read(stdin: &[u8]) -> Result<Said, Misheard> {
        let bytes = stdin.strip_prefix(b"\xef\xbb\xbf").unwrap_or(stdin);
        if bytes.trim_ascii().is_empty() {
            return Ok(Said::default());
        }
        parse(bytes)
            .or_else(|_| parse(mended(bytes).as_bytes()))
            .map_err(|error| Misheard::NotAnObject { line: error.line(), column: error.column() })
    }

    /// The first of these fields that holds something.
    pub(crate) fn value(&self, names: &[&str]) -> Option<&Value> {
        debug_assert!(names.iter().all(|name| KNOWN.contains(name)), "a field that is skipped is asked for: {names:?}");
        names.iter().filter_map(|name| self.fields.get(*name)).find(|value| !value.is_null())
    }

    /// The first of these fields that holds a text which is not empty.
    pub(crate) fn text(&self, names: &[&str]) -> Option<&str> {
        names.iter().find_map(|name| text_of(self.value(&[name])?))
    }

    pub(crate) fn number(&self, names: &[&str]) -> Option<u64> {
        names.iter().find_map(|name| number_of(self.value(&[name])?))
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.value(&[name]).is_some()
    }

    pub(crate) fn is_set(&self, names: &[&str]) -> bool {
        names.iter().any(|name| self.value(&[name]).is_some_and(|value| value == &Value::Bool(true)))
    }
}

pub(crate) fn text_of(value: &Value) -> Option<&str> {
    value.as_str().filter(|text| !text.trim().is_empty())
}

/// A count, which some hosts write with a decimal point.
pub(crate) fn number_of(value: &Value) -> Option<u64> {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked to be a count that fits")]
    value.as_u64().or_else(|| value.as_f64().filter(|count| (0.0..1e15).contains(count)).map(|count| count as u64))
}

fn parse(bytes: &[u8]) -> Result<Said, serde_json::Error> {
    let mut deserializer = serde_json::Deserializer::from_slice(bytes);
    let said = KnownFields.deserialize(&mut deserializer)?;
    deserializer.end()?;
    Ok(said)
}

/// The same with what is no UTF-8 and no whole character replaced: JavaScript writes half of a character pair as it is.
fn mended(bytes: &[u8]) -> Cow<'_, str> {
    let text = String::from_utf8_lossy(bytes);
    let mut mended = String::with_capacity(text.len());
    let mut rest = &*text;
    while let Some(at) = rest.find('\\') {
        mended.push_str(&rest[..at]);
        rest = &rest[at..];
        let taken = match (unit(rest), rest.get(6..).and_then(unit)) {
            (Some(0xd800..=0xdbff), Some(0xdc00..=0xdfff)) => 12,
            (Some(0xd800..=0xdfff), _) => {
                mended.push_str("\\ufffd");
                rest = &rest[6..];
                continue;
            }
            // The character after the backslash goes with it, so that `\\u` is not taken for an escape.
            _ => 1 + rest[1..].chars().next().map_or(0, char::len_utf8),
        };
        mended.push_str(&rest[..taken]);
        rest = &rest[taken..];
    }
    mended.push_str(rest);
    Cow::Owned(mended)
}

/// The unit of UTF-16 that an escape at the beginning of a text stands for.
fn unit(text: &str) -> Option<u16> {
    u16::from_str_radix(text.strip_prefix("\\u")?.get(..4)?, 16).ok()
}

struct KnownFields;

impl<'de> DeserializeSeed<'de> for KnownFields {
    type Value = Said;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Said, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for KnownFields {
    type Value = Said;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Said, A::Error> {
        let mut said = Said::default();
        while let Some(name) = map.next_key::<Cow<'de, str>>()? {
            if KNOWN.binary_search(&&*name).is_ok() {
                said.fields.insert(name.into_owned(), map.next_value()?);
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        Ok(said)
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn known_fields_are_in_the_order_in_which_they_are_looked_up() {
        assert!(super::KNOWN.is_sorted());
    }
}
