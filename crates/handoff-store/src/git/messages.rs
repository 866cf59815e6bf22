//! Messages of commits that may say that an item is settled.

use std::time::Duration;

use super::{Asked, Git, fields};

/// Commits that are looked through at most.
const LOOKED_THROUGH: &str = "--max-count=300";
/// A word for settling before an id; the message itself is read later, exactly.
const NAMES_AN_ITEM: &str = "--grep=(clos|fix|do|finish|complet|settl|resolv|drop).*[nbcqw][0-9]+";

/// A commit with all that its message says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommitMessage {
    /// The short hash
    pub commit: String,
    /// When it was made, in seconds since 1970
    pub at: i64,
    pub message: String,
}

impl Git {
    /// The commits since a moment, in seconds since 1970, whose messages may settle items, the newest first.
    pub fn closing_messages(&self, since: Option<i64>, limit: Duration) -> Asked<Vec<CommitMessage>> {
        if self.head().commit.is_none() {
            return Asked::Answer(Vec::new());
        }
        let since = since.map(|since| format!("--since={since}"));
        self.ask(limit, |asking| {
            let mut arguments = vec!["log", "-z", LOOKED_THROUGH, "--no-show-signature", "--encoding=UTF-8"];
            arguments.extend(["--abbrev=7", "--extended-regexp", "--regexp-ignore-case", NAMES_AN_ITEM]);
            arguments.extend(since.as_deref());
            arguments.extend(["--format=%h %ct %B", "HEAD", "--"]);
            let answer = asking.run(&arguments)?;
            Ok(fields(&answer).filter_map(|field| read(&String::from_utf8_lossy(field))).collect())
        })
    }
}

fn read(field: &str) -> Option<CommitMessage> {
    let (commit, rest) = field.split_once(' ')?;
    let (at, message) = rest.split_once(' ')?;
    Some(CommitMessage { commit: commit.to_owned(), at: at.parse().ok()?, message: message.to_owned() })
}
