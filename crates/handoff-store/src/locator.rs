//! Where tasks were last seen, so that one can be found without reading the others.
//!
//! A cache in the strict sense: every answer is checked against the disk by whoever uses it, and a file that is missing,
//! cut short, mixed up or of another version only makes the next look slower. It is a list of lines. Those that were
//! there when it was written are sorted and found by halving, without reading the others; a change appends to it, and
//! what was appended counts before what is sorted, the last line for a key before the others.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::fs::File;

use handoff_model::id::TaskId;

use crate::layout::LOCATOR;
use crate::root::{Root, split};
use crate::sys;
use crate::task::forest::Forest;

/// Followed by the length of the sorted lines in twelve digits.
const MAGIC: &str = "handoff locator 2 ";
const HEADER: usize = MAGIC.len() + 12 + 1;

/// More lines than this many bytes, or than this part of the sorted ones, are sorted in.
const SLACK: usize = 64 * 1024;
const SLACK_PART: usize = 16;
/// No line is as long as this.
const WINDOW: usize = 1024;

/// The locator as it was when it was opened.
#[derive(Debug, Default)]
pub(crate) struct Locator {
    /// Absent where there is none
    file: Option<File>,
    /// How many bytes of sorted lines there are
    sorted: usize,
    /// What was appended, behind a line end
    tail: Vec<u8>,
    /// Lines that were found: one request asks for the same ones again and again
    found: RefCell<HashMap<String, Option<String>>>,
}

/// Where a task's directory is: under which parent, with which ordinal and name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Located {
    pub(crate) id: TaskId,
    pub(crate) parent: Option<TaskId>,
    pub(crate) ordinal: u32,
    pub(crate) name: String,
}

/// The highest number among the children of a task, as long as its directory is unchanged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Highest {
    pub(crate) changed_at: i128,
    pub(crate) ordinal: u32,
}

impl Locator {
    pub(crate) fn read(root: &Root) -> Locator {
        Locator::open(root).unwrap_or_default()
    }

    fn open(root: &Root) -> Option<Locator> {
        let (dir, name) = split(LOCATOR);
        let file = root.dir(dir).ok()?.open_to_read(name).ok()?;
        let length = usize::try_from(file.metadata().ok()?.len()).ok()?;
        let mut header = [0; HEADER];
        sys::read_at(&file, &mut header, 0).ok()?;
        let sorted = std::str::from_utf8(&header).ok()?.strip_prefix(MAGIC)?.strip_suffix('\n')?.parse().ok()?;
        let behind = length.checked_sub(HEADER)?.checked_sub(sorted)?;
        // The last line end before it belongs to what is looked for.
        let mut tail = vec![0; behind + 1];
        sys::read_at(&file, &mut tail, (HEADER + sorted) as u64 - 1).ok()?;
        Some(Locator { file: Some(file), sorted, tail, found: RefCell::default() })
    }

    pub(crate) fn by_id(&self, id: TaskId) -> Option<Located> {
        parse_task(&self.last(format!("T {id} "))?)
    }

    /// The task that last had this place; another may have it by now.
    pub(crate) fn by_ordinal(&self, parent: Option<TaskId>, ordinal: u32) -> Option<Located> {
        let line = self.last(format!("P {} {ordinal} ", key(parent)))?;
        let located = self.by_id(line.rsplit(' ').next()?.parse().ok()?)?;
        (located.parent == parent && located.ordinal == ordinal).then_some(located)
    }

    pub(crate) fn highest(&self, parent: Option<TaskId>) -> Option<Highest> {
        let line = self.last(format!("D {} ", key(parent)))?;
        let mut words = line.split(' ').skip(2);
        Some(Highest { changed_at: words.next()?.parse().ok()?, ordinal: words.next()?.parse().ok()? })
    }

    /// The line that counts of those that begin so, if it is a good one.
    fn last(&self, prefix: String) -> Option<String> {
        if let Some(found) = self.found.borrow().get(&prefix) {
            return found.clone();
        }
        let found = match memchr::memmem::rfind(&self.tail, format!("\n{prefix}").as_bytes()) {
            Some(at) => good_line(&self.tail[at + 1..]),
            None => self.halve(prefix.as_bytes()),
        };
        self.found.borrow_mut().insert(prefix, found.clone());
        found
    }

    /// Looks among the sorted lines.
    fn halve(&self, prefix: &[u8]) -> Option<String> {
        // It begins at `low` or behind it, and before `high`, if it is there.
        let (mut low, mut high) = (0, self.sorted);
        while high - low > WINDOW {
            let middle = low + (high - low) / 2;
            let bytes = self.sorted_at(middle, WINDOW)?;
            let start = memchr::memchr(b'\n', &bytes)? + 1;
            let line = &bytes[start..];
            if middle + start >= high {
                high = middle + 1;
            } else if &line[..prefix.len().min(line.len())] > prefix {
                high = middle + start;
            } else {
                low = middle + start;
            }
        }
        let bytes = self.sorted_at(low, high - low + WINDOW)?;
        let mut rest = bytes.as_slice();
        while !rest.starts_with(prefix) {
            rest = &rest[memchr::memchr(b'\n', rest)? + 1..];
        }
        good_line(rest)
    }

    /// Bytes of the sorted lines from a place on, as many as there are.
    fn sorted_at(&self, at: usize, length: usize) -> Option<Vec<u8>> {
        let mut bytes = vec![0; length.min(self.sorted.checked_sub(at)?)];
        sys::read_at(self.file.as_ref()?, &mut bytes, (HEADER + at) as u64).ok()?;
        Some(bytes)
    }

    /// Writes the locator anew from all there is.
    pub(crate) fn rebuild(root: &Root, forest: &Forest, highest: &[(Option<TaskId>, Highest)]) {
        let mut text = String::new();
        for node in forest.walk() {
            let (id, parent, ordinal) = (node.task.id, node.parent, node.number.ordinal());
            push_task(&mut text, &Located { id, parent, ordinal, name: split(&node.dir).1.to_owned() });
        }
        for (parent, highest) in highest {
            push_highest(&mut text, *parent, *highest);
        }
        let _ = root.replace_loose(LOCATOR, &sorted(&text));
    }

    /// Adds what a change made of things. Does nothing where there is no locator yet.
    pub(crate) fn append(&self, root: &Root, tasks: &[Located], highest: &[(Option<TaskId>, Highest)]) {
        if self.file.is_none() {
            return;
        }
        let mut text = String::new();
        for located in tasks {
            push_task(&mut text, located);
        }
        for (parent, highest) in highest {
            push_highest(&mut text, *parent, *highest);
        }
        if self.tail.len() > SLACK.max(self.sorted / SLACK_PART)
            && let Some(all) = self.sorted_at(0, self.sorted)
        {
            let before = String::from_utf8_lossy(&all);
            let behind = String::from_utf8_lossy(&self.tail);
            let _ = root.replace_loose(LOCATOR, &sorted(&format!("{before}{behind}\n{text}")));
            return;
        }
        // A line that was cut short must not swallow the next one.
        if self.tail.last() != Some(&b'\n') {
            text.insert(0, '\n');
        }
        let _ = root.append_loose(LOCATOR, text.as_bytes());
    }

    /// Forgets everything, as after a change of layout.
    pub(crate) fn forget(root: &Root) {
        let _ = root.remove_file(LOCATOR);
    }
}

/// A file of these lines, the last one for each key.
fn sorted(text: &str) -> Vec<u8> {
    let mut last: BTreeMap<&str, &str> = BTreeMap::new();
    for line in text.lines().filter(|line| !line.is_empty()) {
        let words = if line.starts_with("P ") { 3 } else { 2 };
        let end = line.match_indices(' ').nth(words - 1).map_or(line.len(), |(at, _)| at);
        // With the space behind it, a key sorts as the line does.
        last.insert(&line[..line.len().min(end + 1)], line);
    }
    let mut body = String::with_capacity(text.len());
    for line in last.values() {
        body.push_str(line);
        body.push('\n');
    }
    format!("{MAGIC}{:012}\n{body}", body.len()).into_bytes()
}

fn key(parent: Option<TaskId>) -> String {
    parent.map_or_else(|| "-".to_owned(), |id| id.to_string())
}

fn push_task(text: &mut String, located: &Located) {
    let Located { id, parent, ordinal, name } = located;
    push(text, &format!("T {id} {} {ordinal} {name}", key(*parent)));
    push(text, &format!("P {} {ordinal} {id}", key(*parent)));
}

fn push_highest(text: &mut String, parent: Option<TaskId>, highest: Highest) {
    push(text, &format!("D {} {} {}", key(parent), highest.changed_at, highest.ordinal));
}

fn push(text: &mut String, said: &str) {
    text.push_str(said);
    text.push(' ');
    text.push_str(&checksum(said));
    text.push('\n');
}

/// The line at the beginning of some bytes, without its checksum, if that is right.
fn good_line(bytes: &[u8]) -> Option<String> {
    let end = memchr::memchr(b'\n', bytes)?;
    let (said, sum) = std::str::from_utf8(&bytes[..end]).ok()?.rsplit_once(' ')?;
    (sum == checksum(said)).then(|| said.to_owned())
}

fn parse_task(said: &str) -> Option<Located> {
    let mut words = said.strip_prefix("T ")?.splitn(4, ' ');
    let id = words.next()?.parse().ok()?;
    let parent = match words.next()? {
        "-" => None,
        parent => Some(parent.parse().ok()?),
    };
    let ordinal = words.next()?.parse().ok()?;
    Some(Located { id, parent, ordinal, name: words.next()?.to_owned() })
}

/// FNV-1a: tells a whole line from a torn one, nothing more.
fn checksum(said: &str) -> String {
    let sum = said.bytes().fold(0x811c_9dc5_u32, |sum, byte| (sum ^ u32::from(byte)).wrapping_mul(0x0100_0193));
    format!("{sum:08x}")
}

#[cfg(test)]
mod tests;
