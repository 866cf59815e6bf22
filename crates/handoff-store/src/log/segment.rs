//! One file of the log: a header, then an entry on each line.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};

use handoff_model::problem::Problem;
use handoff_model::rev::Rev;

use super::{Durability, ENTRIES, Entry};
use crate::layout::LOG;
use crate::root::{Root, join};

const HEADER: &str = "handoff log 1\n";
const SUFFIX: &str = ".jsonl";
/// Digits of a number, in names and at the ends of lines.
const DIGITS: usize = 12;
/// Bytes that are read at first to find the last line.
const TAIL: u64 = 16 * 1024;

/// How much a segment may hold before the next entry goes into a new one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Room {
    pub(super) entries: u64,
    pub(super) bytes: u64,
}

/// An entry that was written before the change it tells of.
#[derive(Debug)]
pub(crate) struct PendingEntry {
    file: File,
    /// Length of the segment without it
    before: u64,
}

impl PendingEntry {
    /// Marks it as the entry of a change that was made.
    pub(super) fn settle(mut self) -> io::Result<()> {
        self.file.write_all(b"\n")
    }

    /// Puts an entry with the same id in its place, because the change came to something else than was planned.
    pub(super) fn settle_as(mut self, entry: &Entry) -> io::Result<()> {
        self.file.write_all(format!("{}\n\n", entry.line()).as_bytes())
    }

    /// Takes it back: the change was not made.
    pub(super) fn retract(self) -> io::Result<()> {
        self.file.set_len(self.before)
    }
}

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
    pub(super) fn has_room(self, root: &Root, number: u64, bytes: u64, room: Room) -> bool {
        let size = self.size(root);
        let is_small = size == 0 || size.saturating_add(bytes) <= room.bytes;
        is_small && number < self.first + room.entries && self.is_ours(root)
    }

    fn is_ours(self, root: &Root) -> bool {
        let read = |mut file: File| {
            let mut bytes = Vec::new();
            file.seek(SeekFrom::Start(0))?;
            file.take(HEADER.len() as u64).read_to_end(&mut bytes).map(|_| bytes)
        };
        let read = self.open(root).and_then(read);
        // One that was begun and of which nothing reached the disk is empty.
        read.is_ok_and(|bytes| bytes.is_empty() || bytes == HEADER.as_bytes())
    }

    fn open(self, root: &Root) -> io::Result<File> {
        root.dir(LOG)?.open_to_append(&self.name())
    }

    /// Makes a segment without entries, on disk before this returns.
    pub(super) fn begin(self, root: &Root) -> io::Result<()> {
        root.dir(LOG)?.create_synced(&self.name(), HEADER.as_bytes())
    }

    /// Adds a line for a change that is about to be made. The break in front ends one that a crash cut short.
    pub(super) fn append(self, root: &Root, line: &str, durability: Durability) -> io::Result<PendingEntry> {
        let mut file = self.open(root)?;
        let before = file.seek(SeekFrom::End(0))?;
        let front = if before == 0 { HEADER } else { "\n" };
        let added = file.write_all(format!("{front}{line}\n").as_bytes()).and_then(|()| match durability {
            Durability::Loose => Ok(()),
            Durability::Synced => file.sync_all(),
        });
        match added {
            Ok(()) => Ok(PendingEntry { file, before }),
            Err(error) => {
                let _ = file.set_len(before);
                Err(error)
            }
        }
    }

    /// Drops what a crash cut short at the end: a line without its line break, or one of which blocks never reached the
    /// disk. Other damage is left for readers to report, since what it tells of may have happened.
    pub(super) fn drop_torn(self, root: &Root) -> io::Result<()> {
        let mut file = self.open(root)?;
        while let Some(last) = LastLine::of(&mut file)? {
            let is_torn = last.breaks == 0 || last.bytes.contains(&0);
            let is_part_of_header = || HEADER.as_bytes().starts_with(&last.bytes) || last.bytes.contains(&0);
            // The log of another version is nobody's to cut.
            let is_ours = if last.start == 0 { is_part_of_header() } else { self.is_ours(root) };
            if !is_torn || !is_ours {
                return Ok(());
            }
            file.set_len(last.start)?;
        }
        Ok(())
    }

    /// Drops the last entry when nobody settled it and `is_unmade` says that its change was never made; settles it
    /// otherwise. Tells whether one was dropped.
    pub(super) fn settle_last(self, root: &Root, is_unmade: impl FnOnce(&Entry) -> bool) -> io::Result<bool> {
        let mut file = self.open(root)?;
        let Some(last) = LastLine::of(&mut file)?.filter(|last| last.breaks == 1) else { return Ok(false) };
        let Some(entry) = parse(&last.bytes) else { return Ok(false) };
        let is_unmade = is_unmade(&entry);
        if is_unmade {
            file.set_len(last.start)?;
        } else {
            file.write_all(b"\n")?;
        }
        Ok(is_unmade)
    }

    pub(super) fn remove(self, root: &Root) {
        let _ = root.remove_file(&self.path());
    }

    /// The number of the last entry, read from the end of the file; where that tells none, from the whole of it.
    pub(super) fn last_number(self, root: &Root) -> u64 {
        let tail = || -> io::Result<[u8; DIGITS + 3]> {
            let mut file = self.open(root)?;
            let mut tail = [0; DIGITS + 3];
            file.seek(SeekFrom::End(i64::try_from(tail.len()).map_or(0, |length| -length)))?;
            file.read_exact(&mut tail)?;
            Ok(tail)
        };
        let told = tail().ok().and_then(|tail| {
            let text = std::str::from_utf8(&tail).ok()?;
            // A settled entry has one line break more.
            let text = text.strip_suffix("\n\n").or_else(|| text.strip_suffix('\n'))?;
            let digits = text.get(text.len().checked_sub(DIGITS)?..)?;
            text.strip_suffix(digits)?.ends_with(' ').then(|| digits.parse::<u64>().ok())?
        });
        told.filter(|number| (self.first..self.first + super::OVERFULL.entries).contains(number)).unwrap_or_else(|| {
            let read = self.read(root).unwrap_or_default();
            let last = read.entries.iter().map(|entry| entry.head.number).max();
            // What cannot be read may have had any of its numbers.
            let unknown =
                if read.problems.is_empty() { self.first.saturating_sub(1) } else { self.first + ENTRIES - 1 };
            last.unwrap_or(unknown)
        })
    }

    /// Everything that can be read, and what cannot.
    pub(super) fn read(self, root: &Root) -> io::Result<SegmentRead> {
        let path = self.path();
        let Some(bytes) = root.read_up_to(&path, usize::MAX / 2)? else { return Ok(SegmentRead::default()) };
        let mut read = SegmentRead::default();
        if bytes.is_empty() {
            return Ok(read);
        }
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
                // What a change came to stands behind what was planned.
                Some(entry) if read.entries.last().is_some_and(|last| last.head.id == entry.head.id) => {
                    read.entries.pop();
                    read.entries.push(entry);
                }
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

/// The last line of a segment that is not empty.
struct LastLine {
    bytes: Vec<u8>,
    /// Where it begins
    start: u64,
    /// Line breaks behind it: none for one that was cut short, two for the entry of a change that was made
    breaks: usize,
}

impl LastLine {
    /// `None` for a segment without lines.
    fn of(file: &mut File) -> io::Result<Option<LastLine>> {
        let end = file.seek(SeekFrom::End(0))?;
        let mut length = TAIL.min(end);
        loop {
            let mut bytes = Vec::new();
            file.seek(SeekFrom::Start(end - length))?;
            Read::by_ref(file).take(length).read_to_end(&mut bytes)?;
            let breaks = bytes.iter().rev().take_while(|byte| **byte == b'\n').count();
            bytes.truncate(bytes.len() - breaks);
            let front = bytes.iter().rposition(|byte| *byte == b'\n').map(|at| at + 1);
            match front {
                None if length < end => length = length.saturating_mul(8).min(end),
                None if bytes.is_empty() => return Ok(None),
                front => {
                    let front = front.unwrap_or(0);
                    let start = end - length + front as u64;
                    return Ok(Some(LastLine { bytes: bytes.split_off(front), start, breaks }));
                }
            }
        }
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
