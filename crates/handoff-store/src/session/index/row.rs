//! One session file as a row of bytes, always of the same size, with its texts in a heap.
//!
//! **Invariant:** any bytes can be looked through. Whatever rows say, reading stays within the table and ends; a text
//! that is none reads as empty. A change of what is written here is a new [`VERSION`](super::VERSION).

use std::cmp::Reverse;
use std::collections::HashSet;

use handoff_model::problem::Problem;
use handoff_model::session::{SessionKind, SessionStatus};
use handoff_model::when::Moment;

use crate::packed::{Packer, STAMP, Unpacker, at, milliseconds, place, read_stamp, stamp_bytes};
use crate::session::read::{FoundSession, SUFFIX};
use crate::session::summary::SessionSummary;
use crate::sys::Stamp;

pub(super) const SIZE: usize = 80;

// Where each field begins.
const TEXTS_AT: usize = 0;
const TEXTS_LENGTH: usize = 4;
const FILE_STAMP: usize = 8;
const STARTED: usize = 40;
const ENDED: usize = 48;
const EXPIRES: usize = 56;
const ID: usize = 64;
const KIND: usize = 72;
const STATUS: usize = 73;
const FLAGS: usize = 74;

/// The stamp tells whether the file is unchanged.
const SETTLED: u16 = 1;
const HAS_SESSION: u16 = 2;
const HAS_PROBLEM: u16 = 4;
const HAS_DECISIONS: u16 = 8;
/// Another file has the same id.
const TWIN: u16 = 16;
const HAS_STARTED: u16 = 32;
const HAS_ENDED: u16 = 64;
const HAS_EXPIRES: u16 = 128;
/// From here on one flag for each text that may be absent.
const HAS_TEXT: u16 = 256;
/// It was the system that would not give the file.
const REFUSED: u16 = 1 << 15;

/// The texts of a row, in the order they lie in the heap; tags, next steps and what is wrong follow.
#[derive(Clone, Copy)]
pub(in crate::session) enum Text {
    File,
    /// Empty where the name of the file says it
    FullName,
    Summary,
    Title,
    Tool,
    Author,
    Name,
    Label,
    Project,
    /// What it was called by the system it came from
    Origin,
}

const TEXTS: usize = Text::Origin as usize + 1;

/// Rows and their texts.
#[derive(Debug, Default)]
pub(crate) struct Table {
    /// All rows, then the heap
    bytes: Vec<u8>,
    /// Where the heap begins
    heap: usize,
}

/// One row where it lies.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Row<'a> {
    fixed: &'a [u8; SIZE],
    texts: &'a [u8],
}

/// A row while it is in no table yet.
#[derive(Debug)]
pub(crate) struct NewRow {
    fixed: [u8; SIZE],
    texts: Vec<u8>,
}

impl Table {
    pub(super) fn new(bytes: Vec<u8>, heap: usize) -> Table {
        Table { bytes, heap }
    }

    pub(crate) fn of(rows: Vec<NewRow>) -> Table {
        let texts = rows.iter().map(|row| row.texts.len()).sum::<usize>();
        let mut table = Table { bytes: Vec::with_capacity(rows.len() * SIZE + texts), heap: rows.len() * SIZE };
        table.put_rows(rows.iter().map(NewRow::as_row), |_| false);
        for row in rows {
            table.bytes.extend(row.texts);
        }
        table
    }

    /// A table of rows that lie in others.
    pub(super) fn of_rows(rows: &[SessionSummary]) -> Table {
        let mut seen = HashSet::new();
        let ids = rows.iter().map(SessionSummary::row).filter(|row| row.has_session());
        let twins: HashSet<[u8; 8]> = ids.map(Row::id).filter(|id| !seen.insert(*id)).collect();
        let rows = || rows.iter().map(SessionSummary::row);
        let texts = rows().map(|row| row.texts.len()).sum::<usize>();
        let mut table = Table { bytes: Vec::with_capacity(rows().count() * SIZE + texts), heap: rows().count() * SIZE };
        table.put_rows(rows(), |row| row.has_session() && twins.contains(&row.id()));
        for row in rows() {
            table.bytes.extend(row.texts);
        }
        table
    }

    fn put_rows<'r>(&mut self, rows: impl Iterator<Item = Row<'r>>, is_twin: impl Fn(Row<'r>) -> bool) {
        let mut texts_at = 0_usize;
        for row in rows {
            let mut fixed = *row.fixed;
            // A heap that is larger than a number can tell is no cache any more: what lies there reads as empty.
            put(&mut fixed, TEXTS_AT, u32::try_from(texts_at).unwrap_or(u32::MAX).to_le_bytes());
            put(&mut fixed, TEXTS_LENGTH, u32::try_from(row.texts.len()).unwrap_or(0).to_le_bytes());
            let flags = (row.flags() & !TWIN) | if is_twin(row) { TWIN } else { 0 };
            put(&mut fixed, FLAGS, flags.to_le_bytes());
            self.bytes.extend(fixed);
            texts_at += row.texts.len();
        }
    }

    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    pub(super) fn parts(&self) -> (&[u8], &[u8]) {
        self.bytes.split_at(self.heap)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub(crate) fn len(&self) -> usize {
        self.heap / SIZE
    }

    pub(crate) fn row(&self, number: usize) -> Row<'_> {
        let (rows, heap) = self.parts();
        let fixed = &rows.as_chunks::<SIZE>().0[number];
        let row = Row { fixed, texts: &[] };
        let (at, length) = (row.short(TEXTS_AT) as usize, row.short(TEXTS_LENGTH) as usize);
        Row { texts: heap.get(at..at.saturating_add(length)).unwrap_or_default(), ..row }
    }
}

impl<'a> Row<'a> {
    fn bytes<const N: usize>(self, at: usize) -> [u8; N] {
        self.fixed[at..at + N].try_into().expect("fields lie within their row")
    }

    fn short(self, at: usize) -> u32 {
        u32::from_le_bytes(self.bytes(at))
    }

    fn flags(self) -> u16 {
        u16::from_le_bytes(self.bytes(FLAGS))
    }

    fn has(self, flag: u16) -> bool {
        self.flags() & flag != 0
    }

    /// Newest first, as sessions are; what cannot be read comes last.
    pub(crate) fn order(self) -> impl Ord {
        let last_active = self.ended_at().or(self.started_at());
        (!self.has_session(), Reverse(last_active), Reverse(self.full_name()), self.file())
    }

    /// The stamp of the file, where that tells whether it is unchanged.
    pub(super) fn stamp(self) -> Option<Stamp> {
        self.has(SETTLED).then(|| read_stamp(&self.bytes::<STAMP>(FILE_STAMP)))
    }

    pub(crate) fn has_session(self) -> bool {
        self.has(HAS_SESSION)
    }

    pub(in crate::session) fn is_refused(self) -> bool {
        self.has(REFUSED)
    }

    pub(crate) fn has_decisions(self) -> bool {
        self.has(HAS_DECISIONS)
    }

    pub(crate) fn is_twin(self) -> bool {
        self.has(TWIN)
    }

    pub(crate) fn id(self) -> [u8; 8] {
        self.bytes(ID)
    }

    pub(crate) fn id_text(self) -> &'a str {
        std::str::from_utf8(&self.fixed[ID..ID + 8]).unwrap_or_default()
    }

    pub(crate) fn kind(self) -> SessionKind {
        at(SessionKind::ALL, self.fixed[KIND]).unwrap_or_default()
    }

    pub(crate) fn status(self) -> SessionStatus {
        at(SessionStatus::ALL, self.fixed[STATUS]).unwrap_or_default()
    }

    pub(crate) fn started_at(self) -> Option<Moment> {
        self.moment(HAS_STARTED, STARTED)
    }

    pub(crate) fn ended_at(self) -> Option<Moment> {
        self.moment(HAS_ENDED, ENDED)
    }

    pub(crate) fn expires_at(self) -> Option<Moment> {
        self.moment(HAS_EXPIRES, EXPIRES)
    }

    fn moment(self, flag: u16, at: usize) -> Option<Moment> {
        let milliseconds = i64::from_le_bytes(self.bytes(at));
        if self.has(flag) { Moment::from_milliseconds(milliseconds) } else { None }
    }

    /// The name of the file in the directory of sessions.
    pub(crate) fn file(self) -> &'a str {
        self.text(Text::File)
    }

    pub(crate) fn full_name(self) -> &'a str {
        match self.text(Text::FullName) {
            "" => self.file().strip_suffix(SUFFIX).unwrap_or_default(),
            name => name,
        }
    }

    pub(in crate::session) fn text(self, text: Text) -> &'a str {
        let mut from = Unpacker(self.texts);
        let mut skipped = 0;
        while skipped < text as usize && from.size().and_then(|length| from.bytes(length)).is_some() {
            skipped += 1;
        }
        from.text_in_place().unwrap_or_default()
    }

    /// All its texts, in their order, then its tags and its next steps: quicker than one by one where most are wanted.
    pub(in crate::session) fn all(self) -> ([Option<&'a str>; TEXTS], Vec<&'a str>, Vec<&'a str>) {
        let mut from = Unpacker(self.texts);
        let mut texts = [None; TEXTS];
        for (number, text) in texts.iter_mut().enumerate() {
            let said = from.text_in_place().unwrap_or_default();
            let is_given = number < Text::Title as usize || self.has(HAS_TEXT << (number - Text::Title as usize));
            *text = is_given.then_some(said);
        }
        let tags = from.list(Unpacker::text_in_place);
        let next = tags.as_ref().and_then(|_| from.list(Unpacker::text_in_place));
        (texts, tags.unwrap_or_default(), next.unwrap_or_default())
    }

    pub(in crate::session) fn given(self, text: Text) -> Option<&'a str> {
        self.has(flag_of(text)).then(|| self.text(text))
    }

    /// What follows the texts.
    fn lists(self) -> Unpacker<'a> {
        let mut from = Unpacker(self.texts);
        for _ in 0..TEXTS {
            if from.size().and_then(|length| from.bytes(length)).is_none() {
                return Unpacker(&[]);
            }
        }
        from
    }

    pub(crate) fn tags(self) -> Vec<&'a str> {
        self.lists().list(Unpacker::text_in_place).unwrap_or_default()
    }

    pub(crate) fn next_steps(self) -> Vec<&'a str> {
        let mut from = self.lists();
        from.list(Unpacker::text_in_place).and_then(|_| from.list(Unpacker::text_in_place)).unwrap_or_default()
    }

    pub(crate) fn problem(self) -> Option<Problem> {
        if !self.has(HAS_PROBLEM) {
            return None;
        }
        let mut from = self.lists();
        from.list(Unpacker::text_in_place)?;
        from.list(Unpacker::text_in_place)?;
        from.problem()
    }

    /// Whether two rows say the same of a session, whatever their files' times.
    pub(crate) fn says_as(self, other: Row<'_>) -> bool {
        let rest = |row: Row<'_>| (row.flags() & !(SETTLED | TWIN), row.bytes::<{ FLAGS - STARTED }>(STARTED));
        rest(self) == rest(other) && self.texts == other.texts
    }
}

impl NewRow {
    /// The row of a file that says this, or of which this is wrong.
    pub(crate) fn of(
        file: &str,
        found: Option<&FoundSession>,
        problem: Option<&Problem>,
        stamp: Option<Stamp>,
    ) -> NewRow {
        let mut fixed = [0; SIZE];
        put(&mut fixed, FILE_STAMP, stamp_bytes(stamp.unwrap_or_default()));
        let mut flags = if stamp.is_some() { SETTLED } else { 0 };
        let mut to = Packer(Vec::with_capacity(256));
        to.text(file);
        if let Some(found) = found {
            let session = &found.session;
            let moments = [
                (STARTED, HAS_STARTED, session.started_at),
                (ENDED, HAS_ENDED, session.ended_at),
                (EXPIRES, HAS_EXPIRES, session.expires_at),
            ];
            for (at, flag, moment) in moments {
                put(&mut fixed, at, moment.map_or(0, milliseconds).to_le_bytes());
                flags |= if moment.is_some() { flag } else { 0 };
            }
            fixed[KIND] = place(SessionKind::ALL, &session.kind);
            fixed[STATUS] = place(SessionStatus::ALL, &session.status);
            for (byte, letter) in fixed[ID..ID + 8].iter_mut().zip(session.id.as_str().bytes()) {
                *byte = letter;
            }
            flags |= HAS_SESSION | if session.decisions.is_empty() { 0 } else { HAS_DECISIONS };
            let is_said = file.strip_suffix(SUFFIX) == Some(found.name.as_str());
            to.text(if is_said { "" } else { &found.name });
            to.text(&session.summary);
            let given = [
                (Text::Title, &session.title),
                (Text::Tool, &session.tool),
                (Text::Author, &session.author),
                (Text::Name, &session.name),
                (Text::Label, &session.label),
                (Text::Project, &session.project),
            ];
            let given = given.map(|(text, value)| (text, value.as_deref()));
            let origin = session.origin.as_ref().map(|origin| origin.id.as_str());
            for (text, value) in given.into_iter().chain([(Text::Origin, origin)]) {
                to.text(value.unwrap_or_default());
                flags |= if value.is_some() { flag_of(text) } else { 0 };
            }
            to.list(&session.tags, |to, tag| to.text(tag));
            to.list(&session.next, |to, step| to.text(step));
        } else {
            // Neither texts nor lists.
            for _ in 1..TEXTS + 2 {
                to.number(0);
            }
        }
        if let Some(problem) = problem {
            flags |= HAS_PROBLEM;
            to.problem(problem);
        }
        put(&mut fixed, FLAGS, flags.to_le_bytes());
        NewRow { fixed, texts: to.0 }
    }

    /// The same of a file that the system would not give.
    pub(in crate::session) fn refused(mut self) -> NewRow {
        let flags = self.as_row().flags() | REFUSED;
        put(&mut self.fixed, FLAGS, flags.to_le_bytes());
        self
    }

    pub(crate) fn as_row(&self) -> Row<'_> {
        Row { fixed: &self.fixed, texts: &self.texts }
    }
}

fn flag_of(text: Text) -> u16 {
    HAS_TEXT << (text as u16).saturating_sub(Text::Title as u16)
}

fn put<const N: usize>(fixed: &mut [u8; SIZE], at: usize, bytes: [u8; N]) {
    fixed[at..at + N].copy_from_slice(&bytes);
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use handoff_model::checksum::checksum;
    use handoff_model::rev::Rev;
    use handoff_model::session::Session;

    use super::*;

    /// A session with something in every field that is kept.
    fn full() -> FoundSession {
        let text = r#"
            format = 1
            id = "a3f9c12e"
            kind = "record"
            status = "paused"
            title = "Prüfe 漢字"
            summary = "line\nline"
            tool = "codex"
            author = ""
            name = "project-state"
            tags = ["a", ""]
            project = "my-app"
            label = "b"
            started_at = 1969-12-31T23:59:59.125Z
            ended_at = 2026-11-15T12:10:00Z
            expires_at = 2026-11-29T12:10:00Z
            next = ["one", "two\u0000"]
            origin = { system = "handoff-cli", id = "0b5e11d2" }
            [[decisions]]
            decision = "JWT"
        "#;
        let (session, rev) = (Session::read(text).unwrap(), Rev::of(b""));
        let file = "sessions/odd.toml".to_owned();
        let name = "1969-12-31-a3f9c12e".to_owned();
        FoundSession {
            name,
            session,
            rev,
            problem: None,
            archive: None,
            file,
            text: String::new(),
            archived_body: None,
        }
    }

    fn row() -> NewRow {
        let problem = Problem::mended("sessions/odd.toml", "odd").at_line(Some(3));
        let stamp = Stamp { inode: 1, size: 2, modified: -3, changed: i64::MAX };
        NewRow::of("odd.toml", Some(&full()), Some(&problem), Some(stamp))
    }

    #[test]
    fn a_session_comes_back_as_it_was() {
        let (table, found) = (Arc::new(Table::of(vec![row(), row()])), full());
        let (summary, session) = (SessionSummary::new(&table, 1), &found.session);
        assert_eq!((summary.full_name(), &summary.id()), (found.name.as_str(), &session.id));
        assert_eq!((summary.kind(), summary.status()), (session.kind, session.status));
        assert_eq!((summary.title(), summary.summary()), (session.title.as_deref(), session.summary.as_str()));
        assert_eq!((summary.tool(), summary.author()), (session.tool.as_deref(), Some("")));
        assert_eq!((summary.name(), summary.label()), (session.name.as_deref(), session.label.as_deref()));
        assert_eq!((summary.project(), summary.tags()), (session.project.as_deref(), vec!["a", ""]));
        assert_eq!((summary.next(), summary.started_at()), (vec!["one", "two\0"], session.started_at));
        assert_eq!((summary.ended_at(), summary.expires_at()), (session.ended_at, session.expires_at));
        assert!(summary.row().has_decisions() && summary.row().has_session() && !summary.row().is_twin());
        assert_eq!(summary.row().problem().unwrap().line, Some(3));
        assert_eq!(summary.row().stamp().unwrap().modified, -3);
    }

    #[test]
    fn what_is_written_changes_only_together_with_the_version() {
        let sum = checksum(Table::of(vec![row()]).bytes());
        assert_eq!((super::super::VERSION, sum), (2, SUM), "raise the version, then note the new sum");
    }

    const SUM: u64 = 4_885_329_678_578_621_265;
}
