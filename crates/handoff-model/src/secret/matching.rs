//! Asking the rules of the table where their keywords stand.

use std::ops::Range;

use super::assigned::after_sign;
use super::keywords::{self, Hit};
use super::rules::{self, Place};
use super::token::has_random_stretch;
use super::{is_word, run, value};

/// How much behind a keyword a pattern looks at; a token that is longer is taken whole once its beginning is right.
const WINDOW: usize = 256;
/// How much of a name is looked at on each side of a keyword.
const NAME: usize = 40;
/// What ends a text that was cut off; a token before it may be shorter than it was.
const CUT: &str = "…";
/// How much of a token that was cut off must be left for it to count.
const LEAST_OF_CUT: usize = 4;

/// What names of secrets have in them, in small letters.
const SECRET_WORDS: &[&str] =
    &["key", "token", "secret", "pass", "pwd", "auth", "api", "pat", "sid", "cred", "dsn", "license", "private", "sk"];

pub(super) fn find(text: &str) -> Vec<(Range<usize>, &'static str)> {
    let mut found: Vec<(Range<usize>, &'static str)> = Vec::new();
    let mut settled = 0;
    // What a rule took for too orderly, it need not be asked again about its parts.
    let mut orderly = vec![0; rules::ready().len()];
    keywords::each(text, |hit| {
        if hit.at < settled || hit.at < orderly[hit.ready.number] {
            return;
        }
        match hit.secret(text) {
            Judged::Secret(secret) => {
                settled = secret.end;
                found.push((secret, hit.ready.rule.id));
            }
            Judged::Orderly(end) => orderly[hit.ready.number] = end,
            Judged::Nothing => {}
        }
    });
    found
}

/// What stands behind a keyword.
enum Judged {
    Secret(Range<usize>),
    /// It has the form, up to here, and tells too little to be a secret
    Orderly(usize),
    Nothing,
}

impl Hit {
    /// What the rule finds here.
    fn secret(&self, text: &str) -> Judged {
        let found = match self.ready.rule.place {
            Place::Mark | Place::Exact => return self.token(text),
            Place::Here => self.matched(text, self.at).filter(|secret| self.is_disordered(&text[secret.clone()])),
            Place::Name => self.given(text),
        };
        found.map_or(Judged::Nothing, Judged::Secret)
    }

    /// A token that begins with the keyword.
    fn token(&self, text: &str) -> Judged {
        let bytes = text.as_bytes();
        if self.at > 0 && bytes[self.at - 1].is_ascii_alphanumeric() {
            return Judged::Nothing;
        }
        let behind = self.at + self.keyword.len();
        let near = &bytes[..bytes.len().min(behind + WINDOW)];
        let length = run(near, behind, is_word);
        if length >= LEAST_OF_CUT && bytes[behind + length..].starts_with(CUT.as_bytes()) {
            return Judged::Secret(self.at..behind + length);
        }
        let Some(mut secret) = self.matched(text, self.at) else { return Judged::Nothing };
        let goes_on = bytes.get(secret.end).is_some_and(|byte| is_word(*byte));
        if goes_on && self.ready.rule.place == Place::Exact {
            return Judged::Nothing;
        }
        let rest = &text[behind.min(secret.end)..secret.end];
        // A word of a language is not that long, and has no digits in it.
        let is_word_of_none = rest.bytes().any(|byte| byte.is_ascii_digit())
            || (rest.len() >= 30 && rest.bytes().all(|byte| byte.is_ascii_alphanumeric()));
        if !is_word_of_none || !self.is_disordered(rest) {
            return Judged::Orderly(secret.end);
        }
        secret.end += run(bytes, secret.end, is_word);
        // A full stop ends a sentence, not a token.
        secret.end -= bytes[secret.clone()].iter().rev().take_while(|byte| **byte == b'.').count();
        Judged::Secret(secret)
    }

    /// What is given to the name that the keyword is part of.
    fn given(&self, text: &str) -> Option<Range<usize>> {
        let bytes = text.as_bytes();
        let is_name = |byte: u8| is_word(byte) || byte == b'.';
        let behind = self.at + self.keyword.len();
        let before =
            bytes[self.at.saturating_sub(NAME)..self.at].iter().rev().take_while(|byte| is_name(**byte)).count();
        let start = self.at - before;
        let reach = &bytes[..bytes.len().min(behind + NAME)];
        let mut end = behind + run(reach, behind, is_name);
        let is_flag = bytes[start..].starts_with(b"--");
        let mut sign = after_sign(text, end, is_flag);
        if sign.is_none() && bytes.get(end) == Some(&b' ') {
            // As in `Datadog API key: …`.
            end += run(reach, end, |byte| is_name(byte) || byte == b' ');
            sign = after_sign(text, end, false);
        }
        let (value, _) = sign?;
        let name = String::from_utf8_lossy(&bytes[start..end]).to_ascii_lowercase();
        if !SECRET_WORDS.iter().any(|word| name.contains(word)) {
            return None;
        }
        let value =
            value + run(&bytes[..bytes.len().min(value + 1)], value, |byte| matches!(byte, b'"' | b'\'' | b'`'));
        let secret = self.matched(text, value)?;
        let is_whole =
            bytes.get(secret.end).is_none_or(|byte| !is_word(*byte) && !b"+/=.".contains(byte) || *byte == b'.');
        let given = &text[secret.clone()];
        let has_digit = given.bytes().any(|byte| byte.is_ascii_digit());
        (is_whole && has_digit && !value::stands_for_another(given) && self.is_disordered(given)).then_some(secret)
    }

    /// What the pattern takes for the secret at this place: its group, or all of it.
    fn matched(&self, text: &str, at: usize) -> Option<Range<usize>> {
        let window = &text[at..text.floor_char_boundary(at + WINDOW)];
        let regex = self.ready.regex()?;
        let part = if regex.captures_len() > 1 { regex.captures(window)?.get(1) } else { regex.find(window) }?;
        Some(at + part.start()..at + part.end())
    }

    fn is_disordered(&self, secret: &str) -> bool {
        let looked_at = &secret.as_bytes()[..secret.len().min(WINDOW)];
        entropy(looked_at) >= self.ready.rule.entropy
            && (self.ready.rule.stretch == 0 || has_random_stretch(looked_at, self.ready.rule.stretch))
    }
}

/// Shannon's entropy: how many bits each byte tells, seen from how often each of them stands there.
#[expect(clippy::cast_precision_loss, reason = "a window has few bytes")]
fn entropy(bytes: &[u8]) -> f64 {
    let mut counts = [0_u32; 256];
    for byte in bytes {
        counts[usize::from(*byte)] += 1;
    }
    let length = bytes.len() as f64;
    let share = |count: &u32| f64::from(*count) / length;
    counts.iter().filter(|count| **count > 0).map(share).map(|share| -share * share.log2()).sum()
}
