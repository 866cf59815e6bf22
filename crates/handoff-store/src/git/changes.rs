//! What happened between a handoff and now.

use std::time::Duration;

use super::answers::{AnswerCache, ObjectQuestion};
use super::raw::Row;
use super::run::{Asking, Failure};
use super::status::Status;
use super::survey::{GitSurvey, KnownCommits, SurveyRequest};
use super::{Asked, Git, facts, is_handoff, is_id};

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
        let request = SurveyRequest { since: commit, ..SurveyRequest::default() };
        match self.survey(None, &request, limit) {
            GitSurvey { changes: Some(changes), skipped: None, .. } => Asked::Answer(changes),
            GitSurvey { skipped, .. } => Asked::Skipped(skipped.unwrap_or_default()),
        }
    }

    /// What happened between the commits of two handoffs.
    pub fn changes_between(&self, then: &str, later: &str, limit: Duration) -> Asked<Changes> {
        self.ask(limit, |asking| {
            let mut changes = Changes::default();
            if is_id(then) && is_id(later) {
                let mut answers = AnswerCache::default();
                let commits = KnownCommits::of_two(asking, &mut answers, then, later)?;
                self.compare(asking, &mut answers, &commits, (then, later), &mut changes)?;
            }
            Ok(changes)
        })
    }

    /// Adds what is in the later of two commits, if the earlier is known here.
    pub(super) fn compare(
        &self,
        asking: &Asking,
        answers: &mut AnswerCache,
        commits: &KnownCommits,
        (then, now): (&str, &str),
        changes: &mut Changes,
    ) -> Result<(), Failure> {
        if is_id(then) && now.starts_with(then) {
            changes.known = true;
            return Ok(());
        }
        let Some(then) = commits.named(then) else { return Ok(()) };
        let (both, since) = (format!("{}...{now}", then.id), format!("{}..{now}", then.id));
        let counts = ["rev-list", "--count", "--left-right", &both, "--"];
        let counts = ObjectQuestion { arguments: &counts, input: None };
        let subjects = facts::recent_arguments(&[&since], SUBJECTS);
        let subjects = ObjectQuestion { arguments: &subjects, input: None };
        let [counts, subjects] = answers.ask(asking, [Some(counts), Some(subjects)], |_| true)?;
        changes.known = true;
        changes.subjects = facts::parse_recent(&subjects);
        (changes.left, changes.commits) = parse_counts(&counts).unwrap_or_default();
        self.add_differing(changes, &then.rows);
        Ok(())
    }

    fn add_differing(&self, changes: &mut Changes, rows: &[Row]) {
        let rows: Vec<&Row> = rows.iter().filter(|row| !is_handoff(&row.path)).collect();
        changes.file_count = rows.len();
        changes.files = rows
            .into_iter()
            .take(FILES)
            .map(|row| ChangedFile { change: row.letter, path: self.inside.outward(&row.path) })
            .collect();
        changes.files.sort_unstable_by(|one, other| one.path.cmp(&other.path));
    }
}

impl Changes {
    /// Adds the files that differ from the last commit.
    pub(super) fn add_dirty(&mut self, git: &Git, status: &Status) {
        self.dirty_count = status.count();
        self.dirty = status.entries.iter().take(FILES).map(|entry| entry.line(git)).collect();
    }
}

/// Two numbers with a tab between them.
fn parse_counts(answer: &[u8]) -> Option<(u32, u32)> {
    let (left, right) = std::str::from_utf8(answer).ok()?.trim().split_once('\t')?;
    Some((left.parse().ok()?, right.parse().ok()?))
}
