//! OpenCode: the plugin is handoff's own, so are its words; beside them those of OpenCode's events are understood.

use std::path::PathBuf;

use handoff_model::agent::{Heard, HookEvent};
use serde_json::Value;

use super::common;
use super::said::Said;
use super::tool::{self, Used};

pub(crate) fn hear(said: &Said, event: HookEvent) -> Heard {
    let mut heard = common::hear(said, event);
    heard.cwd = heard.cwd.or_else(|| said.text(&["directory"]).map(PathBuf::from));
    heard.is_subagent |= said.text(&["parent_id"]).is_some();
    heard.answer = heard.answer.or_else(|| said.text(&["answer"]).map(str::to_owned));
    if let (Some(name), Some(input)) = (said.text(&["tool_name"]), said.value(&["args"])) {
        Used::of(name, input).tell(&mut heard);
    }
    if let Some(list) = said.value(&["todos"]) {
        heard.todos = tool::todos(&Value::Object([("todos".to_owned(), list.clone())].into_iter().collect()));
    }
    heard
}
