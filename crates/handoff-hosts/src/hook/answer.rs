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
        let named = said.text(&["hook_event_name", "hookEventName", "hookName"]);
        match host {
            Host::ClaudeCode => Form::specific(
                named,
                match event {
                    SessionStart => &["SessionStart"],
                    Prompt => &["UserPromptSubmit"],
                    Edit => &["PostToolUse", "PostToolUseFailure", "PostToolBatch", "PreToolUse"],
                    _ => &[],
                },
            ),
            Host::Codex => Form::specific(
                named,
                match event {
                    SessionStart => &["SessionStart"],
                    Prompt => &["UserPromptSubmit"],
                    Edit => &["PostToolUse", "PreToolUse"],
                    _ => &[],
                },
            ),
            // What is given at SessionStart becomes part of the person's prompt and breaks its commands.
            Host::Gemini => Form::specific(
                named,
                match event {
                    Prompt => &["BeforeAgent"],
                    Edit => &["AfterTool"],
                    _ => &[],
                },
            ),
            Host::VsCode => Form::specific(
                named,
                match event {
                    SessionStart => &["SessionStart"],
                    Edit => &["PostToolUse", "PreToolUse"],
                    _ => &[],
                },
            ),
            Host::Copilot => Form::field(
                "additionalContext",
                named,
                match event {
                    SessionStart => &["SessionStart", "sessionStart"],
                    _ => &[],
                },
            ),
            Host::Cursor => Form::field(
                "additional_context",
                named,
                match event {
                    SessionStart => &["sessionStart"],
                    Edit => &["postToolUse"],
                    _ => &[],
                },
            ),
            Host::Cline => Form::cline(event, named),
            Host::OpenCode => matches!(event, SessionStart | Prompt | Edit | Compact).then_some(Form::Field("context")),
        }
    }

    /// Only at the events named; the first is meant when the host does not say which.
    fn specific(named: Option<&str>, at: &[&str]) -> Option<Form> {
        let name = named.or(at.first().copied())?;
        at.contains(&name).then(|| Form::Specific(name.to_owned()))
    }

    fn field(field: &'static str, named: Option<&str>, at: &[&str]) -> Option<Form> {
        let name = named.or(at.first().copied())?;
        at.contains(&name).then_some(Form::Field(field))
    }

    /// The extension names its events like its files, the command line in its own way.
    fn cline(event: HookEvent, named: Option<&str>) -> Option<Form> {
        let classic: &[&str] = match event {
            HookEvent::SessionStart => &["TaskStart", "TaskResume"],
            HookEvent::Prompt => &["UserPromptSubmit"],
            HookEvent::Edit => &["PostToolUse", "PreToolUse"],
            _ => &[],
        };
        let own: &[&str] = match event {
            HookEvent::SessionStart => &["agent_start", "agent_resume"],
            HookEvent::Prompt => &["prompt_submit"],
            HookEvent::Edit => &["tool_result", "tool_call"],
            _ => &[],
        };
        Form::field("contextModification", named, classic).or_else(|| Form::field("context", named, own))
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
