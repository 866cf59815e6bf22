//! The agents handoff knows by name.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// A coding agent, or the editor it lives in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Host {
    ClaudeCode,
    Codex,
    Cursor,
    Gemini,
    #[serde(rename = "opencode")]
    OpenCode,
    Cline,
    Copilot,
    #[serde(rename = "vscode")]
    VsCode,
}

/// A name that is none of a known agent.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{0}` is no agent that handoff knows: use claude-code, codex, cursor, gemini, opencode, cline, copilot or vscode"
)]
pub struct NotAHost(String);

impl Host {
    /// Every host, in the order they are listed.
    pub const ALL: [Host; 8] = [
        Host::ClaudeCode,
        Host::Codex,
        Host::Cursor,
        Host::Gemini,
        Host::OpenCode,
        Host::Cline,
        Host::Copilot,
        Host::VsCode,
    ];

    /// The word for it on the command line, in files and as `tool` of a session.
    pub const fn word(self) -> &'static str {
        match self {
            Host::ClaudeCode => "claude-code",
            Host::Codex => "codex",
            Host::Cursor => "cursor",
            Host::Gemini => "gemini",
            Host::OpenCode => "opencode",
            Host::Cline => "cline",
            Host::Copilot => "copilot",
            Host::VsCode => "vscode",
        }
    }

    /// The name people know it by.
    pub const fn title(self) -> &'static str {
        match self {
            Host::ClaudeCode => "Claude Code",
            Host::Codex => "Codex",
            Host::Cursor => "Cursor",
            Host::Gemini => "Gemini CLI",
            Host::OpenCode => "OpenCode",
            Host::Cline => "Cline",
            Host::Copilot => "GitHub Copilot",
            Host::VsCode => "VS Code",
        }
    }
}

impl fmt::Display for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

impl FromStr for Host {
    type Err = NotAHost;

    fn from_str(text: &str) -> Result<Self, NotAHost> {
        let word = match text {
            "claude" => "claude-code",
            "gemini-cli" => "gemini",
            "vs-code" | "code" => "vscode",
            other => other,
        };
        Host::ALL.into_iter().find(|host| host.word() == word).ok_or_else(|| NotAHost(text.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_host_is_found_by_its_word_and_written_as_it() {
        for host in Host::ALL {
            assert_eq!(host.word().parse(), Ok(host));
            assert_eq!(serde_json::to_value(host).unwrap(), host.word());
        }
        assert_eq!("claude".parse(), Ok(Host::ClaudeCode));
        assert!("clod".parse::<Host>().unwrap_err().to_string().contains("claude-code, codex"));
    }
}
