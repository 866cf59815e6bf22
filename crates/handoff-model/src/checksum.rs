//! Telling whole bytes from torn ones.

/// Tells bytes from others that were torn or changed by accident, many at a time; nothing more.
pub fn checksum(bytes: &[u8]) -> u64 {
    const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
    let mix = |sum: u64, word: u64| (sum ^ word).wrapping_mul(FACTOR).rotate_left(29);
    // Four sums side by side, since each step waits for the one before.
    let mut sums = [1, 2, 3, bytes.len() as u64];
    let (words, rest) = bytes.as_chunks::<8>();
    let (fours, words) = words.as_chunks::<4>();
    for four in fours {
        for (sum, word) in sums.iter_mut().zip(four) {
            *sum = mix(*sum, u64::from_le_bytes(*word));
        }
    }
    for (sum, word) in sums.iter_mut().zip(words) {
        *sum = mix(*sum, u64::from_le_bytes(*word));
    }
    for byte in rest {
        sums[3] = mix(sums[3], u64::from(*byte));
    }
    let sum = sums.into_iter().fold(0, mix);
    mix(sum, sum >> 32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_changed_bit_anywhere_changes_the_sum() {
        let bytes: Vec<u8> = (0..=106).collect();
        let sum = checksum(&bytes);
        for place in 0..bytes.len() * 8 {
            let mut changed = bytes.clone();
            changed[place / 8] ^= 1 << (place % 8);
            assert_ne!(checksum(&changed), sum);
        }
        assert!((0..bytes.len()).all(|length| checksum(&bytes[..length]) != sum));
    }
}
