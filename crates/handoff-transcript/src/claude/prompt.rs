//! What a person typed, without what the agent wrapped around it.

/// Marks around text that no person typed: commands and their output, reminders, what an editor adds.
const WRAPPED: [&str; 14] = [
    "system-reminder",
    "command-name",
    "command-message",
    "command-args",
    "command-contents",
    "local-command-caveat",
    "local-command-stdout",
    "local-command-stderr",
    "bash-input",
    "bash-stdout",
    "bash-stderr",
    "ide_opened_file",
    "ide_selection",
    "task-notification",
];

const INTERRUPTED: &str = "[Request interrupted by user";

/// What is left of a text when everything wrapped is taken out.
pub(super) fn typed(text: &str) -> String {
    let mut kept = String::new();
    let mut rest = text;
    while let Some(from) = memchr::memchr(b'<', rest.as_bytes()) {
        let tag = WRAPPED.iter().find(|tag| rest[from + 1..].strip_prefix(**tag).is_some_and(ends_tag));
        let Some(tag) = tag else {
            kept.push_str(&rest[..=from]);
            rest = &rest[from + 1..];
            continue;
        };
        kept.push_str(&rest[..from]);
        let close = format!("</{tag}>");
        rest = rest[from..].find(&close).map_or("", |at| &rest[from + at + close.len()..]);
    }
    kept.push_str(rest);
    kept.trim().to_owned()
}

fn ends_tag(after: &str) -> bool {
    after.starts_with(['>', ' '])
}

/// Whether the text says that a person broke the turn off.
pub(super) fn is_interruption(text: &str) -> bool {
    text.starts_with(INTERRUPTED)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_wrapped_is_not_typed() {
        assert_eq!(typed("<system-reminder>\nnot mine\n</system-reminder>\nFix a < b in <T>"), "Fix a < b in <T>");
        assert_eq!(typed("<command-name>/compact</command-name>\n  <command-args>keep it</command-args>"), "");
        assert_eq!(typed("before <bash-stdout>never closed"), "before");
        assert_eq!(typed("<command-named>"), "<command-named>");
    }
}
