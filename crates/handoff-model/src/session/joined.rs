//! Which of several things belong together, when it is known of pairs of them.

/// As many things, each by itself.
pub(super) fn apart(count: usize) -> Vec<usize> {
    (0..count).collect()
}

/// Joins what two places belong to; the last of all stands for them.
pub(super) fn join(all: &mut [usize], one: usize, other: usize) {
    let (one, other) = (find(all, one), find(all, other));
    all[one.min(other)] = one.max(other);
}

/// What stands for those that a place belongs to.
pub(super) fn find(all: &mut [usize], place: usize) -> usize {
    let mut end = place;
    while all[end] != end {
        // Shortened on the way, so that long chains are walked once.
        all[end] = all[all[end]];
        end = all[end];
    }
    end
}
