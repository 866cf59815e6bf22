//! What each reader was checked against.

use handoff_model::agent::Host;

/// The version of the agent, and when, or how else the format is known.
pub fn checked_against(host: Host) -> Option<&'static str> {
    match host {
        Host::ClaudeCode => Some("Claude Code 2.1.325, 2026-11-15"),
        Host::Codex => Some("Codex CLI 0.166.0, 2026-11-15"),
        Host::Gemini => Some("Gemini CLI 0.61.0, 2026-11-15"),
        Host::OpenCode => Some("OpenCode 1.18.33, 2026-11-15"),
        Host::Cline => Some("its source, 2026-08; not against a running one"),
        Host::Cursor => Some("published descriptions of 3.17 and its command line, 2026-09; not against a running one"),
        Host::Copilot | Host::VsCode => None,
    }
}
