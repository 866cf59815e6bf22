//! Messages of commits that may say that an item is settled, and who made them.

use std::time::Duration;

use super::run::Failure;
use super::{Asked, Git, fields};

/// Commits that are looked through at most.
const LOOKED_THROUGH: &str = "--max-count=300";
/// A word for settling before an id; the message itself is read later, exactly.
const NAMES_AN_ITEM: &str = "--grep=(clos|fix|do|finish|complet|settl|resolv|drop).*[nbcq][0-9]+";
/// The sentence by which git names the commit that a revert takes back.
const REVERTS_A_COMMIT: &str = "--grep=^This reverts commit [0-9a-f]{7}";

/// A commit with all that its message says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommitMessage {
    /// The full hash
    pub id: String,
    /// The short hash
    pub commit: String,
    /// When it was made, in seconds since 1970
    pub at: i64,
    pub author: GitUser,
    pub committer: GitUser,
    pub message: String,
}

/// A person as git knows them; what is not known is empty.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GitUser {
    pub email: String,
    pub name: String,
}

impl GitUser {
    /// Reports whether this user made a commit, as author or committer. The email address decides where it is known. A
    /// user without address and name may have made any commit.
    pub fn made(&self, commit: &CommitMessage) -> bool {
        let mut people = [&commit.author, &commit.committer].into_iter();
        match (self.email.is_empty(), self.name.is_empty()) {
            (false, _) => people.any(|person| person.email.eq_ignore_ascii_case(&self.email)),
            (true, false) => people.any(|person| person.name == self.name),
            (true, true) => true,
        }
    }
}

impl Git {
    /// The commits since a moment, in seconds since 1970, whose messages may settle items or revert a commit, the newest
    /// first.
    pub fn closing_messages(&self, since: Option<i64>, limit: Duration) -> Asked<Vec<CommitMessage>> {
        if self.head().commit.is_none() {
            return Asked::Answer(Vec::new());
        }
        let since = since.map(|since| format!("--since={since}"));
        self.ask(limit, |asking| {
            let mut arguments = vec!["log", "-z", LOOKED_THROUGH, "--no-show-signature", "--encoding=UTF-8"];
            arguments.extend(["--abbrev=7", "--extended-regexp", "--regexp-ignore-case"]);
            arguments.extend([NAMES_AN_ITEM, REVERTS_A_COMMIT]);
            arguments.extend(since.as_deref());
            arguments.extend(["--format=%H%n%h%n%ct%n%ae%n%an%n%ce%n%cn%n%B", "HEAD", "--"]);
            let answer = asking.run(&arguments)?;
            Ok(fields(&answer).filter_map(|field| read(&String::from_utf8_lossy(field))).collect())
        })
    }

    /// The person whose name new commits have, as far as the settings of git tell.
    pub fn current_user(&self, limit: Duration) -> Asked<GitUser> {
        self.ask(limit, |asking| {
            let answer = match asking.run(&["config", "-z", "--get-regexp", "^user\\.(email|name)$"]) {
                // It fails where nothing is set.
                Err(Failure::Refused(_)) => Vec::new(),
                answer => answer?,
            };
            let mut user = GitUser::default();
            for field in fields(&answer) {
                match String::from_utf8_lossy(field).split_once('\n') {
                    Some(("user.email", email)) => email.trim().clone_into(&mut user.email),
                    Some(("user.name", name)) => name.trim().clone_into(&mut user.name),
                    _ => {}
                }
            }
            Ok(user)
        })
    }
}

fn read(field: &str) -> Option<CommitMessage> {
    let mut lines = field.splitn(8, '\n');
    let mut line = || lines.next().map(str::to_owned);
    let (id, commit, at) = (line()?, line()?, line()?.parse().ok()?);
    let author = GitUser { email: line()?, name: line()? };
    let committer = GitUser { email: line()?, name: line()? };
    Some(CommitMessage { id, commit, at, author, committer, message: line()? })
}
