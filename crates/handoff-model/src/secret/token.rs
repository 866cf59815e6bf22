//! Tokens that carry the mark of the service that gave them out.

use std::ops::Range;

use super::{is_word, run};

/// A kind of token: how it begins, and what the rest of it is like.
struct Shape {
    mark: &'static str,
    rest: Rest,
    /// How long the rest is at least
    least: usize,
}

/// What a token is made of behind its mark.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Rest {
    Letters,
    /// Letters, digits, `_` and `-`
    Word,
    /// The same, with a stretch that no name in a program has
    RandomWord,
    /// Capitals and digits, exactly as many as the shape says
    Capitals,
}

const fn shape(mark: &'static str, rest: Rest, least: usize) -> Shape {
    Shape { mark, rest, least }
}

const SHAPES: &[Shape] = &[
    shape("sk-ant-", Rest::Word, 16),
    shape("sk-proj-", Rest::Word, 16),
    shape("sk-", Rest::RandomWord, 20),
    shape("sk_live_", Rest::Letters, 16),
    shape("sk_test_", Rest::Letters, 16),
    shape("rk_live_", Rest::Letters, 16),
    shape("whsec_", Rest::Letters, 16),
    shape("ghp_", Rest::Letters, 20),
    shape("gho_", Rest::Letters, 20),
    shape("ghu_", Rest::Letters, 20),
    shape("ghs_", Rest::Letters, 20),
    shape("ghr_", Rest::Letters, 20),
    shape("github_pat_", Rest::Word, 20),
    shape("glpat-", Rest::Word, 16),
    shape("gldt-", Rest::Word, 16),
    shape("glrt-", Rest::Word, 16),
    shape("AKIA", Rest::Capitals, 16),
    shape("ASIA", Rest::Capitals, 16),
    shape("xoxa-", Rest::Word, 10),
    shape("xoxb-", Rest::Word, 10),
    shape("xoxp-", Rest::Word, 10),
    shape("xoxr-", Rest::Word, 10),
    shape("xoxs-", Rest::Word, 10),
    shape("xoxe-", Rest::Word, 10),
    shape("xapp-", Rest::Word, 16),
    shape("AIza", Rest::Word, 30),
    shape("ya29.", Rest::Word, 20),
    shape("npm_", Rest::Letters, 30),
    shape("pypi-", Rest::Word, 30),
    shape("hf_", Rest::Letters, 20),
    shape("dop_v1_", Rest::Letters, 32),
    shape("SG.", Rest::Word, 16),
    shape("hvs.", Rest::Word, 20),
    shape("hvb.", Rest::Word, 20),
    shape("AGE-SECRET-KEY-1", Rest::Letters, 20),
];

/// How much of a token is looked at to judge it; what is longer is taken whole once the beginning is right.
const JUDGED: usize = 256;

/// What ends a text that was cut off; a token before it may be shorter than it was.
const CUT: &str = "…";

/// How much of a token that was cut off must be left for it to count.
const LEAST_OF_CUT: usize = 4;

pub(super) fn find(text: &str) -> Vec<Range<usize>> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let mut at = 0;
    let mut no_web_token_before = 0;
    while at < bytes.len() {
        let is_start = at == 0 || !bytes[at - 1].is_ascii_alphanumeric();
        if is_start && bytes[at].is_ascii_digit() {
            let end = bot_token(bytes, at);
            found.extend(end.map(|end| at..end));
            at = end.unwrap_or(at + run(bytes, at, |byte| byte.is_ascii_digit()));
            continue;
        }
        if !is_start || !bytes[at].is_ascii_alphabetic() {
            at += 1;
            continue;
        }
        let is_token = SHAPES.iter().any(|shape| shape.fits(text, at));
        let end = if is_token {
            at + run(bytes, at, |byte| is_word(byte) || byte == b'.')
        } else if bytes[at..].starts_with(b"eyJ") && at >= no_web_token_before {
            let end = at + run(bytes, at, |byte| is_word(byte) || byte == b'.');
            no_web_token_before = end;
            if is_web_token(&bytes[at..end]) { end } else { at }
        } else {
            at
        };
        if end > at {
            // A full stop ends a sentence, not a token.
            let end = end - bytes[at..end].iter().rev().take_while(|byte| **byte == b'.').count();
            found.push(at..end);
            at = end;
        } else {
            at += 1;
        }
    }
    found
}

impl Shape {
    /// Whether a token of this kind stands at `at`.
    fn fits(&self, text: &str, at: usize) -> bool {
        let bytes = text.as_bytes();
        if !bytes[at..].starts_with(self.mark.as_bytes()) {
            return false;
        }
        let start = at + self.mark.len();
        let judged = &bytes[start..bytes.len().min(start + JUDGED)];
        let length = match self.rest {
            Rest::Letters => run(judged, 0, |byte| byte.is_ascii_alphanumeric()),
            Rest::Word | Rest::RandomWord => run(judged, 0, is_word),
            Rest::Capitals => run(judged, 0, |byte| byte.is_ascii_uppercase() || byte.is_ascii_digit()),
        };
        let rest = &judged[..length];
        if bytes[start + length..].starts_with(CUT.as_bytes()) && length >= LEAST_OF_CUT {
            return true;
        }
        match self.rest {
            // A word of a language is not that long.
            Rest::Letters => length >= self.least && (length >= 30 || rest.iter().any(u8::is_ascii_digit)),
            Rest::Word => length >= self.least && rest.iter().any(u8::is_ascii_digit),
            Rest::RandomWord => length >= self.least && has_random_stretch(rest, 12),
            Rest::Capitals => {
                let is_whole = bytes.get(start + length).is_none_or(|byte| !is_word(*byte));
                length == self.least && is_whole
            }
        }
    }
}

/// Where the token of a bot ends that begins here: its number, a colon and 35 letters, as Telegram gives them out.
fn bot_token(bytes: &[u8], at: usize) -> Option<usize> {
    let digits = run(bytes, at, |byte| byte.is_ascii_digit());
    let start = at + digits + 1;
    let length = run(bytes, start, is_word);
    let is_token = (8..=10).contains(&digits) && bytes.get(at + digits) == Some(&b':') && (30..=40).contains(&length);
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
