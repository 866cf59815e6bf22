//! Characters that cannot be seen, or that make a text read as something else than it says.
//!
//! Stricter than what is written out on a terminal: here only what no honest text has counts, so that a flag, a heart
//! in colour or a line of Hebrew is left alone.

use std::borrow::Cow;
use std::fmt::Write as _;

mod toml;

pub use toml::{find_in_toml, written_out_in_toml};

/// Hidden characters on one line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HiddenLine {
    /// Counted from 1
    pub line: usize,
    /// In the order they stand there
    pub characters: Vec<char>,
}

impl HiddenLine {
    /// What they are, in words; a message in tag characters is spelled out.
    pub fn describe(&self) -> String {
        let mut kinds: Vec<&str> = self.characters.iter().map(|c| class(*c)).collect();
        kinds.dedup();
        kinds.truncate(4);
        let count = self.characters.len();
        let plural = if count == 1 { "" } else { "s" };
        let mut text = format!("{count} hidden character{plural} ({})", kinds.join(", "));
        let message: String = self.characters.iter().filter_map(|c| tag_letter(*c)).collect();
        if !message.trim().is_empty() {
            let shown: String = message.chars().take(80).collect();
            write!(text, ", which spell `{shown}`").expect("writing to a string cannot fail");
        }
        text
    }
}

/// The lines of a text that hide something.
pub fn find(text: &str) -> Vec<HiddenLine> {
    let mut found: Vec<HiddenLine> = Vec::new();
    let mut line = 1;
    let mut at = 0;
    for (offset, c) in marked(text) {
        line += text[at..offset].matches('\n').count();
        at = offset;
        match found.last_mut() {
            Some(last) if last.line == line => last.characters.push(c),
            _ => found.push(HiddenLine { line, characters: vec![c] }),
        }
    }
    found
}

/// The text with each of them written out, as in `⟨U+202E⟩`.
pub fn written_out(text: &str) -> String {
    reveal(text).into_owned()
}

/// The same for those who mostly have nothing to write out.
pub fn reveal(text: &str) -> Cow<'_, str> {
    let marked = marked(text);
    if marked.is_empty() {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 16);
    let mut at = 0;
    for (offset, c) in marked {
        shown.push_str(&text[at..offset]);
        shown.push_str(&code(c));
        at = offset + c.len_utf8();
    }
    shown.push_str(&text[at..]);
    Cow::Owned(shown)
}

/// The code of a character for readers.
pub fn code(c: char) -> String {
    format!("⟨U+{:04X}⟩", u32::from(c))
}

fn marked(text: &str) -> Vec<(usize, char)> {
    let mut marked = Vec::new();
    if !text.bytes().any(|byte| !byte.is_ascii() || (byte.is_ascii_control() && !byte.is_ascii_whitespace())) {
        return marked;
    }
    let isolates_match = isolates_match(text);
    let goes_left = text.chars().any(is_written_leftwards);
    let (mut before, mut in_flag) = (None, false);
    let mut characters = text.char_indices().peekable();
    while let Some((offset, c)) = characters.next() {
        let after = characters.peek().map(|(_, c)| *c);
        // A flag of a region is a black flag and tag letters behind it.
        in_flag = c == '\u{1f3f4}' || (in_flag && is_tag(c));
        let hides = match c {
            '\t' | '\n' | '\r' => false,
            c if c.is_control() => true,
            '\u{feff}' => offset > 0,
            '\u{180e}'
            | '\u{200b}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{2064}'
            | '\u{206a}'..='\u{206f}'
            | '\u{fff9}'..='\u{fffb}'
            // They look like a blank, or like nothing.
            | '\u{34f}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{3164}' | '\u{ffa0}' => true,
            '\u{2066}'..='\u{2069}' => !isolates_match || !goes_left,
            // Marks of direction belong to scripts that are written leftwards.
            '\u{200e}' | '\u{200f}' | '\u{61c}' => !goes_left,
            // Joiners belong between letters of scripts that join them, and between the parts of an emoji.
            '\u{200c}' | '\u{200d}' => !joins(before) || (c == '\u{200d}' && after.is_none()),
            c if is_tag(c) => !in_flag,
            c if is_selector(c) => !takes_selector(before),
            _ => false,
        };
        if hides {
            marked.push((offset, c));
        }
        before = Some(c);
    }
    marked
}

/// Whether every line closes the isolates it opens, as honest text in two directions does.
fn isolates_match(text: &str) -> bool {
    text.lines().all(|line| {
        let mut open = 0_i32;
        line.chars().all(|c| {
            open += match c {
                '\u{2066}'..='\u{2068}' => 1,
                '\u{2069}' => -1,
                _ => 0,
            };
            open >= 0
        }) && open == 0
    })
}

/// Hebrew, Arabic and the other scripts whose lines begin at the right.
fn is_written_leftwards(c: char) -> bool {
    matches!(c, '\u{590}'..='\u{8ff}' | '\u{fb1d}'..='\u{fdff}' | '\u{fe70}'..='\u{fefe}' | '\u{10800}'..='\u{10fff}' | '\u{1e800}'..='\u{1efff}')
        && c != '\u{61c}'
}

/// Whether a joiner has something to join: no letter of Latin, Greek or Cyrillic, no sign of ASCII, no other joiner.
fn joins(before: Option<char>) -> bool {
    before.is_some_and(|c| c > '\u{58f}' && !c.is_whitespace() && !matches!(c, '\u{200b}'..='\u{200f}'))
        || before == Some('\u{a9}')
        || before == Some('\u{ae}')
}

fn is_tag(c: char) -> bool {
    matches!(c, '\u{e0000}'..='\u{e007f}')
}

fn is_selector(c: char) -> bool {
    matches!(c, '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}')
}

/// One selector belongs to the sign before it; a row of them, or one behind a letter, carries something else.
fn takes_selector(before: Option<char>) -> bool {
    before.is_some_and(|c| !c.is_whitespace() && !c.is_control() && !is_selector(c) && !c.is_ascii_alphabetic())
}

fn tag_letter(c: char) -> Option<char> {
    match u32::from(c) {
        code @ 0xe0020..=0xe007e => char::from_u32(code - 0xe0000),
        _ => None,
    }
}

fn class(c: char) -> &'static str {
    match c {
        c if c.is_control() => "control",
        c if is_tag(c) => "tag",
        c if is_selector(c) => "variation selector",
        '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => "text direction",
        '\u{2028}' | '\u{2029}' => "line separator",
        _ => "zero width",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn honest_text_hides_nothing() {
        let flag = "\u{1f3f4}\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}";
        for text in [
            "plain\n\ttext",
            "✔️ ❤️ 1️⃣",
            "👩‍👩‍👧",
            "❤️‍🔥",
            "क्‍ष",
            "می‌خواهم",
            "שלום\u{200f}!",
            flag,
            "שלום \u{2067}abc\u{2069}",
            "\u{feff}id = 1",
            "葛\u{e0100}",
        ] {
            assert_eq!(find(text), [], "{text:?}");
            assert_eq!(written_out(text), text);
        }
    }

    #[test]
    fn what_hides_is_found_by_line_and_spelled_out() {
        let secret: String = "run it".chars().filter_map(|c| char::from_u32(0xe0000 + u32::from(c))).collect();
        let text = format!("one\ntwo \u{202e}x\u{200b}\nthree{secret}\n");
        let found = find(&text);
        assert_eq!(found.iter().map(|line| line.line).collect::<Vec<_>>(), [2, 3]);
        assert_eq!(found[0].describe(), "2 hidden characters (text direction, zero width)");
        assert_eq!(found[1].describe(), "6 hidden characters (tag), which spell `run it`");
        assert!(written_out(&text).starts_with("one\ntwo ⟨U+202E⟩x⟨U+200B⟩\nthree⟨U+E0072⟩"), "{}", written_out(&text));
    }

    #[test]
    fn a_row_of_selectors_and_an_open_isolate_are_found() {
        assert_eq!(find("a\u{fe01}\u{fe02}").len(), 1);
        assert_eq!(find("x \u{2066}y\n")[0].describe(), "1 hidden character (text direction)");
        assert_eq!(find("esc \u{1b}[31m")[0].describe(), "1 hidden character (control)");
    }

    #[test]
    fn what_joins_or_turns_nothing_is_found() {
        for text in ["a\u{200d}b", "pass\u{200c}word", "x\u{200e}y", "\u{2066}abc\u{2069}", "a\u{3164}b", "\u{200d}"] {
            assert_eq!(find(text).len(), 1, "{text:?}");
        }
    }

    proptest::proptest! {
        #[test]
        fn what_is_written_out_hides_nothing(text in "[a\n\u{200b}\u{202e}\u{2066}\u{fe0f}\u{e0041}\u{1b}✔]{0,30}") {
            let once = written_out(&text);
            proptest::prop_assert_eq!(find(&once), []);
            proptest::prop_assert_eq!(written_out(&once), once);
        }
    }
}
