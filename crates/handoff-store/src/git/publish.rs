//! Publishing: our own files as a commit, and the commit to the remote.
//!
//! **Invariant:** a run is committed once and pushed once, however often it is begun anew. Only the paths that were asked
//! for go into the commit; what else is staged, changed or under way in the work tree is the person's and stays as it is.
//! Nothing is ever forced, and nothing is waited for without end: a hook, a key, a lock or a remote that does not answer
//! is told in its own words, and git is ended with all that it started.
//!
//! Unlike asking, publishing runs what the person set up for it: hooks, signing, credential helpers and `ssh`. Settings
//! of the repository that would run programs at every look, `core.fsmonitor` and filters, stay switched off.

mod acting;
mod along;
mod commit;
mod detached;
mod error;
mod ours;
mod paths;
mod push;
mod replay;
mod staging;
mod target;
mod words;

use std::path::Path;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::run::Asking;
use super::{Asked, Git};
use acting::Acting;
pub use error::PublishError;
use target::Target;

/// What is to be published.
#[derive(Clone, Debug)]
pub struct Publishing {
    /// Files and directories, relative to the directory that is published from; no patterns
    pub paths: Vec<String>,
    /// Branch to commit to; what is checked out if not given
    pub branch: Option<String>,
    pub message: String,
    /// The run this belongs to, by which its commit is known again
    pub run: String,
    pub push: bool,
    /// Where to push to; what git would take if not given
    pub remote: Option<String>,
    /// Whether the person's hooks take part
    pub hooks: bool,
    /// Whether to sign; as the person's settings say if not given
    pub sign: Option<bool>,
    /// Whether to take in what rules make git ignore
    pub force_ignored: bool,
    /// How long all of it may take
    pub limit: Duration,
    /// How often a push is tried that others overtake
    pub push_tries: u32,
}

/// What came of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Published {
    /// `None` on a detached head
    pub branch: Option<String>,
    /// The commit of this run; `None` if there was nothing to commit
    pub commit: Option<String>,
    /// Whether the commit had been made before, by a run that was cut off
    pub was_there: bool,
    pub files: Vec<PublishedFile>,
    pub left_out: Vec<LeftOut>,
    pub pushed: Pushed,
    /// What else there is to tell
    pub told: Vec<String>,
}

impl Published {
    fn of(target: Target, made: commit::Made, pushed: Pushed) -> Published {
        let commit::Made { commit, is_old, files, left_out, told } = made;
        Published { branch: target.branch, commit, was_there: is_old, files, left_out, pushed, told }
    }
}

/// A file of the commit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PublishedFile {
    /// From the root of the work tree
    pub path: String,
    /// `A` for new, `M` for changed, `D` for deleted
    pub change: String,
}

/// A path that was asked for and is not in the commit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeftOut {
    /// From the root of the work tree
    pub path: String,
    pub why: String,
}

/// What became of pushing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum Pushed {
    NotWanted,
    /// The remote has everything of ours
    Nothing {
        remote: String,
    },
    /// Nothing of ours waits, and there is nowhere to push to
    NothingWaits,
    Done {
        remote: String,
        commit: String,
        /// Whether it was put on top of what others pushed
        replayed: bool,
    },
    /// What is committed here, or held back because it cannot be, goes with the next publish
    Waiting {
        why: String,
    },
}

impl Pushed {
    fn waiting(why: impl Into<String>) -> Pushed {
        Pushed::Waiting { why: why.into() }
    }
}

/// What a publish would do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PublishPlan {
    pub branch: Option<String>,
    /// The commit of this run, if it was made already
    pub commit: Option<String>,
    pub files: Vec<PublishedFile>,
    pub left_out: Vec<LeftOut>,
    /// What waits to be pushed, or would if it were wanted
    pub unpushed: Option<Unpushed>,
    /// Why the files would not be committed now
    pub held_back: Option<String>,
}

/// Commits of ours that the remote does not have, as far as that is known without asking it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unpushed {
    pub branch: String,
    pub remote: String,
    /// Their ids, the newest first
    pub commits: Vec<String>,
}

impl Git {
    /// Commits our paths, and pushes what waits to be pushed.
    ///
    /// An error means that nothing was committed. A push that did not succeed is no error: the commit stands, and is
    /// pushed by the next publish.
    pub fn publish(dir: &Path, publishing: &Publishing) -> Result<Published, PublishError> {
        check_run(&publishing.run)?;
        let git = repository(dir, publishing.limit)?;
        let wanted = paths::wanted(&git, &publishing.paths)?;
        let acting = Acting::begin(&git, publishing.limit, publishing.hooks)?;
        let mut target = Target::find(&acting, publishing.branch.as_deref())?;
        target.check(&acting)?;
        if publishing.branch.is_none() {
            target = target.of_run(&acting, &publishing.run)?;
        }
        if publishing.push && target.branch.is_none() {
            let (made, pushed) = detached::hold(&acting, &target, &wanted, publishing)?;
            return Ok(Published::of(target, made, pushed));
        }
        acting.wait_for_others(&target.locks(&acting))?;
        along::go_on(&acting, &mut target, publishing.remote.as_deref());
        if target.tip.is_none() && !target.is_here {
            target.tip = begin_at_remote(&acting, &target, publishing);
        }
        let mut made = commit::commit(&acting, &mut target, &wanted, publishing)?;
        made.told.extend(detached::adrift(&acting, &target));
        let pushed = if publishing.push {
            // By now there is a commit, which an error must not deny.
            let pushed = push::push(&acting, &target, publishing, &mut made.told);
            pushed.unwrap_or_else(|error| Pushed::waiting(error.to_string()))
        } else {
            Pushed::NotWanted
        };
        Ok(Published::of(target, made, pushed))
    }

    /// What [`Git::publish`] would do. Changes nothing and asks no remote.
    pub fn plan_publish(dir: &Path, publishing: &Publishing) -> Result<PublishPlan, PublishError> {
        check_run(&publishing.run)?;
        let git = repository(dir, publishing.limit)?;
        let wanted = paths::wanted(&git, &publishing.paths)?;
        let acting = Acting::trying(&git, publishing.limit)?;
        let mut target = Target::find(&acting, publishing.branch.as_deref())?;
        target.check(&acting)?;
        if publishing.branch.is_none() {
            target = target.of_run(&acting, &publishing.run)?;
        }
        let unpushed = target
            .branch
            .as_deref()
            .zip(target.tip.as_deref())
            .and_then(|(branch, tip)| unpushed(&acting.quiet, branch, tip, publishing.remote.as_deref()));
        if target.tip.is_none() && !target.is_here {
            target.tip = known_at_remote(&acting, &target, publishing);
        }
        let found = ours::of_run(&acting.quiet, target.tip.as_deref(), &publishing.run);
        let found = found.map_err(|failure| PublishError::asking("read the history", &failure))?;
        let mut plan = PublishPlan {
            branch: target.branch.clone(),
            commit: None,
            files: Vec::new(),
            left_out: Vec::new(),
            unpushed,
            held_back: None,
        };
        if let Some(logged) = found {
            plan.commit = Some(logged.commit);
            return Ok(plan);
        }
        let staged = staging::stage(&acting, &target, &wanted, publishing.force_ignored)?;
        plan.files = commit::files_of(&staged.rows);
        plan.left_out = staged.left_out;
        let is_held = publishing.push && plan.branch.is_none() && !plan.files.is_empty();
        plan.held_back = is_held.then(|| detached::HELD.to_owned());
        Ok(plan)
    }

    /// Commits of ours that wait for a push; `None` if there are none, or there is nowhere to push to. Asks no remote.
    pub fn unpushed(&self, branch: Option<&str>, remote: Option<&str>, limit: Duration) -> Asked<Option<Unpushed>> {
        self.ask(limit, |asking| {
            let Some(branch) = branch.map(str::to_owned).or_else(|| self.head().branch) else { return Ok(None) };
            let name = format!("{}^{{commit}}", ours::full(&branch));
            let Ok(tip) = asking.run(&["rev-parse", "-q", "--verify", &name]) else { return Ok(None) };
            Ok(unpushed(asking, &branch, String::from_utf8_lossy(&tip).trim(), remote))
        })
    }
}

fn repository(dir: &Path, limit: Duration) -> Result<Git, PublishError> {
    Git::around(dir).ok_or_else(|| {
        let why = Git::why_none(dir, limit.min(Duration::from_secs(10)));
        if why == super::run::Failure::NotInstalled.to_string() {
            return PublishError::NotInstalled;
        }
        PublishError::NoRepository(words::words(why.as_bytes()))
    })
}

/// A run's id becomes a line of the message, so it must be one word.
fn check_run(run: &str) -> Result<(), PublishError> {
    let is_word = (1..=128).contains(&run.len()) && run.bytes().all(|byte| byte.is_ascii_graphic());
    if is_word {
        Ok(())
    } else {
        Err(PublishError::Wrong("the id of a run must be one word of ASCII letters".to_owned()))
    }
}

fn unpushed(asking: &Asking, branch: &str, tip: &str, remote: Option<&str>) -> Option<Unpushed> {
    let remote = ours::remote_of(asking, branch, remote).ok()?;
    let known = ours::known_tips(asking, &remote, branch);
    let commits: Vec<String> =
        ours::waiting(asking, tip, &known).ok()?.commits.into_iter().map(|logged| logged.commit).collect();
    (!commits.is_empty()).then(|| Unpushed { branch: branch.to_owned(), remote, commits })
}

/// Where a branch begins that is not here yet: at that of the remote, if there is one.
fn begin_at_remote(acting: &Acting<'_>, target: &Target, publishing: &Publishing) -> Option<String> {
    known_at_remote(acting, target, publishing).or_else(|| {
        let branch = target.branch.as_deref().filter(|_| publishing.push)?;
        let remote = ours::remote_of(&acting.quiet, branch, publishing.remote.as_deref()).ok()?;
        push::look_at_remote(acting, branch, &remote)
    })
}

fn known_at_remote(acting: &Acting<'_>, target: &Target, publishing: &Publishing) -> Option<String> {
    let branch = target.branch.as_deref()?;
    let remote = ours::remote_of(&acting.quiet, branch, publishing.remote.as_deref()).ok()?;
    ours::known_tips(&acting.quiet, &remote, branch).into_iter().next()
}
