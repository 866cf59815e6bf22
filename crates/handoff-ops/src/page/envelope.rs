//! The marks between which agents put what they are given.
//!
//! **Invariant:** no page holds one of them whole, so a stored text cannot end the envelope it is read in and speak as
//! somebody else.

/// Names of the tags that agents put around prompts, answers of tools and words of hooks.
const NAMES: &[&str] = &[
    "environment_context",
    "function_results",
    "hook_context",
    "hook_prompt",
    "instructions",
    "project_context",
    "session_context",
    "system",
    "tool_result",
    "untrusted_context",
    "user_instructions",
    "user_query",
];

/// Puts a backslash into each such tag: `</hook_context>` becomes `<\/hook_context>`. Takes one pass over the text.
pub(crate) fn open_up(text: &mut String) {
    let marks: Vec<usize> =
        text.match_indices('<').map(|(at, _)| at + 1).filter(|behind| is_mark(&text[*behind..])).collect();
    if marks.is_empty() {
        return;
    }
    let mut opened = String::with_capacity(text.len() + marks.len());
    let mut end = 0;
    for behind in marks {
        opened.push_str(&text[end..behind]);
        opened.push('\\');
        end = behind;
    }
    opened.push_str(&text[end..]);
    *text = opened;
}

/// Whether a tag of an agent stands here, behind its `<`.
fn is_mark(rest: &str) -> bool {
    let name = rest.strip_prefix('/').unwrap_or(rest);
    let length = name.bytes().take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')).count();
    let name = name[..length].replace('-', "_").to_ascii_lowercase();
    // `system-reminder` and its kin.
    NAMES.contains(&name.as_str()) || name.starts_with("system_")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn opened(text: &str) -> String {
        let mut text = text.to_owned();
        open_up(&mut text);
        text
    }

    #[test]
    fn a_mark_of_an_agent_is_broken_and_everything_else_stays() {
        assert_eq!(opened("a </system-reminder> b"), "a <\\/system-reminder> b");
        assert_eq!(opened("<SYSTEM-Reminder>x"), "<\\SYSTEM-Reminder>x");
        assert_eq!(opened("</hook_context></INSTRUCTIONS>"), "<\\/hook_context><\\/INSTRUCTIONS>");
        for text in ["a < b", "Vec<String>", "</div>", "é<", "<systematic>", "x <= y"] {
            assert_eq!(opened(text), text);
        }
    }

    #[test]
    fn breaking_twice_is_breaking_once() {
        let once = opened("</system-reminder><system>");
        assert_eq!(opened(&once), once);
    }
}
