//! How many tokens a text costs a model, without a tokenizer.
//!
//! **Invariant:** the estimate leans to the high side, because budgets are held with it and a budget that is broken
//! costs more than one that is not quite used. Against the o200k vocabulary, for texts of 100 tokens and more:
//!
//! - never below the true count by more than 3 %, on any text: notes, code, random bytes read as text, long words,
//!   digits, runs of punctuation, mixed scripts;
//! - above it by at most 25 % for notes, Markdown, code, JSON, lists of paths and hexadecimal ids, and by at most 60 % for
//!   Chinese, Japanese, Korean and emoji. Other alphabets may be counted up to three times.
//!
//! The tests hold both against a real tokenizer. The text is cut as o200k cuts it (words, digits by three, runs of
//! punctuation, white space). What is left to guess is into how many tokens a word falls, and pairs of letters tell
//! that well: a word of common pairs is one token, a word of rare pairs is many. All sums are in sixteenths of a token.

mod pairs;
#[cfg(test)]
mod tests;

/// One token.
const TOKEN: usize = 16;

/// Which characters up to U+FFFF are a single token, one bit each.
static SINGLE: &[u8; 8192] = include_bytes!("tokens/single.bits");

/// The tokens that `text` costs, rather too many than too few.
///
/// Takes one pass over the text and no memory.
pub fn estimate(text: &str) -> usize {
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
                cost += pairs::word(&bytes[at..end]);
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
    // What pairs of letters leave undecided, on the safe side.
    (cost + cost / 16).div_ceil(TOKEN)
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

/// White space: lines that end are one token, an indent another; the last space goes with what follows it.
fn space(run: &[u8], next: Option<u8>) -> usize {
    let lines = run.iter().rposition(|byte| matches!(byte, b'\n' | b'\r')).map_or(0, |last| last + 1);
    let (ends, indent) = run.split_at(lines);
    let indent = match (indent, next) {
        (indent, None) => indent,
        // A digit takes no space before it.
        (indent, Some(b'0'..=b'9')) => {
            return blank(ends) + blank(indent.get(1..).unwrap_or(indent)) + blank(&indent[..indent.len().min(1)]);
        }
        ([indent @ .., b' '], Some(_)) => indent,
        (indent, Some(next)) if next.is_ascii_alphabetic() => indent.get(1..).unwrap_or(indent),
        (indent, Some(_)) => indent,
    };
    blank(ends) + blank(indent)
}

fn blank(run: &[u8]) -> usize {
    match run {
        [] => 0,
        run => TOKEN + changes(run) * TOKEN / 2 + (run.len() - 1),
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
        _ => 14,
    }
}

/// A run of marks: usual ones are one token, and each change of mark beyond the first is most of another.
fn marks(run: &[u8]) -> usize {
    let changes = changes(run);
    let repeats: usize =
        run.windows(2)
            .filter(|pair| pair[0] == pair[1])
            .map(|pair| {
                if matches!(pair[0], b'-' | b'=' | b'#' | b'*' | b'_' | b'.' | b'/' | b'~' | b'+' | b'%') {
                    1
                } else {
                    8
                }
            })
            .sum();
    let control = run.iter().filter(|byte| byte.is_ascii_control()).count();
    TOKEN + changes.saturating_sub(1) * 11 + repeats.saturating_sub(16) + control * 8
}

fn changes(run: &[u8]) -> usize {
    run.windows(2).filter(|pair| pair[0] != pair[1]).count()
}

/// A character beyond ASCII.
fn wide(character: char) -> usize {
    let code = character as usize;
    let single = SINGLE.get(code / 8).is_some_and(|byte| byte >> (code % 8) & 1 == 1);
    match code {
        // Alphabets whose letters join to words.
        0x370..0x700 if single => 13,
        _ if single => TOKEN,
        0x4E00..0xA000 | 0..0x800 => 2 * TOKEN,
        0x1F1C0..0x1F200 | 0x1F300..0x1F540 | 0x1F600..0x1F6C0 | 0x1F900..0x1F980 => 2 * TOKEN,
        0x1F000..0x1FB00 | 0..0x1_0000 => 3 * TOKEN,
        _ => 4 * TOKEN,
    }
}
