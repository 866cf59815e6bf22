//! What became of the files that a handoff speaks of.
//!
//! Everything is judged by content. What a file was is known from the blob written down with it, else from the blobs of
//! the files that were changed at the time, else from the commit. What it is now is its content in the work tree. So
//! committing, rebasing or stashing and taking back what was there is no change, and undoing it is one.

mod judge;
mod lines;
mod picture;

use std::time::Duration;

use handoff_model::governed::Pattern;
use handoff_model::line_map::LineFate;
use handoff_model::session::GitFacts;

use super::run::{Asking, Failure};
use super::survey::{KnownCommits, SurveyRequest};
use super::{Asked, Git, is_id};
use picture::Picture;
pub(super) use picture::PresentFiles;

/// What was written down of git when a handoff was saved.
#[derive(Clone, Copy, Debug, Default)]
pub struct Baseline<'a> {
    tree: Tree<'a>,
    blobs: &'a [String],
}

/// What is known of all the other files.
#[derive(Clone, Copy, Debug, Default)]
pub(super) enum Tree<'a> {
    #[default]
    Unknown,
    /// There was no commit yet
    Empty,
    Commit(&'a str),
}

impl<'a> Tree<'a> {
    pub(super) fn of(facts: &'a GitFacts) -> Tree<'a> {
        match (&facts.commit, &facts.branch) {
            (Some(commit), _) if is_id(commit) => Tree::Commit(commit),
            (None, Some(_)) => Tree::Empty,
            _ => Tree::Unknown,
        }
    }
}

impl<'a> Baseline<'a> {
    pub fn of(facts: &'a GitFacts) -> Baseline<'a> {
        Baseline { tree: Tree::of(facts), blobs: &facts.blobs }
    }

    pub(super) fn tree(&self) -> Tree<'a> {
        self.tree
    }
}

/// A file or directory that a handoff points to.
#[derive(Clone, Copy, Debug)]
pub struct Pointed<'a> {
    pub path: &'a str,
    /// What the file was, when that was written down
    pub blob: Option<&'a str>,
    /// The first and last of the lines it is about, if it is not about the whole file
    pub lines: Option<(u32, u32)>,
}

/// What became of all that was asked for, in the order of asking.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Drift {
    pub pointers: Vec<Verdict>,
    /// For each pointer what became of its lines; `None` where it has none, or where git does not have the old file
    pub lines: Vec<Option<LineFate>>,
    pub governed: Vec<Governed>,
}

/// What became of something pointed to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    Same,
    Changed,
    Moved { to: String, edited: bool },
    Gone,
    Unknown(String),
}

/// What became of the files that a decision governs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Governed {
    /// Sorted by path
    pub changes: Vec<FileChange>,
    /// Why there may be more changes than these
    pub unknown: Option<String>,
}

/// A file that is not what it was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileChange {
    /// Where it is, or was if it was deleted
    pub path: String,
    pub how: How,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum How {
    Edited,
    Added,
    Deleted,
    Renamed { from: String },
}

/// What a handoff speaks of.
#[derive(Clone, Debug, Default)]
pub struct DriftRequest<'a> {
    pub since: Baseline<'a>,
    pub pointers: Vec<Pointed<'a>>,
    /// Files, directories and patterns that decisions govern
    pub governed: Vec<&'a str>,
}

impl Git {
    /// Compares what a handoff speaks of with the work tree as it is now.
    pub fn drift(
        &self,
        since: &Baseline<'_>,
        pointers: &[Pointed<'_>],
        governed: &[&str],
        limit: Duration,
    ) -> Asked<Drift> {
        let request = DriftRequest { since: *since, pointers: pointers.to_vec(), governed: governed.to_vec() };
        let survey = self.survey(None, &SurveyRequest { drift: vec![request], ..SurveyRequest::default() }, limit);
        match (survey.drift.and_then(|mut drift| drift.pop()), survey.skipped) {
            (Some(drift), _) => Asked::Answer(drift),
            (None, skipped) => Asked::Skipped(skipped.unwrap_or_default()),
        }
    }

    /// Judges several handoffs, for which `commits` holds the differences between their commits and the last one.
    pub(super) fn judge(
        &self,
        asking: &Asking,
        requests: &[DriftRequest<'_>],
        commits: &KnownCommits,
        present: &mut PresentFiles,
    ) -> Result<Vec<Drift>, Failure> {
        let mut pictures: Vec<_> = requests
            .iter()
            .map(|request| {
                let pointers: Vec<Pointer<'_>> =
                    request.pointers.iter().map(|pointed| Pointer::of(self, pointed)).collect();
                let governed: Vec<Option<Pattern>> = request.governed.iter().map(|path| self.pattern(path)).collect();
                let commit = commits.of(request.since.tree);
                let rows = commit.map(|commit| commit.rows.as_slice());
                (Picture::of(self, &request.since, rows, present), commit, pointers, governed)
            })
            .collect();
        let wanted = pictures.iter().flat_map(|(picture, _, pointers, governed)| picture.wanted(pointers, governed));
        present.look(asking, wanted.collect())?;
        for (picture, commit, pointers, governed) in &mut pictures {
            let commit = commit.map(|commit| commit.id.as_str());
            picture.complete(asking, commit, pointers, governed, present)?;
        }
        let judged = pictures.iter().map(|(picture, _, pointers, governed)| {
            let verdicts: Vec<Verdict> = pointers.iter().map(|pointer| picture.verdict(pointer)).collect();
            let lines = lines::follow(asking, picture, pointers, &verdicts)?;
            let governed = governed.iter().map(|pattern| picture.governed(pattern.as_ref())).collect();
            Ok(Drift { pointers: verdicts, lines, governed })
        });
        judged.collect()
    }

    fn pattern(&self, path: &str) -> Option<Pattern> {
        Some(Pattern::new(&self.inside.inward(path)?, self.inside.base()))
    }
}

/// A pointer with its path from the root; `None` when it leads out of the work tree.
struct Pointer<'a> {
    path: Option<String>,
    blob: Option<&'a str>,
    lines: Option<(u32, u32)>,
}

impl<'a> Pointer<'a> {
    fn of(git: &Git, pointed: &Pointed<'a>) -> Pointer<'a> {
        let blob = pointed.blob.filter(|id| is_id(id));
        Pointer { path: git.inside.inward(pointed.path), blob, lines: pointed.lines }
    }
}
