//! Finished tasks of a month in one file, whole.
//!
//! **Invariant:** what is put in comes out byte for byte, and what a person wrote between the tasks stays.
//!
//! The file is TOML: a table for each task, with its file as one long string. It is cut into tables here rather than
//! read as a whole, so that one damaged table does not hide the others.

use std::collections::HashSet;
use std::fmt::Write;
use std::sync::LazyLock;

use serde::Deserialize;

use super::Task;
use crate::entry_check::{emptied, entry_check};
use crate::id::TaskId;
use crate::known_keys::{KeyTree, misspelled_in};
use crate::number::Number;
use crate::problem::Problem;
use crate::when::Moment;

/// An archive file, in the pieces it is made of.
#[derive(Clone, Debug, Default)]
pub struct Archive {
    pieces: Vec<Piece>,
}

/// A task in an archive.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Packed {
    pub id: TaskId,
    /// Where it stood
    pub number: Number,
    /// The task it lay under
    #[serde(default)]
    pub parent: Option<TaskId>,
    /// The name of its directory
    #[serde(default)]
    pub name: String,
    #[serde(default)]
    pub packed_at: Option<Moment>,
    /// The text of its `task.toml`
    #[serde(rename = "file")]
    pub text: String,
    /// Checksum of all of the above, as it stands in the archive; older archives have none
    #[serde(default)]
    pub check: Option<String>,
    /// The line of the archive on which that text begins
    #[serde(skip)]
    pub line: usize,
}

#[derive(Clone, Debug)]
enum Piece {
    /// What a person wrote, and what cannot be read
    Text(String),
    Task {
        packed: Box<Packed>,
        written: String,
    },
}

/// What begins a task.
const OPENING: &str = "[[tasks]]";
/// What begins the text of its file, up to the quotes.
const FILE: &str = "file = ";
/// Last line of an archive whose tasks have checksums. It is the same for all writers, so that it merges.
const END_LINE: &str = "# end of archive";
/// Keys of the table of a task.
static KEYS: LazyLock<KeyTree> = LazyLock::new(|| {
    let table = ["check", "file", "id", "name", "number", "packed_at", "parent"];
    KeyTree::flat(&[]).with_table(TASKS, KeyTree::flat(&table))
});
const TASKS: &str = "tasks";

/// The name of the file in `archive/` for tasks finished at this time, `tasks-2026-10.toml`; a further part of it is
/// `tasks-2026-10-2.toml`.
pub fn file_name(finished_at: Option<Moment>, part: u32) -> String {
    let date = finished_at.map(|at| at.day().date());
    let (year, month) = date.map_or((0, 0), |date| (date.year(), date.month()));
    let part = if part > 1 { format!("-{part}") } else { String::new() };
    format!("tasks-{year:04}-{month:02}{part}.toml")
}

/// Whether a file of this name in `archive/` holds tasks.
pub fn is_file_name(name: &str) -> bool {
    let Some(stem) = name.strip_prefix("tasks-").and_then(|rest| rest.strip_suffix(".toml")) else { return false };
    let mut parts = stem.split('-');
    let digits = |part: Option<&str>, fits: fn(usize) -> bool| {
        part.is_some_and(|part| fits(part.len()) && part.bytes().all(|byte| byte.is_ascii_digit()))
    };
    let month = digits(parts.next(), |length| length == 4) && digits(parts.next(), |length| length == 2);
    month
        && match parts.next() {
            None => true,
            part => digits(part, |length| length > 0) && parts.next().is_none(),
        }
}

impl Archive {
    /// A new file without tasks.
    pub fn new() -> Self {
        let words = "# Finished tasks, packed here whole by `handoff gc`. `handoff task restore ID` brings one back with all \
                     below it.\n# Comments between the tasks may be added and stay.\n";
        Archive { pieces: vec![Piece::Text(format!("{words}format = {}\n\n", crate::FORMAT))] }
    }

    /// Reads the text of the file `path`. A task that is damaged is told and left where it is; the others are read.
    pub fn read(path: &str, text: &str) -> (Self, Vec<Problem>) {
        let mut problems = Vec::new();
        if let Some(error) = emptied(text) {
            problems.push(Problem::damaged(path, error.reason));
            return (Archive { pieces: vec![Piece::Text(text.to_owned())] }, problems);
        }
        if let Some(format) = newer_format(text) {
            problems.push(Problem::damaged(path, crate::document::newer_format(format).reason));
            return (Archive { pieces: vec![Piece::Text(text.to_owned())] }, problems);
        }
        let (mut pieces, mut at, mut line) = (Vec::new(), 0, 1);
        let mut beside = String::new();
        while at < text.len() {
            let rest = &text[at..];
            let end = if is_opening(rest) { table(rest) } else { line_end(rest) };
            let piece = &rest[..end];
            match is_opening(rest).then(|| understand(piece, line)) {
                Some(Ok(packed)) => {
                    problems.extend(packed.broken_check(path, line));
                    let misspelled = misspelled_in(path, piece, &KEYS).into_iter();
                    problems.extend(misspelled.map(|problem| {
                        let inside = problem.line.unwrap_or(1);
                        problem.at_line(Some(line + inside - 1))
                    }));
                    if !beside.is_empty() {
                        pieces.push(Piece::Text(std::mem::take(&mut beside)));
                    }
                    pieces.push(Piece::Task { packed: Box::new(packed), written: piece.to_owned() });
                }
                Some(Err((at_line, reason))) => {
                    problems.push(Problem::damaged(path, reason).at_line(Some(at_line)));
                    beside.push_str(piece);
                }
                None => {
                    if crate::conflict::first_marker(piece).is_some() {
                        let reason = "git left a conflict marker; the tasks on both sides are read";
                        problems.push(Problem::mended(path, reason).at_line(Some(line)));
                    } else if !is_between_sides(piece) && toml::from_str::<toml::Table>(piece).is_err() {
                        let reason = "a line that belongs to no task";
                        problems.push(Problem::damaged(path, reason).at_line(Some(line)));
                    }
                    beside.push_str(piece);
                }
            }
            line += piece.matches('\n').count();
            at += end;
        }
        if !beside.is_empty() {
            pieces.push(Piece::Text(beside));
        }
        let archive = Archive { pieces };
        let has_end = text.lines().any(|line| line.trim_end() == END_LINE);
        if !has_end && archive.tasks().any(|packed| packed.check.is_some()) {
            let reason = format!("the end is missing: `{END_LINE}` should be the last line");
            problems.push(Problem::damaged(path, reason).at_line(Some(text.lines().count())));
        }
        (archive, problems)
    }

    /// The tasks in it, each once, in the order they stand there.
    pub fn tasks(&self) -> impl Iterator<Item = &Packed> {
        // Two sides of a merge may each have packed it.
        let mut seen = HashSet::new();
        let packed = self.pieces.iter().filter_map(|piece| match piece {
            Piece::Task { packed, .. } => Some(packed.as_ref()),
            Piece::Text(_) => None,
        });
        packed.filter(move |packed| seen.insert(packed.id))
    }

    /// Puts a task in. False, and nothing is changed, when it would not come out as it is.
    pub fn add(&mut self, packed: &Packed) -> bool {
        let packed = &packed.with_check();
        let written = print(packed);
        let comes_out = understand(&written, 1).is_ok_and(|read| Packed { line: packed.line, ..read } == *packed);
        if comes_out && table(&written) == written.len() {
            if let Some(last) = self.pieces.last_mut() {
                last.end_line();
            }
            self.pieces.push(Piece::Task { packed: Box::new(packed.clone()), written });
            self.move_end_line();
            return true;
        }
        false
    }

    /// Puts the last line behind everything else, once.
    fn move_end_line(&mut self) {
        for piece in &mut self.pieces {
            if let Piece::Text(text) = piece {
                *text = text.split_inclusive('\n').filter(|line| line.trim_end() != END_LINE).collect();
            }
        }
        if let Some(last) = self.pieces.last_mut() {
            last.end_line();
        }
        self.pieces.push(Piece::Text(format!("{END_LINE}\n")));
    }

    /// Takes tasks out.
    pub fn remove_all(&mut self, ids: impl IntoIterator<Item = TaskId>) {
        let ids: HashSet<TaskId> = ids.into_iter().collect();
        self.pieces.retain(|piece| !matches!(piece, Piece::Task { packed, .. } if ids.contains(&packed.id)));
    }

    /// The archive without the marks of a merge: the tasks of both sides, each once. `None` where that is not certain,
    /// since what both sides took out stands there too.
    pub fn united(&self) -> Option<Archive> {
        let mut seen = HashSet::new();
        let mut united = Archive::default();
        for piece in &self.pieces {
            match piece {
                Piece::Task { packed, .. } if !seen.insert(packed.id) => {}
                Piece::Task { .. } => united.pieces.push(piece.clone()),
                Piece::Text(text) => {
                    if text.lines().any(|line| crate::conflict::marker(line) == Some('|')) {
                        return None;
                    }
                    let kept = text.split_inclusive('\n').filter(|line| crate::conflict::marker(line).is_none());
                    united.pieces.push(Piece::Text(kept.collect()));
                }
            }
        }
        Some(united)
    }

    /// Whether nothing is in it but what stands in every archive.
    pub fn is_bare(&self) -> bool {
        let is_comment = |line: &str| line.is_empty() || line == END_LINE || line.starts_with("format = ");
        let fresh = Archive::new().print();
        self.pieces.iter().all(|piece| match piece {
            Piece::Text(text) => text.lines().all(|line| is_comment(line) || fresh.lines().any(|own| own == line)),
            Piece::Task { .. } => false,
        })
    }

    pub fn print(&self) -> String {
        self.pieces.iter().map(Piece::written).collect()
    }
}

impl Packed {
    fn computed_check(&self) -> String {
        let Packed { id, number, parent, name, packed_at, text, check: _, line: _ } = self;
        let number = number.to_string();
        let parent = parent.map(|parent| parent.to_string());
        let packed_at = packed_at.map(|at| at.to_string());
        let given = [("parent", parent.as_deref()), ("packed_at", packed_at.as_deref())];
        let given = given.into_iter().filter_map(|(key, value)| Some((key, value?)));
        let always = [("id", id.as_str()), ("number", &number), ("name", name), ("file", text)];
        entry_check(always.into_iter().chain(given))
    }

    fn with_check(&self) -> Packed {
        Packed { check: Some(self.computed_check()), ..self.clone() }
    }

    /// Returns whether the task is as it was packed, as far as the archive can tell.
    pub fn is_intact(&self) -> bool {
        self.check.as_ref().is_none_or(|check| *check == self.computed_check())
    }

    fn broken_check(&self, path: &str, line: usize) -> Option<Problem> {
        let reason = format!("task `{}` is not as it was packed: its checksum does not match", self.id);
        (!self.is_intact()).then(|| Problem::mended(path, reason).at_line(Some(line)))
    }
}

impl Piece {
    fn written(&self) -> &str {
        match self {
            Piece::Text(written) | Piece::Task { written, .. } => written,
        }
    }

    /// Makes sure that what follows begins on a line of its own.
    fn end_line(&mut self) {
        let (Piece::Text(written) | Piece::Task { written, .. }) = self;
        if !written.is_empty() && !written.ends_with('\n') {
            written.push('\n');
        }
    }
}

impl Task {
    /// When it was finished, as far as it says; what never says is as old as the task.
    pub fn finished_at(&self) -> Option<Moment> {
        let last = self.history.iter().rev().find(|entry| entry.status.is_some());
        self.completed_at.or(last.map(|entry| entry.at)).or(self.created_at)
    }
}

fn newer_format(text: &str) -> Option<u32> {
    let told = text.lines().take_while(|line| *line != OPENING).find_map(|line| line.strip_prefix("format = "))?;
    told.trim().parse().ok().filter(|format| *format > crate::FORMAT)
}

fn is_opening(text: &str) -> bool {
    text.strip_prefix(OPENING).is_some_and(|rest| rest.is_empty() || rest.starts_with(['\n', '\r']))
}

fn line_end(text: &str) -> usize {
    text.find('\n').map_or(text.len(), |end| end + 1)
}

/// How long the table is that a text begins with: up to the end of its file and a blank line after, or up to what
/// begins the next when it has none.
fn table(text: &str) -> usize {
    let mut at = line_end(text);
    while at < text.len() && !is_opening(&text[at..]) {
        let rest = &text[at..];
        let quotes = rest.strip_prefix(FILE).and_then(|value| value.get(..3)).filter(|quotes| is_quotes(quotes));
        if let Some(quotes) = quotes {
            let inside = FILE.len() + quotes.len();
            // Without an end the string goes on to the end of the file; what is left of it is told as damaged.
            let Some(end) = rest[inside..].find(quotes) else { return text.len() };
            at += inside + end + quotes.len();
            at += line_end(&text[at..]);
            return at + usize::from(text[at..].starts_with('\n'));
        }
        at += line_end(rest);
    }
    at
}

fn is_quotes(text: &str) -> bool {
    ["'''", "\"\"\""].contains(&text)
}

/// Reads one table that begins on this line.
fn understand(text: &str, line: usize) -> Result<Packed, (usize, String)> {
    #[derive(Deserialize)]
    struct Tables {
        tasks: Vec<Packed>,
    }
    let error = match crate::document::read::<Tables>(text) {
        Ok(mut tables) => match tables.tasks.pop() {
            Some(packed) if tables.tasks.is_empty() => {
                let before = text.lines().position(|line| line.starts_with(FILE)).unwrap_or(0);
                return Ok(Packed { line: line + before + 1, ..packed });
            }
            _ => (line, "more than one task where one was expected".to_owned()),
        },
        Err(error) => (error.line.map_or(line, |inside| line + inside - 1), error.reason),
    };
    Err(error)
}

fn print(packed: &Packed) -> String {
    let Packed { id, number, parent, name, packed_at, text, check, line: _ } = packed;
    let mut written = format!("{OPENING}\nid = \"{id}\"\nnumber = \"{number}\"\n");
    let mut say = |line: String| written.push_str(&line);
    if let Some(parent) = parent {
        say(format!("parent = \"{parent}\"\n"));
    }
    if !name.is_empty() {
        say(format!("name = {}\n", toml_edit::Value::from(name.as_str())));
    }
    if let Some(at) = packed_at {
        say(format!("packed_at = {at}\n"));
    }
    if let Some(check) = check {
        say(format!("check = \"{check}\"\n"));
    }
    say(format!("{FILE}{}\n\n", quoted(text)));
    written
}

/// A text as one TOML string over several lines.
fn quoted(text: &str) -> String {
    let is_plain = |character: char| character == '\n' || character == '\t' || !character.is_control();
    if text.chars().all(is_plain) && !text.contains("'''") && !text.ends_with('\'') {
        return format!("'''\n{text}'''");
    }
    let mut escaped = String::from("\"\"\"\n");
    for character in text.chars() {
        match character {
            '"' => escaped.push_str("\\\""),
            '\\' => escaped.push_str("\\\\"),
            '\n' | '\t' => escaped.push(character),
            character if character.is_control() => {
                let _ = write!(escaped, "\\u{:04X}", u32::from(character));
            }
            character => escaped.push(character),
        }
    }
    escaped + "\"\"\""
}

/// Whether a line stands between the sides of a merge that stopped; those around them are markers of their own.
fn is_between_sides(line: &str) -> bool {
    ["=======", "|||||||"].iter().any(|mark| line.starts_with(mark))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn packed(id: &str, text: &str) -> Packed {
        let name = "01.2-done--schreib \"es\"".to_owned();
        let packed_at = Some("2026-11-16T08:00:00Z".parse().unwrap());
        let (id, number) = (id.parse().unwrap(), "1.2".parse().unwrap());
        Packed {
            id,
            number,
            parent: Some("m2x9a4te".parse().unwrap()),
            name,
            packed_at,
            text: text.to_owned(),
            check: None,
            line: 0,
        }
    }

    fn read(text: &str) -> Archive {
        let (archive, problems) = Archive::read("archive/tasks-2026-10.toml", text);
        assert_eq!(problems, []);
        archive
    }

    fn plain(archive: &Archive) -> Vec<Packed> {
        archive.tasks().map(|packed| Packed { check: None, line: 0, ..packed.clone() }).collect()
    }

    #[test]
    fn a_line_that_belongs_to_no_task_is_told_and_hides_none() {
        let mut archive = Archive::default();
        assert!(archive.add(&packed("k7f3q2ma", "title = \"x\"\n")));
        let text = format!("{}\n# mine\ngarbage [[[\n", archive.print());
        let (read, problems) = Archive::read("archive/tasks-2026-10.toml", &text);
        let line = text.lines().count();
        assert_eq!(problems.iter().map(|problem| problem.line).collect::<Vec<_>>(), [Some(line)], "{problems:?}");
        assert_eq!((read.tasks().count(), read.print()), (1, text));
    }

    #[test]
    fn any_text_comes_out_as_it_was_put_in() {
        let texts = [
            "id = \"a\"\n",
            "",
            "\n",
            "no end of line",
            "windows\r\nlines\r\n",
            "quotes ''' and \"\"\" and '",
            "[[tasks]]\nfile = '''\nnested '''\n",
            "\u{feff}mark",
            "control \u{1} \u{7f} \u{85} \u{2028}",
            "back\\slash \\u0041 \\",
            "ends in quotes \"\"",
            "ends in '",
            "日本語 🦀\n",
        ];
        let mut archive = Archive::new();
        let all: Vec<Packed> = texts
            .iter()
            .zip("abcdefghijklmnop".chars())
            .map(|(text, letter)| packed(&letter.to_string().repeat(8), text))
            .collect();
        assert!(all.iter().all(|packed| archive.add(packed)));
        let again = read(&archive.print());
        assert_eq!(plain(&again), all);
        assert_eq!(again.print(), archive.print());
        toml::from_str::<toml::Table>(&archive.print()).expect("the file is TOML as a whole");
    }

    #[test]
    fn what_is_taken_out_leaves_the_rest_and_the_comments() {
        let mut archive = Archive::new();
        assert!(archive.add(&packed("aaaaaaaa", "a\n")) && archive.add(&packed("bbbbbbbb", "b\n")));
        let commented = archive.print().replacen("[[tasks]]\nid = \"b", "# the good one\n[[tasks]]\nid = \"b", 1);
        let mut archive = read(&commented);
        archive.remove_all(["aaaaaaaa".parse().unwrap()]);
        assert_eq!(plain(&archive), [packed("bbbbbbbb", "b\n")]);
        assert!(archive.print().contains("# the good one\n[[tasks]]\nid = \"b") && !archive.is_bare());
        archive.remove_all(["bbbbbbbb".parse().unwrap()]);
        assert!(!archive.is_bare(), "somebody wrote a comment");
        assert!(Archive::new().is_bare());
    }

    #[test]
    fn a_damaged_task_hides_no_other() {
        let mut archive = Archive::new();
        for id in ["aaaaaaaa", "bbbbbbbb", "cccccccc"] {
            assert!(archive.add(&packed(id, "x\n")));
        }
        let damaged = archive.print().replace("id = \"bbbbbbbb\"", "id = bb");
        let (archive, problems) = Archive::read("archive/tasks-2026-10.toml", &damaged);
        assert_eq!(plain(&archive).len(), 2);
        assert_eq!(problems.len(), 1);
        assert_eq!(damaged.lines().nth(problems[0].line.unwrap() - 1), Some("id = bb"));
        assert_eq!(archive.print(), damaged);
    }

    #[test]
    fn both_sides_of_a_merge_are_read_once_each() {
        let mut ours = Archive::new();
        assert!(ours.add(&packed("aaaaaaaa", "a\n")));
        let mut theirs = ours.clone();
        assert!(ours.add(&packed("bbbbbbbb", "b\n")) && theirs.add(&packed("cccccccc", "c\n")));
        let (common, head) = (ours.print(), "[[tasks]]\nid = \"b");
        let (before, own) = common.split_at(common.find(head).unwrap());
        let other = &theirs.print()[before.len()..];
        let merged = format!("{before}<<<<<<< ours\n{own}=======\n{other}{own}>>>>>>> theirs\n");
        let (archive, problems) = Archive::read("archive/tasks-2026-10.toml", &merged);
        let ids: Vec<String> = archive.tasks().map(|packed| packed.id.to_string()).collect();
        assert_eq!(ids, ["aaaaaaaa", "bbbbbbbb", "cccccccc"]);
        assert_eq!(problems.len(), 2);
        assert_eq!(archive.print(), merged);
        let united = read(&archive.united().unwrap().print());
        let ids: Vec<String> = united.tasks().map(|packed| packed.id.to_string()).collect();
        assert_eq!(ids, ["aaaaaaaa", "bbbbbbbb", "cccccccc"]);
        let with_base = merged.replace("=======", "||||||| base\n=======");
        assert!(Archive::read("archive/tasks-2026-10.toml", &with_base).0.united().is_none());
    }

    fn problems(text: &str) -> Vec<String> {
        let (_, problems) = Archive::read("archive/tasks-2026-10.toml", text);
        problems.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_task_that_is_not_as_it_was_packed_is_reported() {
        let mut archive = Archive::new();
        assert!(archive.add(&packed("aaaaaaaa", "title = \"Write\"\n")) && archive.add(&packed("bbbbbbbb", "b\n")));
        let text = archive.print();
        for (from, to) in [("Write", "Wrjte"), ("\"01.2\"", "\"01.3\""), ("name = ", "nbme = "), ("Z\n", "Y\n")] {
            let damaged = problems(&text.replacen(from, to, 1));
            assert!(!damaged.is_empty(), "{from} became {to}");
        }
        let truncated = &text[..text.rfind("[[tasks]]").unwrap()];
        assert!(problems(truncated)[0].contains("the end is missing"), "{:?}", problems(truncated));
        assert!(problems("\0\0\0")[0].contains("overwritten with zeros"));
        assert!(problems("")[0].contains("the file is empty"));
    }

    #[test]
    fn a_task_of_an_archive_without_checksums_is_read_as_it_stands() {
        let mut archive = Archive::new();
        assert!(archive.add(&packed("aaaaaaaa", "a\n")));
        let is_new = |line: &&str| line.starts_with("check = ") || *line == "# end of archive\n";
        let printed = archive.print();
        let older: String = printed.split_inclusive('\n').filter(|line| !is_new(line)).collect();
        let mut read = read(&older);
        assert_eq!(read.tasks().count(), 1);
        assert!(read.add(&packed("bbbbbbbb", "b\n")));
        assert_eq!(problems(&read.print()), [] as [&str; 0]);
        read.remove_all(["aaaaaaaa".parse().unwrap(), "bbbbbbbb".parse().unwrap()]);
        assert!(read.is_bare(), "{}", read.print());
    }

    #[test]
    fn a_newer_file_is_left_alone() {
        let text = Archive::new().print().replace("format = 1", "format = 99");
        let (archive, problems) = Archive::read("archive/tasks-2026-10.toml", &text);
        assert_eq!((archive.tasks().count(), problems.len()), (0, 1));
        assert_eq!(archive.print(), text);
    }

    #[test]
    fn archives_are_known_by_their_names() {
        let at: Moment = "2026-10-03T12:00:00Z".parse().unwrap();
        assert_eq!(file_name(Some(at), 1), "tasks-2026-10.toml");
        assert_eq!(file_name(Some(at), 2), "tasks-2026-10-2.toml");
        for name in ["tasks-2026-10.toml", "tasks-2026-10-2.toml", "tasks-0000-00.toml"] {
            assert!(is_file_name(name), "{name}");
        }
        for name in
            ["tasks-2026-1.toml", "tasks-2026-10-.toml", "tasks-2026-10-2-3.toml", "tasks.toml", "2026-10-x-archive.md"]
        {
            assert!(!is_file_name(name), "{name}");
        }
    }
}
