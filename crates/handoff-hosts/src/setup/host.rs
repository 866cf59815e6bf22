//! The hosts, one file each.

mod claude_code;
mod cline;
pub(super) mod codex;
mod copilot;
mod cursor;
mod gemini;
mod opencode;
mod vscode;

use handoff_model::agent::Host;

use super::Describe;

/// What handoff knows of a host's settings.
pub fn describe(host: Host) -> Option<&'static dyn Describe> {
    match host {
        Host::ClaudeCode => Some(&claude_code::ClaudeCode),
        Host::Codex => Some(&codex::Codex),
        Host::Gemini => Some(&gemini::Gemini),
        Host::OpenCode => Some(&opencode::OpenCode),
        Host::Cursor => Some(&cursor::Cursor),
        Host::Cline => Some(&cline::Cline),
        Host::Copilot => Some(&copilot::Copilot),
        Host::VsCode => Some(&vscode::VsCode),
    }
}

#[cfg(test)]
mod tests;
