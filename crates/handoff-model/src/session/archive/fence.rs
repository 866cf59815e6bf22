//! Fenced blocks: how a file is put between two fences, and how the second one is found again.

use std::collections::BTreeMap;

/// Which file of a session a block holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    Toml,
    Body,
}

impl Kind {
    fn language(self) -> &'static str {
        match self {
            Kind::Toml => "toml",
            Kind::Body => "markdown",
        }
    }

    pub(super) fn file_name(self, name: &str) -> String {
        match self {
            Kind::Toml => format!("{name}.toml"),
            Kind::Body => format!("{name}.md"),
        }
    }
}

/// Said behind the file's name when the text does not end in a line break, which the block needs all the same.
const UNENDED: &str = " no-final-newline";

/// The block that holds a text.
pub(super) fn block(name: &str, kind: Kind, text: &str) -> String {
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(3.max(longest + 1));
    let is_ended = text.is_empty() || text.ends_with('\n');
    let (mark, end) = if is_ended { ("", "") } else { (UNENDED, "\n") };
    format!("{fence}{} {}{mark}\n{text}{end}{fence}\n", kind.language(), kind.file_name(name))
}

/// The line that opens a block of ours.
#[derive(Debug)]
pub(super) struct Opening<'a> {
    pub(super) name: &'a str,
    pub(super) kind: Kind,
    is_unended: bool,
    /// Whether something turned the line ends of the whole file into those of Windows
    is_windows: bool,
}

impl<'a> Opening<'a> {
    pub(super) fn read(line: &'a str) -> Option<Self> {
        fence(line).filter(|_| line.starts_with('`'))?;
        let info = line.trim_start_matches('`').trim_end();
        let (info, is_unended) = info.strip_suffix(UNENDED).map_or((info, false), |info| (info, true));
        let (language, file) = info.split_once(' ')?;
        let (kind, name) = match language {
            "toml" => (Kind::Toml, file.strip_suffix(".toml")?),
            "markdown" => (Kind::Body, file.strip_suffix(".md")?),
            _ => return None,
        };
        let is_windows = line.ends_with("\r\n");
        is_full_name(name).then_some(Opening { name, kind, is_unended, is_windows })
    }

    pub(super) fn file_name(&self) -> String {
        self.kind.file_name(self.name)
    }

    /// The text that was put into the block.
    pub(super) fn content(&self, lines: &str) -> String {
        let lines = if self.is_windows { lines.replace("\r\n", "\n") } else { lines.to_owned() };
        match lines.strip_suffix('\n') {
            Some(text) if self.is_unended => text.to_owned(),
            _ => lines,
        }
    }
}

/// Looks for the ends of blocks, ours and those that people write.
pub(super) struct Scan<'a> {
    lines: &'a [&'a str],
    fences: Vec<Option<Fence>>,
    /// Up to which line no fence of this form is closed; so no line is looked at twice for the same
    unclosed: BTreeMap<Fence, usize>,
}

/// What a line that begins with a fence can be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Fence {
    mark: char,
    length: usize,
    role: Role,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Role {
    /// Nothing but the fence, so it can close one as well
    Bare,
    /// Opens a block of somebody else's
    Foreign,
    /// Opens one of ours
    Ours,
    /// Opens one of ours below the heading of its session, and perhaps its links
    OursHeaded,
}

impl<'a> Scan<'a> {
    pub(super) fn new(lines: &'a [&'a str]) -> Self {
        let mut above: Option<&str> = None;
        let mut fences = Vec::with_capacity(lines.len());
        for line in lines {
            let role = |mark| match Opening::read(line) {
                Some(opening) if above.and_then(heading) == Some(opening.name) => Role::OursHeaded,
                Some(_) => Role::Ours,
                None if line.trim().trim_start_matches(mark).is_empty() => Role::Bare,
                None => Role::Foreign,
            };
            fences.push(fence(line).map(|(mark, length)| Fence { mark, length, role: role(mark) }));
            if !line.trim().is_empty() && super::links::owner(line).is_none() {
                above = Some(line);
            }
        }
        Scan { lines, fences, unclosed: BTreeMap::new() }
    }

    /// The line that closes the block which this line opens.
    ///
    /// A block whose end is missing must not swallow the sessions below it. It has no end where a fence as long opens
    /// one of ours, since our blocks have no such fence inside, nor, if it is not ours, where a session has its heading.
    pub(super) fn end_of(&mut self, start: usize) -> Option<usize> {
        let opening = self.fences[start]?;
        if self.unclosed.get(&opening).is_some_and(|end| start < *end) {
            return None;
        }
        let is_ours = matches!(opening.role, Role::Ours | Role::OursHeaded);
        let mut below = self.fences.iter().enumerate().skip(start + 1).filter_map(|(at, it)| Some((at, it.as_ref()?)));
        let end = below.find_map(|(at, it)| {
            let as_long = it.mark == opening.mark && it.length >= opening.length;
            match it.role {
                Role::Bare if as_long => Some(Ok(at)),
                Role::Ours | Role::OursHeaded if as_long => Some(Err(at)),
                Role::OursHeaded if !is_ours => Some(Err(at)),
                _ => None,
            }
        });
        match end.unwrap_or(Err(self.lines.len())) {
            Ok(end) => Some(end),
            Err(end) => {
                self.unclosed.insert(opening, end);
                None
            }
        }
    }
}

/// The session that a line is the heading of.
pub(super) fn heading(line: &str) -> Option<&str> {
    let text = line.strip_prefix("## ")?.trim_end();
    let name = text.split(':').next().unwrap_or_default();
    is_full_name(name).then_some(name)
}

/// The mark and the length of the fence that a line begins with.
fn fence(line: &str) -> Option<(char, usize)> {
    let text = line.trim_start_matches(' ');
    let mark = text.chars().next().filter(|mark| "`~".contains(*mark))?;
    let rest = text.trim_start_matches(mark);
    let length = text.len() - rest.len();
    let is_fence = line.len() - text.len() < 4 && length >= 3 && !(mark == '`' && rest.contains('`'));
    is_fence.then_some((mark, length))
}

/// Whether it is `2026-11-15-a3f9c12e`, or looks like it.
pub(super) fn is_full_name(name: &str) -> bool {
    fits(name, "dddd-dd-dd-xxxxxxxx")
}

/// Whether a text has this shape: `d` a digit, `x` a hexadecimal one, anything else itself.
pub(super) fn fits(text: &str, shape: &str) -> bool {
    let fits = |(byte, kind): (u8, u8)| match kind {
        b'd' => byte.is_ascii_digit(),
        b'x' => byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte),
        other => byte == other,
    };
    text.len() == shape.len() && text.bytes().zip(shape.bytes()).all(fits)
}
