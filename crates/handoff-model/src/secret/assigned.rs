//! Values that are given to a name which says that they are secret: in shells, JSON, YAML, code, headers and flags.

use std::ops::Range;

use super::token::has_random_stretch;
use super::value::{self, Given, Sort};
use super::{is_word, run};

/// The most blanks between a name, its sign and its value.
const MOST_BLANKS: usize = 8;
/// How much of a value is looked at before it counts as one; then it is taken whole. Where names follow each other so
/// closely that each has all others in its value, less must do.
const LOOKED_AT: usize = 512;
const LOOKED_AT_LEAST: usize = 32;
/// How much before a name is looked at for the beginning of its line.
const INDENT: usize = 128;

pub(super) fn find(text: &str) -> Vec<(Range<usize>, &'static str)> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let mut at = 0;
    // Bytes that were looked at in vain may be looked at once more, on the whole.
    let mut left = 2 * bytes.len();
    while at < bytes.len() {
        let length = run(bytes, at, is_name);
        if length == 0 {
            at += 1;
            continue;
        }
        let name = at..at + length;
        let secret = given_to(text, &name, &mut left);
        at = secret.as_ref().map_or(name.end, |(secret, _)| secret.end);
        found.extend(secret);
    }
    found
}

fn is_name(byte: u8) -> bool {
    is_word(byte) || byte == b'.'
}

/// The secret that is given to this name.
fn given_to(text: &str, name: &Range<usize>, left: &mut usize) -> Option<(Range<usize>, &'static str)> {
    let written = &text[name.clone()];
    let is_flag = written.starts_with("--");
    let last = written.rsplit('.').next().unwrap_or(written).trim_start_matches('-');
    if last.eq_ignore_ascii_case("bearer") {
        return Some((after_scheme(text, name.end)?, Sort::Header.rule()));
    }
    let sort = sort(last)?;
    if let Some(told) = told_in_words(text, name.end) {
        return Some((told, sort.rule()));
    }
    let (start, sign) = after_sign(text, name.end, is_flag)?;
    let look = if *left > 0 { LOOKED_AT } else { LOOKED_AT_LEAST };
    let end = text.floor_char_boundary(start + look);
    let secret = match sort {
        Sort::Cookie => cookie(text.as_bytes(), start, end),
        Sort::Header => {
            let scheme = run(text.as_bytes(), start, |byte| byte.is_ascii_alphabetic());
            let behind = after_scheme(text, start + scheme);
            behind.or_else(|| judged(text, start..end, Sort::Token, sign, last, name.start))
        }
        Sort::Password | Sort::Token => judged(text, start..end, sort, sign, last, name.start),
    };
    if secret.is_none() {
        *left = left.saturating_sub(run(&text.as_bytes()[..end], start, |byte| !byte.is_ascii_whitespace()));
    }
    Some((secret?, sort.rule()))
}

/// The values of a cookie, if one of them could say who asks.
fn cookie(bytes: &[u8], start: usize, looked_at: usize) -> Option<Range<usize>> {
    let is_in = |byte: u8| !matches!(byte, b'\n' | b'"' | b'\'' | b'`');
    let length = run(&bytes[..looked_at], start, is_in);
    let is_secret = has_random_stretch(&bytes[start..start + length], 16);
    is_secret.then(|| start..start + length + run(bytes, start + length, is_in))
}

/// The secret in "the password is …": letters and digits in one word, which no other word would be.
fn told_in_words(text: &str, end: usize) -> Option<Range<usize>> {
    const IS: &str = " is ";
    let bytes = text.as_bytes();
    if !bytes[end..].starts_with(IS.as_bytes()) {
        return None;
    }
    let start = end + IS.len();
    let start = start + run(bytes, start, |byte| matches!(byte, b'"' | b'\'' | b'`'));
    let length = run(bytes, start, |byte| !byte.is_ascii_whitespace() && !matches!(byte, b'"' | b'\'' | b'`' | b','));
    let word = text[start..start + length].trim_end_matches(['.', ';', ')']);
    let is_secret = word.len() >= 6 && has_random_stretch(word.as_bytes(), 6) && !value::is_path(word);
    (is_secret && !value::stands_for_another(word)).then_some(start..start + word.len())
}

fn judged(
    text: &str,
    stretch: Range<usize>,
    sort: Sort,
    sign: Sign,
    name: &str,
    name_start: usize,
) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let begins_line = begins_line(bytes, name_start);
    let start = stretch.start;
    let quote = bytes.get(start).copied().filter(|byte| matches!(byte, b'"' | b'\'' | b'`'));
    let start = start + usize::from(quote.is_some());
    let is_end = |byte: u8| match quote {
        Some(quote) => byte == quote || byte == b'\n' || byte == b'\\',
        None if begins_line && sign == Sign::Tight => byte.is_ascii_whitespace() || matches!(byte, b'"' | b'\'' | b'`'),
        None => byte.is_ascii_whitespace() || b",;\"'`)]}<>|&\\".contains(&byte),
    };
    let mut end = start + run(&bytes[..stretch.end.max(start)], start, |byte| !is_end(byte));
    let fills_line = begins_line && matches!(bytes.get(end), None | Some(b'\n' | b'\r'));
    let given = Given { text: &text[start..end], name, is_quoted: quote.is_some(), sign, fills_line };
    if !value::is_secret(sort, &given) {
        return None;
    }
    end += run(bytes, end, |byte| !is_end(byte));
    Some(start..end)
}

/// Whether nothing stands before a name on its line but blanks, the mark of a list or `export`.
fn begins_line(bytes: &[u8], name_start: usize) -> bool {
    let from = name_start.saturating_sub(INDENT);
    let near = &bytes[from..name_start];
    let before = match near.iter().rposition(|byte| *byte == b'\n') {
        Some(end) => &near[end + 1..],
        None if from == 0 => near,
        None => return false,
    };
    let is_blank = |byte: &u8| byte.is_ascii_whitespace() || *byte == b'-';
    let begun = &before[before.iter().take_while(|byte| is_blank(byte)).count()..];
    begun.is_empty() || begun.trim_ascii_end() == b"export"
}

/// How a name and its value are joined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sign {
    /// `name=value`
    Tight,
    /// `name: value`, `name = value`, `"name": "value"`
    Loose,
    /// `--name value`
    Flag,
}

/// Where the value begins, behind the sign that joins it to its name.
pub(super) fn after_sign(text: &str, end: usize, is_flag: bool) -> Option<(usize, Sign)> {
    let bytes = text.as_bytes();
    let blanks = |at: usize| run(bytes, at, |byte| matches!(byte, b' ' | b'\t'));
    let backslashes = |at: usize| run(bytes, at, |byte| byte == b'\\');
    let mut at = end + backslashes(end);
    let is_quoted = matches!(bytes.get(at), Some(b'"' | b'\'' | b'`'));
    at = if is_quoted { at + 1 } else { end };
    let before = blanks(at);
    let sign = at + before;
    let rest = &bytes[sign..];
    let length = if rest.starts_with(b"=>") || rest.starts_with(b":=") {
        2
    } else if rest.starts_with(b"==") || rest.starts_with(b"::") || rest.starts_with(b"=~") {
        return None;
    } else if rest.starts_with(b"=") || rest.starts_with(b":") {
        1
    } else if is_flag && !is_quoted && before > 0 {
        0
    } else {
        return None;
    };
    let after = blanks(sign + length);
    if before.max(after) > MOST_BLANKS {
        return None;
    }
    let at = sign + length + after;
    let at = at + backslashes(at);
    let joined = match length {
        0 => Sign::Flag,
        1 if before == 0 && after == 0 && !is_quoted && rest[0] == b'=' => Sign::Tight,
        _ => Sign::Loose,
    };
    Some((at, joined))
}

/// The secret behind the word for how one proves who one is, as in `Bearer …`.
fn after_scheme(text: &str, end: usize) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let blanks = run(bytes, end, |byte| byte == b' ');
    if blanks == 0 || blanks > MOST_BLANKS {
        return None;
    }
    let start = end + blanks;
    let length = run(bytes, start, |byte| is_name(byte) || matches!(byte, b'+' | b'/' | b'=' | b'~' | b':'));
    let given = &text[start..start + length];
    let is_long = length >= 12 && given.bytes().any(|byte| byte.is_ascii_digit() || byte == b'=');
    (is_long && !value::stands_for_another(given)).then_some(start..start + length)
}

/// How the names end that promise a secret.
const ENDINGS: &[&str] = &["rd", "wd", "se", "ss", "ey", "et", "en", "ie", "on"];

/// What sort of secret a name promises: told by its last words.
fn sort(name: &str) -> Option<Sort> {
    // Longer ones are not names. Of the others, most are passed over by how they end.
    let end = name.trim_end_matches(['_', '-']).as_bytes();
    let ending = |known: &&str| end.len() >= 2 && end[end.len() - 2..].eq_ignore_ascii_case(known.as_bytes());
    if name.len() > 80 || !ENDINGS.iter().any(ending) {
        return None;
    }
    let words = words(name);
    let (last, before) = words.split_last()?;
    let before = before.last().map(String::as_str);
    let ends = |endings: &[&str]| endings.iter().any(|ending| last.ends_with(ending));
    if ends(&["password", "passwd", "passphrase", "pwd"]) || (last == "pass" && before.is_some()) {
        return Some(Sort::Password);
    }
    let is_key = last == "key"
        && matches!(
            before,
            Some(
                "api" | "access" | "account" | "secret" | "private" | "auth" | "shared" | "signing" | "encryption" | "master"
            )
        )
        // As in `SECRET_KEY_BASE`.
        || (last == "base" && before == Some("key") && words.iter().any(|word| word == "secret"));
    if is_key || ends(&["secret", "token", "apikey", "secretkey", "accesskey", "privatekey"]) {
        return Some(Sort::Token);
    }
    if last == "cookie" {
        return Some(Sort::Cookie);
    }
    (last == "authorization").then_some(Sort::Header)
}

/// The words of a name in small letters: `clientSecret`, `CLIENT_SECRET` and `client-secret` have two.
fn words(name: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut was_small = false;
    let mut is_new = true;
    for c in name.chars() {
        if !c.is_ascii_alphanumeric() {
            is_new = true;
            continue;
        }
        if is_new || (was_small && c.is_ascii_uppercase()) {
            words.push(String::new());
        }
        is_new = false;
        was_small = c.is_ascii_lowercase() || c.is_ascii_digit();
        if let Some(word) = words.last_mut() {
            word.push(c.to_ascii_lowercase());
        }
    }
    words
}
