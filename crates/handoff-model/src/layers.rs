//! Memory in three layers of Markdown, as agents that know no store read it: the names of its files, and the mark that
//! tells what in them is ours.
//!
//! **Invariant:** what others wrote is told from what we wrote by the mark alone, and comes out byte for byte. A mark is
//! whole only in the file it was made for and above the text it was made for.

use unicode_normalization::UnicodeNormalization;

use crate::checksum::checksum;

/// Which of the three layers a file is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Layer {
    /// Single notes, by day and tag
    Notes,
    /// Where things stand
    State,
    /// What is old, by month and tag
    Archive,
}

impl Layer {
    pub const ALL: [Layer; 3] = [Layer::Notes, Layer::State, Layer::Archive];

    pub fn number(self) -> u8 {
        match self {
            Layer::Notes => 1,
            Layer::State => 2,
            Layer::Archive => 3,
        }
    }

    /// The directory of the layer.
    pub fn directory(self) -> String {
        format!("layer{}", self.number())
    }
}

/// The longest tag in a file name, in bytes.
const LONGEST_TAG: usize = 100;

/// A tag as it stands in file names: `/` is `-`, a blank `_`; what no file name may have everywhere is `-`, too.
pub fn tag_name(tag: &str) -> String {
    let safe = |c: char| match c {
        ' ' => '_',
        '/' | '\\' | ':' | '*' | '?' | '"' | '<' | '>' | '|' => '-',
        c if c.is_control() || c.is_whitespace() || is_unseen(c) => '-',
        c => c,
    };
    let mut name: String = tag.nfc().map(safe).collect();
    if name.starts_with('.') {
        name.replace_range(..1, "_");
    }
    if name.len() > LONGEST_TAG {
        // Two long ones that begin alike are still two.
        let sum = format!("-{:08x}", checksum(tag.as_bytes()) >> 32);
        name.truncate(name.floor_char_boundary(LONGEST_TAG - sum.len()));
        name.push_str(&sum);
    }
    name
}

/// Whether a character cannot be seen, or changes what is seen of others.
fn is_unseen(c: char) -> bool {
    matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{e0000}'..='\u{e007f}')
}

/// `layer1/2026-11/auth-2026-11-15.md`, for a day and a tag as it stands in file names.
pub fn note_path(day: &str, tag: &str) -> String {
    let month = day.get(..7).unwrap_or(day);
    format!("layer1/{month}/{tag}-{day}.md")
}

/// `layer2/current-state.md`
pub const STATE_PATH: &str = "layer2/current-state.md";

/// `layer3/2026-10-auth-archive.md`, for a month and a tag as it stands in file names.
pub fn archive_path(month: &str, tag: &str) -> String {
    format!("layer3/{month}-{tag}-archive.md")
}

const BEFORE: &str = "<!-- handoff: layer ";
const MADE: &str = "; made from .handoff/, so edit there; check ";
/// Said in a mark below a text that does not end in a line break, which the mark needs all the same.
const UNENDED: &str = "; the text above had no line end";
const AFTER: &str = " -->";

/// A file, taken apart at our mark.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parts<'a> {
    /// What others wrote, byte for byte
    pub above: &'a [u8],
    /// What stands below the mark
    pub below: &'a [u8],
    /// Whether that is what was written with the mark
    pub is_intact: bool,
}

/// The bytes of a file: what others wrote, our mark, our text. `path` is where it lies in the directory of the layers.
pub fn put_together(path: &str, above: &[u8], layer: Layer, date: &str, text: &str) -> Vec<u8> {
    let is_unended = !above.is_empty() && !above.ends_with(b"\n");
    let (end, unended) = if is_unended { ("\n", UNENDED) } else { ("", "") };
    let check = check_of(path, layer, date, text.as_bytes());
    let number = layer.number();
    let mark = format!("{end}{BEFORE}{number}, {date}{MADE}{check:016x}{unended}{AFTER}\n{text}");
    [above, mark.as_bytes()].concat()
}

/// Takes a file apart; `None` where there is no mark of ours in it. A state has its mark on the first line or nowhere.
pub fn take_apart<'a>(path: &str, layer: Layer, bytes: &'a [u8]) -> Option<Parts<'a>> {
    let mut marks = marks(layer, bytes);
    let first = marks.next()?;
    if layer == Layer::State {
        return (first.start == 0).then(|| first.parts(path, bytes));
    }
    let first_parts = first.parts(path, bytes);
    // A text that others wrote may quote a mark; the one that fits is ours, else the last.
    match marks.last() {
        Some(last) if !first_parts.is_intact => Some(last.parts(path, bytes)),
        _ => Some(first_parts),
    }
}

/// What others wrote in a file that has a mark of ours, wherever it lies now.
pub fn of_others(layer: Layer, bytes: &[u8]) -> Option<&[u8]> {
    take_apart("", layer, bytes).map(|parts| parts.above)
}

fn check_of(path: &str, layer: Layer, date: &str, text: &[u8]) -> u64 {
    let head = format!("{path}\n{}\n{date}\n", layer.number());
    checksum(&[head.as_bytes(), text].concat())
}

/// A line that is a mark.
struct Mark<'a> {
    start: usize,
    end: usize,
    layer: Layer,
    date: &'a str,
    check: u64,
    is_unended: bool,
}

fn marks(layer: Layer, bytes: &[u8]) -> impl Iterator<Item = Mark<'_>> {
    let mut end = 0;
    let lines = bytes.split_inclusive(|byte| *byte == b'\n').map(move |line| {
        let start = end;
        end += line.len();
        (start, end, line)
    });
    lines.filter_map(move |(start, end, line)| {
        let line = std::str::from_utf8(line).ok()?.trim_end_matches(['\n', '\r']);
        let rest = line.strip_prefix(BEFORE)?.strip_suffix(AFTER)?;
        let (rest, is_unended) = rest.strip_suffix(UNENDED).map_or((rest, false), |rest| (rest, true));
        let (what, check) = rest.split_once(MADE)?;
        let (number, date) = what.split_once(", ")?;
        let check = u64::from_str_radix(check, 16).ok().filter(|_| check.len() == 16)?;
        (number == layer.number().to_string()).then_some(Mark { start, end, layer, date, check, is_unended })
    })
}

impl Mark<'_> {
    fn parts<'a>(&self, path: &str, bytes: &'a [u8]) -> Parts<'a> {
        let (mut above, below) = (&bytes[..self.start], &bytes[self.end..]);
        if self.is_unended {
            above = above.strip_suffix(b"\n").unwrap_or(above);
            above = above.strip_suffix(b"\r").filter(|_| bytes[..self.end].ends_with(b"\r\n")).unwrap_or(above);
        }
        let fits = |text: &[u8]| check_of(path, self.layer, self.date, text) == self.check;
        Parts { above, below, is_intact: fits(below) || unix_lines(below).is_some_and(|text| fits(&text)) }
    }
}

/// The bytes with the line ends they were written with, where git or an editor turned them into those of Windows.
pub fn unix_lines(bytes: &[u8]) -> Option<Vec<u8>> {
    if !bytes.contains(&b'\r') {
        return None;
    }
    let mut text = Vec::with_capacity(bytes.len());
    for line in bytes.split_inclusive(|byte| *byte == b'\n') {
        match line.strip_suffix(b"\r\n") {
            Some(line) => text.extend([line, b"\n"].concat()),
            None => text.extend(line),
        }
    }
    Some(text)
}

#[cfg(test)]
mod tests;
