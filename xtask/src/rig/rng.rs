//! A seeded generator, so that every failure comes back with its seed.

/// SplitMix64: ten lines, and equal on every machine and toolchain.
#[derive(Debug, Clone)]
pub(crate) struct Rng(u64);

impl Rng {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// A number below `bound`, which must not be zero.
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        usize::try_from(self.next() % bound as u64).expect("smaller than a usize")
    }

    pub(crate) fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }

    /// At most `keep` of `items`, in their order.
    pub(crate) fn sample<T>(&mut self, items: Vec<T>, keep: usize) -> Vec<T> {
        let mut wanted = keep.min(items.len());
        let mut left = items.len();
        let mut kept = Vec::with_capacity(wanted);
        for item in items {
            if self.below(left) < wanted {
                kept.push(item);
                wanted -= 1;
            }
            left -= 1;
        }
        kept
    }
}
