//! Cline: the extension says what happened in an object named after the event, the command line in `tool_result` and
//! the like. Both call a conversation `taskId`; its files, though, go by the session it belongs to.

use handoff_model::agent::{Heard, HookEvent, StartSource};
use serde_json::Value;

use super::common::{self, first_root};
use super::said::{Said, text_of};
use super::tool::Used;

pub(crate) fn hear(said: &Said, event: HookEvent) -> Heard {
    let mut heard = common::hear(said, event);
    let root = said.value(&["sessionContext"]).and_then(|context| text_of(context.get("rootSessionId")?));
    heard.session = root.or_else(|| said.text(&["taskId"])).map(str::to_owned);
    heard.cwd = first_root(said, &["workspaceRoots"]).or(heard.cwd);
    // Every call names its agent; only that of another one is a sub-agent's.
    heard.is_subagent = said.text(&["parent_agent_id"]).is_some();
    if matches!(said.text(&["hookName"]), Some("TaskResume" | "agent_resume")) {
        heard.source = StartSource::Resume;
    }
    if let Some(words) = said.value(&["userPromptSubmit"]) {
        heard.prompt = words.get("prompt").and_then(text_of).map(str::to_owned);
    }
    if let Some(start) = said.value(&["taskStart", "taskResume"]) {
        let task = start.get("taskMetadata").and_then(|about| about.get("initialTask")).and_then(text_of);
        heard.prompt = heard.prompt.or_else(|| task.map(str::to_owned));
    }
    if let Some(tool) = said.value(&["tool_result", "tool_call", "postToolUse"]) {
        hear_tool(tool, &mut heard);
    }
    if let Some(end) = said.value(&["taskComplete", "taskCancel", "taskError"]) {
        let about = end.get("taskMetadata").unwrap_or(end);
        heard.reason = about.get("completionStatus").and_then(text_of).map(str::to_owned).or(heard.reason);
        heard.answer = about.get("result").and_then(text_of).map(str::to_owned);
    }
    if let Some(turn) = said.value(&["turn"]) {
        heard.answer = ["outputText", "text"].iter().find_map(|key| text_of(turn.get(key)?)).map(str::to_owned);
    }
    heard
}

fn hear_tool(tool: &Value, heard: &mut Heard) {
    let failed = |part: &Value| part.get("success") == Some(&Value::Bool(false));
    let result = ["result", "output"].iter().find_map(|key| text_of(tool.get(key)?));
    // A tool that did several things tells of each; a command that failed is one of them.
    let mut parts = tool.get("output").and_then(Value::as_array).into_iter().flatten();
    let failure = tool.get("error").and_then(common::message);
    let failure = failure.or_else(|| failed(tool).then(|| result.unwrap_or("failed")));
    let failure = failure.or_else(|| parts.find(|part| failed(part))?.get("error").and_then(text_of));
    heard.failure = failure.map(str::to_owned);
    let name = ["toolName", "name"].iter().find_map(|key| text_of(tool.get(key)?));
    let input = ["parameters", "input"].iter().find_map(|key| tool.get(key)).unwrap_or(&Value::Null);
    Used::of(name.unwrap_or_default(), input).tell(heard);
}
