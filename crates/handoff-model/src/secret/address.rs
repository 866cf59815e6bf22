//! Passwords and tokens in addresses: `scheme://user:password@host`.

use std::ops::Range;

use super::token::has_random_stretch;
use super::value;

/// The longest stretch before the host that is looked at.
const LONGEST: usize = 1024;

pub(super) fn find(text: &str) -> Vec<Range<usize>> {
    let bytes = text.as_bytes();
    let marks = text.match_indices("://").map(|(at, mark)| (at, at + mark.len()));
    let is_after_scheme = |at: usize| at > 0 && bytes[at - 1].is_ascii_alphanumeric();
    marks.filter(|(at, _)| is_after_scheme(*at)).filter_map(|(_, start)| before_host(text, start)).collect()
}

/// The secret between `start` and the `@` before the host, if there is one.
fn before_host(text: &str, start: usize) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let looked_at = &bytes[start..bytes.len().min(start + LONGEST)];
    let is_end = |byte: &u8| {
        byte.is_ascii_whitespace() || matches!(byte, b'/' | b'?' | b'#' | b'"' | b'\'' | b'<' | b'>' | b'`')
    };
    let authority = &looked_at[..looked_at.iter().position(is_end).unwrap_or(looked_at.len())];
    let host = authority.iter().rposition(|byte| *byte == b'@')?;
    let secret = match authority[..host].iter().position(|byte| *byte == b':') {
        Some(colon) => start + colon + 1..start + host,
        // A token may stand alone in the place of the user.
        None if has_random_stretch(&authority[..host], 16) => start..start + host,
        None => return None,
    };
    let given = &text[secret.clone()];
    (!given.is_empty() && !value::stands_for_another(given)).then_some(secret)
}
