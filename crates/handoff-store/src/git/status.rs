//! Which files differ from the last commit, and how the branch stands to the one it follows.

use super::run::{Asking, Failure, Running};
use super::{Git, is_handoff};

/// What `git status` says.
#[derive(Debug, Default)]
pub(super) struct Status {
    pub(super) upstream: Option<String>,
    pub(super) ahead: Option<u32>,
    pub(super) behind: Option<u32>,
    pub(super) entries: Vec<Entry>,
    /// Changed files whose names are not UTF-8
    pub(super) unnamed: usize,
}

/// One changed file; paths are seen from the root.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    /// Git's two letters, without blanks
    pub(super) letters: String,
    pub(super) path: String,
    pub(super) from: Option<String>,
    /// Blob in the last commit, of `from` where there is one; `None` where the commit does not have the file
    pub(super) committed: Option<String>,
    /// Blob of the file in the work tree, where git compared it with the index and found it the same
    pub(super) current: Option<String>,
}

impl Status {
    pub(super) fn begin(asking: &Asking) -> Result<Running, Failure> {
        let arguments = [
            "status",
            "--porcelain=v2",
            "--branch",
            "-z",
            "--untracked-files=all",
            // Looking into a submodule would run git there, under settings of its own.
            "--ignore-submodules=dirty",
            "--find-renames",
        ];
        asking.begin(&arguments, None)
    }

    /// Reads the second form of git's output for programs.
    pub(super) fn parse(answer: &[u8]) -> Status {
        let mut status = Status::default();
        let mut parts = answer.split(|byte| *byte == 0);
        while let Some(part) = parts.next() {
            // Words before the path, which may itself hold blanks: letters are the second of them.
            let words = match part.first() {
                Some(b'#') => {
                    status.header(&String::from_utf8_lossy(part));
                    continue;
                }
                Some(b'1') => 8,
                Some(b'2') => 9,
                Some(b'u') => 10,
                Some(b'?') => 1,
                _ => continue,
            };
            let from = if part[0] == b'2' { parts.next() } else { None };
            match (entry(part, words), from.map(std::str::from_utf8)) {
                (Some(entry), None) => status.push(entry),
                (Some(entry), Some(Ok(from))) => status.push(Entry { from: Some(from.to_owned()), ..entry }),
                _ => status.unnamed += 1,
            }
        }
        status
    }

    fn header(&mut self, line: &str) {
        let mut words = line.split(' ').skip(1);
        match words.next() {
            Some("branch.upstream") => self.upstream = words.next().map(str::to_owned),
            Some("branch.ab") => {
                let mut count = |sign| words.next().and_then(|word| word.strip_prefix(sign)?.parse().ok());
                self.ahead = count('+');
                self.behind = count('-');
            }
            _ => {}
        }
    }

    fn push(&mut self, entry: Entry) {
        if !is_handoff(&entry.path) {
            self.entries.push(entry);
        }
    }

    /// How many files are changed, named or not.
    pub(super) fn count(&self) -> usize {
        self.entries.len() + self.unnamed
    }
}

impl Entry {
    pub(super) fn is_untracked(&self) -> bool {
        self.letters == "??"
    }

    /// The line that is shown: letters and path.
    pub(super) fn line(&self, git: &Git) -> String {
        let path = git.inside.outward(&self.path);
        match &self.from {
            Some(from) => format!("{} {} -> {path}", self.letters, git.inside.outward(from)),
            None => format!("{} {path}", self.letters),
        }
    }
}

fn entry(part: &[u8], words: usize) -> Option<Entry> {
    let text = std::str::from_utf8(part).ok()?;
    let mut fields = text.splitn(words + 1, ' ');
    let letters = match fields.next()? {
        "?" => "??".to_owned(),
        _ => fields.next()?.replace('.', ""),
    };
    // `1 XY sub mH mI mW hH hI path`, `2 XY sub mH mI mW hH hI Xscore path`, `u XY sub m1 m2 m3 mW h1 h2 h3 path`
    let word = |place: usize| text.split(' ').nth(place).filter(|id| id.bytes().any(|byte| byte != b'0'));
    let is_same = |pair: &str| pair.as_bytes().first() != Some(&b'D') && pair.as_bytes().get(1) == Some(&b'.');
    let (committed, current) = match part[0] {
        b'1' | b'2' => (word(6), word(7).filter(|_| word(1).is_some_and(is_same))),
        b'u' => (word(8), None),
        _ => (None, None),
    };
    let (committed, current) = (committed.map(str::to_owned), current.map(str::to_owned));
    Some(Entry { letters, path: fields.last()?.to_owned(), from: None, committed, current })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_line_is_read() {
        let ids = "1111111111111111111111111111111111111111 2222222222222222222222222222222222222222";
        let answer = format!(
            "# branch.oid 1111\0# branch.head main\0# branch.upstream origin/main\0# branch.ab +2 -13\0# stash 1\0\
             1 .M N... 100644 100644 100644 {ids} a file.rs\0\
             2 R. N... 100644 100644 100644 {ids} R100 new name\0old name\0\
             u UU N... 100644 100644 100644 100644 3333333333333333333333333333333333333333 {ids} torn.rs\0\
             ? new\nline\0? .handoff/config.toml\0"
        );
        let status = Status::parse(answer.as_bytes());
        assert_eq!(status.upstream.as_deref(), Some("origin/main"));
        assert_eq!((status.ahead, status.behind), (Some(2), Some(13)));
        let told = |letters: &str, path: &str, from: Option<&str>| Entry {
            letters: letters.to_owned(),
            path: path.to_owned(),
            from: from.map(str::to_owned),
            committed: (letters != "??").then(|| "1111111111111111111111111111111111111111".to_owned()),
            current: (letters == "R").then(|| "2222222222222222222222222222222222222222".to_owned()),
        };
        assert_eq!(
            status.entries,
            [
                told("M", "a file.rs", None),
                told("R", "new name", Some("old name")),
                told("UU", "torn.rs", None),
                told("??", "new\nline", None),
            ]
        );
    }

    #[test]
    fn names_that_are_not_utf_8_are_counted() {
        let status = Status::parse(b"? a\xff\0? b\0");
        assert_eq!((status.entries.len(), status.unnamed, status.count()), (1, 1, 2));
    }
}
