//! GitHub Copilot CLI and its cloud agent: the common words, in camel case where the event is written so.

use handoff_model::agent::{Heard, HookEvent};

use super::common;
use super::said::{Said, text_of};

pub(crate) fn hear(said: &Said, event: HookEvent) -> Heard {
    let mut heard = common::hear(said, event);
    heard.prompt = heard.prompt.or_else(|| said.text(&["initialPrompt", "initial_prompt"]).map(str::to_owned));
    if let Some(result) = said.value(&["toolResult", "tool_result"]) {
        let kind = ["resultType", "result_type"].iter().find_map(|key| text_of(result.get(key)?));
        let text = ["textResultForLlm", "text_result_for_llm"].iter().find_map(|key| text_of(result.get(key)?));
        if let Some(kind) = kind.filter(|kind| *kind != "success") {
            heard.failure = Some(text.unwrap_or(kind).to_owned());
            heard.is_change = false;
        } else if heard.command.is_some() {
            heard.failure = text.and_then(exit);
        }
    }
    heard
}

/// A command that failed succeeded as a tool; its exit code stands at the end of the text for the model.
fn exit(text: &str) -> Option<String> {
    let (_, code) = text.rsplit_once("completed with exit code ")?;
    let code = code.trim_end().strip_suffix('>')?;
    (code != "0").then(|| format!("exit code {code}"))
}
