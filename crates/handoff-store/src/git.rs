//! What git knows of a project, asked by running the `git` program.
//!
//! **Invariant:** asking changes nothing, waits for nobody and trusts nothing. Every question has a deadline, after which
//! git is killed; it is never given a terminal, a lock to take or a network to reach; and no setting of a repository
//! makes it run a program. A git that is missing, refuses or is slow makes an answer [`Asked::Skipped`], never an error.
//!
//! Paths go in and come out relative to the project's directory, with `/`; files of the repository outside of it begin
//! with `../`. Names that are not UTF-8 are left out. Nothing below a `.handoff/` counts as a file of the project.

mod answers;
mod blame;
mod blob;
mod changes;
mod drift;
mod facts;
mod guard;
mod head;
mod history;
mod inside;
mod messages;
mod moved;
mod place;
mod publish;
mod raw;
mod run;
mod status;
mod survey;
mod uncommitted;

use std::path::{Path, PathBuf};
use std::time::Duration;

pub use blame::{Blamed, MadeBy, PathHistory};
pub use changes::{ChangedFile, Changes};
pub use drift::{Baseline, Drift, DriftRequest, FileChange, Governed, How, Pointed, Verdict};
pub use facts::Facts;
pub use head::Head;
pub use history::{History, HistoryState};
pub use messages::{CommitMessage, GitUser};
pub use publish::{LeftOut, PublishError, PublishPlan, Published, PublishedFile, Publishing, Pushed, Unpushed};
pub use survey::{GitSurvey, SurveyRequest};
pub use uncommitted::{LatestStash, UncommittedFiles};

use inside::Inside;
use run::{Asking, Failure};

/// The work tree a project's directory lies in.
#[derive(Clone, Debug)]
pub struct Git {
    /// Top of the work tree
    root: PathBuf,
    /// Where git keeps what belongs to this work tree alone, such as `HEAD`
    own_dir: PathBuf,
    /// Where git keeps what all work trees of the repository share
    common_dir: PathBuf,
    /// The project's directory, seen from the root
    inside: Inside,
}

/// An answer, or why there is none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Asked<T> {
    Answer(T),
    Skipped(String),
}

impl Git {
    /// The work tree around a project's directory, if there is one. Runs nothing.
    pub fn around(project_dir: &Path) -> Option<Git> {
        place::find(project_dir)
    }

    /// What git says where a directory lies in no work tree.
    pub fn why_none(dir: &Path, limit: Duration) -> String {
        if place::leads_elsewhere(dir) {
            return "its `.git` leads to the repository of another work tree; if it was moved, run `git worktree repair`"
                .to_owned();
        }
        match Asking::nowhere(dir, limit).and_then(|asking| asking.run(&["rev-parse", "--show-toplevel"])) {
            Ok(_) => "git knows it, but it cannot be used".to_owned(),
            Err(failure) => failure.to_string(),
        }
    }

    /// The name that commits made in a directory are signed with: the repository's setting, else the person's.
    pub fn user_name(dir: &Path, limit: Duration) -> Option<String> {
        let name = Asking::nowhere(dir, limit).and_then(|asking| asking.run(&["config", "--get", "user.name"])).ok()?;
        let name = String::from_utf8(name).ok()?.trim().to_owned();
        (!name.is_empty()).then_some(name)
    }

    /// Top of the work tree.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Top of the main work tree of the repository; of this one where there is no other, or it cannot be told.
    pub fn main_root(&self) -> PathBuf {
        let shared = place::without_links(&self.common_dir).filter(|dir| dir.ends_with(".git"));
        let main = shared.and_then(|dir| dir.parent().map(Path::to_owned));
        main.filter(|main| main.is_dir()).unwrap_or_else(|| self.root.clone())
    }

    /// Whether a commit would run programs that came with the repository, such as its hooks. Runs nothing.
    pub fn commit_runs_programs(&self) -> bool {
        guard::commit_runs_programs(self)
    }

    /// Where the work tree stands. Runs git only for repositories that keep their branches in a form of its own.
    pub fn head(&self) -> Head {
        head::read(self)
    }

    /// Every file under version control that is there now, sorted.
    pub fn tracked_files(&self, limit: Duration) -> Asked<Vec<String>> {
        self.ask(limit, |asking| {
            let deleted = asking.begin(&["ls-files", "-z", "--deleted"], None)?;
            let listed = asking.run(&["ls-files", "-z", "-t", "--cached"])?;
            let deleted = deleted.finish()?;
            let deleted: std::collections::HashSet<&[u8]> = fields(&deleted).collect();
            let mut paths: Vec<String> = fields(&listed)
                // `S` marks what a sparse checkout leaves out.
                .filter_map(|entry| Some(entry.split_first_chunk::<2>()?).filter(|(tag, _)| tag[0] != b'S'))
                .filter(|(_, path)| !deleted.contains(path))
                .filter_map(|(_, path)| std::str::from_utf8(path).ok())
                .filter(|path| !is_handoff(path))
                .map(|path| self.inside.outward(path))
                .collect();
            paths.sort_unstable();
            paths.dedup();
            Ok(paths)
        })
    }

    /// Files below a directory of the project that are under version control, relative to it; stores are looked into.
    pub fn tracked_below(&self, dir: &str, limit: Duration) -> Asked<Vec<String>> {
        let Some(inside) = self.inside.inward(dir) else { return Asked::Answer(Vec::new()) };
        self.ask(limit, |asking| {
            let listed = asking.run(&["ls-files", "-z", "--cached", "--", &inside])?;
            let paths = fields(&listed).filter_map(|path| std::str::from_utf8(path).ok());
            let below = format!("{inside}/");
            Ok(paths.filter_map(|path| path.strip_prefix(&below)).map(str::to_owned).collect())
        })
    }

    /// What a file of the project was in the last commit; `None` where it was not there, or is no text.
    pub fn committed(&self, path: &str, limit: Duration) -> Asked<Option<String>> {
        let Some(inside) = self.inside.inward(path) else { return Asked::Answer(None) };
        self.ask(limit, |asking| {
            let listed = asking.run(&["ls-tree", "-z", "HEAD", "--", &inside])?;
            let entry = fields(&listed).next().and_then(|entry| std::str::from_utf8(entry).ok());
            let blob = entry.and_then(|entry| entry.split_whitespace().nth(2)).filter(|id| is_id(id));
            let Some(blob) = blob else { return Ok(None) };
            Ok(String::from_utf8(asking.run(&["cat-file", "blob", blob])?).ok())
        })
    }

    fn ask<T>(&self, limit: Duration, question: impl FnOnce(&Asking) -> Result<T, Failure>) -> Asked<T> {
        match Asking::about(self, limit).and_then(|asking| question(&asking)) {
            Ok(answer) => Asked::Answer(answer),
            Err(failure) => Asked::Skipped(failure.to_string()),
        }
    }
}

impl<T> Asked<T> {
    pub fn answer(self) -> Option<T> {
        match self {
            Asked::Answer(answer) => Some(answer),
            Asked::Skipped(_) => None,
        }
    }

    pub fn map<U>(self, change: impl FnOnce(T) -> U) -> Asked<U> {
        match self {
            Asked::Answer(answer) => Asked::Answer(change(answer)),
            Asked::Skipped(why) => Asked::Skipped(why),
        }
    }
}

/// The parts of an answer that git ends with a zero byte each.
fn fields(answer: &[u8]) -> impl Iterator<Item = &[u8]> {
    answer.split(|byte| *byte == 0).filter(|field| !field.is_empty())
}

/// Whether a path leads into a store.
fn is_handoff(path: &str) -> bool {
    path.split('/').any(|name| name == crate::DIRECTORY)
}

/// Whether a text from a file can be handed to git as the id of an object.
fn is_id(text: &str) -> bool {
    (4..=64).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}
