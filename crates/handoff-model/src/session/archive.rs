//! Old sessions of a month in one Markdown file, whole.
//!
//! **Invariant:** what is put in comes out byte for byte, and what a person wrote between the sessions stays.
//!
//! Each session has a heading, then its file in a fenced block, then its body in another. A block begins with a fence
//! that names the file and is longer than any run of backticks inside, so nothing in a text can pass for the end of it.
//! A line with a checksum follows, and the last line of the file is always the same.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use super::{Session, life};
use crate::entry_check::emptied;
use crate::problem::Problem;
use crate::slug::slug;

mod checks;
mod fence;
mod links;

pub use links::{Link, anchor};

use fence::{Kind, Opening, heading};

/// The longest headline over a session, in characters.
const HEADLINE: usize = 100;

/// An archive file, in the pieces it is made of.
#[derive(Clone, Debug, Default)]
pub struct Archive {
    pieces: Vec<Piece>,
}

/// One session of an archive, as it was when it was a file of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Archived<'a> {
    pub name: &'a str,
    /// The text of `sessions/<name>.toml`
    pub toml_text: &'a str,
    /// The text of `sessions/<name>.md`
    pub body: Option<&'a str>,
    /// The line of the archive on which `toml_text` begins
    pub line: usize,
}

/// A text that is not the full name of a session.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not the full name of a session, such as `2026-11-15-a3f9c12e`")]
pub struct NotAFullName(String);

#[derive(Clone, Debug)]
enum Piece {
    /// What a person wrote, and what cannot be read
    Text(String),
    /// The heading over a session and the blank line below it
    Heading { name: String, written: String },
    /// What leads to other sessions, and the blank line below it
    Links { name: String, written: String },
    /// The list of what is in the file, and the blank line below it
    Contents(String),
    /// The checksum of a session, and the blank line below it
    Check { name: String, check: String, written: String },
    /// The last line of an archive with checksums
    End(String),
    /// A whole block and the blank line below it
    File { name: String, kind: Kind, text: String, written: String },
}

impl Piece {
    fn written(&self) -> &str {
        match self {
            Piece::Text(written)
            | Piece::Contents(written)
            | Piece::End(written)
            | Piece::Check { written, .. }
            | Piece::Heading { written, .. }
            | Piece::Links { written, .. }
            | Piece::File { written, .. } => written,
        }
    }

    fn name(&self) -> Option<&str> {
        match self {
            Piece::Text(_) | Piece::Contents(_) | Piece::End(_) => None,
            Piece::Heading { name, .. }
            | Piece::Links { name, .. }
            | Piece::Check { name, .. }
            | Piece::File { name, .. } => Some(name),
        }
    }

    fn file(&self, wanted: Kind) -> Option<(&str, &str)> {
        match self {
            Piece::File { name, kind, text, .. } if *kind == wanted => Some((name, text)),
            _ => None,
        }
    }
}

/// The name of the file in `archive/` that a session goes to, `2026-10-auth-archive.md`; a further part of it is
/// `2026-10-auth-archive-2.md`.
pub fn file_name(session: &Session, part: u32) -> String {
    let at = session.ended_at.or(session.started_at).map(life::date);
    let (year, month) = at.map_or((0, 0), |date| (date.year(), date.month()));
    let tag = session.tags.first().filter(|tag| tag.chars().any(char::is_alphanumeric));
    let tag = tag.map_or_else(|| "general".to_owned(), |tag| slug(tag));
    let part = if part > 1 { format!("-{part}") } else { String::new() };
    format!("{year:04}-{month:02}-{tag}-archive{part}.md")
}

/// Whether a file of this name in `archive/` holds sessions.
pub fn is_file_name(name: &str) -> bool {
    let stem = name.strip_suffix(".md").and_then(|stem| stem.rsplit_once("-archive"));
    stem.is_some_and(|(front, part)| {
        let month = front.get(..8).is_some_and(|month| fence::fits(month, "dddd-dd-"));
        let number = part.strip_prefix('-').filter(|digits| digits.bytes().all(|b| b.is_ascii_digit()));
        month && front.len() > 8 && (part.is_empty() || number.is_some_and(|digits| !digits.is_empty()))
    })
}

impl Archive {
    /// A new file, of this name, without sessions.
    pub fn new(file_name: &str) -> Self {
        let stem = file_name.trim_end_matches(".md");
        let words = "Old sessions, moved here whole. Below each heading stands the session's file, then its body if it has \
                     one.\nText beside these blocks may be added and stays.";
        Archive { pieces: vec![Piece::Text(format!("# {stem}\n\n{words}\n\n"))] }
    }

    /// Reads the text of the file `path`. A session that is damaged is told and left where it is; the others are read.
    pub fn read(path: &str, text: &str) -> (Self, Vec<Problem>) {
        if let Some(error) = emptied(text) {
            let archive = Archive { pieces: vec![Piece::Text(text.to_owned())] };
            return (archive, vec![Problem::damaged(path, error.reason)]);
        }
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        let mut scan = fence::Scan::new(&lines);
        let (mut pieces, mut problems) = (Vec::new(), Vec::new());
        let mut at = 0;
        while at < lines.len() {
            let (piece, next) = if let Some(opening) = Opening::read(lines[at]) {
                match scan.end_of(at) {
                    Some(end) => (file(&lines, at, end, &opening), after_blank(&lines, end + 1)),
                    None => {
                        let reason = format!("the block of `{}` does not end", opening.file_name());
                        problems.push(Problem::damaged(path, reason).at_line(Some(at + 1)));
                        (Piece::Text(lines[at].to_owned()), at + 1)
                    }
                }
            } else if let Some(name) = heading(lines[at]) {
                let next = after_blank(&lines, at + 1);
                (Piece::Heading { name: name.to_owned(), written: lines[at..next].concat() }, next)
            } else if let Some(name) = links::owner(lines[at]) {
                let next = after_blank(&lines, at + 1);
                (Piece::Links { name: name.to_owned(), written: lines[at..next].concat() }, next)
            } else if let Some((name, check)) = checks::read(lines[at]) {
                let next = after_blank(&lines, at + 1);
                let (name, check) = (name.to_owned(), check.to_owned());
                (Piece::Check { name, check, written: lines[at..next].concat() }, next)
            } else if checks::is_end(lines[at]) {
                (Piece::End(lines[at].to_owned()), at + 1)
            } else if let Some(end) = links::end_of_contents(&lines, at) {
                let next = after_blank(&lines, end);
                (Piece::Contents(lines[at..next].concat()), next)
            } else {
                let next = scan.end_of(at).map_or(at + 1, |end| end + 1);
                (Piece::Text(lines[at..next].concat()), next)
            };
            pieces.push(piece);
            at = next;
        }
        let archive = Archive { pieces };
        problems.extend(archive.mismatches(path));
        problems.extend(archive.broken_checks(path));
        problems.sort_by_key(|problem| problem.line);
        (archive, problems)
    }

    /// The text of the file.
    pub fn print(&self) -> String {
        self.pieces.iter().map(Piece::written).collect()
    }

    /// The sessions in it, in the order they stand there.
    pub fn sessions(&self) -> impl Iterator<Item = Archived<'_>> {
        let firsts = self.firsts();
        let files = |kind| firsts.iter().filter_map(move |(piece, line)| Some((piece.file(kind)?, *line)));
        let bodies: BTreeMap<&str, &str> = files(Kind::Body).map(|(file, _)| file).collect();
        let sessions: Vec<Archived<'_>> = files(Kind::Toml)
            .map(|((name, toml_text), line)| Archived {
                name,
                toml_text,
                body: bodies.get(name).copied(),
                line: line + 1,
            })
            .collect();
        sessions.into_iter()
    }

    pub fn get(&self, name: &str) -> Option<Archived<'_>> {
        self.sessions().find(|session| session.name == name)
    }

    /// Whether nothing is in it but what every new file says.
    pub fn is_bare(&self, file_name: &str) -> bool {
        let text = self.print();
        text.trim().is_empty() || text == Archive::new(file_name).print()
    }

    /// Puts a session in, by its name among the others, in place of one that has the same name.
    pub fn add(&mut self, name: &str, toml_text: &str, body: Option<&str>) -> Result<(), NotAFullName> {
        if !fence::is_full_name(name) {
            return Err(NotAFullName(crate::id::shorten(name)));
        }
        self.remove(name);
        let mut written = format!("## {name}");
        if let Ok(session) = Session::read(toml_text) {
            _ = write!(written, ": {}", session.headline(HEADLINE));
        }
        let mut pieces = vec![Piece::Heading { name: name.to_owned(), written: written + "\n\n" }];
        let texts = [(Kind::Toml, Some(toml_text)), (Kind::Body, body)];
        for (kind, text) in texts.into_iter().filter_map(|(kind, text)| Some((kind, text?))) {
            let written = fence::block(name, kind, text) + "\n";
            pieces.push(Piece::File { name: name.to_owned(), kind, text: text.to_owned(), written });
        }
        let check = checks::of(name, toml_text, body);
        let written = checks::line(name, &check) + "\n";
        pieces.push(Piece::Check { name: name.to_owned(), check, written });
        self.pieces.retain(|piece| !matches!(piece, Piece::End(_)));
        let later = self.pieces.iter().position(|piece| piece.name().is_some_and(|other| other > name));
        let place = later.unwrap_or(self.pieces.len());
        pieces.insert(0, Piece::Text(self.gap_before(place).to_owned()));
        self.pieces.splice(place..place, pieces);
        let gap = self.gap_before(self.pieces.len()).to_owned();
        self.pieces.push(Piece::Text(gap));
        self.pieces.push(Piece::End(checks::END_LINE.to_owned()));
        self.renew_contents();
        Ok(())
    }

    /// What it takes so that a blank line stands before this piece.
    fn gap_before(&self, place: usize) -> &'static str {
        let before: String = self.pieces[..place].iter().rev().take(3).map(Piece::written).rev().collect();
        match before.as_str() {
            "" => "",
            text if text.ends_with("\n\n") || text.ends_with("\n\r\n") || text == "\n" => "",
            text if text.ends_with('\n') => "\n",
            _ => "\n\n",
        }
    }

    /// Takes a session out, and gives back its two texts.
    pub fn remove(&mut self, name: &str) -> Option<(String, Option<String>)> {
        let mut place = self.place_of(name, Kind::Toml)?;
        let is_link = |piece: &Piece| matches!(piece, Piece::Links { .. }) && piece.name() == Some(name);
        if let Some(above) = self.pieces[..place].iter().rposition(is_link) {
            self.pieces.remove(above);
            place -= 1;
        }
        let Piece::File { text: toml_text, .. } = self.pieces.remove(place) else { return None };
        let body = self.place_of(name, Kind::Body).map(|place| self.pieces.remove(place));
        let body = body.and_then(|piece| piece.file(Kind::Body).map(|(_, text)| text.to_owned()));
        self.pieces.retain(|piece| !matches!(piece, Piece::Check { name: other, .. } if other == name));
        if !self.pieces.iter().any(|piece| matches!(piece, Piece::Check { .. })) {
            self.pieces.retain(|piece| !matches!(piece, Piece::End(_)));
        }
        // A heading with a person's text below it is left to that text.
        let above = place.checked_sub(1).filter(|above| matches!(&self.pieces[*above], Piece::Heading { .. }));
        if let Some(above) = above.filter(|above| self.pieces[*above].name() == Some(name)) {
            self.pieces.remove(above);
        }
        self.renew_contents();
        Some((toml_text, body))
    }

    fn place_of(&self, name: &str, kind: Kind) -> Option<usize> {
        self.pieces.iter().position(|piece| piece.file(kind).is_some_and(|(other, ..)| other == name))
    }

    /// The pieces with the lines they begin on.
    fn with_lines(&self) -> impl Iterator<Item = (&Piece, usize)> {
        let count = |line: &mut usize, piece| {
            let here = *line;
            *line += Piece::written(piece).matches('\n').count();
            Some((piece, here))
        };
        self.pieces.iter().scan(1, count)
    }

    /// The blocks that count, of each file the first, with the lines they begin on.
    fn firsts(&self) -> Vec<(&Piece, usize)> {
        let mut seen = BTreeSet::new();
        let is_first = |(piece, _): &(&Piece, usize)| match piece {
            Piece::File { name, kind, .. } => seen.insert((name.clone(), *kind)),
            Piece::Text(_)
            | Piece::Contents(_)
            | Piece::End(_)
            | Piece::Heading { .. }
            | Piece::Check { .. }
            | Piece::Links { .. } => false,
        };
        self.with_lines().filter(is_first).collect()
    }

    /// What stands there twice, and bodies without a session.
    fn mismatches(&self, path: &str) -> Vec<Problem> {
        let firsts: BTreeSet<usize> = self.firsts().into_iter().map(|(_, line)| line).collect();
        let sessions: BTreeSet<&str> = self.sessions().map(|session| session.name).collect();
        let mut problems = Vec::new();
        for (piece, line) in self.with_lines() {
            let Piece::File { name, kind, .. } = piece else { continue };
            let file = kind.file_name(name);
            if !firsts.contains(&line) {
                let reason = format!("`{file}` is here twice; the first one is read");
                problems.push(Problem::mended(path, reason).at_line(Some(line)));
            } else if *kind == Kind::Body && !sessions.contains(name.as_str()) {
                let reason = format!("`{file}` is here without `{}`", Kind::Toml.file_name(name));
                problems.push(Problem::damaged(path, reason).at_line(Some(line)));
            }
        }
        problems
    }
}

fn file(lines: &[&str], start: usize, end: usize, opening: &Opening<'_>) -> Piece {
    let written = lines[start..after_blank(lines, end + 1)].concat();
    let text = opening.content(&lines[start + 1..end].concat());
    Piece::File { name: opening.name.to_owned(), kind: opening.kind, text, written }
}

/// Behind one blank line, if there is one.
fn after_blank(lines: &[&str], at: usize) -> usize {
    at + usize::from(lines.get(at).is_some_and(|line| line.trim().is_empty()))
}

#[cfg(test)]
mod tests;
