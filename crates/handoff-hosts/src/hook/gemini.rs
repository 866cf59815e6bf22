//! Gemini CLI: what is its own beside the common words.

use handoff_model::agent::{Heard, HookEvent};
use serde_json::Value;

use super::common;
use super::said::{Said, text_of};

pub(crate) fn hear(said: &Said, event: HookEvent) -> Heard {
    let mut heard = common::hear(said, event);
    heard.prompt = heard.prompt.as_deref().map(without_context).map(str::to_owned);
    heard.answer = said.text(&["prompt_response"]).map(str::to_owned);
    let response = said.value(&["tool_response"]);
    let failed = response.and_then(|response| common::message(response.get("error")?).map(str::to_owned));
    if let Some(failure) = failed.or_else(|| heard.command.is_some().then(|| exit(response?)).flatten()) {
        heard.failure = Some(failure);
        heard.is_change = false;
    }
    heard
}

/// The prompt as it was typed: what a hook injected at the start of the session stands in front of it.
fn without_context(prompt: &str) -> &str {
    const BEGIN: &str = "<hook_context>";
    const END: &str = "</hook_context>";
    let mut rest = prompt;
    while let Some((_, after)) = rest.strip_prefix(BEGIN).and_then(|inside| inside.split_once(END)) {
        rest = after.trim_start();
    }
    rest
}

/// A command that failed succeeded as a tool; its exit code stands in the text for the model.
fn exit(response: &Value) -> Option<String> {
    let line = text_of(response.get("llmContent")?)?.lines().find_map(|line| line.strip_prefix("Exit Code: "))?;
    (line.trim() != "0").then(|| format!("exit code {}", line.trim()))
}
