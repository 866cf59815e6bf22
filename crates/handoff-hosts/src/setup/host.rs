//! The hosts, one file each.

mod claude_code;
pub(super) mod codex;
mod gemini;
mod opencode;

use handoff_model::agent::Host;

use super::Describe;

/// What handoff knows of a host's settings.
pub fn describe(host: Host) -> Option<&'static dyn Describe> {
    match host {
        Host::ClaudeCode => Some(&claude_code::ClaudeCode),
        Host::Codex => Some(&codex::Codex),
        Host::Gemini => Some(&gemini::Gemini),
        Host::OpenCode => Some(&opencode::OpenCode),
        Host::Cursor | Host::Cline | Host::Copilot | Host::VsCode => None,
    }
}
