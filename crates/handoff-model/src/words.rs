//! What words are made of: scripts, the parts of identifiers, and forms that are compared.
//!
//! Shared by all that looks for words: what matters for a prompt (`relevant`) and full-text search (`search`).

pub(crate) mod common;
mod stem;

use unicode_normalization::char::{decompose_canonical, is_combining_mark};

pub(crate) use stem::stem;

/// Words longer than this are data, not language.
pub(crate) const LONGEST: usize = 64;

/// Which script a character belongs to, as far as words are cut differently in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Script {
    Letters,
    Han,
    Hiragana,
    Katakana,
    Hangul,
}

impl Script {
    pub(crate) fn of(c: char) -> Script {
        match u32::from(c) {
            0x1100..=0x11ff | 0x3131..=0x318e | 0xac00..=0xd7ff | 0xffa0..=0xffdc => Script::Hangul,
            0x3005..=0x3007 | 0x3400..=0x9fff | 0xf900..=0xfaff | 0x2_0000..=0x3_ffff => Script::Han,
            0x3041..=0x309f => Script::Hiragana,
            0x30a0..=0x30ff | 0x31f0..=0x31ff | 0xff66..=0xff9f => Script::Katakana,
            _ => Script::Letters,
        }
    }
}

/// Whether a character is part of a word.
pub(crate) fn is_part(c: char) -> bool {
    if c.is_ascii() { c.is_ascii_alphanumeric() || c == '_' } else { c.is_alphanumeric() }
}

/// The parts of `snake_case` and `camelCase`.
pub(crate) fn parts(name: &str) -> impl Iterator<Item = &str> {
    name.split('_').filter(|part| !part.is_empty()).flat_map(humps)
}

fn humps(part: &str) -> impl Iterator<Item = &str> {
    let mut rest = part;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let mut letters = rest.char_indices().peekable();
        let mut end = rest.len();
        let mut before = letters.next()?.1;
        while let Some((at, letter)) = letters.next() {
            let next = letters.peek().map(|(_, next)| *next);
            let rises = before.is_lowercase() && letter.is_uppercase();
            // `HTTPServer` is HTTP and Server; a plural such as `URLs` is one word.
            let ends_capitals = before.is_uppercase()
                && letter.is_uppercase()
                && next.is_some_and(char::is_lowercase)
                && &rest[at + letter.len_utf8()..] != "s";
            if rises || ends_capitals {
                end = at;
                break;
            }
            before = letter;
        }
        let (hump, after) = rest.split_at(end);
        rest = after;
        Some(hump)
    })
}

/// Adds a word in the form it is compared in: small, and without the accents that people leave out when they type.
///
/// Only where an accent does not make another letter: in Latin and Greek, not in Cyrillic or Devanagari.
pub(crate) fn fold(word: &str, into: &mut String) {
    if word.is_ascii() {
        into.extend(word.bytes().map(|byte| char::from(byte.to_ascii_lowercase())));
        return;
    }
    for c in word.chars().flat_map(char::to_lowercase) {
        match c {
            'ß' => into.push_str("ss"),
            'æ' => into.push_str("ae"),
            'œ' => into.push_str("oe"),
            'ø' => into.push('o'),
            'ł' => into.push('l'),
            'đ' => into.push('d'),
            'ı' => into.push('i'),
            'ς' => into.push('σ'),
            'ё' => into.push('е'),
            '\u{300}'..='\u{36f}' => {}
            '\u{c0}'..='\u{24f}' | '\u{370}'..='\u{3ff}' | '\u{1e00}'..='\u{1fff}' => {
                decompose_canonical(c, |c| {
                    if !is_combining_mark(c) {
                        into.push(c);
                    }
                });
            }
            c => into.push(c),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_fall_into_parts() {
        let parts = |name| parts(name).collect::<Vec<_>>();
        assert_eq!(parts("refresh_token"), ["refresh", "token"]);
        assert_eq!(parts("refreshTokens"), ["refresh", "Tokens"]);
        assert_eq!(parts("HTTPServer"), ["HTTP", "Server"]);
        assert_eq!(parts("URLs"), ["URLs"]);
        assert_eq!(parts("sha256"), ["sha256"]);
    }

    #[test]
    fn words_are_compared_without_case_and_accents() {
        for (word, expected) in [
            ("Größe", "grosse"),
            ("CAFÉ", "cafe"),
            ("cafe\u{301}", "cafe"),
            ("Łódź", "lodz"),
            ("ΣΊΣΥΦΟΣ", "σισυφοσ"),
            ("Йод", "йод"),
            ("İx", "ix"),
            ("トークン", "トークン"),
        ] {
            let mut folded = String::new();
            fold(word, &mut folded);
            assert_eq!(folded, expected);
        }
    }
}
