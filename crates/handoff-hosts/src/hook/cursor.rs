//! Cursor: conversations go by `conversation_id`, since `session_id` changes within one.

use handoff_model::agent::{Heard, HookEvent};

use super::common::{self, first_root, in_full};
use super::said::Said;

pub(crate) fn hear(said: &Said, event: HookEvent) -> Heard {
    let mut heard = common::hear(said, event);
    let root = first_root(said, &["workspace_roots"]);
    heard.session = said.text(&["conversation_id", "session_id"]).map(str::to_owned);
    // A command has a directory of its own; the conversation's is that of its window.
    heard.cwd = root.or(heard.cwd);
    heard.transcript = said.text(&["transcript_path"]).map(|path| common::plain(path).into());
    heard.is_subagent |= said.text(&["parent_conversation_id"]).is_some()
        || said.text(&["hook_event_name"]).is_some_and(|name| name.starts_with("subagent"));
    heard.is_repeated |= said.number(&["loop_count"]).is_some_and(|count| count > 0);
    heard.failure = heard.failure.or_else(|| said.text(&["error_message"]).map(str::to_owned));
    match said.text(&["hook_event_name"]) {
        Some("afterAgentResponse") => heard.answer = said.text(&["text"]).map(str::to_owned),
        Some("stop") => {
            let status = said.text(&["status"]).filter(|status| *status != "completed").map(str::to_owned);
            heard.reason.clone_from(&status);
            heard.failure = heard.failure.or_else(|| status.filter(|status| status == "error"));
        }
        _ => {}
    }
    if let Some(file) = said.text(&["file_path"]) {
        heard.files = vec![in_full(file, heard.cwd.as_deref())];
        heard.is_change = said.text(&["hook_event_name"]).is_none_or(|name| name.contains("Edit"));
    } else {
        let files = heard.files.iter().filter_map(|file| file.to_str());
        heard.files = files.map(|file| in_full(file, heard.cwd.as_deref())).collect();
    }
    heard.command = heard.command.or_else(|| said.text(&["command"]).map(str::to_owned));
    heard.is_change &= heard.failure.is_none();
    heard
}
