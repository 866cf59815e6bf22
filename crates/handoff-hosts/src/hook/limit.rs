//! How long a context may be before a host cuts it.

use handoff_model::agent::{HookEvent, Host};

/// The longest context that arrives whole, with some room to spare.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// As long as one likes
    None,
    /// Units of UTF-16, which is what JavaScript counts as characters
    Utf16(usize),
    /// Bytes of UTF-8
    Bytes(usize),
}

impl Limit {
    pub fn fits(self, context: &str) -> bool {
        match self {
            Limit::None => true,
            Limit::Utf16(units) => context.encode_utf16().count() <= units,
            Limit::Bytes(bytes) => context.len() <= bytes,
        }
    }
}

/// How long a context may be at this moment.
///
/// Claude Code moves more than 10,000 UTF-16 units to a file and shows the model their beginning; Codex cuts the middle
/// out of more than 10,000 bytes. Copilot cuts at 10 KB after a tool; otherwise it lets everything through, as Gemini CLI
/// and OpenCode always do. Cline cuts at 50,000 characters. The others do not say, so they get what fits everywhere.
pub const fn limit(host: Host, event: HookEvent) -> Limit {
    match (host, event) {
        (Host::ClaudeCode | Host::Cursor | Host::VsCode, _) => Limit::Utf16(9_500),
        (Host::Codex, _) | (Host::Copilot, HookEvent::Edit) => Limit::Bytes(9_500),
        (Host::Cline, _) => Limit::Utf16(48_000),
        (Host::Gemini | Host::OpenCode | Host::Copilot, _) => Limit::None,
    }
}
