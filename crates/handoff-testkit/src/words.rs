//! A command line as words, the way a shell would split it.

/// Splits at blanks; quotes keep them, and a backslash outside single quotes takes the next character as it is.
pub(crate) fn split(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    let mut characters = line.chars();
    while let Some(c) = characters.next() {
        match (quote, c) {
            (Some(open), c) if c == open => quote = None,
            (None, '\'' | '"') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (None | Some('"'), '\\') => {
                word.get_or_insert_default().push(characters.next().expect("something follows a backslash"));
            }
            (None, ' ') => words.extend(word.take()),
            (_, c) => word.get_or_insert_default().push(c),
        }
    }
    assert!(quote.is_none(), "a quote is not closed in {line:?}");
    words.extend(word);
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_and_backslashes_keep_blanks_together() {
        assert_eq!(
            split(r#"task create "Implement auth" --label 'a "b"' "#),
            ["task", "create", "Implement auth", "--label", r#"a "b""#]
        );
        assert_eq!(split(r#"a\ b "c\"d" '' e'f'g"#), ["a b", "c\"d", "", "efg"]);
    }
}
