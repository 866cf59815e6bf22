//! The file of a memory: fields as TOML between two lines of `+++`, then the text.
//!
//! **Invariant:** a field this build does not know, and a comment beside the fields, survive every write. A text that did
//! not change keeps its bytes.

use super::{MemoryKind, MemoryRecord};
use crate::document::{self, Unreadable};
use crate::known_keys::misspelled;
use crate::problem::Problem;

/// Line above and below the fields.
const FENCE: &str = "+++";
const BYTE_ORDER_MARK: char = '\u{feff}';

/// A file taken apart. Put behind one another, the sections are the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemorySections<'t> {
    /// The first line, with the byte order mark where there is one
    opening: &'t str,
    fields: &'t str,
    closing: &'t str,
    body: &'t str,
}

impl<'t> MemorySections<'t> {
    /// Takes a file apart.
    ///
    /// A text of several lines among the fields may have a line of `+++` too. So the fields end at the first such line up
    /// to which they can be read, and only where there is none at the first of all.
    pub fn of(text: &'t str) -> Result<MemorySections<'t>, Unreadable> {
        let wrong = |line: usize, reason: &str| Unreadable { line: Some(line), reason: reason.to_owned() };
        let first_end = text.find('\n').map_or(text.len(), |end| end + 1);
        let (opening, rest) = text.split_at(first_end);
        if opening.trim_start_matches(BYTE_ORDER_MARK).trim_end() != FENCE {
            return Err(wrong(1, "the first line is not `+++`: a memory begins with its fields"));
        }
        let mut fences = Vec::new();
        let mut at = 0;
        for line in rest.split_inclusive('\n') {
            if line.trim_end() == FENCE {
                fences.push((at, line.len()));
            }
            at += line.len();
        }
        let sections = |&(at, length): &(usize, usize)| MemorySections {
            opening,
            fields: &rest[..at],
            closing: &rest[at..at + length],
            body: &rest[at + length..],
        };
        let is_read = |sections: &MemorySections<'_>| document::read::<toml::Table>(sections.fields).is_ok();
        let found = fences.iter().map(sections).find(is_read).or_else(|| fences.first().map(sections));
        found.ok_or_else(|| wrong(1, "there is no second line of `+++`: the fields do not end"))
    }

    /// The fields, with an empty line before them so that lines are counted as in the file.
    pub fn fields_on_their_lines(&self) -> String {
        format!("\n{}", self.fields)
    }

    /// The fields as TOML.
    pub fn fields(&self) -> &'t str {
        self.fields
    }

    /// All that follows the fields.
    pub fn body(&self) -> &'t str {
        self.body
    }

    /// The file with other fields.
    pub fn with_fields(&self, fields: &str) -> String {
        [self.opening, fields, self.closing, self.body].concat()
    }
}

impl MemoryRecord {
    pub fn read(text: &str) -> Result<MemoryRecord, Unreadable> {
        let sections = MemorySections::of(text)?;
        let mut memory: MemoryRecord = document::read(&sections.fields_on_their_lines())?;
        if memory.format > crate::FORMAT {
            return Err(document::newer_format(memory.format));
        }
        sections.body.trim().clone_into(&mut memory.text);
        if memory.says().trim().is_empty() {
            return Err(Unreadable { line: None, reason: "it has neither a text nor a title".to_owned() });
        }
        Ok(memory)
    }

    pub fn print(&self) -> String {
        let fields = document::print(self);
        let body = if self.text.is_empty() { String::new() } else { format!("\n{}\n", self.text) };
        format!("{FENCE}\n{fields}{FENCE}\n{body}")
    }

    /// Text of this memory's file, made from the file as it stands.
    pub fn write_over(&self, text: &str) -> Result<String, Unreadable> {
        let before = MemoryRecord::read(text)?;
        let sections = MemorySections::of(text)?;
        let fields = document::edit(sections.fields, &before, self)?;
        if before.text == self.text {
            return Ok(sections.with_fields(&fields));
        }
        let is_windows = sections.opening.ends_with("\r\n");
        let end = if is_windows { "\r\n" } else { "\n" };
        let said = if is_windows { self.text.replace("\r\n", "\n").replace('\n', end) } else { self.text.clone() };
        let closing = sections.closing.trim_end();
        let body = if said.is_empty() { String::new() } else { format!("{end}{said}{end}") };
        Ok([sections.opening, &fields, closing, end, &body].concat())
    }
}

/// Problems of a memory that could be read: a kind that is not known, and keys that are probably misspelled.
pub fn memory_problems(path: &str, text: &str) -> Vec<Problem> {
    let Ok(sections) = MemorySections::of(text) else { return Vec::new() };
    let fields = sections.fields_on_their_lines();
    let mut problems = misspelled::<MemoryRecord>(path, &fields);
    let table: toml::Table = document::read(&fields).unwrap_or_default();
    if let Some(word) = table.get("kind").and_then(toml::Value::as_str)
        && word.parse::<MemoryKind>().is_err()
    {
        let line = fields.lines().position(|line| line.trim_start().starts_with("kind"));
        let reason = format!(
            "`{}` is not a kind of memory ({}); it is read as `fact`",
            crate::id::shorten(word),
            MemoryKind::WORDS.join(", ")
        );
        problems.push(Problem::mended(path, reason).at_line(line.map(|line| line + 1)));
    }
    problems
}
