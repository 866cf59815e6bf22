//! Making text from files and arguments safe to show.
//!
//! Escape sequences can rewrite a terminal, and bidirectional or invisible characters can make a line read as something
//! else than it says. Neither is ever shown as it is.

use std::borrow::Cow;
use std::fmt::Write as _;

/// What becomes of line breaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Breaks {
    /// They stay, as in a description.
    Keep,
    /// They become `⏎`, as in the cell of a table.
    Mark,
}

/// `text` with everything that a terminal or a reader could be misled by written out, as in `⟨U+202E⟩`.
pub fn visible(text: &str, breaks: Breaks) -> Cow<'_, str> {
    let untouched = |c: char| !is_hidden(c) && (c != '\n' || breaks == Breaks::Keep);
    if is_plain(text) || text.chars().all(untouched) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 16);
    let mut characters = text.chars().peekable();
    while let Some(c) = characters.next() {
        match c {
            // A file from Windows is not an attack.
            '\r' if characters.peek() == Some(&'\n') => {}
            '\n' if breaks == Breaks::Mark => shown.push('⏎'),
            '\t' if breaks == Breaks::Mark => shown.push(' '),
            '\t' => shown.push_str("    "),
            c if c != '\n' && is_hidden(c) => {
                write!(shown, "⟨U+{:04X}⟩", u32::from(c)).expect("writing to a string cannot fail");
            }
            c => shown.push(c),
        }
    }
    Cow::Owned(shown)
}

/// JSON in which nothing hides from a reader: outside its strings it holds no such character, and inside them an escape
/// means the same.
pub fn visible_json(text: String) -> String {
    if is_plain(&text) || !text.chars().any(is_hidden) {
        return text;
    }
    let mut safe = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if is_hidden(c) {
            for unit in c.encode_utf16(&mut [0; 2]) {
                write!(safe, "\\u{unit:04x}").expect("writing to a string cannot fail");
            }
        } else {
            safe.push(c);
        }
    }
    safe
}

/// Whether a text is letters, digits, marks and spaces of ASCII alone, as most are; quick to tell.
fn is_plain(text: &str) -> bool {
    text.bytes().all(|byte| matches!(byte, b' '..=b'~'))
}

/// Whether a character acts on its surroundings, or cannot be seen.
///
/// The joiners U+200C and U+200D are spared: several scripts and most composed emoji need them.
pub fn is_hidden(c: char) -> bool {
    (c.is_control() && c != '\n')
        || matches!(c,
            '\u{ad}'
            | '\u{61c}'
            | '\u{180e}'
            | '\u{200b}'
            | '\u{200e}'..='\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{feff}'
            | '\u{fff9}'..='\u{fffb}'
            | '\u{e0000}'..='\u{e007f}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_text_in_any_script_is_left_alone() {
        for text in ["plain", "Größe", "任務", "کتاب‌ها", "👩‍👩‍👧 ✔️", ""] {
            assert!(matches!(visible(text, Breaks::Mark), Cow::Borrowed(_)), "{text}");
        }
    }

    #[test]
    fn what_acts_on_a_terminal_is_written_out() {
        assert_eq!(visible("a\u{1b}[31mb", Breaks::Mark), "a⟨U+001B⟩[31mb");
        assert_eq!(visible("\u{9b}2J\u{7f}\u{0}", Breaks::Mark), "⟨U+009B⟩2J⟨U+007F⟩⟨U+0000⟩");
        assert_eq!(visible("a\rb", Breaks::Keep), "a⟨U+000D⟩b");
    }

    #[test]
    fn what_cannot_be_seen_is_written_out() {
        assert_eq!(visible("\u{202e}abc\u{2066}", Breaks::Mark), "⟨U+202E⟩abc⟨U+2066⟩");
        assert_eq!(visible("a\u{200b}b\u{feff}\u{e0041}", Breaks::Mark), "a⟨U+200B⟩b⟨U+FEFF⟩⟨U+E0041⟩");
    }

    #[test]
    fn line_breaks_stay_or_are_marked() {
        assert_eq!(visible("a\r\nb\tc", Breaks::Keep), "a\nb    c");
        assert_eq!(visible("a\r\nb\tc", Breaks::Mark), "a⏎b c");
    }
}
