//! Which commits made a file or lines of it, and where lines are that somebody wrote down earlier.

use std::collections::BTreeMap;
use std::time::Duration;

use handoff_model::line_map::{LineFate, LineMap};

use super::run::Failure;
use super::{Asked, Git, blob, fields, is_id};

/// Commits that are told of one path.
const COMMITS: &str = "--max-count=60";

/// Letters of a message that are kept.
const MESSAGE: usize = 4_000;

/// A commit that made something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MadeBy {
    /// Full id
    pub id: String,
    /// When it was written, in seconds since 1970
    pub time: i64,
    pub author: String,
    /// The whole message
    pub message: String,
}

impl MadeBy {
    /// As many digits of the id as are shown.
    pub fn short(&self) -> &str {
        &self.id[..self.id.len().min(7)]
    }

    /// The first line of the message.
    pub fn subject(&self) -> &str {
        self.message.lines().next().unwrap_or_default()
    }
}

/// Neighbouring lines that one commit made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Blamed {
    /// The first and last of them
    pub lines: (u32, u32),
    /// `None` where they are not committed
    pub commit: Option<MadeBy>,
}

/// What commits say about a path, the newest first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PathHistory {
    pub commits: Vec<MadeBy>,
    /// What a file was called before, the newest name first
    pub names: Vec<String>,
}

impl Git {
    /// Which commits made some lines of a file as it is in the work tree.
    pub fn blame(&self, path: &str, (first, last): (u32, u32), limit: Duration) -> Asked<Vec<Blamed>> {
        let not_committed = vec![Blamed { lines: (first, last), commit: None }];
        let Some(inward) = self.inside.inward(path).filter(|_| self.head().commit.is_some()) else {
            return Asked::Answer(not_committed);
        };
        self.ask(limit, |asking| {
            let range = format!("-L{first},{last}");
            let arguments = [
                "-c",
                "blame.ignoreRevsFile=",
                "blame",
                "--porcelain",
                "--no-textconv",
                "--no-ext-diff",
                "--encoding=UTF-8",
                &range,
                "--",
                &inward,
            ];
            let answer = match asking.run(&arguments) {
                // A file that git does not follow yet.
                Err(Failure::Refused(said)) if said.starts_with("no such path") => return Ok(not_committed),
                answer => answer?,
            };
            let blamed = parse_blame(&answer);
            let mut ids: Vec<&str> = blamed.iter().filter_map(|(_, id)| id.as_deref()).collect();
            ids.sort_unstable();
            ids.dedup();
            let commits: BTreeMap<String, MadeBy> = if ids.is_empty() {
                BTreeMap::new()
            } else {
                let arguments = [log(), vec!["--no-walk=unsorted"], ids, vec!["--"]].concat();
                let answer = asking.run(&arguments)?;
                fields(&answer).filter_map(parse_commit).map(|commit| (commit.id.clone(), commit)).collect()
            };
            let told = |(lines, id): ((u32, u32), Option<String>)| {
                let commit = id.and_then(|id| commits.get(&id).cloned());
                Blamed { lines, commit }
            };
            Ok(blamed.into_iter().map(told).collect())
        })
    }

    /// The commits that touched a file, under this name or an earlier one, or anything in a directory.
    pub fn path_history(&self, path: &str, limit: Duration) -> Asked<PathHistory> {
        let Some(inward) = self.inside.inward(path).filter(|_| self.head().commit.is_some()) else {
            return Asked::Answer(PathHistory::default());
        };
        let is_directory = self.inside.place(path).is_dir();
        self.ask(limit, |asking| {
            // A directory has no name of its own that could be followed.
            let follow = if is_directory { vec![] } else { vec!["--follow"] };
            let rest = vec![COMMITS, "--name-status", "-M", "--no-ext-diff", "--no-textconv", "--", &inward];
            let answer = asking.run(&[log(), follow, rest].concat())?;
            Ok(self.parse_history(&answer))
        })
    }

    fn parse_history(&self, answer: &[u8]) -> PathHistory {
        let mut history = PathHistory::default();
        let mut parts = answer.split(|byte| *byte == 0).map(|part| part.strip_prefix(b"\n").unwrap_or(part));
        while let Some(part) = parts.next() {
            if let Some(commit) = parse_commit(part) {
                history.commits.push(commit);
            } else if part.starts_with(b"R") {
                let from = parts.next().and_then(|from| std::str::from_utf8(from).ok());
                history.names.extend(from.map(|from| self.inside.outward(from)));
            }
        }
        history
    }

    /// Where lines are now that a file had when it was this blob; `None` for those that are gone. Skipped where git
    /// does not have that blob.
    pub fn lines_now(
        &self,
        path: &str,
        recorded: &str,
        lines: &[(u32, u32)],
        limit: Duration,
    ) -> Asked<Vec<Option<(u32, u32)>>> {
        let Some(inward) = self.inside.inward(path).filter(|_| is_id(recorded)) else {
            return Asked::Skipped("what the file was is not known".to_owned());
        };
        self.ask(limit, |asking| {
            let unknown = || Failure::Refused("the file cannot be compared with what it was".to_owned());
            let new = blob::text_now(asking, &inward).ok_or_else(unknown)?;
            let old = blob::contents(asking, &format!("{recorded}\n"))?.pop().flatten();
            let old = old.filter(|old| blob::is_text(old)).ok_or_else(unknown)?;
            let map = LineMap::between(&old, &new);
            let now = |(first, last): &(u32, u32)| match map.follow(*first, *last)? {
                LineFate::InPlace => Some((*first, *last)),
                LineFate::Moved(first, last) => Some((first, last)),
                LineFate::Edited(place) => place,
                LineFate::Gone => None,
            };
            Ok(lines.iter().map(now).collect())
        })
    }
}

/// The form in which a commit is asked for: id, time, author and message.
fn log() -> Vec<&'static str> {
    vec!["log", "-z", "--format=%x01%H%x02%at%x02%an%x02%B", "--encoding=UTF-8", "--no-show-signature"]
}

fn parse_commit(part: &[u8]) -> Option<MadeBy> {
    let text = String::from_utf8_lossy(part.strip_prefix(b"\x01")?);
    let mut words = text.splitn(4, '\x02');
    let (id, time, author, message) = (words.next()?, words.next()?, words.next()?, words.next()?);
    let plain = |letter: &char| !letter.is_control() || *letter == '\n';
    Some(MadeBy {
        id: id.to_owned(),
        time: time.parse().ok()?,
        author: author.chars().filter(|letter| !letter.is_control()).collect(),
        message: message.trim().chars().filter(plain).take(MESSAGE).collect(),
    })
}

/// Reads git's form for programs: neighbouring lines of one commit each, `None` where they are not committed.
fn parse_blame(answer: &[u8]) -> Vec<((u32, u32), Option<String>)> {
    let mut blamed: Vec<((u32, u32), Option<String>)> = Vec::new();
    for line in answer.split(|byte| *byte == b'\n') {
        // `<id> <line then> <line now> [<how many>]`; what a line holds comes after a tab.
        let mut words = line.split(|byte| *byte == b' ').map(|word| std::str::from_utf8(word).unwrap_or_default());
        let id = words.next().filter(|id| matches!(id.len(), 40 | 64) && is_hexadecimal(id));
        let (Some(id), Some(now)) = (id, words.nth(1).and_then(|now| now.parse::<u32>().ok())) else { continue };
        let id = id.bytes().any(|byte| byte != b'0').then(|| id.to_owned());
        match blamed.last_mut() {
            Some(((_, last), known)) if *known == id && last.checked_add(1) == Some(now) => *last = now,
            _ => blamed.push(((now, now), id)),
        }
    }
    blamed
}

fn is_hexadecimal(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbouring_lines_of_one_commit_are_told_together() {
        let (one, none) = ("1".repeat(40), "0".repeat(40));
        let answer = format!(
            "{one} 7 3 2\nauthor a\nsummary {one} 9 9\n\tdeadbeef 1 2\n{one} 8 4\n\tx\n{none} 5 5 1\n\ty\n{one} 1 6 1\n\tz\n"
        );
        let told = parse_blame(answer.as_bytes());
        let lines: Vec<_> = told.iter().map(|(lines, id)| (*lines, id.is_some())).collect();
        assert_eq!(lines, [((3, 4), true), ((5, 5), false), ((6, 6), true)]);
    }
}
