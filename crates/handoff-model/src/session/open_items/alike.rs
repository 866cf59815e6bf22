//! Comparison of items by their normalised words.
//!
//! **Invariant:** what is said to be alike differs in nothing that could be another thing to do: paths, names, numbers,
//! commands and negations all count. Two items that are taken for one lose a wording, so doubt keeps them apart.

use unicode_normalization::UnicodeNormalization;

use crate::words::stem;

/// Words that add nothing to what an item says.
const FILLERS: &[&str] = &["a", "an", "the", "please", "also", "then", "now", "still"];
/// Words that give the order of the others a meaning.
const DIRECTIONS: &[&str] = &[
    "to", "from", "into", "with", "before", "after", "than", "for", "by", "over", "under", "instead", "in", "on", "of",
    "not", "no", "never", "without", "except", "unless", "until", "if",
];

/// Fewer words than this are compared in their order.
const WORDS_IN_ANY_ORDER: usize = 3;

/// The words of an item in the form in which they are compared.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct NormalWords(Vec<String>);

impl NormalWords {
    pub(super) fn of(text: &str) -> NormalWords {
        let text: String = text.nfkc().collect();
        let words = text.split(|c: char| c.is_whitespace() || matches!(c, '`' | '"' | '\'' | '*' | '“' | '”' | '’'));
        let words = words.map(bare).enumerate().filter(|(_, word)| !word.is_empty());
        // A capital within the text is a name, as in "plan A".
        let words = words.map(|(place, word)| if word == "A" && place > 0 { "A".to_owned() } else { folded(word) });
        let words = words.filter(|word| !FILLERS.contains(&word.as_str()));
        let mut words: Vec<String> = words.map(normal).collect();
        let has_direction = words.iter().any(|word| DIRECTIONS.contains(&word.as_str()) || is_sign(word));
        if words.len() >= WORDS_IN_ANY_ORDER && !has_direction {
            words.sort();
        }
        NormalWords(words)
    }

    /// Reports whether nothing is left of the text.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Reports whether two items say the same: the same words in the same order, or in any order where that means nothing.
    pub(super) fn is_like(&self, other: &NormalWords) -> bool {
        !self.0.is_empty() && self == other
    }
}

/// A word without the punctuation around it. What could be part of a path, a flag or a number stays.
fn bare(word: &str) -> &str {
    if is_sign(word) {
        return word;
    }
    let word = word.trim_start_matches(['(', '[', '{', '<', ',', ';', ':', '!', '?', '•']);
    let word = word.trim_end_matches([')', ']', '}', '>', ',', ';', ':', '!', '?', '.', '。', '…']);
    word.strip_prefix("./").unwrap_or(word)
}

/// Reports whether a word compares or leads from one thing to another, such as `<`, `>=`, `->` or `=`.
fn is_sign(word: &str) -> bool {
    word.contains(['<', '>', '=', '→', '←', '↔']) && !word.contains(char::is_alphanumeric)
}

/// A word in small letters. Paths and names of files differ by their capitals.
fn folded(word: &str) -> String {
    if word.contains(['/', '.', '_']) { word.to_owned() } else { word.to_lowercase() }
}

fn normal(mut word: String) -> String {
    if word.bytes().all(|byte| byte.is_ascii_alphabetic()) {
        stem(&mut word);
    }
    word
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_like(one: &str, other: &str) -> bool {
        NormalWords::of(one).is_like(&NormalWords::of(other))
    }

    #[test]
    fn case_articles_punctuation_and_endings_make_no_difference() {
        for (one, other) in [
            ("Fix the failing test", "fix failing tests."),
            ("Run `cargo test -p auth`", "run cargo test -p auth"),
            ("Look at ./src/auth.rs", "look at src/auth.rs"),
            ("A guard is missing", "the guard is missing"),
            ("Write  the docs!", "**Write** docs"),
            ("Refresh token tests: extend", "extend refresh token tests"),
            ("認証トークンの更新", "認証トークンの更新。"),
        ] {
            assert!(is_like(one, other), "{one} / {other}");
        }
    }

    #[test]
    fn paths_numbers_names_negations_and_directions_do() {
        for (one, other) in [
            ("Fix src/a.rs", "Fix src/b.rs"),
            ("Do step 1", "Do step 2"),
            ("Deploy to staging", "Do not deploy to staging"),
            ("Move a to b", "Move b to a"),
            ("Alert when latency < 200 ms", "Alert when latency > 200 ms"),
            ("Sync A -> B", "Sync A <- B"),
            ("Keep the client API and not the server API", "Keep the server API and not the client API"),
            ("Implement plan A", "Implement plan"),
            ("Fix the bug in A.java", "Fix the bug in a.java"),
            ("Run cargo test", "Run cargo test -p auth"),
            ("Fix login bug", "Fix login bug in Safari"),
            ("Add metrics page", "Add settings page"),
            ("", ""),
            ("the", "a"),
        ] {
            assert!(!is_like(one, other), "{one} / {other}");
        }
    }
}
