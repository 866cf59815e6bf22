//! What became of the files that a handoff speaks of.
//!
//! Everything is judged by content. What a file was is known from the blob written down with it, else from the blobs of
//! the files that were changed at the time, else from the commit. What it is now is its content in the work tree. So
//! committing, rebasing or stashing and taking back what was there is no change, and undoing it is one.

mod judge;
mod picture;

use std::time::Duration;

use handoff_model::governed::Pattern;
use handoff_model::session::GitFacts;

use super::{Asked, Git, is_id};
use picture::Picture;

/// What was written down of git when a handoff was saved.
#[derive(Clone, Copy, Debug, Default)]
pub struct Baseline<'a> {
    tree: Tree<'a>,
    blobs: &'a [String],
}

/// What is known of all the other files.
#[derive(Clone, Copy, Debug, Default)]
enum Tree<'a> {
    #[default]
    Unknown,
    /// There was no commit yet
    Empty,
    Commit(&'a str),
}

impl<'a> Baseline<'a> {
    pub fn of(facts: &'a GitFacts) -> Baseline<'a> {
        let tree = match (&facts.commit, &facts.branch) {
            (Some(commit), _) if is_id(commit) => Tree::Commit(commit),
            (None, Some(_)) => Tree::Empty,
            _ => Tree::Unknown,
        };
        Baseline { tree, blobs: &facts.blobs }
    }
}

/// A file or directory that a handoff points to.
#[derive(Clone, Copy, Debug)]
pub struct Pointed<'a> {
    pub path: &'a str,
    /// What the file was, when that was written down
    pub blob: Option<&'a str>,
}

/// What became of all that was asked for, in the order of asking.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Drift {
    pub pointers: Vec<Verdict>,
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

impl Git {
    /// Compares what a handoff speaks of with the work tree as it is now.
    pub fn drift(
        &self,
        since: &Baseline<'_>,
        pointers: &[Pointed<'_>],
        governed: &[&str],
        limit: Duration,
    ) -> Asked<Drift> {
        self.ask(limit, |asking| {
            let pointers: Vec<Pointer<'_>> = pointers.iter().map(|pointed| Pointer::of(self, pointed)).collect();
            let governed: Vec<Option<Pattern>> = governed.iter().map(|path| self.pattern(path)).collect();
            let picture = Picture::take(self, asking, since, &pointers, &governed)?;
            Ok(Drift {
                pointers: pointers.iter().map(|pointer| picture.verdict(pointer)).collect(),
                governed: governed.iter().map(|pattern| picture.governed(pattern.as_ref())).collect(),
            })
        })
    }

    fn pattern(&self, path: &str) -> Option<Pattern> {
        Some(Pattern::new(&self.inside.inward(path)?, self.inside.base()))
    }
}

/// A pointer with its path from the root; `None` when it leads out of the work tree.
struct Pointer<'a> {
    path: Option<String>,
    blob: Option<&'a str>,
}

impl<'a> Pointer<'a> {
    fn of(git: &Git, pointed: &Pointed<'a>) -> Pointer<'a> {
        let blob = pointed.blob.filter(|id| is_id(id));
        Pointer { path: git.inside.inward(pointed.path), blob }
    }
}
