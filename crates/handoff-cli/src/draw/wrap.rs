//! Running text broken into lines at words.

use handoff_ops::page::{Role, Text};
use handoff_ops::{Breaks, visible};

use super::cell;

/// Breaks a text into lines of at most `width` cells. Lines after the first have an indent, which counts too.
///
/// A word that is too long for a line, such as a path, stays whole: it can still be copied.
pub(super) fn wrap(text: &Text, width: usize, indent: usize) -> Vec<Text> {
    let mut lines = vec![Text::default()];
    let mut used = 0;
    for (role, word) in words(text) {
        let wide = cell::width(word.trim_end());
        if used > 0 && used + wide > width {
            lines.push(Text::from(" ".repeat(indent)));
            used = indent;
        }
        used += cell::width(&word);
        if let Some(line) = lines.last_mut() {
            *line = std::mem::take(line).and(role, word);
        }
    }
    lines
}

/// The pieces between which a line may break, each with the blanks after it. A word in two roles stays together.
fn words(text: &Text) -> Vec<(Role, String)> {
    let mut words: Vec<(Role, String)> = Vec::new();
    for span in &text.spans {
        let shown = visible(&span.text, Breaks::Mark);
        words.extend(shown.split_inclusive(' ').map(|word| (span.role, word.to_owned())));
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &Text, width: usize) -> Vec<String> {
        wrap(text, width, 2).iter().map(Text::to_plain).collect()
    }

    #[test]
    fn lines_break_between_words_and_later_ones_are_indented() {
        let text = Text::of(Role::Id, "n7").plain(" fix the refresh test matrix of the parser");
        assert_eq!(lines(&text, 20), ["n7 fix the refresh ", "  test matrix of the ", "  parser"]);
        assert_eq!(lines(&text, 200).len(), 1);
    }

    #[test]
    fn a_word_that_is_too_long_stays_whole() {
        let text = Text::from("see src/auth/middleware/refresh.rs now");
        assert_eq!(lines(&text, 12), ["see ", "  src/auth/middleware/refresh.rs ", "  now"]);
    }
}
