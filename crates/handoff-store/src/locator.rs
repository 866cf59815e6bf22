//! Where tasks were last seen, so that one can be found without reading the others.
//!
//! A cache in the strict sense: every answer is checked against the disk by whoever uses it, and a file that is missing,
//! cut short, mixed up or of another version only makes the next look slower. It is a list of lines, the last one for
//! a key counts, and a change appends to it.

use std::cell::RefCell;
use std::collections::HashMap;
use std::ops::Range;

use handoff_model::id::TaskId;

use crate::layout::LOCATOR;
use crate::root::Root;
use crate::task::forest::Forest;

const HEADER: &str = "handoff locator 1\n";

/// Lines beyond this many bytes per known task are compacted away.
const SLACK: usize = 256 * 1024;

/// The locator as it was when it was read.
#[derive(Debug, Default)]
pub(crate) struct Locator {
    bytes: Vec<u8>,
    /// Where lines were found: one request asks for the same ones again and again
    found: RefCell<HashMap<String, Option<Range<usize>>>>,
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
        let bytes = root.read_up_to(LOCATOR, 256 * 1024 * 1024).ok().flatten().unwrap_or_default();
        if bytes.starts_with(HEADER.as_bytes()) { Locator { bytes, ..Locator::default() } } else { Locator::default() }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    pub(crate) fn by_id(&self, id: TaskId) -> Option<Located> {
        self.last(&format!("\nT {id} ")).and_then(parse_task)
    }

    /// The task that last had this place; another may have it by now.
    pub(crate) fn by_ordinal(&self, parent: Option<TaskId>, ordinal: u32) -> Option<Located> {
        self.last(&format!(" {} {ordinal} ", key(parent))).and_then(parse_task)
    }

    pub(crate) fn highest(&self, parent: Option<TaskId>) -> Option<Highest> {
        let line = self.last(&format!("\nD {} ", key(parent)))?;
        let mut words = line.split(' ').skip(2);
        Some(Highest { changed_at: words.next()?.parse().ok()?, ordinal: words.next()?.parse().ok()? })
    }

    /// The last good line in which a pattern occurs.
    fn last(&self, pattern: &str) -> Option<&str> {
        let mut found = self.found.borrow_mut();
        let range = match found.get(pattern) {
            Some(range) => range.clone(),
            None => found.entry(pattern.to_owned()).or_insert_with(|| self.search(pattern)).clone(),
        };
        std::str::from_utf8(&self.bytes[range?]).ok()
    }

    fn search(&self, pattern: &str) -> Option<Range<usize>> {
        // Lines about directories stand near the end; for those about tasks one quick pass over all is the better way.
        let at = if pattern.starts_with("\nD ") {
            memchr::memmem::rfind(&self.bytes, pattern.as_bytes())?
        } else {
            memchr::memmem::find_iter(&self.bytes, pattern).last()?
        };
        let start = memchr::memrchr(b'\n', &self.bytes[..=at]).map_or(0, |newline| newline + 1);
        let end = start + memchr::memchr(b'\n', &self.bytes[start..])?;
        let (said, sum) = std::str::from_utf8(&self.bytes[start..end]).ok()?.rsplit_once(' ')?;
        (sum == checksum(said)).then_some(start..start + said.len())
    }

    /// Writes the locator anew from all there is.
    pub(crate) fn rebuild(root: &Root, forest: &Forest, highest: &[(Option<TaskId>, Highest)]) {
        let mut text = HEADER.to_owned();
        for node in forest.walk() {
            push_task(
                &mut text,
                &Located {
                    id: node.task.id,
                    parent: node.parent,
                    ordinal: node.number.ordinal(),
                    name: crate::root::split(&node.dir).1.to_owned(),
                },
            );
        }
        for (parent, highest) in highest {
            push_highest(&mut text, *parent, *highest);
        }
        let _ = root.write_loose(LOCATOR, text.as_bytes());
    }

    /// Adds what a change made of things. Does nothing where there is no locator yet.
    pub(crate) fn append(&self, root: &Root, tasks: &[Located], highest: &[(Option<TaskId>, Highest)]) {
        if self.is_empty() {
            return;
        }
        let mut text = String::new();
        for located in tasks {
            push_task(&mut text, located);
        }
        for (parent, highest) in highest {
            push_highest(&mut text, *parent, *highest);
        }
        // A line that was cut short must not swallow the next one.
        if self.bytes.last() != Some(&b'\n') {
            text.insert(0, '\n');
        }
        if self.bytes.len() > SLACK
            && let Some(compacted) = self.compacted(&text)
        {
            let _ = root.write_loose(LOCATOR, compacted.as_bytes());
            return;
        }
        let _ = root.append_loose(LOCATOR, text.as_bytes());
    }

    /// All lines that count, when less than a third of them do.
    fn compacted(&self, more: &str) -> Option<String> {
        /// About the length of one line; estimating is enough to decide whether counting is worth it.
        const LINE: usize = 64;
        let text = std::str::from_utf8(&self.bytes).ok()?;
        // The lines since the last rewriting stand unsorted behind it; counting all is only done now and then.
        if !(text.len() / LINE).is_multiple_of(512) {
            return None;
        }
        let mut last: HashMap<&str, &str> = HashMap::new();
        let mut lines = 0;
        for line in text.lines().chain(more.lines()).skip(1) {
            let key_end = line.match_indices(' ').nth(1).map_or(line.len(), |(at, _)| at);
            last.insert(&line[..key_end], line);
            lines += 1;
        }
        if last.len() * 3 > lines {
            return None;
        }
        let mut compacted = HEADER.to_owned();
        for line in last.values() {
            compacted.push_str(line);
            compacted.push('\n');
        }
        Some(compacted)
    }

    /// Forgets everything, as after a change of layout.
    pub(crate) fn forget(root: &Root) {
        let _ = root.remove_file(LOCATOR);
    }
}

fn key(parent: Option<TaskId>) -> String {
    parent.map_or_else(|| "-".to_owned(), |id| id.to_string())
}

fn push_task(text: &mut String, located: &Located) {
    let Located { id, parent, ordinal, name } = located;
    push(text, &format!("T {id} {} {ordinal} {name}", key(*parent)));
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
mod tests {
    use super::*;

    fn id(text: &str) -> TaskId {
        text.parse().unwrap()
    }

    fn locator() -> Locator {
        let mut text = HEADER.to_owned();
        let located =
            |name: &str, ordinal| Located { id: id("aaaaaaaa"), parent: None, ordinal, name: name.to_owned() };
        push_task(&mut text, &located("01-todo--a", 1));
        push_task(
            &mut text,
            &Located { id: id("bbbbbbbb"), parent: Some(id("aaaaaaaa")), ordinal: 2, name: "01.2-todo--b".to_owned() },
        );
        push_task(&mut text, &located("01-done--a", 1));
        push_highest(&mut text, None, Highest { changed_at: 12, ordinal: 3 });
        Locator { bytes: text.into_bytes(), ..Locator::default() }
    }

    #[test]
    fn the_last_line_counts() {
        let locator = locator();
        assert_eq!(locator.by_id(id("aaaaaaaa")).unwrap().name, "01-done--a");
        assert_eq!(locator.by_ordinal(None, 1).unwrap().name, "01-done--a");
        assert_eq!(locator.by_ordinal(Some(id("aaaaaaaa")), 2).unwrap().id, id("bbbbbbbb"));
        assert_eq!(locator.highest(None), Some(Highest { changed_at: 12, ordinal: 3 }));
        assert_eq!(locator.by_id(id("cccccccc")), None);
        assert_eq!(locator.highest(Some(id("aaaaaaaa"))), None);
    }

    #[test]
    fn a_torn_or_changed_line_is_not_believed() {
        let whole = locator().bytes;
        for cut in 0..whole.len() {
            let _ = Locator { bytes: whole[..cut].to_vec(), ..Locator::default() }.highest(None);
        }
        let changed = String::from_utf8(whole).unwrap().replace("12 3", "12 9");
        assert_eq!(Locator { bytes: changed.into_bytes(), ..Locator::default() }.highest(None), None);
    }
}
