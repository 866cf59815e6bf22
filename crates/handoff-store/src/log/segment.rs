//! One file of the log: a header, then an entry on each line.

use std::io::{self, Read, Seek, SeekFrom, Write};

use handoff_model::problem::Problem;
use handoff_model::rev::Rev;

use super::{Durability, ENTRIES, Entry, SEGMENT_BYTES};
use crate::layout::LOG;
use crate::root::{Root, join};

const HEADER: &str = "handoff log 1\n";
const SUFFIX: &str = ".jsonl";
/// Digits of a number, in names and at the ends of lines.
const DIGITS: usize = 12;

/// A file of the log, known by the number of its first entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Segment {
    pub(super) first: u64,
}

/// What a segment says.
#[derive(Debug, Default)]
pub(crate) struct SegmentRead {
    /// The oldest first
    pub(super) entries: Vec<Entry>,
    /// What cannot be read, each with the number of entries before it
    pub(super) problems: Vec<(usize, Problem)>,
}

impl Segment {
    pub(super) fn named(name: &str) -> Option<Segment> {
        let digits = name.strip_suffix(SUFFIX).filter(|digits| digits.len() == DIGITS)?;
        Some(Segment { first: digits.parse().ok()? })
    }

    fn name(self) -> String {
        format!("{:0DIGITS$}{SUFFIX}", self.first)
    }

    fn path(self) -> String {
        join(LOG, &self.name())
    }

    pub(super) fn size(self, root: &Root) -> u64 {
        let stamp = root.dir(LOG).and_then(|dir| dir.stamp(&self.name()));
        stamp.ok().flatten().map_or(0, |stamp| stamp.size)
    }

    /// Whether one more entry may stand here.
    pub(super) fn has_room(self, root: &Root, number: u64, bytes: u64) -> bool {
        let size = self.size(root);
        let is_small = size == 0 || size.saturating_add(bytes) <= SEGMENT_BYTES;
        is_small && number < self.first + ENTRIES && self.is_ours(root)
    }

    fn is_ours(self, root: &Root) -> bool {
        let read = |mut file: std::fs::File| {
            let mut bytes = [0; HEADER.len()];
            file.seek(SeekFrom::Start(0)).and_then(|_| file.read_exact(&mut bytes)).map(|()| bytes)
        };
        let read = root.dir(LOG).and_then(|dir| dir.open_to_append(&self.name())).and_then(read);
        read.is_ok_and(|bytes| bytes == HEADER.as_bytes())
    }

    /// Adds a line. The break in front ends one that a crash cut short.
    pub(super) fn append(self, root: &Root, line: &str, durability: Durability) -> io::Result<()> {
        let mut file = root.dir(LOG)?.open_to_append(&self.name())?;
        let before = file.seek(SeekFrom::End(0))?;
        let front = if before == 0 { HEADER } else { "\n" };
        let added = file.write_all(format!("{front}{line}\n").as_bytes()).and_then(|()| match durability {
            Durability::Loose => Ok(()),
            Durability::Synced => file.sync_all(),
        });
        added.inspect_err(|_| {
            let _ = file.set_len(before);
        })
    }

    pub(super) fn remove(self, root: &Root) {
        let _ = root.remove_file(&self.path());
    }

    /// The number of the last entry, read from the end of the file; where that tells none, from the whole of it.
    pub(super) fn last_number(self, root: &Root) -> u64 {
        let tail = || -> io::Result<[u8; DIGITS + 2]> {
            let mut file = root.dir(LOG)?.open_to_append(&self.name())?;
            let mut tail = [0; DIGITS + 2];
            file.seek(SeekFrom::End(i64::try_from(tail.len()).map_or(0, |length| -length)))?;
            file.read_exact(&mut tail)?;
            Ok(tail)
        };
        let told = tail().ok().and_then(|tail| {
            let text = std::str::from_utf8(&tail).ok()?;
            text.strip_prefix(' ')?.strip_suffix('\n')?.parse::<u64>().ok()
        });
        told.filter(|number| (self.first..self.first + ENTRIES).contains(number)).unwrap_or_else(|| {
            let read = self.read(root).unwrap_or_default();
            let last = read.entries.iter().map(|entry| entry.head.number).max();
            // What cannot be read may have had any of its numbers.
            last.unwrap_or(self.first + ENTRIES - 1)
        })
    }

    /// Everything that can be read, and what cannot.
    pub(super) fn read(self, root: &Root) -> io::Result<SegmentRead> {
        let path = self.path();
        let Some(bytes) = root.read_up_to(&path, usize::MAX / 2)? else { return Ok(SegmentRead::default()) };
        let mut read = SegmentRead::default();
        let Some(body) = bytes.strip_prefix(HEADER.as_bytes()) else {
            let reason = "is no log of this version; the changes it tells of cannot be shown or taken back";
            read.problems.push((0, Problem::damaged(path, reason)));
            return Ok(read);
        };
        let mut lines: Vec<&[u8]> = body.split(|byte| *byte == b'\n').collect();
        // What comes after the last line break is no whole line yet, or nothing.
        lines.pop();
        for (index, line) in lines.into_iter().enumerate().filter(|(_, line)| !line.is_empty()) {
            match parse(line) {
                Some(entry) => read.entries.push(entry),
                None => {
                    let reason = "an entry is damaged; the change it tells of cannot be shown or taken back";
                    let problem = Problem::damaged(&path, reason).at_line(Some(index + 2));
                    read.problems.push((read.entries.len(), problem));
                }
            }
        }
        Ok(read)
    }
}

/// An entry as its line: a checksum, what it says, and its number once more where it is quickly found.
pub(super) fn line_of(said: &str, number: u64) -> String {
    let said = format!("{said} {number:0DIGITS$}");
    format!("{} {said}", Rev::of(said.as_bytes()))
}

fn parse(line: &[u8]) -> Option<Entry> {
    let line = std::str::from_utf8(line).ok()?;
    let (sum, said) = line.split_once(' ')?;
    if sum.parse::<Rev>().ok()? != Rev::of(said.as_bytes()) {
        return None;
    }
    serde_json::from_str(said.rsplit_once(' ')?.0).ok()
}
