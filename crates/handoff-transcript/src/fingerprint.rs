//! Whether a file is still the one that was read before, by how it begins.

use std::io::{self, Read};

use serde::{Deserialize, Serialize};

const BYTES: usize = 256;

/// How a file begins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Fingerprint {
    /// How many of the first bytes it covers: all there were, up to a bound
    bytes: u16,
    sum: u64,
}

impl Fingerprint {
    /// Reads the beginning, and says whether it is that of `known`.
    pub(crate) fn compare(file: &mut impl Read, known: Fingerprint) -> io::Result<(Fingerprint, bool)> {
        let mut start = Vec::with_capacity(BYTES);
        file.by_ref().take(BYTES as u64).read_to_end(&mut start)?;
        let covered = start.get(..usize::from(known.bytes));
        let is_same = covered.is_some_and(|covered| known.bytes == 0 || sum(covered) == known.sum);
        let bytes = u16::try_from(start.len()).unwrap_or(u16::MAX);
        Ok((Fingerprint { bytes, sum: sum(&start) }, is_same))
    }
}

/// FNV-1a: tells files of one agent apart, and is no defence against anybody.
pub(crate) fn sum(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |sum, byte| (sum ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_grew_is_the_same_and_one_that_was_replaced_is_not() {
        let first = Fingerprint::compare(&mut &b"abc"[..], Fingerprint::default()).unwrap().0;
        let (grown, is_same) = Fingerprint::compare(&mut &b"abcdef"[..], first).unwrap();
        assert!(is_same);
        assert!(!Fingerprint::compare(&mut &b"abd"[..], grown).unwrap().1);
        assert!(!Fingerprint::compare(&mut &b"xbcdef"[..], grown).unwrap().1);
    }
}
