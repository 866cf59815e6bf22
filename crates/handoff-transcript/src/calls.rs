//! Calls whose results come in a later message.

use handoff_model::agent::What;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::tool::{Call, End};

/// How many calls may wait for their results; agents make a few at a time.
const WAITING: usize = 64;

/// Calls that were made and not yet answered.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct Calls(Vec<Pending>);

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Pending {
    id: String,
    name: String,
    call: Call,
}

impl Calls {
    /// A call is made. One without an id can have no result, and counts as done.
    pub(crate) fn begin(&mut self, id: &str, name: &str, input: &Value) -> Vec<What> {
        let call = Call::of(name, input);
        let mut told = call.begun(id);
        if id.is_empty() {
            if !matches!(call, Call::Run(_)) {
                told.extend(call.ended(id, name, &End::default()));
            }
            return told;
        }
        self.0.push(Pending { id: id.to_owned(), name: name.to_owned(), call });
        let excess = self.0.len().saturating_sub(WAITING);
        self.0.drain(..excess);
        told
    }

    /// Its result has come.
    pub(crate) fn end(&mut self, id: &str, end: &End<'_>) -> Vec<What> {
        let Some(at) = self.0.iter().position(|pending| pending.id == id) else { return Vec::new() };
        let Pending { name, call, .. } = self.0.remove(at);
        call.ended(id, &name, end)
    }

    /// The turn is over, and what has no result will get none: it is taken as done, commands as they are.
    pub(crate) fn give_up(&mut self) -> Vec<What> {
        let done = self.0.drain(..).filter(|pending| !matches!(pending.call, Call::Run(_) | Call::Handoff(_)));
        done.flat_map(|pending| pending.call.ended(&pending.id, &pending.name, &End::default())).collect()
    }
}

/// The text of a message's content: it is a text, or blocks of which some are.
pub(crate) fn text_of(content: &Value) -> String {
    let block = |block: &Value| match block.get("type").and_then(Value::as_str) {
        Some("text" | "output_text") | None => block.get("text").or(Some(block)).and_then(Value::as_str).map(str::to_owned),
        Some(_) => None,
    };
    match content {
        Value::Array(blocks) => blocks.iter().filter_map(block).collect::<Vec<_>>().join("\n").trim().to_owned(),
        Value::Object(_) => block(content).unwrap_or_else(|| content.to_string()),
        Value::String(text) => text.trim().to_owned(),
        _ => String::new(),
    }
}
