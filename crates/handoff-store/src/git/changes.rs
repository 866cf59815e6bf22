//! What happened between a handoff and now.

use std::time::Duration;

use super::run::{Asking, Failure};
use super::status::Status;
use super::{Asked, Git, facts, is_handoff, is_id, raw};

/// Subjects that are told.
const SUBJECTS: &str = "--max-count=20";

/// Files that are told.
const FILES: usize = 200;

/// What happened since a commit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Changes {
    /// Whether the commit is still known here; if not, there is nothing to count from
    pub known: bool,
    /// Commits since
    pub commits: u32,
    /// Commits of then that the present branch does not have: it was rewritten, or is another one
    pub left: u32,
    /// The newest of the commits since, as `hash subject`, the newest first
    pub subjects: Vec<String>,
    /// The first of the files in which the commits differ, sorted
    pub files: Vec<ChangedFile>,
    pub file_count: usize,
    /// The first of the files that differ from the last commit now, each with git's letters for how
    pub dirty: Vec<String>,
    pub dirty_count: usize,
}

/// A file that differs between two commits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangedFile {
    /// `A`dded, `M`odified, `D`eleted or of another `T`ype
    pub change: char,
    pub path: String,
}

impl Git {
    /// What happened between the commit of a handoff and now.
    pub fn changes_since(&self, commit: Option<&str>, limit: Duration) -> Asked<Changes> {
        self.ask(limit, |asking| {
            let status = Status::begin(asking)?;
            let mut changes = Changes::default();
            if let (Some(then), Some(now)) = (commit, self.head().commit) {
                self.compare(asking, then, &now, &mut changes)?;
            }
            let status = Status::parse(&status.finish()?);
            changes.dirty_count = status.count();
            changes.dirty = status.entries.iter().take(FILES).map(|entry| entry.line(self)).collect();
            Ok(changes)
        })
    }

    /// What happened between the commits of two handoffs.
    pub fn changes_between(&self, then: &str, later: &str, limit: Duration) -> Asked<Changes> {
        self.ask(limit, |asking| {
            let mut changes = Changes::default();
            self.compare(asking, then, later, &mut changes)?;
            Ok(changes)
        })
    }

    /// Adds what is in the later of two commits, if both are known here.
    fn compare(&self, asking: &Asking, then: &str, now: &str, changes: &mut Changes) -> Result<(), Failure> {
        if !is_id(then) || !is_id(now) {
            return Ok(());
        }
        if now.starts_with(then) {
            changes.known = true;
            return Ok(());
        }
        let range = format!("{then}...{now}");
        let counts = asking.begin(&["rev-list", "--count", "--left-right", &range, "--"], None)?;
        let differing = ["diff-tree", "-r", "--raw", "-z", "--no-abbrev", "--no-renames", then, now, "--"];
        let differing = asking.begin(&differing, None)?;
        let subjects = facts::recent(asking, &[&format!("{then}..{now}")], SUBJECTS);
        match (counts.finish(), differing.finish(), subjects) {
            (Ok(counts), Ok(differing), Ok(subjects)) => {
                changes.known = true;
                changes.subjects = subjects;
                (changes.left, changes.commits) = parse_counts(&counts).unwrap_or_default();
                self.add_differing(changes, &differing);
                Ok(())
            }
            // Git does not know a commit, or no longer.
            (Err(Failure::Refused(_)), _, _) => Ok(()),
            (counts, differing, subjects) => counts.and(differing).and(subjects).map(drop),
        }
    }

    fn add_differing(&self, changes: &mut Changes, differing: &[u8]) {
        let rows: Vec<raw::Row> = raw::parse(differing).into_iter().filter(|row| !is_handoff(&row.path)).collect();
        changes.file_count = rows.len();
        changes.files = rows
            .into_iter()
            .take(FILES)
            .map(|row| ChangedFile { change: row.letter, path: self.inside.outward(&row.path) })
            .collect();
        changes.files.sort_unstable_by(|one, other| one.path.cmp(&other.path));
    }
}

/// Two numbers with a tab between them.
fn parse_counts(answer: &[u8]) -> Option<(u32, u32)> {
    let (left, right) = std::str::from_utf8(answer).ok()?.trim().split_once('\t')?;
    Some((left.parse().ok()?, right.parse().ok()?))
}
