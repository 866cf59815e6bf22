//! Checksums of the entries of files that only grow, and the test for files that lost their content.
//!
//! Each entry of an archive or a time log carries a checksum of its own rather than the file one for all, so that two
//! people who add entries on two branches do not both change the same line.

use sha2::{Digest, Sha256};

use crate::document::Unreadable;

/// Number of hexadecimal digits of a checksum: enough to notice an accident, and nothing more is promised.
const DIGITS: usize = 8;

/// Checksum of named values: the first digits of the SHA-256 of a line `name=length:value` for each.
///
/// The length keeps a line break inside a value from passing for the end of it.
pub fn entry_check<'a>(values: impl IntoIterator<Item = (&'a str, &'a str)>) -> String {
    let mut digest = Sha256::new();
    for (name, value) in values {
        digest.update(format!("{name}={}:", value.len()));
        digest.update(value);
        digest.update("\n");
    }
    let mut hex = String::with_capacity(DIGITS);
    for byte in digest.finalize().iter().take(DIGITS / 2) {
        use std::fmt::Write as _;
        write!(hex, "{byte:02x}").expect("writing to a string cannot fail");
    }
    hex
}

/// Returns the error for a record file without content: empty, blank, or overwritten with zeros.
///
/// No writer leaves such a file behind, so it is damage whatever kind of record it was.
pub fn emptied(text: &str) -> Option<Unreadable> {
    if !text.bytes().all(|byte| byte == 0 || byte.is_ascii_whitespace()) {
        return None;
    }
    let reason = if text.contains('\0') { "the file was overwritten with zeros" } else { "the file is empty" };
    Some(Unreadable { line: None, reason: reason.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_cannot_be_shifted_into_each_other_without_changing_the_checksum() {
        let check = entry_check([("a", "1\nb=1:2"), ("c", "3")]);
        assert_eq!(check.len(), 8);
        assert_ne!(check, entry_check([("a", "1"), ("b", "2"), ("c", "3")]));
        assert_ne!(check, entry_check([("a", "1\nb=1:2"), ("c", "2")]));
    }

    #[test]
    fn empty_blank_and_zeroed_files_are_told_from_written_ones() {
        for text in ["", "\n", " \r\n\t"] {
            assert_eq!(emptied(text).unwrap().reason, "the file is empty");
        }
        assert_eq!(emptied("\0\0\n\0").unwrap().reason, "the file was overwritten with zeros");
        assert_eq!(emptied("# a comment\n"), None);
    }
}
