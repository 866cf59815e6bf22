//! Fenced blocks: how a file is put between two fences, and how the second one is found again.

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
    length: usize,
    is_unended: bool,
    /// Whether something turned the line ends of the whole file into those of Windows
    is_windows: bool,
}

impl<'a> Opening<'a> {
    pub(super) fn read(line: &'a str) -> Option<Self> {
        let (mark, length) = fence(line).filter(|_| line.starts_with('`'))?;
        let info = line.trim_start_matches(mark).trim_end();
        let (info, is_unended) = info.strip_suffix(UNENDED).map_or((info, false), |info| (info, true));
        let (language, file) = info.split_once(' ')?;
        let (kind, name) = match language {
            "toml" => (Kind::Toml, file.strip_suffix(".toml")?),
            "markdown" => (Kind::Body, file.strip_suffix(".md")?),
            _ => return None,
        };
        let is_windows = line.ends_with("\r\n");
        is_full_name(name).then_some(Opening { name, kind, length, is_unended, is_windows })
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
    /// For each mark the length from which on no fence is closed any more
    unclosed: [usize; 2],
}

impl<'a> Scan<'a> {
    pub(super) fn new(lines: &'a [&'a str]) -> Self {
        Scan { lines, unclosed: [usize::MAX; 2] }
    }

    /// The line that closes the block which this line opens.
    ///
    /// A block whose end is missing must not swallow the sessions below it. It has no end where a fence as long opens
    /// one of ours, since our blocks have no such fence inside, nor, if it is not ours, where a session has its heading.
    pub(super) fn end_of(&mut self, start: usize) -> Option<usize> {
        let (mark, length) = fence(self.lines[start])?;
        let is_ours = Opening::read(self.lines[start]).is_some();
        if length >= self.unclosed[usize::from(mark == '~')] {
            return None;
        }
        for at in start + 1..self.lines.len() {
            if closes(self.lines[at], mark, length) {
                return Some(at);
            }
            let opening = Opening::read(self.lines[at]);
            if opening.is_some_and(|it| (mark == '`' && it.length >= length) || (!is_ours && self.has_heading(at, &it)))
            {
                return None;
            }
        }
        self.unclosed[usize::from(mark == '~')] = length;
        None
    }

    /// Whether the block that opens here has its session's heading above it.
    fn has_heading(&self, at: usize, opening: &Opening<'_>) -> bool {
        let above = self.lines[..at].iter().rev().find(|line| !line.trim().is_empty());
        above.is_some_and(|line| heading(line) == Some(opening.name))
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

fn closes(line: &str, mark: char, length: usize) -> bool {
    fence(line).is_some_and(|(other, its)| other == mark && its >= length) && line.trim().chars().all(|c| c == mark)
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
