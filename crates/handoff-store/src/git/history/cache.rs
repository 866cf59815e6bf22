//! The commits as they lie in the cache: lines, under one checksum.
//!
//! A file that is missing, cut short or mixed up is as good as none.

use std::fmt::Write;

use super::{Commit, History, Touched};
use crate::layout::GIT_HISTORY;
use crate::root::Root;

const HEADER: &str = "handoff git history 1 ";

/// More than this was not written here.
const LARGEST: usize = 64 * 1024 * 1024;

/// Commits that were read, the newest first, and how far reading came.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Cached {
    /// The commit they end at
    pub(super) head: String,
    /// The commit from which the older ones were read, and how many
    pub(super) tail: String,
    pub(super) tail_commits: usize,
    /// Whether there is nothing more to read at the far end
    pub(super) whole: bool,
    pub(super) commits: Vec<Commit>,
    pub(super) me: Option<u32>,
    /// Mail addresses, in the order of the authors' numbers
    authors: Vec<String>,
    /// Further addresses by which an author signed
    aliases: Vec<(String, u32)>,
}

impl Cached {
    pub(super) fn nothing_yet(head: &str) -> Cached {
        Cached {
            head: head.to_owned(),
            tail: head.to_owned(),
            tail_commits: 0,
            whole: false,
            commits: Vec::new(),
            me: None,
            authors: Vec::new(),
            aliases: Vec::new(),
        }
    }

    pub(super) fn history(&self) -> History {
        History { commits: self.commits.iter().rev().cloned().collect(), me: self.me }
    }

    /// The number of the author with these addresses: the one they go by, and the one they signed with.
    pub(super) fn author(&mut self, known_as: &str, signed: &str) -> u32 {
        let number = self.authors.iter().position(|known| known == known_as).unwrap_or_else(|| {
            self.authors.push(known_as.to_owned());
            self.authors.len() - 1
        });
        let number = u32::try_from(number).unwrap_or(u32::MAX);
        if signed != known_as && !self.aliases.iter().any(|(alias, _)| alias == signed) {
            self.aliases.push((signed.to_owned(), number));
        }
        number
    }

    pub(super) fn set_me(&mut self, mail: &str) {
        let known = self.authors.iter().position(|known| known == mail).and_then(|number| u32::try_from(number).ok());
        self.me = known.or_else(|| Some(self.aliases.iter().find(|(alias, _)| alias == mail)?.1));
    }

    pub(super) fn read(root: &Root) -> Option<Cached> {
        let bytes = root.read_up_to(GIT_HISTORY, LARGEST).ok()??;
        Cached::parse(std::str::from_utf8(&bytes).ok()?)
    }

    /// Keeps it for the next time; where that is not possible, the next time takes longer.
    pub(super) fn write(&self, root: &Root) {
        let _ = root.write_loose(GIT_HISTORY, self.print().as_bytes());
    }

    fn print(&self) -> String {
        let mut text = String::new();
        let me = self.me.map_or_else(|| "-".to_owned(), |me| me.to_string());
        line(&mut text, format_args!("H {} {} {} {} {me}", self.head, self.tail, self.tail_commits, self.whole));
        for author in &self.authors {
            line(&mut text, format_args!("A {}", plain(author)));
        }
        for (alias, number) in &self.aliases {
            line(&mut text, format_args!("B {number} {}", plain(alias)));
        }
        for commit in &self.commits {
            line(&mut text, format_args!("C {} {} {}", commit.time, commit.author, plain(&commit.subject)));
            for Touched { change, path, from } in &commit.files {
                match from {
                    Some(from) => line(&mut text, format_args!("F {change} {path}\t{from}")),
                    None => line(&mut text, format_args!("F {change} {path}")),
                }
            }
        }
        format!("{HEADER}{:016x}\n{text}", checksum(&text))
    }

    fn parse(text: &str) -> Option<Cached> {
        let (sum, text) = text.strip_prefix(HEADER)?.split_once('\n')?;
        if u64::from_str_radix(sum, 16).ok()? != checksum(text) {
            return None;
        }
        let mut lines = text.lines();
        let mut words = lines.next()?.strip_prefix("H ")?.split(' ');
        let mut cached = Cached::nothing_yet(words.next()?);
        words.next()?.clone_into(&mut cached.tail);
        cached.tail_commits = words.next()?.parse().ok()?;
        cached.whole = words.next()?.parse().ok()?;
        cached.me = words.next()?.parse().ok();
        for line in lines {
            let (kind, rest) = line.split_once(' ')?;
            match kind {
                "A" => cached.authors.push(rest.to_owned()),
                "B" => {
                    let (number, alias) = rest.split_once(' ')?;
                    cached.aliases.push((alias.to_owned(), number.parse().ok()?));
                }
                "C" => {
                    let mut words = rest.splitn(3, ' ');
                    cached.commits.push(Commit {
                        time: words.next()?.parse().ok()?,
                        author: words.next()?.parse().ok()?,
                        subject: words.next()?.to_owned(),
                        files: Vec::new(),
                    });
                }
                "F" => {
                    let (change, path) = rest.split_once(' ')?;
                    let (path, from) = path.split_once('\t').map_or((path, None), |(path, from)| (path, Some(from)));
                    let touched = Touched {
                        change: change.chars().next()?,
                        path: path.to_owned(),
                        from: from.map(str::to_owned),
                    };
                    cached.commits.last_mut()?.files.push(touched);
                }
                _ => return None,
            }
        }
        Some(cached)
    }
}

fn line(text: &mut String, said: std::fmt::Arguments<'_>) {
    let _ = writeln!(text, "{said}");
}

/// On one line.
fn plain(text: &str) -> String {
    text.replace(['\n', '\r'], " ")
}

/// FNV-1a: tells a whole file from a torn one, nothing more.
fn checksum(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |sum, byte| (sum ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Cached {
        let mut cached = Cached::nothing_yet("aaaa");
        let author = cached.author("a@example.com", "old@example.com");
        let files = vec![
            Touched { change: 'M', path: "src/a b.rs".to_owned(), from: None },
            Touched { change: 'R', path: "new.rs".to_owned(), from: Some("old.rs".to_owned()) },
        ];
        cached.commits.push(Commit { time: -5, author, subject: "one  two ".to_owned(), files });
        cached.commits.push(Commit { time: 7, author, subject: String::new(), files: Vec::new() });
        cached.set_me("old@example.com");
        cached
    }

    #[test]
    fn what_is_written_is_read_again() {
        let sample = sample();
        assert_eq!(sample.me, Some(0));
        assert_eq!(Cached::parse(&sample.print()), Some(sample));
    }

    #[test]
    fn a_file_that_is_cut_short_or_changed_is_as_good_as_none() {
        let text = sample().print();
        for end in 0..text.len() {
            assert_eq!(Cached::parse(&text[..end]), None);
        }
        assert_eq!(Cached::parse(&text.replace("src/", "crs/")), None);
    }
}
