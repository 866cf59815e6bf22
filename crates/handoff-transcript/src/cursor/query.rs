//! What a person asked, out of what Cursor sends in their name.

/// The words inside `<user_query>`; without that mark all of it, unless it is something Cursor put in.
pub(crate) fn asked(text: &str) -> Option<String> {
    const OPEN: &str = "<user_query>";
    const CLOSE: &str = "</user_query>";
    let mut asked = Vec::new();
    let mut rest = text;
    while let Some(from) = rest.find(OPEN) {
        let inner = &rest[from + OPEN.len()..];
        let end = inner.find(CLOSE).unwrap_or(inner.len());
        asked.push(inner[..end].trim());
        rest = inner.get(end + CLOSE.len()..).unwrap_or_default();
    }
    let whole = text.trim();
    if asked.is_empty() && !whole.starts_with('<') {
        asked.push(whole);
    }
    let prompt = asked.join("\n").trim().to_owned();
    (!prompt.is_empty()).then_some(prompt)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_the_person_asked_is_a_prompt() {
        assert_eq!(
            asked("<user_info>os</user_info>\n<user_query>\nWhich file?\n</user_query>"),
            Some("Which file?".into())
        );
        assert_eq!(asked("Which file?"), Some("Which file?".into()));
        assert_eq!(asked("<user_info>os</user_info>"), None);
        assert_eq!(asked("<user_query>cut off"), Some("cut off".into()));
    }
}
