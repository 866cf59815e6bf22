//! A detached head: what is committed there is on no branch, and lost to whoever checks one out.
//!
//! **Invariant:** where a push is wanted, nothing is committed there. The files stay changes of the work tree, and go with
//! the person to the branch that they check out.

use super::super::run::Failure;
use super::acting::Acting;
use super::error::PublishError;
use super::ours::{self, Logged, PUBLISHED};
use super::paths::Wanted;
use super::target::Target;
use super::{Publishing, Pushed, commit, staging};

/// Why files stay as they are.
pub(super) const HELD: &str = "the head is detached, so there is no branch to push to, and nothing was committed: check a \
                               branch out, or name one, and publish again";

/// Why a commit stays where it is.
pub(super) const NO_BRANCH: &str =
    "the head is detached, so there is no branch to push to: check one out, or name one, and publish again";

/// What a publish with a push comes to where there is no branch.
pub(super) fn hold(
    acting: &Acting<'_>,
    target: &Target,
    wanted: &Wanted,
    publishing: &Publishing,
) -> Result<(commit::Made, Pushed), PublishError> {
    let fail = |failure: Failure| PublishError::asking("read the history", &failure);
    let mut made = commit::Made::default();
    if let Some(logged) = ours::of_run(&acting.quiet, target.tip.as_deref(), &publishing.run).map_err(fail)? {
        made = commit::Made::old(acting, logged)?;
    } else {
        let staged = staging::stage(acting, target, wanted, publishing.force_ignored)?;
        made.left_out = staged.left_out;
        if !staged.rows.is_empty() {
            return Ok((made, Pushed::waiting(HELD)));
        }
    }
    made.told.extend(adrift(acting, target));
    let own = format!("--glob={PUBLISHED}");
    if ours_beyond(acting, target, &["--remotes", &own]).is_some() {
        return Ok((made, Pushed::waiting(NO_BRANCH)));
    }
    made.told.push("there is nothing to push, and no branch to push to: the head is detached".to_owned());
    Ok((made, Pushed::NothingWaits))
}

/// What there is to tell of a commit that only the head has.
pub(super) fn adrift(acting: &Acting<'_>, target: &Target) -> Option<String> {
    if target.branch.is_some() {
        return None;
    }
    let logged = ours_beyond(acting, target, &["--branches", "--remotes", "--tags"])?;
    let commit = logged.commit.get(..10)?;
    Some(format!("the head is detached and {commit} is on no branch: only `git branch NAME {commit}` keeps it"))
}

/// The newest commit of ours below the head that these names do not have.
fn ours_beyond(acting: &Acting<'_>, target: &Target, names: &[&str]) -> Option<Logged> {
    let range: Vec<&str> = [target.tip.as_deref()?, "--not"].into_iter().chain(names.iter().copied()).collect();
    ours::log(&acting.quiet, &range).ok()?.into_iter().find(|logged| logged.run.is_some())
}
