//! Content of messages, in the blocks that several agents use.

use serde_json::Value;

/// The text of a message's content: it is a text, or blocks of which some are.
pub(crate) fn text_of(content: &Value) -> String {
    let block = |block: &Value| match block.get("type").and_then(Value::as_str) {
        Some("text" | "output_text") | None => {
            block.get("text").or(Some(block)).and_then(Value::as_str).map(str::to_owned)
        }
        Some(_) => None,
    };
    match content {
        Value::Array(blocks) => blocks.iter().filter_map(block).collect::<Vec<_>>().join("\n").trim().to_owned(),
        Value::Object(_) => block(content).unwrap_or_else(|| content.to_string()),
        Value::String(text) => text.trim().to_owned(),
        _ => String::new(),
    }
}
