//! The words of hooks: what each host says on stdin, in one shape for all, and how each wants to be answered on stdout.
//!
//! **Invariant:** hearing is tolerant. Fields nobody knows are passed over, absent ones stay absent, a field of another
//! type than expected counts as absent; only what is no JSON object at all is misheard.
//!
//! **Invariant:** an answer holds the one field that its host reads at this moment, and nothing else. Where a host reads
//! nothing, or would choke, there is no answer: not an empty one, none.
//!
//! What was checked how, per host and version, is told in `fixtures/hooks/README.md`.

mod answer;
mod cline;
mod common;
mod copilot;
mod cursor;
mod gemini;
mod limit;
mod opencode;
mod patch;
mod said;
mod tool;

use handoff_model::agent::{Heard, HookEvent, Host, remembered_id};

pub use answer::can_inject;
pub use limit::{Limit, limit};
pub use said::Misheard;
use said::Said;

/// A call of a hook: what the host said, and how it wants to be answered.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    /// Who called. Some hosts also run the hooks that were put into the settings of another
    pub host: Host,
    pub event: HookEvent,
    pub heard: Heard,
    form: Option<answer::Form>,
}

/// What a host says on stdin when it calls its hook; nothing on stdin is an empty `Heard`.
pub fn hear(host: Host, event: HookEvent, stdin: &[u8]) -> Result<Call, Misheard> {
    let said = Said::read(stdin)?;
    let host = caller(host, &said);
    let mut heard = match host {
        Host::ClaudeCode | Host::Codex | Host::VsCode => common::hear(&said, event),
        Host::Gemini => gemini::hear(&said, event),
        Host::Cursor => cursor::hear(&said, event),
        Host::OpenCode => opencode::hear(&said, event),
        Host::Cline => cline::hear(&said, event),
        Host::Copilot => copilot::hear(&said, event),
    };
    heard.session = heard.session.map(|id| remembered_id(&id).into_owned());
    // Before a tool runs, nothing has changed yet.
    let named = said.text(&["hook_event_name", "hookEventName", "hookName"]);
    heard.is_change &= !matches!(named, Some("PreToolUse" | "preToolUse" | "BeforeTool" | "tool_call"));
    Ok(Call { host, event, heard, form: answer::Form::wanted(host, event, &said) })
}

/// Who really calls: Cursor, VS Code and Copilot run the hooks of Claude Code's settings too, and VS Code those of Copilot.
///
/// With the right name, two registrations of one host are one conversation, and nothing is told in it twice.
fn caller(host: Host, said: &Said) -> Host {
    match host {
        Host::ClaudeCode if said.has("cursor_version") => Host::Cursor,
        // Claude Code tells no time. VS Code always names a transcript, Copilot one of its own or none.
        Host::ClaudeCode if said.has("timestamp") => match said.text(&["transcript_path"]) {
            Some(path) if !path.contains("session-state") => Host::VsCode,
            _ => Host::Copilot,
        },
        // By the names it is set up with, Copilot tells no event.
        Host::Copilot if said.has("hook_event_name") || said.has("hookEventName") => Host::VsCode,
        host => host,
    }
}

impl Call {
    /// Whether a context reaches the model from here.
    pub fn can_inject(&self) -> bool {
        self.form.is_some()
    }

    /// How long a context may be.
    pub fn limit(&self) -> Limit {
        limit(self.host, self.event)
    }

    /// What to print so that the model gets `context`: exactly this, or nothing at all.
    pub fn answer(&self, context: &str) -> Option<String> {
        let form = self.form.as_ref()?;
        (!context.trim().is_empty()).then(|| form.print(context))
    }
}

#[cfg(test)]
mod tests;
