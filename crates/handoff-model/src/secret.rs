//! Secrets in text, found by their shape and by what stands before them.
//!
//! **Invariant:** what [`redact`] gives holds no secret that [`find`] knows, so redacting twice is redacting once. The
//! time taken grows with the length of the text and not faster, whatever the text is.
//!
//! Six things count as secrets:
//!
//! - what services give out, by the table of [`rules`]: a keyword leads to a place, a pattern says what must stand there,
//!   and its entropy tells it from a word;
//! - JSON web tokens, and the tokens of bots;
//! - blocks of private keys, also where the text has only their beginning or end;
//! - the password in an address, as in `https://user:password@host`;
//! - what is given to a name that says it is a secret: `DB_PASSWORD=…`, `"apiKey": "…"`, `--token …`,
//!   `Authorization: Bearer …`, "the password is …";
//! - what programs take as a short option, such as `curl -u user:…` and `mysql -p…`.
//!
//! A name alone is not enough: `token: String`, `password = read_password()`, `tokens: 2000` and `$TOKEN` are no
//! secrets. Hashes, ids and paths are none either, unless they are given to such a name.

use std::borrow::Cow;
use std::ops::Range;

mod address;
mod assigned;
mod fingerprint;
mod key_block;
mod keywords;
mod matching;
mod option;
pub mod rules;
mod token;
mod value;

pub use fingerprint::{Allowed, Fingerprint, NotAFingerprint};

/// How everything begins that stands in place of a secret; it goes on with the rule that found it.
pub const MARK: &str = "[redacted";

/// A secret in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// What found it, such as `github-token`
    pub rule: &'static str,
    /// Where it stands, in bytes
    pub range: Range<usize>,
    pub fingerprint: Fingerprint,
}

/// The secrets of a text that nobody let through: in order, apart from each other.
pub fn scan(text: &str, allowed: &Allowed) -> Vec<Found> {
    let found = located(text).into_iter().map(|(range, rule)| {
        let fingerprint = Fingerprint::of(rule, &text[range.clone()]);
        Found { rule, range, fingerprint }
    });
    found.filter(|found| !allowed.contains(&found.fingerprint)).collect()
}

/// Where the secrets stand, in bytes: in order, apart from each other.
pub fn find(text: &str) -> Vec<Range<usize>> {
    located(text).into_iter().map(|(range, _)| range).collect()
}

/// The text with every secret in it replaced by a mark that names the rule, as in `[redacted: github-token]`.
pub fn redact(text: &str) -> Cow<'_, str> {
    without(text, located(text))
}

/// The same, except for what somebody let through.
pub fn redact_except<'a>(text: &'a str, allowed: &Allowed) -> Cow<'a, str> {
    without(text, scan(text, allowed).into_iter().map(|found| (found.range, found.rule)).collect())
}

fn without<'a>(text: &'a str, secrets: Vec<(Range<usize>, &'static str)>) -> Cow<'a, str> {
    if secrets.is_empty() {
        return Cow::Borrowed(text);
    }
    let mut redacted = String::with_capacity(text.len());
    let mut end = 0;
    for (secret, rule) in secrets {
        redacted.push_str(&text[end..secret.start]);
        redacted.push_str(MARK);
        redacted.push_str(": ");
        redacted.push_str(rule);
        redacted.push(']');
        end = secret.end;
    }
    redacted.push_str(&text[end..]);
    Cow::Owned(redacted)
}

/// Where the secrets stand, and what found each. Of several that found the same place, the one that knows most names it.
fn located(text: &str) -> Vec<(Range<usize>, &'static str)> {
    let named = |ranges: Vec<Range<usize>>, rule: &'static str| ranges.into_iter().map(move |range| (range, rule));
    let mut found: Vec<(Range<usize>, &'static str)> = matching::find(text);
    found.extend(token::find(text));
    found.extend(named(key_block::find(text), "private-key"));
    found.extend(named(address::find(text), "address-password"));
    found.extend(named(option::find(text), "command-password"));
    found.extend(assigned::find(text));
    let mut ranked: Vec<_> = found.into_iter().enumerate().collect();
    ranked.sort_by_key(|(rank, (range, _))| (range.start, range.end, *rank));
    let mut apart: Vec<(usize, (Range<usize>, &'static str))> = Vec::with_capacity(ranked.len());
    for (rank, (range, rule)) in ranked {
        match apart.last_mut() {
            Some((best, (last, named))) if range.start <= last.end => {
                last.end = last.end.max(range.end);
                if rank < *best {
                    (*best, *named) = (rank, rule);
                }
            }
            _ => apart.push((rank, (range, rule))),
        }
    }
    apart.into_iter().map(|(_, found)| found).collect()
}

/// How many bytes from `start` on fulfil a condition.
fn run(bytes: &[u8], start: usize, is_in: impl Fn(u8) -> bool) -> usize {
    bytes[start.min(bytes.len())..].iter().take_while(|byte| is_in(**byte)).count()
}

/// A letter, a digit, or what holds the parts of a token together.
fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')
}

#[cfg(test)]
mod tests;
