//! Numbers that look random and are the same in every run.

pub(crate) struct Numbers(pub(crate) u32);

impl Numbers {
    pub(crate) fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (self.0 >> 8) as usize % limit.max(1)
    }

    pub(crate) fn of<'a, T>(&mut self, choice: &'a [T]) -> Option<&'a T> {
        choice.get(self.below(choice.len()))
    }
}
