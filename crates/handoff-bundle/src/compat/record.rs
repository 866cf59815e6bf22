//! The record a bundle carries, and the bytes its checksum is made over.

use handoff_model::id::shorten;
use handoff_model::when::Moment;
use serde::Deserialize;
use sha2::{Digest, Sha256};

use crate::canonical::{Sink, escaped, hex};

/// A record as session-handoff keeps it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompatRecord {
    pub id: String,
    /// In whole seconds
    pub created_at: Moment,
    pub tool: String,
    /// An absolute path on the machine it comes from
    pub project: String,
    pub title: String,
    pub summary: String,
    /// Absent and empty are two things, because the checksum tells them apart
    pub next: Option<Vec<String>>,
    pub changed: Vec<String>,
}

/// Why a record is not taken or given.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RecordFlaw {
    #[error("its `{0}` is blank")]
    Blank(&'static str),
    #[error("`{0}` is no id: letters, digits, `-`, `_` and `.` are allowed, at most 100, and not the word `latest`")]
    Id(String),
    #[error("`{0}` is not a time in UTC and whole seconds such as `2026-11-15T18:44:43Z`")]
    Time(String),
}

/// The record as it stands in a file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Written {
    id: String,
    created_at: String,
    tool: String,
    project: String,
    title: String,
    summary: String,
    #[serde(default)]
    next: Option<Vec<String>>,
    #[serde(default)]
    changed: Option<Vec<String>>,
}

/// How backspace and form feed are written; that changed with Go 1.22.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Controls {
    Short,
    Long,
}

impl Written {
    /// Whether a checksum is the one of this record.
    pub(super) fn has_checksum(&self, checksum: &str) -> bool {
        [Controls::Short, Controls::Long].into_iter().any(|controls| self.checksum(controls) == checksum)
    }

    fn checksum(&self, controls: Controls) -> String {
        let mut hash = Sha256::new();
        self.print(&mut hash, controls, &Layout::COMPACT);
        hex(&hash.finalize())
    }

    pub(super) fn into_record(self) -> Result<CompatRecord, RecordFlaw> {
        let Written { id, created_at, tool, project, title, summary, next, changed } = self;
        let time = || RecordFlaw::Time(shorten(&created_at));
        let at: Moment = created_at.parse().map_err(|_| time())?;
        if at.in_seconds().to_string() != created_at {
            return Err(time());
        }
        let changed = changed.unwrap_or_default();
        let record = CompatRecord { id, created_at: at, tool, project, title, summary, next, changed };
        record.check()?;
        Ok(record)
    }

    fn print(&self, sink: &mut impl Sink, controls: Controls, layout: &Layout) {
        let Written { id, created_at, tool, project, title, summary, next, changed } = self;
        let mut before: &[u8] = b"{";
        let texts = [
            ("id", id),
            ("created_at", created_at),
            ("tool", tool),
            ("project", project),
            ("title", title),
            ("summary", summary),
        ];
        for (key, text) in texts {
            layout.key(sink, &mut before, key);
            string(sink, text, controls);
        }
        layout.key(sink, &mut before, "next");
        match next {
            Some(items) => list(sink, items, controls, layout),
            None => sink.put(b"null"),
        }
        if let Some(items) = changed.as_ref().filter(|items| !items.is_empty()) {
            layout.key(sink, &mut before, "changed");
            list(sink, items, controls, layout);
        }
        layout.line(sink, 0);
        sink.put(b"}");
    }
}

impl CompatRecord {
    /// The bytes that the checksum of a bundle is made over.
    pub fn canonical(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        self.written().print(&mut bytes, Controls::Short, &Layout::COMPACT);
        bytes
    }

    pub(super) fn checksum(&self) -> String {
        self.written().checksum(Controls::Short)
    }

    /// The record as it stands in a bundle, one level deep.
    pub(super) fn print_pretty(&self, sink: &mut impl Sink) {
        self.written().print(sink, Controls::Short, &Layout { base: Some(1) });
    }

    /// What that tool wants of every record, and we of an id.
    pub(super) fn check(&self) -> Result<(), RecordFlaw> {
        let CompatRecord { id, created_at, tool, project, title, summary, next: _, changed: _ } = self;
        let texts = [("id", id), ("tool", tool), ("project", project), ("title", title), ("summary", summary)];
        if let Some((name, _)) = texts.into_iter().find(|(_, text)| text.trim().is_empty()) {
            return Err(RecordFlaw::Blank(name));
        }
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
        if id.len() > 100 || !id.bytes().all(is_plain) || id.starts_with('.') || id.eq_ignore_ascii_case("latest") {
            return Err(RecordFlaw::Id(shorten(id)));
        }
        if created_at.in_seconds() != *created_at || !crate::seal::has_plain_year(*created_at) {
            return Err(RecordFlaw::Time(created_at.to_string()));
        }
        Ok(())
    }

    fn written(&self) -> Written {
        let CompatRecord { id, created_at, tool, project, title, summary, next, changed } = self.clone();
        let created_at = created_at.to_string();
        Written { id, created_at, tool, project, title, summary, next, changed: Some(changed) }
    }
}

/// On one line without blanks, or indented from a level on.
struct Layout {
    base: Option<usize>,
}

impl Layout {
    const COMPACT: Layout = Layout { base: None };

    fn line(&self, sink: &mut impl Sink, depth: usize) {
        if let Some(base) = self.base {
            sink.put(b"\n");
            (0..base + depth).for_each(|_| sink.put(b"  "));
        }
    }

    fn key(&self, sink: &mut impl Sink, before: &mut &[u8], key: &str) {
        sink.put(before);
        *before = b",";
        self.line(sink, 1);
        string(sink, key, Controls::Short);
        sink.put(if self.base.is_some() { b": " } else { b":" });
    }
}

fn list(sink: &mut impl Sink, items: &[String], controls: Controls, layout: &Layout) {
    let mut before: &[u8] = b"[";
    for item in items {
        sink.put(before);
        before = b",";
        layout.line(sink, 2);
        string(sink, item, controls);
    }
    if items.is_empty() {
        sink.put(b"[]");
        return;
    }
    layout.line(sink, 1);
    sink.put(b"]");
}

/// A string as Go's encoder writes it: what could be taken for HTML is escaped, and so are two line ends.
pub(super) fn go_string(sink: &mut impl Sink, text: &str) {
    escaped(sink, text, |character| matches!(character, '<' | '>' | '&' | '\u{2028}' | '\u{2029}'));
}

fn string(sink: &mut impl Sink, text: &str, controls: Controls) {
    if controls == Controls::Short {
        return go_string(sink, text);
    }
    let mut short = Vec::new();
    go_string(&mut short, text);
    let mut bytes = short.as_slice();
    // Pairs of a backslash and what it escapes stay together, so `\\b` is not taken for a backspace.
    while let Some(at) = bytes.iter().position(|byte| *byte == b'\\') {
        let (pair, rest) = bytes[at..].split_at(2);
        sink.put(&bytes[..at]);
        sink.put(match pair {
            b"\\b" => b"\\u0008",
            b"\\f" => b"\\u000c",
            other => other,
        });
        bytes = rest;
    }
    sink.put(bytes);
}
