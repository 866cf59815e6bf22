//! The records of Codex, as far as they are read.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::value::RawValue;

use crate::text::Text;

/// A line. In the oldest files the payload stands in it without an envelope.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Line<'a> {
    #[serde(borrow)]
    pub(super) timestamp: Text<'a>,
    #[serde(borrow, rename = "type")]
    pub(super) kind: Text<'a>,
    #[serde(borrow)]
    pub(super) payload: Option<&'a RawValue>,
    /// Of an oldest file's first line
    #[serde(borrow)]
    pub(super) id: Text<'a>,
    #[serde(borrow)]
    pub(super) record_type: Text<'a>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Meta<'a> {
    #[serde(borrow)]
    pub(super) id: Text<'a>,
    #[serde(borrow)]
    pub(super) forked_from_id: Text<'a>,
    #[serde(borrow)]
    pub(super) parent_thread_id: Text<'a>,
    #[serde(borrow)]
    pub(super) cwd: Text<'a>,
    #[serde(borrow)]
    pub(super) cli_version: Text<'a>,
    #[serde(borrow)]
    pub(super) thread_source: Text<'a>,
    #[serde(borrow)]
    pub(super) source: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(super) history_mode: Text<'a>,
    #[serde(borrow)]
    pub(super) git: Option<&'a RawValue>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Git<'a> {
    #[serde(borrow)]
    pub(super) branch: Text<'a>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct TurnContext<'a> {
    #[serde(borrow)]
    pub(super) cwd: Text<'a>,
    #[serde(borrow)]
    pub(super) model: Text<'a>,
}

/// What the model was given or gave.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Item<'a> {
    #[serde(borrow, rename = "type")]
    pub(super) kind: Text<'a>,
    #[serde(borrow)]
    pub(super) role: Text<'a>,
    #[serde(borrow)]
    pub(super) content: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(super) call_id: Text<'a>,
    #[serde(borrow)]
    pub(super) name: Text<'a>,
    #[serde(borrow)]
    pub(super) arguments: Text<'a>,
    #[serde(borrow)]
    pub(super) input: Text<'a>,
    #[serde(borrow)]
    pub(super) action: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(super) output: Option<&'a RawValue>,
    #[serde(borrow, rename = "internal_chat_message_metadata_passthrough")]
    pub(super) metadata: Option<&'a RawValue>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Metadata<'a> {
    #[serde(borrow)]
    pub(super) content_item_kinds: Vec<Text<'a>>,
}

/// What happened, as Codex tells it to whoever watches.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Happened<'a> {
    #[serde(borrow, rename = "type")]
    pub(super) kind: Text<'a>,
    #[serde(borrow)]
    pub(super) item: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(super) message: Text<'a>,
    #[serde(borrow)]
    pub(super) last_agent_message: Text<'a>,
    #[serde(borrow)]
    pub(super) error: Option<&'a RawValue>,
    pub(super) duration_ms: Option<f64>,
    pub(super) num_turns: Option<u32>,
    #[serde(borrow)]
    pub(super) info: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(super) plan: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(super) thread_name: Text<'a>,
}

/// Something that was done, in either mode of history.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Done<'a> {
    #[serde(borrow, rename = "type")]
    pub(super) kind: Text<'a>,
    #[serde(borrow, alias = "call_id")]
    pub(super) id: Text<'a>,
    #[serde(borrow)]
    pub(super) content: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(super) text: Text<'a>,
    #[serde(borrow)]
    pub(super) command: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(super) cwd: Text<'a>,
    #[serde(borrow)]
    pub(super) parsed_cmd: Option<&'a RawValue>,
    pub(super) exit_code: Option<i32>,
    #[serde(borrow)]
    pub(super) status: Text<'a>,
    pub(super) success: Option<bool>,
    #[serde(borrow)]
    pub(super) aggregated_output: Text<'a>,
    #[serde(borrow)]
    pub(super) stdout: Text<'a>,
    #[serde(borrow)]
    pub(super) stderr: Text<'a>,
    #[serde(borrow)]
    pub(super) changes: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(super) tool: Text<'a>,
    #[serde(borrow)]
    pub(super) server: Text<'a>,
    #[serde(borrow)]
    pub(super) invocation: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(super) result: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(super) error: Option<&'a RawValue>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Invocation<'a> {
    #[serde(borrow)]
    pub(super) server: Text<'a>,
    #[serde(borrow)]
    pub(super) tool: Text<'a>,
}

/// What an MCP server answered, bare or within `Ok` or `Err`.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Answered<'a> {
    #[serde(borrow)]
    pub(super) content: Option<&'a RawValue>,
    #[serde(rename = "isError", alias = "is_error")]
    pub(super) is_error: Option<bool>,
    #[serde(borrow, rename = "Ok")]
    pub(super) well: Option<&'a RawValue>,
    #[serde(borrow, rename = "Err")]
    pub(super) badly: Text<'a>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Problem<'a> {
    #[serde(borrow)]
    pub(super) message: Text<'a>,
}

pub(super) type Changes<'a> = BTreeMap<String, Change<'a>>;

/// A change of a file: its kind is a field, or in older files the name of the only field.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Change<'a> {
    #[serde(borrow, rename = "type")]
    pub(super) kind: Text<'a>,
    #[serde(borrow)]
    pub(super) move_path: Text<'a>,
    pub(super) add: Option<IgnoredAny>,
    pub(super) delete: Option<IgnoredAny>,
    #[serde(borrow)]
    pub(super) update: Option<&'a RawValue>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Moved<'a> {
    #[serde(borrow)]
    pub(super) move_path: Text<'a>,
}

/// What Codex makes of a command, such as reading a file.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Parsed<'a> {
    #[serde(borrow, rename = "type")]
    pub(super) kind: Text<'a>,
    #[serde(borrow)]
    pub(super) path: Text<'a>,
}

/// How a function is called.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Arguments<'a> {
    #[serde(borrow)]
    pub(super) cmd: Text<'a>,
    #[serde(borrow)]
    pub(super) command: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(super) input: Text<'a>,
    #[serde(borrow)]
    pub(super) plan: Option<&'a RawValue>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Step<'a> {
    #[serde(borrow)]
    pub(super) step: Text<'a>,
    #[serde(borrow)]
    pub(super) status: Text<'a>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct TokenInfo {
    pub(super) total_token_usage: Tokens,
    pub(super) last_token_usage: Tokens,
    pub(super) model_context_window: Option<u64>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Tokens {
    #[serde(rename = "input_tokens")]
    pub(super) input: u64,
    #[serde(rename = "cached_input_tokens")]
    pub(super) cached: u64,
    #[serde(rename = "output_tokens")]
    pub(super) output: u64,
    #[serde(rename = "total_tokens")]
    pub(super) total: u64,
}
