//! What leads through an archive: a list of contents at its top, and below each heading what the session comes from and
//! what came of it.
//!
//! Both are made anew from what stands in the archives, and nothing is read from them.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::{Archive, HEADLINE, Kind, Piece, fence};
use crate::session::Session;

/// Another session that one names, or that names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    /// How the two belong together, such as `continues`
    pub word: &'static str,
    /// Full name of the other
    pub name: String,
    /// Where it lies, as seen from the archive; absent where it is nowhere
    pub place: Option<String>,
}

const BEGIN: &str = "<!-- contents -->";
const END: &str = "<!-- end of contents -->";

/// The place in a file where a session stands, for links.
pub fn anchor(name: &str) -> String {
    format!("#{name}")
}

/// The session whose links a line has.
pub(super) fn owner(line: &str) -> Option<&str> {
    let (name, _) = line.strip_prefix("<a id=\"")?.split_once("\"></a>")?;
    fence::is_full_name(name).then_some(name)
}

/// The line behind the list of contents that begins here.
pub(super) fn end_of_contents(lines: &[&str], at: usize) -> Option<usize> {
    if lines[at].trim_end() != BEGIN {
        return None;
    }
    let end = lines[at + 1..].iter().position(|line| !line.starts_with("- ["))?;
    let end = at + 1 + end;
    (lines[end].trim_end() == END).then_some(end + 1)
}

impl Archive {
    /// Puts the links of each session below its heading, and the list of contents above all of them.
    pub fn arrange(&mut self, links: impl Fn(&str) -> Vec<Link>) {
        self.pieces.retain(|piece| !matches!(piece, Piece::Links { .. }));
        let names: Vec<String> = self.sessions().map(|session| session.name.to_owned()).collect();
        for name in names {
            // A heading that stands above somebody's text is left to that text.
            let Some(place) = self.place_of(&name, Kind::Toml) else { continue };
            let written = line(&name, &links(&name));
            self.pieces.insert(place, Piece::Links { name, written });
        }
        if !self.pieces.iter().any(|piece| matches!(piece, Piece::Contents(_))) {
            let first = self.pieces.iter().position(|piece| piece.name().is_some());
            if let Some(first) = first {
                let gap = self.gap_before(first).to_owned();
                self.pieces.splice(first..first, [Piece::Text(gap), Piece::Contents(String::new())]);
            }
        }
        self.renew_contents();
    }

    /// Makes the list of contents anew where there is one.
    pub(super) fn renew_contents(&mut self) {
        if !self.pieces.iter().any(|piece| matches!(piece, Piece::Contents(_))) {
            return;
        }
        let mut list = String::new();
        for archived in self.sessions() {
            let headline = Session::read(archived.toml_text).ok().map(|session| session.headline(HEADLINE));
            let headline = headline.map(|headline| format!(": {headline}")).unwrap_or_default();
            _ = writeln!(list, "- [{}]({}){headline}", archived.name, anchor(archived.name));
        }
        let written = if list.is_empty() { String::new() } else { format!("{BEGIN}\n{list}{END}\n\n") };
        let mut is_first = true;
        for piece in &mut self.pieces {
            if let Piece::Contents(old) = piece {
                *old = if std::mem::take(&mut is_first) { written.clone() } else { String::new() };
            }
        }
    }
}

fn line(name: &str, links: &[Link]) -> String {
    let mut words: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for Link { word, name, place } in links {
        words.entry(word).or_default().push(match place {
            Some(place) => format!("[{name}]({place})"),
            None => format!("{name}, which is not here"),
        });
    }
    let words: Vec<String> = words.iter().map(|(word, names)| format!("{word} {}", names.join(", "))).collect();
    format!("<a id=\"{name}\"></a>{}\n\n", words.join("; "))
}
