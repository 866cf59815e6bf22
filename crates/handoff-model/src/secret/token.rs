//! Tokens whose shape no single pattern tells: JSON web tokens, and those that Telegram gives to bots.

use std::ops::Range;

use super::{is_word, run};

pub(super) const WEB_TOKEN: &str = "json-web-token";
pub(super) const BOT_TOKEN: &str = "telegram-bot-token";

pub(super) fn find(text: &str) -> Vec<(Range<usize>, &'static str)> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        if at > 0 && bytes[at - 1].is_ascii_alphanumeric() {
            at += 1;
        } else if bytes[at].is_ascii_digit() {
            let end = bot_token(bytes, at);
            found.extend(end.map(|end| (at..end, BOT_TOKEN)));
            at = end.unwrap_or(at + run(bytes, at, |byte| byte.is_ascii_digit()));
        } else if bytes[at..].starts_with(b"eyJ") {
            let end = at + run(bytes, at, |byte| is_word(byte) || byte == b'.');
            // A full stop ends a sentence, not a token.
            let stops = bytes[at..end].iter().rev().take_while(|byte| **byte == b'.').count();
            if is_web_token(&bytes[at..end]) {
                found.push((at..end - stops, WEB_TOKEN));
            }
            // What is in there begins no other.
            at = end;
        } else {
            at += 1;
        }
    }
    found
}

/// Where the token of a bot ends that begins here: its number, a colon and 35 letters, as Telegram gives them out.
fn bot_token(bytes: &[u8], at: usize) -> Option<usize> {
    let digits = run(bytes, at, |byte| byte.is_ascii_digit());
    if !(8..=10).contains(&digits) || bytes.get(at + digits) != Some(&b':') {
        return None;
    }
    let start = at + digits + 1;
    let length = run(bytes, start, is_word);
    let is_token = (30..=40).contains(&length);
    (is_token && has_random_stretch(&bytes[start..start + length], 8)).then_some(start + length)
}

/// Whether letters and digits are mixed in one stretch of at least this length.
pub(super) fn has_random_stretch(bytes: &[u8], least: usize) -> bool {
    bytes.split(|byte| !byte.is_ascii_alphanumeric()).any(|stretch| {
        stretch.len() >= least && stretch.iter().any(u8::is_ascii_digit) && stretch.iter().any(u8::is_ascii_alphabetic)
    })
}

/// Whether this is a JSON web token, or as much of one as makes it one: three parts, the first one a JSON object.
fn is_web_token(bytes: &[u8]) -> bool {
    let mut parts = bytes.split(|byte| *byte == b'.');
    let is_long = |part: Option<&[u8]>| part.is_some_and(|part| part.len() >= 10);
    is_long(parts.next()) && is_long(parts.next()) && parts.next().is_some()
}
