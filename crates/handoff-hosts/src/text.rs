//! What agents are taught, in the places where they look.
//!
//! These texts cost tokens in every session, so they are short, and tests hold them to a budget. They name calls exactly,
//! because some hosts do not list tools, and they name the words people say, because those are how they are found.

use crate::setup::OWN_FILE;

/// The instructions for files that an agent always reads: `CLAUDE.md`, `AGENTS.md`, `GEMINI.md` and their kin.
pub const BLOCK: &str = include_str!("text/block.md");

/// The skill, as people may copy it by hand.
pub const SKILL: &str = include_str!("../../../skills/handoff/SKILL.md");

/// The skill as a file of ours.
pub fn skill() -> String {
    match SKILL.split_once("\n---\n") {
        Some((about, body)) => format!("{about}\n---\n<!-- {OWN_FILE} -->\n{body}"),
        None => format!("<!-- {OWN_FILE} -->\n{SKILL}"),
    }
}

/// For hosts that start the server somewhere else than in the project.
const WHERE: &str = "\nPass `project_dir`, the absolute path of the project, with every call.\n";

/// A rule of Cursor that is always applied.
pub fn cursor_rule() -> String {
    format!("---\ndescription: Session memory with handoff\nalwaysApply: true\n---\n<!-- {OWN_FILE} -->\n\n{BLOCK}")
}

/// A rule of Cline; those without conditions are always applied.
pub fn cline_rule() -> String {
    format!("<!-- {OWN_FILE} -->\n\n{BLOCK}{WHERE}")
}

/// Instructions of VS Code and Copilot that apply to every file.
pub fn copilot_instructions() -> String {
    format!("---\napplyTo: \"**\"\n---\n<!-- {OWN_FILE} -->\n\n{BLOCK}{WHERE}")
}

#[cfg(test)]
mod tests {
    use super::*;

    const PHRASES: [&str; 7] = [
        "close the session",
        "I want to continue where I left off",
        "do a handoff",
        "save context",
        "knowledge transfer",
        "store session state",
        "hand off to next agent",
    ];

    /// The skill's description, which is all an agent sees of it until it is used, and its body.
    fn skill_parts() -> (&'static str, &'static str) {
        let (head, body) = SKILL.strip_prefix("---\n").unwrap().split_once("\n---\n").unwrap();
        (head.lines().find_map(|line| line.strip_prefix("description: ")).unwrap(), body)
    }

    #[test]
    fn the_texts_keep_within_their_budgets() {
        let tokens = |text: &str| bpe_openai::o200k_base().count(text);
        let (description, body) = skill_parts();
        let counts = (tokens(BLOCK), tokens(description), tokens(body));
        assert!(counts.0 <= 200 && counts.1 <= 160 && counts.2 <= 500, "{counts:?}");
        let readme = include_str!("../../../README.md");
        for count in [format!("({} tokens in every", counts.0), format!("({} tokens, and {} more", counts.1, counts.2)]
        {
            assert!(readme.contains(&count), "README.md does not say {count}");
        }
        // Codex cuts a description there.
        assert!(description.len() <= 1_024, "{}", description.len());
    }

    #[test]
    fn every_phrase_and_every_call_is_named() {
        let (description, body) = skill_parts();
        for phrase in PHRASES {
            assert!(BLOCK.contains(phrase) && description.contains(phrase), "{phrase}");
        }
        for call in ["handoff_load_context", "handoff_save_context", "handoff_update_session", "handoff_update_task"] {
            assert!(BLOCK.contains(call) && body.contains(call), "{call}");
        }
        for text in [BLOCK, body] {
            assert!(
                text.contains("tools.mcp__handoff__handoff_load_context({})") && text.contains("`handoff resume ID`")
            );
        }
    }

    #[test]
    fn the_readme_shows_the_block_as_it_is() {
        let readme = include_str!("../../../README.md").replace('\r', "");
        assert!(readme.contains(&format!("```markdown\n{BLOCK}```\n")), "README.md and block.md differ");
    }

    #[test]
    fn files_of_ours_say_so_after_their_front_matter() {
        for text in [skill(), cursor_rule(), copilot_instructions()] {
            let (_, body) = text.strip_prefix("---\n").unwrap().split_once("\n---\n").unwrap();
            assert!(body.starts_with("<!-- written by `handoff setup` -->\n\n"), "{text}");
        }
        assert_eq!(skill().replace("<!-- written by `handoff setup` -->\n", ""), SKILL);
        assert!(cursor_rule().contains("\nalwaysApply: true\n"));
    }
}
