//! Text in the cells of a terminal.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

const ELLIPSIS: char = '…';
const JOINER: char = '\u{200d}';
const EMOJI_STYLE: char = '\u{fe0f}';

/// How many cells a text takes.
pub(super) fn width(text: &str) -> usize {
    text.width()
}

/// A text that was cut, with the sign for it.
pub(super) fn with_ellipsis(start: &str) -> String {
    format!("{}{ELLIPSIS}", start.trim_end())
}

/// The longest start of a text that takes at most `room` cells and tears no character apart.
pub(crate) fn start(text: &str, room: usize) -> &str {
    if width(text) <= room { text } else { &text[..end_within(text, room)] }
}

fn end_within(text: &str, room: usize) -> usize {
    let (mut used, mut end) = (0, 0);
    let mut before = None;
    for (at, c) in text.char_indices() {
        let joins = continues(before, c);
        if !joins {
            end = at;
        }
        used += match c {
            // Turns a narrow sign into a wide one.
            EMOJI_STYLE if before.is_some_and(|c| c.width() == Some(1)) => 1,
            _ if before == Some(JOINER) || is_skin_tone(c) && joins => 0,
            c => c.width().unwrap_or(0),
        };
        if used > room {
            return end;
        }
        before = Some(c);
    }
    text.len()
}

/// Whether a character belongs to the one before it.
fn continues(before: Option<char>, c: char) -> bool {
    before.is_some_and(|before| {
        before == JOINER || c.width() == Some(0) || is_skin_tone(c) || (is_flag_half(before) && is_flag_half(c))
    })
}

fn is_skin_tone(c: char) -> bool {
    ('\u{1f3fb}'..='\u{1f3ff}').contains(&c)
}

fn is_flag_half(c: char) -> bool {
    ('\u{1f1e6}'..='\u{1f1ff}').contains(&c)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXTS: [&str; 6] = [
        "a long title here",
        "任務管理システム",
        "e\u{301}e\u{301}e\u{301}e\u{301}e\u{301}",
        "👩‍👩‍👧👩‍👩‍👧👍🏽👍🏽 x",
        "✔️✔️✔️✔️",
        "🇩🇪🇫🇷 a b",
    ];

    #[test]
    fn a_start_fits_its_room_in_every_script() {
        for text in TEXTS {
            for room in 0..20 {
                let shown = start(text, room);
                assert!(width(shown) <= room, "{shown} takes {} of {room}", width(shown));
                assert!(room < width(text) || shown == text);
            }
        }
    }

    #[test]
    fn characters_are_not_torn_apart() {
        assert_eq!(start("任務管理", 5), "任務");
        assert_eq!(start("e\u{301}e\u{301}e\u{301}", 1), "e\u{301}");
        assert_eq!(start("a👩‍👩‍👧bcd", 3), "a👩‍👩‍👧");
        assert_eq!(start("a👩‍👩‍👧bcd", 2), "a");
        assert_eq!(start("👍🏽👍🏽", 3), "👍🏽");
    }

    #[test]
    fn a_cut_text_ends_in_its_sign() {
        assert_eq!(with_ellipsis("a long "), "a long…");
    }
}
