//! Following lines from one version of a text to another.
//!
//! Lines are matched as a patience diff does: first what both versions begin and end with, then the lines that stand in
//! each of them once, then the same between those. White space around a line makes no difference for matching, so that
//! a block that was indented is still found; it does for the question whether the line was edited.

mod matching;

use std::collections::{HashMap, HashSet};
use std::ops::RangeInclusive;

/// The lines of an old version of a text, and where they are in a new one.
#[derive(Debug)]
pub struct LineMap<'t> {
    old: Vec<TextLine<'t>>,
    new: Vec<TextLine<'t>>,
    /// For each old line its place among the new ones
    now: Vec<Option<usize>>,
}

/// What became of some lines. Numbers begin with 1 and include the last line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineFate {
    /// Unchanged, under the same numbers
    InPlace,
    /// Unchanged, under these numbers
    Moved(u32, u32),
    /// Edited; with the numbers of what took their place, if that is clear
    Edited(Option<(u32, u32)>),
    /// Removed
    Gone,
}

/// A line and what it is compared by.
#[derive(Clone, Copy, Debug)]
struct TextLine<'t> {
    text: &'t [u8],
    /// Equal for lines that differ only in the white space around them
    key: u32,
}

/// Letters and digits that make a line recognizable by itself; a brace is not.
const TELLING_LETTERS: usize = 4;

/// The share of words that a replacement has in common with what it replaces: one in this many.
const COMMON_WORDS: usize = 3;

impl<'t> LineMap<'t> {
    pub fn between(old: &'t [u8], new: &'t [u8]) -> LineMap<'t> {
        let mut keys = HashMap::new();
        let (old, new) = (lines(old, &mut keys), lines(new, &mut keys));
        let now = matching::matched(&keys_of(&old), &keys_of(&new));
        LineMap { old, new, now }
    }

    /// Tells what became of the lines from `first` to `last`; `None` if the old version did not have them.
    pub fn follow(&self, first: u32, last: u32) -> Option<LineFate> {
        let first = (first as usize).checked_sub(1)?;
        let last = (last as usize).min(self.old.len()).checked_sub(1)?;
        if first > last {
            return None;
        }
        let block = first..=last;
        let unchanged = self.unchanged(&block).or_else(|| self.only_copy(&block));
        Some(match unchanged {
            Some(start) if start == first => LineFate::InPlace,
            Some(start) => {
                let (first, last) = numbers(start, start + (last - first));
                LineFate::Moved(first, last)
            }
            None => self.edited(&block),
        })
    }

    /// The place of a block whose lines are all there, one after the other.
    fn unchanged(&self, block: &RangeInclusive<usize>) -> Option<usize> {
        let start = self.now[*block.start()]?;
        let is_same = |(offset, old): (usize, usize)| {
            self.now[old] == Some(start + offset) && self.old[old].text == self.new[start + offset].text
        };
        block.clone().enumerate().all(is_same).then_some(start)
    }

    /// The place of a block that was carried somewhere else as it was: it stands once in each version.
    fn only_copy(&self, block: &RangeInclusive<usize>) -> Option<usize> {
        let wanted = &self.old[block.clone()];
        if !wanted.iter().any(TextLine::is_telling) {
            return None;
        }
        let copies = |among: &[TextLine<'_>]| -> Vec<usize> {
            let is_copy =
                |window: &[TextLine<'_>]| window.iter().zip(wanted).all(|(one, other)| one.text == other.text);
            let copies = among.windows(wanted.len()).enumerate().filter(|(_, window)| is_copy(window));
            copies.map(|(place, _)| place).take(2).collect()
        };
        match (copies(&self.new).as_slice(), copies(&self.old).len()) {
            ([place], 1) => Some(*place),
            _ => None,
        }
    }

    /// What became of a block that is not there any more as it was.
    fn edited(&self, block: &RangeInclusive<usize>) -> LineFate {
        let lines = &self.old[block.clone()];
        let says_something = lines.iter().any(TextLine::is_telling);
        let counts = |line: &&TextLine<'_>| !says_something || line.is_telling();
        let begin = self.edge_before(*block.start());
        let end = self.edge_after(*block.end());
        let place = begin.zip(end).filter(|(begin, end)| begin <= end);
        let mut kept = block.clone().filter(|old| self.now[*old].is_some() && counts(&&self.old[*old]));
        if kept.next().is_some() {
            return LineFate::Edited(place.map(|(begin, end)| numbers(begin, end)));
        }
        if let Some((begin, end)) = place
            && self.is_replaced(block, begin, end)
        {
            return LineFate::Edited(Some(numbers(begin, end)));
        }
        // A block that was taken apart still stands in the text, only not in one place.
        let elsewhere: HashSet<u32> = self.new.iter().map(|line| line.key).collect();
        let (mut all, mut found) = (0, 0);
        for line in lines.iter().filter(counts) {
            all += 1;
            found += usize::from(says_something && elsewhere.contains(&line.key));
        }
        if found * 2 >= all && found > 0 { LineFate::Edited(None) } else { LineFate::Gone }
    }

    /// Whether the new lines took the place of a block, rather than of its neighbours.
    fn is_replaced(&self, block: &RangeInclusive<usize>, begin: usize, end: usize) -> bool {
        let before = self.now[..*block.start()].iter().rev().take_while(|now| now.is_none()).count();
        let after = self.now[block.end() + 1..].iter().take_while(|now| now.is_none()).count();
        let removed = before + (block.end() - block.start() + 1) + after;
        if (end - begin + 1) * 2 >= removed {
            return true;
        }
        let now: HashSet<&[u8]> = self.new[begin..=end].iter().flat_map(TextLine::words).collect();
        let then: HashSet<&[u8]> = self.old[block.clone()].iter().flat_map(TextLine::words).collect();
        let common = then.iter().filter(|word| now.contains(*word)).count();
        common > 0 && common * COMMON_WORDS >= then.len()
    }

    /// The first new line that can belong to a block that begins here.
    fn edge_before(&self, old: usize) -> Option<usize> {
        self.now[old].or_else(|| {
            let before = self.now[..old].iter().rev().find_map(|now| *now);
            Some(before.map_or(0, |before| before + 1)).filter(|begin| *begin < self.new.len())
        })
    }

    /// The last new line that can belong to a block that ends here.
    fn edge_after(&self, old: usize) -> Option<usize> {
        self.now[old].or_else(|| {
            let after = self.now[old + 1..].iter().find_map(|now| *now);
            after.unwrap_or(self.new.len()).checked_sub(1)
        })
    }
}

impl<'t> TextLine<'t> {
    fn is_telling(&self) -> bool {
        self.text.iter().filter(|byte| byte.is_ascii_alphanumeric() || !byte.is_ascii()).count() >= TELLING_LETTERS
    }

    fn words(&self) -> impl Iterator<Item = &'t [u8]> + use<'t> {
        let words = self.text.split(|byte| byte.is_ascii() && !byte.is_ascii_alphanumeric() && *byte != b'_');
        words.filter(|word| !word.is_empty())
    }
}

/// The lines without their ends: git may keep them with other ends than the work tree has.
fn lines<'t>(text: &'t [u8], keys: &mut HashMap<&'t [u8], u32>) -> Vec<TextLine<'t>> {
    let mut lines: Vec<&[u8]> = text.split(|byte| *byte == b'\n').collect();
    if lines.last().is_some_and(|last| last.is_empty()) {
        lines.pop();
    }
    let line = |text: &'t [u8]| {
        let next = u32::try_from(keys.len()).unwrap_or(u32::MAX);
        let key = *keys.entry(text.trim_ascii()).or_insert(next);
        TextLine { text: text.strip_suffix(b"\r").unwrap_or(text), key }
    };
    lines.into_iter().map(line).collect()
}

fn keys_of(lines: &[TextLine<'_>]) -> Vec<u32> {
    lines.iter().map(|line| line.key).collect()
}

fn numbers(first: usize, last: usize) -> (u32, u32) {
    let number = |place: usize| u32::try_from(place + 1).unwrap_or(u32::MAX);
    (number(first), number(last))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn text(lines: &[&str]) -> String {
        lines.iter().fold(String::new(), |text, line| text + line + "\n")
    }

    fn fate(old: &[&str], new: &[&str], first: u32, last: u32) -> Option<LineFate> {
        LineMap::between(text(old).as_bytes(), text(new).as_bytes()).follow(first, last)
    }

    const OLD: &[&str] = &["use one;", "", "fn first() {", "    begin();", "}", "", "fn second() {", "    end();", "}"];

    #[test]
    fn lines_that_stand_where_they_stood_are_in_place_whatever_changed_below() {
        let new = [&OLD[..5], &["", "fn other() {}"]].concat();
        assert_eq!(fate(OLD, &new, 3, 5), Some(LineFate::InPlace));
        assert_eq!(fate(OLD, OLD, 1, 9), Some(LineFate::InPlace));
    }

    #[test]
    fn lines_follow_what_was_put_in_and_taken_out_above_them() {
        let new = [&["// new", "// also"], OLD].concat();
        assert_eq!(fate(OLD, &new, 7, 9), Some(LineFate::Moved(9, 11)));
        assert_eq!(fate(OLD, &OLD[2..], 7, 9), Some(LineFate::Moved(5, 7)));
        assert_eq!(fate(OLD, &OLD[2..], 7, 40), Some(LineFate::Moved(5, 7)), "a range may go beyond the end");
    }

    #[test]
    fn a_block_that_was_carried_to_another_place_is_found_there() {
        let new = [&OLD[6..], &[""], &OLD[..5]].concat();
        assert_eq!(fate(OLD, &new, 7, 9), Some(LineFate::Moved(1, 3)));
        assert_eq!(fate(OLD, &new, 3, 5), Some(LineFate::Moved(7, 9)));
    }

    #[test]
    fn edited_lines_are_told_with_what_took_their_place() {
        let mut new = [&["// new"], OLD].concat();
        new[8] = "    end(now);";
        assert_eq!(fate(OLD, &new, 7, 9), Some(LineFate::Edited(Some((8, 10)))));
        assert_eq!(fate(OLD, &new, 8, 8), Some(LineFate::Edited(Some((9, 9)))), "also where all of them are others");
        assert_eq!(fate(OLD, &new, 3, 5), Some(LineFate::Moved(4, 6)));
        new.insert(8, "    more();");
        assert_eq!(fate(OLD, &new, 7, 9), Some(LineFate::Edited(Some((8, 11)))), "and where lines came between");
        let indented: Vec<String> = OLD.iter().map(|line| format!("  {line}")).collect();
        let indented: Vec<&str> = indented.iter().map(String::as_str).collect();
        assert_eq!(fate(OLD, &indented, 7, 9), Some(LineFate::Edited(Some((7, 9)))));
    }

    #[test]
    fn removed_lines_are_gone() {
        let new = [&OLD[..6], &[]].concat();
        assert_eq!(fate(OLD, &new, 7, 9), Some(LineFate::Gone));
        let new = [&OLD[..2], &OLD[6..]].concat();
        assert_eq!(fate(OLD, &new, 3, 5), Some(LineFate::Gone));
        assert_eq!(fate(OLD, &[], 3, 5), Some(LineFate::Gone));
    }

    #[test]
    fn lines_that_were_never_there_have_no_fate() {
        assert_eq!(fate(OLD, OLD, 10, 12), None);
        assert_eq!(fate(OLD, OLD, 0, 3), None);
        assert_eq!(fate(&[], OLD, 1, 1), None);
        assert_eq!(fate(OLD, OLD, 5, 3), None);
    }

    #[test]
    fn the_ends_of_lines_make_no_difference() {
        let (old, new) = (text(OLD), text(OLD).replace('\n', "\r\n"));
        assert_eq!(LineMap::between(old.as_bytes(), new.as_bytes()).follow(3, 5), Some(LineFate::InPlace));
    }

    #[test]
    fn large_texts_without_distinct_lines_end_in_time() {
        let old = "a\nb\n".repeat(50_000);
        let new = "b\nb\na\n".repeat(40_000);
        LineMap::between(old.as_bytes(), new.as_bytes()).follow(10, 90_000);
    }

    fn some_lines() -> impl Strategy<Value = Vec<String>> {
        prop::collection::vec((0..12_u8).prop_map(|line| format!("line number {line}")), 0..30)
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn what_is_said_to_stand_somewhere_stands_there(old in some_lines(), new in some_lines(), first in 1..30_u32, count in 0..6_u32) {
            let (before, after) = (old.join("\n"), new.join("\n"));
            let place = |number: u32| number as usize - 1;
            match LineMap::between(before.as_bytes(), after.as_bytes()).follow(first, first + count) {
                None => prop_assert!(place(first) >= old.len()),
                Some(LineFate::InPlace) => {
                    let last = place(first + count).min(old.len() - 1);
                    prop_assert_eq!(&old[place(first)..=last], &new[place(first)..=last]);
                }
                Some(LineFate::Moved(begin, end)) => {
                    let last = place(first + count).min(old.len() - 1);
                    prop_assert_eq!(&old[place(first)..=last], &new[place(begin)..=place(end)]);
                }
                Some(LineFate::Edited(Some((begin, end)))) => prop_assert!(1 <= begin && begin <= end && place(end) < new.len()),
                Some(LineFate::Edited(None) | LineFate::Gone) => {}
            }
        }

        /// Putting whole new lines in never hides the old ones.
        #[test]
        fn inserted_lines_only_shift_the_others(at in 0..20_usize, count in 1..9_usize) {
            let old: Vec<String> = (0..20).map(|line| format!("distinct line {line}")).collect();
            let mut new = old.clone();
            new.splice(at..at, (0..count).map(|line| format!("inserted {line}")));
            let (before, after) = (old.join("\n"), new.join("\n"));
            let map = LineMap::between(before.as_bytes(), after.as_bytes());
            for line in 0..20_u32 {
                let shift = if (line as usize) < at { 0 } else { u32::try_from(count).unwrap_or(0) };
                let expected = if shift == 0 { LineFate::InPlace } else { LineFate::Moved(line + 1 + shift, line + 1 + shift) };
                prop_assert_eq!(map.follow(line + 1, line + 1), Some(expected));
            }
        }
    }
}
