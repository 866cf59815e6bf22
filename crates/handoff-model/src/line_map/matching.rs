//! Matching the lines of two texts.

use std::collections::HashMap;
use std::ops::Range;

/// Cells of tables that may be filled for lines that stand several times in a text.
const MAX_CELLS: usize = 4_000_000;

/// Rounds over all lines after which what is left counts as replaced.
const MAX_ROUNDS: usize = 40;

/// The place of each old line among the new ones; places rise from line to line.
pub(super) fn matched(old: &[u32], new: &[u32]) -> Vec<Option<usize>> {
    let mut matching = Matching {
        old,
        new,
        now: vec![None; old.len()],
        work_left: MAX_ROUNDS * (old.len() + new.len()),
        cells_left: MAX_CELLS,
    };
    let mut open = vec![(0..old.len(), 0..new.len())];
    while let Some((old, new)) = open.pop() {
        let (old, new) = matching.trim(old, new);
        if old.is_empty() || new.is_empty() {
            continue;
        }
        let Some(left) = matching.work_left.checked_sub(old.len() + new.len()) else { break };
        matching.work_left = left;
        let anchors = matching.anchors(&old, &new);
        if anchors.is_empty() {
            matching.repeated(&old, &new);
            continue;
        }
        let (mut from, mut begin) = (old.start, new.start);
        for (one, other) in anchors {
            matching.now[one] = Some(other);
            open.push((from..one, begin..other));
            (from, begin) = (one + 1, other + 1);
        }
        open.push((from..old.end, begin..new.end));
    }
    matching.now
}

struct Matching<'k> {
    old: &'k [u32],
    new: &'k [u32],
    now: Vec<Option<usize>>,
    work_left: usize,
    cells_left: usize,
}

impl Matching<'_> {
    /// Matches what both ranges begin and end with, and returns what is between.
    fn trim(&mut self, mut old: Range<usize>, mut new: Range<usize>) -> (Range<usize>, Range<usize>) {
        while !old.is_empty() && !new.is_empty() && self.old[old.start] == self.new[new.start] {
            self.now[old.start] = Some(new.start);
            (old.start, new.start) = (old.start + 1, new.start + 1);
        }
        while !old.is_empty() && !new.is_empty() && self.old[old.end - 1] == self.new[new.end - 1] {
            (old.end, new.end) = (old.end - 1, new.end - 1);
            self.now[old.end] = Some(new.end);
        }
        (old, new)
    }

    /// Lines that stand once in each range, as many as there are in the same order.
    fn anchors(&self, old: &Range<usize>, new: &Range<usize>) -> Vec<(usize, usize)> {
        /// The only place of a line in a range; `None` if there are several.
        fn only_places(keys: &[u32], range: &Range<usize>) -> HashMap<u32, Option<usize>> {
            let mut places = HashMap::with_capacity(range.len());
            for place in range.clone() {
                places.entry(keys[place]).and_modify(|only| *only = None).or_insert(Some(place));
            }
            places
        }
        let (old_places, new_places) = (only_places(self.old, old), only_places(self.new, new));
        let pair = |one: usize| {
            let key = &self.old[one];
            old_places.get(key).copied().flatten()?;
            Some((one, new_places.get(key).copied().flatten()?))
        };
        rising(&old.clone().filter_map(pair).collect::<Vec<_>>())
    }

    /// Matches lines that stand several times, by the longest common subsequence, where that is affordable.
    fn repeated(&mut self, old: &Range<usize>, new: &Range<usize>) {
        let width = new.len() + 1;
        let Some(left) = self.cells_left.checked_sub((old.len() + 1).saturating_mul(width)) else { return };
        self.cells_left = left;
        let mut longest = vec![0_u32; (old.len() + 1) * width];
        for one in (0..old.len()).rev() {
            for other in (0..new.len()).rev() {
                longest[one * width + other] = if self.old[old.start + one] == self.new[new.start + other] {
                    longest[(one + 1) * width + other + 1] + 1
                } else {
                    longest[(one + 1) * width + other].max(longest[one * width + other + 1])
                };
            }
        }
        let (mut one, mut other) = (0, 0);
        while one < old.len() && other < new.len() {
            if self.old[old.start + one] == self.new[new.start + other] {
                self.now[old.start + one] = Some(new.start + other);
                (one, other) = (one + 1, other + 1);
            } else if longest[(one + 1) * width + other] >= longest[one * width + other + 1] {
                one += 1;
            } else {
                other += 1;
            }
        }
    }
}

/// The longest part of pairs, sorted by the first of each, in which the second rises as well.
fn rising(pairs: &[(usize, usize)]) -> Vec<(usize, usize)> {
    // `ends[n]` is the pair that ends the best chain of n + 1 pairs; `before` leads back from each.
    let mut ends: Vec<usize> = Vec::new();
    let mut before: Vec<Option<usize>> = Vec::with_capacity(pairs.len());
    for (number, (_, place)) in pairs.iter().enumerate() {
        let length = ends.partition_point(|end| pairs[*end].1 < *place);
        before.push(length.checked_sub(1).map(|shorter| ends[shorter]));
        if length == ends.len() { ends.push(number) } else { ends[length] = number }
    }
    let mut chain: Vec<(usize, usize)> =
        std::iter::successors(ends.last().copied(), |number| before[*number]).map(|number| pairs[number]).collect();
    chain.reverse();
    chain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_stand_once_are_matched_before_those_that_repeat() {
        assert_eq!(matched(&[1, 9, 2, 9, 3], &[7, 9, 2, 9, 3, 8]), [None, Some(1), Some(2), Some(3), Some(4)]);
    }

    #[test]
    fn of_crossing_lines_the_larger_part_stays() {
        assert_eq!(matched(&[1, 2, 3, 4], &[4, 1, 2, 3]), [Some(1), Some(2), Some(3), None]);
        assert_eq!(rising(&[(0, 5), (1, 2), (2, 3), (3, 1), (4, 4)]), [(1, 2), (2, 3), (4, 4)]);
    }

    #[test]
    fn repeated_lines_are_matched_in_order() {
        assert_eq!(
            matched(&[9, 1, 1, 2, 2, 8], &[7, 1, 1, 1, 2, 2, 6]),
            [None, Some(1), Some(2), Some(4), Some(5), None]
        );
    }
}
