//! Making the commit: on what is checked out as the person would, with their hooks and keys; on another branch without
//! checking anything out.

use std::path::Path;
use std::time::Duration;

use super::super::raw::Row;
use super::super::run::{Asking, How};
use super::acting::{Acting, line};
use super::error::PublishError;
use super::ours::{self, Logged};
use super::paths::{Wanted, is_among};
use super::replay::Conflict;
use super::staging::{Staged, differences, id, own_name, stage};
use super::target::{Target, current_branch};
use super::{LeftOut, PublishedFile, Publishing, words};

/// How often it is begun anew because somebody else committed at the same moment.
const TRIES: usize = 5;

/// For putting things in order after the time is over.
pub(super) const TIDYING: Duration = Duration::from_secs(10);

/// What became of committing.
#[derive(Debug, Default)]
pub(super) struct Made {
    /// The run's commit; `None` if there was nothing to commit
    pub(super) commit: Option<String>,
    /// Whether it was there already
    pub(super) is_old: bool,
    pub(super) files: Vec<PublishedFile>,
    pub(super) left_out: Vec<LeftOut>,
    pub(super) told: Vec<String>,
}

impl Made {
    /// A commit that an earlier publish made.
    pub(super) fn old(acting: &Acting<'_>, logged: Logged) -> Result<Made, PublishError> {
        let rows = differences(&acting.quiet, logged.parents.first().map(String::as_str), &logged.commit)?;
        Ok(Made { commit: Some(logged.commit), is_old: true, files: files_of(&rows), ..Made::default() })
    }
}

pub(super) fn commit(
    acting: &Acting<'_>,
    target: &mut Target,
    wanted: &Wanted,
    publishing: &Publishing,
) -> Result<Made, PublishError> {
    for _ in 0..TRIES {
        let found = ours::of_run(&acting.quiet, target.tip.as_deref(), &publishing.run);
        let found = found.map_err(|failure| PublishError::asking("read the history", &failure))?;
        if let Some(logged) = found {
            let mut made = Made::old(acting, logged)?;
            if target.is_here {
                mend(acting, &wanted.paths, &mut made.told);
            }
            return Ok(made);
        }
        let staged = stage(acting, target, wanted, publishing.force_ignored)?;
        if staged.rows.is_empty() {
            let mut made = Made { left_out: staged.left_out, ..Made::default() };
            if target.is_here && target.tip.is_some() {
                mend(acting, &staged.paths, &mut made.told);
            }
            return Ok(made);
        }
        let done = if target.is_here {
            here(acting, target, &staged, publishing)
        } else {
            beside(acting, target, &staged, publishing)
        };
        if let Some(mut made) = done? {
            made.left_out = staged.left_out;
            target.tip = acting.commit(&target.name());
            return Ok(made);
        }
        target.tip = acting.commit(&target.name());
    }
    Err(PublishError::Busy(format!("others commit to {} all the time; try again later", target.name())))
}

/// Commits with `git commit`; `None` if somebody else committed just before.
fn here(
    acting: &Acting<'_>,
    target: &mut Target,
    staged: &Staged,
    publishing: &Publishing,
) -> Result<Option<Made>, PublishError> {
    let message = acting.scratch_file("message", ours::message(&publishing.message, &publishing.run).as_bytes())?;
    let message = message.display().to_string();
    let mut arguments = vec!["commit", "-q", "--no-edit", "--cleanup=verbatim", "-F", &message];
    if !publishing.hooks {
        arguments.push("--no-verify");
    }
    match publishing.sign {
        None => {}
        Some(true) => arguments.push("--gpg-sign"),
        Some(false) => arguments.push("--no-gpg-sign"),
    }
    let ended = acting.change(&acting.plain.with("GIT_INDEX_FILE", &staged.index), &arguments);
    let ended = ended.map_err(|failure| PublishError::asking("commit", &failure))?;

    // A commit can be made and the hook after it hang, or git be ended in between; the branch is what counts.
    let tidying = acting.quiet.within(TIDYING);
    let now = line(&tidying, "read the head", &["rev-parse", "-q", "--verify", "HEAD^{commit}"]).ok();
    let found = ours::of_run(&tidying, now.as_deref(), &publishing.run);
    let found = found.map_err(|failure| PublishError::asking("read the history", &failure))?;
    let is_new = now != target.tip;
    let (commit, parent) = match found {
        Some(logged) => (logged.commit, logged.parents.into_iter().next()),
        // A hook may have taken the line out of the message.
        None if ended.how == How::Well && is_new => (now.clone().unwrap_or_default(), target.tip.clone()),
        None => return Err(with_reasons(acting, publishing, PublishError::ended("commit", &ended))),
    };
    if parent != target.tip {
        return take_back(acting, &commit, parent.as_deref(), now.as_deref()).map(|()| None);
    }
    target.branch = current_branch(acting);
    let rows = differences(&tidying, parent.as_deref(), &commit)?;
    let mut made = Made { commit: Some(commit), files: files_of(&rows), ..Made::default() };
    if ended.how != How::Well {
        let why = with_reasons(acting, publishing, PublishError::ended("end after the commit", &ended));
        made.told.push(format!("the commit was made, but {why}"));
    }
    let mut paths = staged.paths.clone();
    let others: Vec<&Row> = rows.iter().filter(|row| !is_among(&row.path, &staged.paths)).collect();
    if !others.is_empty() {
        let names: Vec<String> =
            others.iter().take(5).map(|row| format!("`{}`", words::name(row.path.as_bytes()))).collect();
        made.told.push(format!("a hook put more into the commit: {}", names.join(", ")));
        paths.extend(unstaged(acting, parent.as_deref(), &others));
    }
    mend(acting, &paths, &mut made.told);
    Ok(Some(made))
}

/// Takes a commit back that was made on top of one it did not know: it would undo what that one did.
fn take_back(acting: &Acting<'_>, commit: &str, parent: Option<&str>, now: Option<&str>) -> Result<(), PublishError> {
    let doing = "take back a commit that another one overtook";
    if now != Some(commit) {
        let said = format!("{commit} is no longer the newest one; look at it, it may undo the commit before");
        return Err(PublishError::Git { doing, said });
    }
    let tidying = acting.quiet.within(TIDYING);
    let arguments = match parent {
        Some(parent) => vec!["update-ref", "-m", "handoff: overtaken", "HEAD", parent, commit],
        None => vec!["update-ref", "-d", "HEAD", commit],
    };
    acting.must_change(doing, &tidying, &arguments).map(drop)
}

/// Commits to a branch that is not checked out; `None` if it moved meanwhile.
fn beside(
    acting: &Acting<'_>,
    target: &Target,
    staged: &Staged,
    publishing: &Publishing,
) -> Result<Option<Made>, PublishError> {
    let message = ours::message(&publishing.message, &publishing.run);
    let commit = tree_commit(&acting.plain, acting, &staged.tree, target.tip.as_deref(), &message, publishing.sign)?;
    let name = target.name();
    // The branch may begin where that of the remote stands.
    let old = acting.commit(&name);
    if old.is_some() && old != target.tip {
        return Ok(None);
    }
    let old = old.unwrap_or_default();
    let arguments = ["update-ref", "--create-reflog", "-m", "handoff: publish", &name, &commit, &old];
    match acting.must_change("move the branch", &acting.plain, &arguments) {
        Ok(_) => {
            let told = staged.conflicts.iter().map(|Conflict { path, reason }| {
                let path = words::name(path.as_bytes());
                format!("`{path}` was also changed on `{name}`, and {reason}: it is there now as it is here")
            });
            let told = told.collect();
            if let Some((own, tree)) = own_name(target).zip(staged.own.as_ref()) {
                acting.must_change("note what was published", &acting.quiet, &["update-ref", &own, tree])?;
            }
            Ok(Some(Made { commit: Some(commit), files: files_of(&staged.rows), told, ..Made::default() }))
        }
        Err(_) if acting.commit(&name).unwrap_or_default() != old => Ok(None),
        Err(error) => Err(error),
    }
}

/// Makes a commit that no branch has yet; whose it is say the variables that git is asked with.
pub(super) fn tree_commit(
    asking: &Asking,
    acting: &Acting<'_>,
    tree: &str,
    parent: Option<&str>,
    message: &str,
    sign: Option<bool>,
) -> Result<String, PublishError> {
    let doing = "make the commit";
    let file = acting.scratch_file("message", message.as_bytes())?;
    let file = file.display().to_string();
    let mut arguments = vec!["commit-tree", tree, "-F", &file];
    arguments.extend(parent.iter().flat_map(|parent| ["-p", parent]));
    if sign.unwrap_or_else(|| acting.is_set("commit.gpgSign")) {
        arguments.push("-S");
    }
    let said = acting.must_change(doing, asking, &arguments)?;
    id(String::from_utf8_lossy(&said).trim().to_owned(), doing)
}

/// Makes the person's index agree with the head where our paths are concerned.
fn mend(acting: &Acting<'_>, paths: &[String], told: &mut Vec<String>) {
    if paths.is_empty() {
        return;
    }
    let tidying = acting.quiet.within(TIDYING);
    let names = || paths.iter().map(String::as_str);
    let compare: Vec<&str> = ["diff-index", "--cached", "--quiet", "HEAD", "--"].into_iter().chain(names()).collect();
    if tidying.run(&compare).is_ok() {
        return;
    }
    let reset: Vec<&str> = ["reset", "-q", "--"].into_iter().chain(names()).collect();
    if let Err(why) = acting.change_when_free(&tidying, &reset) {
        told.push(format!(
            "the index still has our files as they were before, which the next publish puts right: {why}"
        ));
    }
}

/// Those of some files that the index has as they were, so that nothing of the person's is lost by bringing it along.
fn unstaged(acting: &Acting<'_>, parent: Option<&str>, rows: &[&Row]) -> Vec<String> {
    let Some(parent) = parent else { return Vec::new() };
    let same = |row: &&&Row| acting.is_true(&["diff-index", "--cached", "--quiet", parent, "--", &row.path]);
    rows.iter().filter(same).map(|row| row.path.clone()).collect()
}

pub(super) fn files_of(rows: &[Row]) -> Vec<PublishedFile> {
    rows.iter().map(|row| PublishedFile { path: row.path.clone(), change: row.letter.into() }).collect()
}

/// Says what may have taken so long.
fn with_reasons(acting: &Acting<'_>, publishing: &Publishing, error: PublishError) -> PublishError {
    let PublishError::TookTooLong { doing, limit, said, .. } = error else { return error };
    let mut reasons = Vec::new();
    if publishing.hooks {
        let tidying = acting.quiet.within(TIDYING);
        // Here the setting that switches hooks off would be the answer.
        let mut plain = tidying.clone();
        plain.guards.clone_from(&acting.plain.guards);
        let dir = line(&plain, "find the hooks", &["rev-parse", "--git-path", "hooks"]).unwrap_or_default();
        let dir = acting.git.root.join(dir);
        let hooks = ["pre-commit", "prepare-commit-msg", "commit-msg", "post-commit"];
        reasons.extend(hooks.iter().filter(|hook| is_hook(&dir.join(hook))).map(|hook| format!("hook `{hook}`")));
    }
    let signs = publishing.sign.unwrap_or_else(|| {
        let asking = acting.quiet.within(TIDYING);
        asking.run(&["config", "--type=bool", "--get", "commit.gpgSign"]).is_ok_and(|said| said.trim_ascii() == b"true")
    });
    reasons.extend(signs.then(|| "signing, if it waits for a passphrase".to_owned()));
    let perhaps = if reasons.is_empty() { String::new() } else { format!(" (perhaps {})", reasons.join(" or ")) };
    PublishError::TookTooLong { doing, limit, perhaps, said }
}

fn is_hook(path: &Path) -> bool {
    path.is_file()
}
