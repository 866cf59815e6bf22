//! How each host wants to be given a context.

use handoff_model::agent::{HookEvent, Host};
use serde_json::{Value, json};

use super::said::Said;

/// The form of an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// `hookSpecificOutput.additionalContext`, with the host's own name of the event
    Specific(String),
    /// One field of this name
    Field(&'static str),
}

/// Whether a context that is given at this moment reaches the model.
pub fn can_inject(host: Host, event: HookEvent) -> bool {
    Form::wanted(host, event, &Said::default()).is_some()
}

impl Form {
    /// The form in which this host reads a context now, if it does.
    pub(crate) fn wanted(host: Host, event: HookEvent, said: &Said) -> Option<Form> {
        use HookEvent::{Compact, Edit, Prompt, SessionStart};
        let at = host_events(host, event);
        // A host that does not name its event means the one the hook is registered for.
        let name = said.text(&["hook_event_name", "hookEventName", "hookName"]).or(at.first().copied());
        let name = name.filter(|name| at.contains(name));
        match host {
            // Nothing is added to a call that failed.
            Host::Gemini if said.value(&["tool_response"]).is_some_and(|said| said.get("error").is_some()) => None,
            Host::ClaudeCode | Host::Codex | Host::Gemini | Host::VsCode => name.map(|n| Form::Specific(n.to_owned())),
            // Called through the settings of Claude Code, it uses that host's names and reads that host's answers.
            Host::Cursor if name.is_some_and(|name| name.starts_with(char::is_uppercase)) => {
                name.map(|n| Form::Specific(n.to_owned()))
            }
            Host::Cursor => name.map(|_| Form::Field("additional_context")),
            Host::Copilot => name.map(|_| Form::Field("additionalContext")),
            Host::Cline => name.map(|name| {
                let is_extension = name.starts_with(char::is_uppercase);
                Form::Field(if is_extension { "contextModification" } else { "context" })
            }),
            Host::OpenCode => matches!(event, SessionStart | Prompt | Edit | Compact).then_some(Form::Field("context")),
        }
    }

    pub(crate) fn print(&self, context: &str) -> String {
        let answer: Value = match self {
            Form::Specific(name) => {
                json!({"hookSpecificOutput": {"hookEventName": name, "additionalContext": context}})
            }
            Form::Field("contextModification") => json!({"cancel": false, "contextModification": context}),
            Form::Field(field) => json!({ *field: context }),
        };
        answer.to_string()
    }
}

/// The host's own events at which it reads a context; the first is the one it is usually registered for.
fn host_events(host: Host, event: HookEvent) -> &'static [&'static str] {
    use HookEvent::{Edit, Prompt, SessionStart};
    match (host, event) {
        // What Gemini CLI is given at its SessionStart becomes part of the person's prompt and breaks its commands, so
        // setup registers the prompt instead. Who registers the start wants it answered.
        (Host::ClaudeCode | Host::Codex | Host::VsCode | Host::Gemini, SessionStart) => &["SessionStart"],
        (Host::ClaudeCode | Host::Codex | Host::VsCode | Host::Cline, Prompt) => &["UserPromptSubmit"],
        (Host::ClaudeCode, Edit) => &["PostToolUse", "PostToolUseFailure", "PostToolBatch", "PreToolUse"],
        (Host::Codex | Host::VsCode, Edit) => &["PostToolUse", "PreToolUse"],
        (Host::Gemini, Prompt) => &["BeforeAgent"],
        (Host::Gemini, Edit) => &["AfterTool"],
        (Host::Cursor | Host::Copilot, SessionStart) => &["sessionStart", "SessionStart"],
        (Host::Cursor, Edit) => &["postToolUse", "PostToolUse"],
        (Host::Copilot, Prompt) => &["userPromptSubmitted", "UserPromptSubmit"],
        (Host::Copilot, Edit) => &["postToolUse", "PostToolUse", "postToolUseFailure", "PostToolUseFailure"],
        // So does the extension of Cline at a prompt; its command line runs the hooks of start and prompt unheard.
        (Host::Cline, SessionStart) => &["TaskStart", "TaskResume"],
        (Host::Cline, Edit) => &["PostToolUse", "PreToolUse", "tool_result", "tool_call"],
        _ => &[],
    }
}
