//! What is written down of git when a session is saved.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use handoff_model::session::GitFacts;

use super::blob::{self, Now};
use super::run::{Asking, Failure};
use super::status::Status;
use super::{Asked, Git, fields};

/// Commits that are written down.
const RECENT: &str = "--max-count=10";

/// Changed files that are written down.
const LISTED: usize = 50;

/// Letters of a subject that are kept.
const SUBJECT: usize = 200;

/// Stands in `blobs` for a file that was not there.
const ABSENT: &str = "0000000";

/// What git says at this moment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Facts {
    pub git: GitFacts,
    /// Blob ids of the files that were asked for, by the paths as they were given; those that are not there are left out
    pub pointed: BTreeMap<String, String>,
    /// What could not be found out in time
    pub skipped: Option<String>,
}

impl Git {
    /// What stands in a saved session, and the blob ids of the files that it points to.
    ///
    /// Branch and commit come even from a repository whose changed files cannot be listed in time; `skipped` says so.
    pub fn facts(&self, pointed: &[&str], limit: Duration) -> Asked<Facts> {
        self.ask(limit, |asking| {
            let status = Status::begin(asking)?;
            let head = self.head();
            let mut facts = Facts { git: GitFacts { branch: head.branch, ..GitFacts::default() }, ..Facts::default() };
            if head.commit.is_some() {
                facts.git.recent = recent(asking, &["HEAD"], RECENT)?;
                facts.git.commit = facts.git.recent.first().and_then(|line| line.split(' ').next()).map(str::to_owned);
            }
            // What is pointed to matters most, and takes no time.
            let rest = self.add_pointed(&mut facts, asking, pointed).and_then(|()| {
                let status = Status::parse(&status.finish()?);
                self.add_changed(&mut facts, asking, status)
            });
            facts.skipped = rest.err().map(|failure| failure.to_string());
            Ok(facts)
        })
    }

    /// The commits that were there at an earlier moment, in seconds since 1970: those of a branch, or of the one that
    /// is checked out.
    pub fn commits_at(&self, branch: Option<&str>, at: i64, limit: Duration) -> Asked<Vec<String>> {
        let from = branch.map_or_else(|| "HEAD".to_owned(), |branch| format!("refs/heads/{branch}"));
        self.ask(limit, |asking| recent(asking, &[&format!("--before={at}"), &from], RECENT))
    }

    fn add_pointed(&self, facts: &mut Facts, asking: &Asking, pointed: &[&str]) -> Result<(), Failure> {
        let pointed: Vec<(&str, String)> =
            pointed.iter().filter_map(|path| Some((*path, self.inside.inward(path)?))).collect();
        let now = blob::now(asking, pointed.iter().map(|(_, path)| path.clone()).collect())?;
        let known = pointed.into_iter().filter_map(|(given, path)| Some((given, now[&path].id()?)));
        facts.pointed = known.map(|(given, id)| (given.to_owned(), blob::written(id))).collect();
        Ok(())
    }

    fn add_changed(&self, facts: &mut Facts, asking: &Asking, status: Status) -> Result<(), Failure> {
        let listed = &status.entries[..status.entries.len().min(LISTED)];
        facts.git.dirty = listed.iter().map(|entry| entry.line(self)).collect();
        facts.git.dirty_count =
            (status.count() > listed.len()).then(|| u32::try_from(status.count()).unwrap_or(u32::MAX));
        (facts.git.ahead, facts.git.behind) = (status.ahead, status.behind);
        let changed: BTreeSet<String> =
            listed.iter().flat_map(|entry| [Some(&entry.path), entry.from.as_ref()]).flatten().cloned().collect();
        for (path, now) in blob::now(asking, changed)? {
            let id = match &now {
                Now::Blob(id) => blob::written(id),
                Now::Absent => ABSENT.to_owned(),
                Now::Directory | Now::Untold(_) => continue,
            };
            facts.git.blobs.push(format!("{id} {}", self.inside.outward(&path)));
        }
        facts.git.upstream = status.upstream;
        Ok(())
    }
}

/// Commits as `hash subject`, the newest first.
pub(super) fn recent(asking: &Asking, range: &[&str], most: &str) -> Result<Vec<String>, Failure> {
    Ok(parse_recent(&asking.run(&recent_arguments(range, most))?))
}

/// The run of git that lists them.
pub(super) fn recent_arguments<'a>(range: &[&'a str], most: &'a str) -> Vec<&'a str> {
    let mut arguments = vec!["log", "-z", most, "--no-show-signature", "--encoding=UTF-8", "--abbrev=7"];
    arguments.push("--format=%h %s");
    arguments.extend(range);
    arguments.push("--");
    arguments
}

pub(super) fn parse_recent(answer: &[u8]) -> Vec<String> {
    fields(answer).map(|line| subject(&String::from_utf8_lossy(line))).collect()
}

/// The line without what could disturb a terminal, and of a sensible length.
pub(super) fn subject(line: &str) -> String {
    let mut letters = line.chars().map(|letter| if letter.is_control() { ' ' } else { letter });
    let kept: String = letters.by_ref().take(SUBJECT).collect();
    if letters.next().is_some() { kept + "…" } else { kept }
}
