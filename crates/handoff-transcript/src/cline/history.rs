//! What Cline sends to the model, as events: messages of blocks, in the extension and in the newer command line.

use handoff_model::agent::{About, Event, Fill, Usage, What};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::content::text_of;
use crate::time::moment;
use crate::tool::{Call, End, checklist, exit_code};

/// How many messages were taken, and what a later one may complete.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Sent {
    taken: u64,
    is_under_way: bool,
}

impl Sent {
    /// Takes in what is new in the messages.
    pub(crate) fn take(&mut self, messages: &[Value], events: &mut Vec<Event>) {
        // A conversation that was taken back to an earlier point is shorter; what was told of it stays told.
        self.taken = self.taken.min(messages.len() as u64);
        let first = usize::try_from(self.taken).unwrap_or(messages.len());
        for (index, message) in messages.iter().enumerate().skip(first) {
            let before = events.len();
            self.message(message, events);
            let at = message.get("ts").and_then(moment);
            for event in &mut events[before..] {
                event.at = at;
                event.line = Some(index as u64 + 1);
            }
        }
        self.taken = messages.len() as u64;
    }

    fn message(&mut self, message: &Value, events: &mut Vec<Event>) {
        let mut add = |what| events.push(Event { at: None, line: None, what });
        let content = message.get("content").unwrap_or(&Value::Null);
        let blocks = content.as_array().map(Vec::as_slice).unwrap_or_default();
        if message.get("role").and_then(Value::as_str) == Some("user") {
            for result in blocks.iter().filter(|block| kind(block) == "tool_result") {
                let id = result.get("tool_use_id").and_then(Value::as_str).unwrap_or_default();
                let output = text_of(result.get("content").unwrap_or(&Value::Null));
                let is_failure = result.get("is_error").and_then(Value::as_bool).unwrap_or(false);
                let end = End { exit: exit_code(&output), is_failure, output: &output };
                add(end.outcome(id.to_owned()));
            }
            if let Some(prompt) = asked(&text_of(content)) {
                self.is_under_way = true;
                add(What::Prompt(prompt));
            }
            return;
        }
        if let Some(model) = message.pointer("/modelInfo/id").and_then(Value::as_str) {
            add(What::About(About { model: Some(model.to_owned()), ..About::default() }));
        }
        let answer = text_of(content);
        if !answer.is_empty() {
            add(What::Answer(answer));
        }
        let mut calls = 0;
        for call in blocks.iter().filter(|block| kind(block) == "tool_use") {
            calls += 1;
            let text = |name: &str| call.get(name).and_then(Value::as_str).unwrap_or_default();
            let input = call.get("input").unwrap_or(&Value::Null);
            Call::of(text("name"), input).begun(text("id"), text("name")).into_iter().for_each(&mut add);
            if let Some(progress) = input.get("task_progress").and_then(Value::as_str) {
                add(What::Todos(checklist(progress)));
            }
            if matches!(text("name"), "attempt_completion" | "submit_and_exit") {
                calls -= 1;
                let result = input.get("result").or_else(|| input.get("summary")).and_then(Value::as_str);
                result.map(|result| What::Answer(result.to_owned())).into_iter().for_each(&mut add);
            }
        }
        spent(message).into_iter().for_each(&mut add);
        if calls == 0 && std::mem::take(&mut self.is_under_way) {
            add(What::TurnEnded { seconds: None });
        }
    }
}

fn kind(block: &Value) -> &str {
    block.get("type").and_then(Value::as_str).unwrap_or_default()
}

fn spent(message: &Value) -> Vec<What> {
    let Some(metrics) = message.get("metrics") else { return Vec::new() };
    let count = |name: &str| metrics.get(name).and_then(Value::as_u64).unwrap_or(0);
    let cached = count("cacheReadTokens");
    let input = count("inputTokens").saturating_add(cached).saturating_add(count("cacheWriteTokens"));
    let output = count("outputTokens");
    if input == 0 && output == 0 {
        return Vec::new();
    }
    let fill = Fill { used: input.saturating_add(output), window: None };
    vec![What::Spent(Usage { input, cached, output }), What::Context(fill)]
}

/// What a person asked, out of what was sent in their name.
fn asked(text: &str) -> Option<String> {
    const MARKS: [&str; 5] = ["task", "feedback", "user_message", "answer", "user_input"];
    let inner: Vec<&str> = MARKS.iter().filter_map(|mark| between(text, mark)).collect();
    if !inner.is_empty() {
        return Some(inner.join("\n"));
    }
    // Results in words, reminders and surroundings are sent in the person's name too.
    let is_scaffolding = text.is_empty() || text.starts_with(['<', '[']);
    (!is_scaffolding).then(|| text.split("<environment_details>").next().unwrap_or(text).trim().to_owned())
}

fn between<'a>(text: &'a str, mark: &str) -> Option<&'a str> {
    let open = format!("<{mark}");
    // The name must end here: `<task>` and not `<task_progress>`.
    let rest =
        text.match_indices(&open).map(|(at, _)| &text[at + open.len()..]).find(|rest| rest.starts_with(['>', ' ']))?;
    let rest = &rest[rest.find('>')? + 1..];
    let inner = rest[..rest.find(&format!("</{mark}>"))?].trim();
    (!inner.is_empty()).then_some(inner)
}
