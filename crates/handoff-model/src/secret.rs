//! Secrets in text, found by their shape and by what stands before them.
//!
//! **Invariant:** what [`redact`] gives holds no secret that [`find`] knows, so redacting twice is redacting once. The
//! time taken grows with the length of the text and not faster, whatever the text is.
//!
//! Five things count as secrets:
//!
//! - tokens that services give out with a mark of their own, such as `ghp_…` or `AKIA…`, and JSON web tokens;
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
mod key_block;
mod option;
mod token;
mod value;

/// What stands in place of a secret.
pub const REDACTED: &str = "[redacted]";

/// The text with every secret in it replaced by [`REDACTED`].
pub fn redact(text: &str) -> Cow<'_, str> {
    let found = find(text);
    if found.is_empty() {
        return Cow::Borrowed(text);
    }
    let mut redacted = String::with_capacity(text.len());
    let mut end = 0;
    for secret in found {
        redacted.push_str(&text[end..secret.start]);
        redacted.push_str(REDACTED);
        end = secret.end;
    }
    redacted.push_str(&text[end..]);
    Cow::Owned(redacted)
}

/// Where the secrets stand, in bytes: in order, apart from each other.
pub fn find(text: &str) -> Vec<Range<usize>> {
    let mut found = token::find(text);
    found.extend(key_block::find(text));
    found.extend(address::find(text));
    found.extend(assigned::find(text));
    found.extend(option::find(text));
    found.sort_by_key(|range| (range.start, range.end));
    let mut apart: Vec<Range<usize>> = Vec::with_capacity(found.len());
    for range in found {
        match apart.last_mut() {
            Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
            _ => apart.push(range),
        }
    }
    apart
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
