//! How many tokens a text costs a model, without a tokenizer.
//!
//! **Invariant:** the estimate leans to the high side, because budgets are held with it and a budget that is broken
//! costs more than one that is not quite used. Against the o200k vocabulary, for texts of 100 tokens and more:
//!
//! - below the true count by at most 5 %, on every kind of text tried: prose, code, data, any script, random bytes
//!   read as text, long words, digits, runs of marks. (One rare word, repeated, can do worse: it is a text of one sample.)
//! - above it by at most 30 % for notes, Markdown, code, JSON, lists of paths, hexadecimal ids and emoji, and by at most
//!   60 % for Chinese, Japanese, Korean, western European languages and words in capitals. Other alphabets are counted up
//!   to three and a half times: nothing here knows their words.
//!
//! The tests hold all of this against a real tokenizer. The text is cut as o200k cuts it (words, digits by three, runs of
//! marks, white space). What is left to guess is into how many tokens a word falls, and pairs of letters tell that well: a
//! word of common pairs is one token, a word of rare pairs is several. A thousand words that paths and notes are full of
//! (`tokens/words.txt`) are known to be one token each, with a space before them and without. Sums are in sixteenths of a
//! token.

use std::collections::HashSet;
use std::sync::LazyLock;

mod pairs;
#[cfg(test)]
mod tests;

/// One token, in sixteenths.
pub const TOKEN: usize = 16;

/// Which characters up to U+FFFF are a single token, one bit each.
static SINGLE: &[u8; 8192] = include_bytes!("tokens/single.bits");

/// Words that are a single token.
static WORDS: LazyLock<HashSet<&[u8]>> =
    LazyLock::new(|| include_str!("tokens/words.txt").split_ascii_whitespace().map(str::as_bytes).collect());

/// The tokens that `text` costs, rather too many than too few.
pub fn estimate(text: &str) -> usize {
    sixteenths(text).div_ceil(TOKEN)
}

/// The same in sixteenths of a token, for pieces that are added up.
///
/// Takes one pass over the text and no memory.
pub fn sixteenths(text: &str) -> usize {
    let bytes = text.as_bytes();
    let mut at = 0;
    let mut cost = 0;
    while let Some(&byte) = bytes.get(at) {
        let end = match byte {
            b'0'..=b'9' => {
                let end = run(bytes, at, |byte| byte.is_ascii_digit());
                cost += (end - at).div_ceil(3) * TOKEN;
                end
            }
            b'a'..=b'z' | b'A'..=b'Z' => {
                let end = word_end(bytes, at);
                let word = &bytes[at..end];
                cost += if WORDS.contains(word) { TOKEN } else { pairs::word(word) };
                end
            }
            b'\t'..=b'\r' | b' ' => {
                let end = run(bytes, at, is_space);
                cost += space(&bytes[at..end], bytes.get(end).copied());
                end
            }
            0x80.. => {
                let Some(character) = text[at..].chars().next() else { break };
                cost += wide(character);
                at + character.len_utf8()
            }
            _ => {
                let end = run(bytes, at, is_mark);
                let after_space = at > 0 && bytes[at - 1] == b' ';
                cost += match bytes.get(end) {
                    Some(next) if next.is_ascii_alphabetic() && end == at + 1 && !after_space => joined(byte),
                    _ => marks(&bytes[at..end]),
                };
                // Line ends belong to the marks before them.
                run(bytes, end, |byte| matches!(byte, b'\n' | b'\r'))
            }
        };
        at = end;
    }
    cost
}

/// The end of the run that begins at `at` and holds bytes of one kind.
fn run(bytes: &[u8], at: usize, kind: impl Fn(u8) -> bool) -> usize {
    bytes[at..].iter().position(|&byte| !kind(byte)).map_or(bytes.len(), |length| at + length)
}

/// The end of a word: capitals, then small letters; `HttpServer` is two.
fn word_end(bytes: &[u8], at: usize) -> usize {
    let capitals = run(bytes, at, |byte| byte.is_ascii_uppercase());
    run(bytes, capitals, |byte| byte.is_ascii_lowercase())
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b'\t'..=b'\r' | b' ')
}

fn is_mark(byte: u8) -> bool {
    byte.is_ascii() && !byte.is_ascii_alphanumeric() && !is_space(byte)
}

/// White space: lines that end are one token, an indent another, and the last space goes with what follows it.
fn space(run: &[u8], next: Option<u8>) -> usize {
    let lines = run.iter().rposition(|byte| matches!(byte, b'\n' | b'\r')).map_or(0, |last| last + 1);
    let (ends, indent) = run.split_at(lines);
    let alone = match (indent.split_last(), next) {
        (None, _) => return blank(ends),
        (Some(_), None) => return blank(ends) + blank(indent),
        (Some(_), Some(b'0'..=b'9')) => TOKEN,
        // Alphabets and Korean are written with spaces, and their words take one along.
        (Some(_), Some(0xC3..=0xDF)) => TOKEN / 4,
        (Some(_), Some(0xEA..=0xED)) => TOKEN / 8,
        (Some(_), Some(0x80..)) => TOKEN / 2,
        (Some((b' ', _)), Some(_)) => 0,
        (Some(_), Some(next)) if next.is_ascii_alphabetic() => 0,
        (Some(_), Some(_)) => TOKEN,
    };
    blank(ends) + blank(&indent[1..]) + alone
}

fn blank(run: &[u8]) -> usize {
    match run {
        [] => 0,
        run => TOKEN + changes(run) * 9 + run.len().saturating_sub(8),
    }
}

/// A single mark in front of a word is often one token with it.
fn joined(mark: u8) -> usize {
    match mark {
        b'\'' => 0,
        b'.' => 2,
        b'_' => 3,
        b'(' => 5,
        b'-' => 6,
        b'/' => 8,
        _ => TOKEN,
    }
}

/// A run of marks: the usual ones are one token, and each change of mark beyond the first is most of another.
fn marks(run: &[u8]) -> usize {
    let changes = changes(run);
    let repeats: usize = run
        .windows(2)
        .filter(|pair| pair[0] == pair[1])
        .map(|pair| if b"-=#*_./~+%".contains(&pair[0]) { 1 } else { TOKEN / 2 })
        .sum();
    let control = run.iter().filter(|byte| byte.is_ascii_control()).count();
    TOKEN + changes.saturating_sub(1) * 12 + repeats.saturating_sub(TOKEN) + control * TOKEN / 2
}

fn changes(run: &[u8]) -> usize {
    run.windows(2).filter(|pair| pair[0] != pair[1]).count()
}

/// A character beyond ASCII.
fn wide(character: char) -> usize {
    let code = character as usize;
    let single = SINGLE.get(code / 8).is_some_and(|byte| byte >> (code % 8) & 1 == 1);
    match code {
        // Greek, Russian, Hebrew and Arabic letters join to words.
        0x3B1..0x3CA | 0x430..0x450 | 0x5D0..0x5EB | 0x627..0x64B if single => 13,
        _ if single => TOKEN,
        0xAC00..0xD7A4 => 2 * TOKEN + 6,
        0..0x800 | 0x4E00..0xA000 => 2 * TOKEN,
        // Emoji in common use.
        0x1F1C0..0x1F200 | 0x1F300..0x1F540 | 0x1F600..0x1F6C0 | 0x1F900..0x1F980 => 2 * TOKEN + 1,
        0x1F000..0x1FB00 | 0..0x1_0000 => 3 * TOKEN,
        _ => 4 * TOKEN,
    }
}
