//! How many files there were that are not kept any more: about, and in the room of a short text.
//!
//! Each file has a place among many, found by its path; how many places are taken tells how many files there are, since it
//! is known how often two of them meet. So one that comes twice counts once, and two counts can be joined.

use std::fmt::Write as _;

use serde::de::Error as _;
use serde::ser::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

const WORDS: usize = 32;
const PLACES: u64 = WORDS as u64 * 64;
/// When so few places are free, a count would be a guess.
const FEW: u64 = PLACES / 16;

/// Files, each by its place.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Crowd([u64; WORDS]);

impl Crowd {
    pub(super) fn add(&mut self, path: &str) {
        let (word, bit) = place(path);
        self.0[word] |= bit;
    }

    /// Takes one out; another in the same place goes with it.
    pub(super) fn remove(&mut self, path: &str) {
        let (word, bit) = place(path);
        self.0[word] &= !bit;
    }

    pub(super) fn join(&mut self, other: &Crowd) {
        for (mine, theirs) in self.0.iter_mut().zip(other.0) {
            *mine |= theirs;
        }
    }

    pub fn is_empty(&self) -> bool {
        *self == Crowd::default()
    }

    /// Whether there are more than can be told.
    pub fn is_full(&self) -> bool {
        self.free() <= FEW
    }

    /// About how many they are.
    pub fn about(&self) -> usize {
        let (free, places) = (self.free().max(FEW), PLACES);
        #[expect(
            clippy::cast_precision_loss,
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "they are a few thousand at most, and none is negative"
        )]
        {
            (places as f64 * (places as f64 / free as f64).ln()).round() as usize
        }
    }

    fn free(&self) -> u64 {
        self.0.iter().map(|word| u64::from(word.count_zeros())).sum()
    }
}

/// The same for a path on every machine.
fn place(path: &str) -> (usize, u64) {
    let hash = path
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3));
    // The last bytes of a path reach only the lower part of it.
    let place = (hash ^ (hash >> 32)) % PLACES;
    (usize::try_from(place / 64).unwrap_or_default(), 1 << (place % 64))
}

impl Serialize for Crowd {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut text = String::with_capacity(WORDS * 16);
        for word in self.0 {
            write!(text, "{word:016x}").map_err(S::Error::custom)?;
        }
        serializer.serialize_str(&text)
    }
}

impl<'de> Deserialize<'de> for Crowd {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Crowd, D::Error> {
        let text = String::deserialize(deserializer)?;
        let wrong = || D::Error::custom(format!("expected {} hexadecimal digits", WORDS * 16));
        if text.len() != WORDS * 16 {
            return Err(wrong());
        }
        let mut crowd = Crowd::default();
        for (index, word) in crowd.0.iter_mut().enumerate() {
            let digits = text.get(index * 16..(index + 1) * 16).ok_or_else(wrong)?;
            *word = u64::from_str_radix(digits, 16).map_err(|_| wrong())?;
        }
        Ok(crowd)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(numbers: std::ops::Range<usize>) -> Crowd {
        let mut crowd = Crowd::default();
        numbers.for_each(|number| crowd.add(&format!("/home/dev/app/src/f{number}.rs")));
        crowd
    }

    #[test]
    fn many_are_counted_within_some_of_a_hundred() {
        for count in [1, 10, 100, 1_000, 4_000] {
            let about = of(0..count).about();
            assert!(about.abs_diff(count) <= count.div_ceil(20), "{about} of {count}");
        }
        assert_eq!((of(0..0).about(), of(0..1).about()), (0, 1));
        assert!(!of(0..4_000).is_full() && of(0..20_000).is_full());
    }

    #[test]
    fn two_that_share_some_are_joined_without_counting_them_twice() {
        let mut joined = of(0..300);
        joined.join(&of(200..500));
        assert_eq!(joined, of(0..500));
        joined.remove("/home/dev/app/src/f7.rs");
        assert!(joined.about() < of(0..500).about());
    }

    #[test]
    fn it_survives_being_written_down() {
        let crowd = of(0..77);
        let text = serde_json::to_string(&crowd).unwrap();
        assert_eq!(serde_json::from_str::<Crowd>(&text).unwrap(), crowd);
        for wrong in ["\"\"", "7", &text.replace(&text[1..2], "x"), &text.replace(&text[1..3], "ü")] {
            assert!(serde_json::from_str::<Crowd>(wrong).is_err(), "{wrong}");
        }
    }
}
