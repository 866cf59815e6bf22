//! One bubble of a session in Cursor's editor, as events.

use handoff_model::agent::{About, Event, Usage, What};
use serde_json::Value;

use crate::time::moment;
use crate::tool::{Call, End, exit_code};

/// A bubble about to be told.
pub(super) struct Reading<'a> {
    pub(super) index: usize,
    pub(super) told: &'a mut Vec<String>,
    /// Whether the bubble is taken as it is
    pub(super) is_settled: bool,
    pub(super) is_under_way: &'a mut bool,
}

impl Reading<'_> {
    /// Tells what is new in a bubble, and whether it will change no more.
    pub(super) fn tell(&mut self, bubble: &Value, events: &mut Vec<Event>) -> bool {
        let at = bubble.get("createdAt").and_then(moment);
        let line = Some(self.index as u64 + 1);
        let mut add = |what| events.push(Event { at, line, what });
        let text = bubble.get("text").and_then(Value::as_str).unwrap_or_default().trim();
        if bubble.get("type").and_then(Value::as_u64) == Some(1) {
            if !text.is_empty() && self.is_new("prompt") {
                *self.is_under_way = true;
                add(What::Prompt(text.to_owned()));
            }
            return true;
        }
        if !text.is_empty() && self.is_settled && self.is_new("text") {
            add(What::Answer(text.to_owned()));
        }
        if self.is_settled && self.is_new("about") {
            about_answer(bubble).into_iter().for_each(&mut add);
        }
        let Some(tool) = bubble.get("toolFormerData").filter(|tool| tool.get("name").is_some()) else { return true };
        let field = |name: &str| tool.get(name).and_then(Value::as_str).unwrap_or_default();
        let id = field("toolCallId");
        let input = serde_json::from_str(field("params")).unwrap_or(Value::Null);
        let call = Call::of(field("name"), &input);
        if self.is_new("call") {
            call.begun(id, field("name")).into_iter().for_each(&mut add);
        }
        let is_failure = match field("status") {
            "completed" => false,
            "error" => true,
            "cancelled" => return true,
            _ => return false,
        };
        if self.is_new("end") {
            let result: Value = serde_json::from_str(field("result")).unwrap_or(Value::Null);
            let exit = ["exitCode", "exit_code", "exitCodeV2"].iter().find_map(|name| result.get(name)?.as_i64());
            let output = result.get("output").or_else(|| result.get("error")).and_then(Value::as_str);
            let output = output.unwrap_or(field("result"));
            let exit = exit.and_then(|exit| i32::try_from(exit).ok()).or_else(|| exit_code(output));
            add(End { exit, is_failure, output }.outcome(id.to_owned()));
        }
        true
    }

    fn is_new(&mut self, what: &str) -> bool {
        let key = format!("{}.{what}", self.index);
        let is_new = !self.told.contains(&key);
        if is_new {
            self.told.push(key);
        }
        is_new
    }
}

fn about_answer(bubble: &Value) -> Vec<What> {
    let mut said = Vec::new();
    if let Some(model) = bubble.pointer("/modelInfo/modelName").and_then(Value::as_str) {
        said.push(What::About(About { model: Some(model.to_owned()), ..About::default() }));
    }
    let count = |pointer: &str| bubble.pointer(pointer).and_then(Value::as_u64).unwrap_or(0);
    let (input, output) = (count("/tokenCount/inputTokens"), count("/tokenCount/outputTokens"));
    if input > 0 || output > 0 {
        said.push(What::Spent(Usage { input, cached: 0, output }));
    }
    said
}
