//! Where a commit goes: the branch that is checked out, the detached head, or another branch that nobody looks at.

use std::path::PathBuf;

use super::super::fields;
use super::super::place::read_text;
use super::acting::Acting;
use super::error::PublishError;
use super::{ours, words};

pub(super) const BRANCHES: &str = "refs/heads/";

/// Where the commit goes.
#[derive(Clone, Debug)]
pub(super) struct Target {
    /// `None` on a detached head
    pub(super) branch: Option<String>,
    /// What the branch or head stands on; `None` while there is nothing
    pub(super) tip: Option<String>,
    /// Whether it is what this work tree has checked out
    pub(super) is_here: bool,
}

impl Target {
    /// The full name of what is moved.
    pub(super) fn name(&self) -> String {
        self.branch.as_ref().map_or_else(|| "HEAD".to_owned(), |branch| format!("{BRANCHES}{branch}"))
    }

    pub(super) fn find(acting: &Acting<'_>, wanted: Option<&str>) -> Result<Target, PublishError> {
        let current = current_branch(acting);
        let target = match wanted {
            Some(branch) if current.as_deref() != Some(branch) => {
                check_name(acting, branch)?;
                Target { branch: Some(branch.to_owned()), tip: None, is_here: false }
            }
            _ => Target { branch: current, tip: None, is_here: true },
        };
        // Asked for anything at all, git says whether it will work here: who owns the repository, what its format is.
        acting.line("use this repository", &["rev-parse", "--git-dir"])?;
        Ok(Target { tip: acting.commit(&target.name()), ..target })
    }

    /// The branch that a run was committed to, if the person went to another one since: there it is pushed from.
    pub(super) fn of_run(self, acting: &Acting<'_>, run: &str) -> Result<Target, PublishError> {
        let found = ours::of_run(&acting.quiet, self.tip.as_deref(), run);
        let found = found.map_err(|failure| PublishError::asking("read the history", &failure))?;
        match ours::branch_of_run(&acting.quiet, run).filter(|_| found.is_none()) {
            Some(branch) => {
                let target = Target { branch: Some(branch), tip: None, is_here: false };
                Ok(Target { tip: acting.commit(&target.name()), ..target })
            }
            None => Ok(self),
        }
    }

    /// Refuses where a commit would get in the way of something that is not finished.
    pub(super) fn check(&self, acting: &Acting<'_>) -> Result<(), PublishError> {
        let own = &acting.git.own_dir;
        if !self.is_here {
            return self.check_elsewhere(acting);
        }
        for (file, what, way_out) in UNDER_WAY {
            if own.join(file).symlink_metadata().is_ok() {
                return Err(PublishError::Refused(format!(
                    "{what} is under way in this work tree: finish it, or give it up with `{way_out}`, and publish again"
                )));
            }
        }
        let unmerged = acting.quiet.run(&["ls-files", "-z", "--unmerged"]);
        let unmerged = unmerged.map_err(|failure| PublishError::asking("read the index", &failure))?;
        if let Some(entry) = fields(&unmerged).next() {
            let path = entry.split(|byte| *byte == b'\t').nth(1).unwrap_or_default();
            return Err(PublishError::Refused(format!(
                "`{}` has a conflict that is not resolved: resolve it and `git add` it, and publish again",
                words::name(path)
            )));
        }
        Ok(())
    }

    /// A branch that another work tree has checked out must not move under it.
    fn check_elsewhere(&self, acting: &Acting<'_>) -> Result<(), PublishError> {
        let name = self.name();
        let listed = acting.line("list the work trees", &["worktree", "list", "--porcelain"])?;
        let mut place = "";
        for line in listed.lines() {
            if let Some(path) = line.strip_prefix("worktree ") {
                place = path;
            } else if line.strip_prefix("branch ") == Some(&name) {
                return Err(in_use(&name, place));
            }
        }
        // One that is being rebased is checked out nowhere, and is moved in the end all the same.
        let others = std::fs::read_dir(acting.git.common_dir.join("worktrees")).into_iter().flatten().flatten();
        let dirs = others.map(|entry| entry.path()).chain([acting.git.common_dir.clone(), acting.git.own_dir.clone()]);
        for dir in dirs {
            for state in ["rebase-merge", "rebase-apply"] {
                let rebased = read_text(&dir.join(state).join("head-name"));
                if rebased.is_some_and(|rebased| rebased.trim() == name) {
                    return Err(PublishError::Refused(format!(
                        "branch `{}` is being rebased: finish that, and publish again",
                        self.branch.as_deref().unwrap_or_default()
                    )));
                }
            }
        }
        Ok(())
    }

    /// The locks that moving the target needs.
    pub(super) fn locks(&self, acting: &Acting<'_>) -> Vec<PathBuf> {
        let mut locks = Vec::new();
        if self.is_here {
            locks.extend([acting.git.own_dir.join("index.lock"), acting.git.own_dir.join("HEAD.lock")]);
        }
        locks.extend(self.branch.iter().map(|_| acting.git.common_dir.join(format!("{}.lock", self.name()))));
        locks
    }
}

/// What can be under way, by the file that says so, and how it is given up.
const UNDER_WAY: [(&str, &str, &str); 7] = [
    ("rebase-merge", "a rebase", "git rebase --abort"),
    ("rebase-apply", "a rebase or `git am`", "git rebase --abort` or `git am --abort"),
    ("MERGE_HEAD", "a merge", "git merge --abort"),
    ("CHERRY_PICK_HEAD", "a cherry-pick", "git cherry-pick --abort"),
    ("REVERT_HEAD", "a revert", "git revert --abort"),
    ("sequencer", "a cherry-pick or revert of several commits", "git cherry-pick --abort` or `git revert --abort"),
    ("BISECT_LOG", "a bisect", "git bisect reset"),
];

/// The branch that is checked out, be there a commit on it or not.
pub(super) fn current_branch(acting: &Acting<'_>) -> Option<String> {
    let name = acting.line("read the branch", &["symbolic-ref", "-q", "HEAD"]).ok()?;
    name.strip_prefix(BRANCHES).map(str::to_owned)
}

fn check_name(acting: &Acting<'_>, branch: &str) -> Result<(), PublishError> {
    let full = format!("{BRANCHES}{branch}");
    let is_name = !branch.is_empty() && !branch.starts_with('-') && branch != "HEAD" && !branch.contains('\0');
    if is_name && acting.is_true(&["check-ref-format", &full]) {
        return Ok(());
    }
    Err(PublishError::Wrong(format!(
        "`{}` cannot be the name of a branch: `git help check-ref-format` has the rules",
        words::name(branch.as_bytes())
    )))
}

fn in_use(name: &str, place: &str) -> PublishError {
    let branch = name.strip_prefix(BRANCHES).unwrap_or(name);
    PublishError::Refused(format!(
        "branch `{branch}` is checked out in the work tree {}: publish from there, or to another branch",
        words::name(place.as_bytes())
    ))
}
