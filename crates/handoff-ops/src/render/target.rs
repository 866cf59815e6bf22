//! What a rendering is for.

use std::fmt;
use std::str::FromStr;

use handoff_model::close::nearest;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Breaks, visible};

/// The reader that a rendering is fitted to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", try_from = "String")]
pub enum Target {
    /// Any agent or model
    #[default]
    Generic,
    ClaudeCode,
    Codex,
    Cursor,
    Gemini,
    Copilot,
    #[serde(rename = "opencode")]
    OpenCode,
    Cline,
    /// A section for an AGENTS.md
    AgentsMd,
    /// The description of a pull request, for people
    PrDescription,
    /// A few lines for people to say
    Standup,
}

/// A word that names no target.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{word}` is no target: {advice}use one of {}", Target::WORDS.join(", "))]
pub struct NotATarget {
    word: String,
    advice: String,
}

/// How a host is told to put a file into the conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mention {
    /// In no way that is known: a path is only a path
    None,
    /// `@src/main.rs`
    At,
    /// `@/src/main.rs`
    AtRoot,
    /// `#file:src/main.rs`
    Hash,
}

impl Target {
    /// Every target, in the order they are listed.
    pub const ALL: [Target; 11] = [
        Target::Generic,
        Target::ClaudeCode,
        Target::Codex,
        Target::Cursor,
        Target::Gemini,
        Target::Copilot,
        Target::OpenCode,
        Target::Cline,
        Target::AgentsMd,
        Target::PrDescription,
        Target::Standup,
    ];

    /// Their words, in the same order.
    pub const WORDS: [&'static str; 11] = [
        "generic",
        "claude-code",
        "codex",
        "cursor",
        "gemini",
        "copilot",
        "opencode",
        "cline",
        "agents-md",
        "pr-description",
        "standup",
    ];

    /// The word for it.
    pub fn word(self) -> &'static str {
        Target::WORDS[self as usize]
    }

    /// What it may cost where nobody says so; `None` for as much as there is.
    pub(super) fn usual_budget(self) -> Option<u32> {
        match self {
            // Short prompts are followed best.
            Target::Copilot => Some(1_000),
            // It is read in every session.
            Target::AgentsMd => Some(2_000),
            Target::Standup => Some(400),
            _ => None,
        }
    }

    pub(super) fn mention(self) -> Mention {
        match self {
            Target::ClaudeCode | Target::Cursor | Target::Gemini | Target::OpenCode => Mention::At,
            Target::Cline => Mention::AtRoot,
            Target::Copilot => Mention::Hash,
            Target::Generic | Target::Codex | Target::AgentsMd | Target::PrDescription | Target::Standup => {
                Mention::None
            }
        }
    }

    /// Whether an `@` in its text makes the host read a file, or calls people.
    pub(super) fn acts_on_at(self) -> bool {
        !matches!(self, Target::Generic | Target::Codex)
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

impl FromStr for Target {
    type Err = NotATarget;

    fn from_str(text: &str) -> Result<Self, NotATarget> {
        let lower = text.trim().to_ascii_lowercase().replace(['_', ' '], "-");
        let word = match lower.as_str() {
            "claude" => "claude-code",
            "codex-cli" => "codex",
            "gemini-cli" => "gemini",
            "github-copilot" => "copilot",
            "open-code" => "opencode",
            "agents.md" | "agents" => "agents-md",
            "pr" => "pr-description",
            other => other,
        };
        let found = Target::ALL.into_iter().find(|target| target.word() == word);
        found.ok_or_else(|| {
            const SHOWN: usize = 40;
            let advice =
                nearest(word, Target::WORDS).map(|near| format!("did you mean `{near}`? ")).unwrap_or_default();
            let shown: String = text.chars().take(SHOWN).collect();
            NotATarget { word: visible(&shown, Breaks::Mark).into_owned(), advice }
        })
    }
}

impl TryFrom<String> for Target {
    type Error = NotATarget;

    fn try_from(text: String) -> Result<Self, NotATarget> {
        text.parse()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_target_is_found_by_its_word_and_written_as_it() {
        for target in Target::ALL {
            assert_eq!(target.word().parse(), Ok(target));
            assert_eq!(serde_json::to_value(target).unwrap(), target.word());
            assert_eq!(serde_json::from_value::<Target>(target.word().into()).unwrap(), target);
        }
        for (written, target) in
            [("Claude", Target::ClaudeCode), ("AGENTS.md", Target::AgentsMd), ("pr", Target::PrDescription)]
        {
            assert_eq!(written.parse(), Ok(target));
        }
    }

    #[test]
    fn an_unknown_target_is_answered_with_the_nearest_and_all_of_them() {
        let error = "codx".parse::<Target>().unwrap_err().to_string();
        assert!(
            error.starts_with("`codx` is no target: did you mean `codex`? use one of generic, claude-code, "),
            "{error}"
        );
        let error = "\u{1b}[31m".parse::<Target>().unwrap_err().to_string();
        assert!(error.starts_with("`⟨U+001B⟩[31m` is no target: use one of generic"), "{error}");
        assert!("".parse::<Target>().is_err());
    }
}
