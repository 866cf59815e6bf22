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
pub fn describe(host: Host) -> &'static dyn Describe {
    match host {
        Host::ClaudeCode => &claude_code::ClaudeCode,
        Host::Codex => &codex::Codex,
        Host::Gemini => &gemini::Gemini,
        Host::OpenCode => &opencode::OpenCode,
        Host::Cursor => &cursor::Cursor,
        Host::Cline => &cline::Cline,
        Host::Copilot => &copilot::Copilot,
        Host::VsCode => &vscode::VsCode,
    }
}

#[cfg(test)]
mod tests;
