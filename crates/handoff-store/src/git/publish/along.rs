//! Bringing the branch here along, after our commits were put on top of what others pushed.
//!
//! **Invariant:** the person's own commits, staged and unstaged changes stay. Where that cannot be had, the branch stays
//! as it is, and it is told.

use std::collections::HashSet;

use super::acting::Acting;
use super::commit::TIDYING;
use super::ours::{known_tips, remote_of, waiting};
use super::staging::differences;
use super::target::Target;
use super::words::{argument, words};

/// Goes on with what an earlier publish had begun: the files may have come along already, and the branch not.
pub(super) fn go_on(acting: &Acting<'_>, target: &mut Target, remote: Option<&str>) {
    let Some(branch) = target.branch.as_deref() else { return };
    let Ok(remote) = remote_of(&acting.quiet, branch, remote) else { return };
    // What stands in the way now may be out of it when this publish has put the index in order.
    bring(acting, target, branch, &remote, &mut Vec::new());
    target.tip = acting.commit(&target.name());
}

/// Moves the branch to where the remote's stands, if that has all that is here.
pub(super) fn bring(acting: &Acting<'_>, target: &Target, branch: &str, remote: &str, told: &mut Vec<String>) {
    let known = known_tips(&acting.quiet, remote, branch);
    let (Some(there), name) = (newest(acting, &known), target.name()) else { return };
    let Some(here) = acting.commit(&name) else { return };
    if acting.is_true(&["merge-base", "--is-ancestor", &there, &here]) {
        return;
    }
    let stays = |why: &str| {
        format!(
            "`{branch}` here stays as it is, although the remote's has more ({why}); `git pull --rebase {} {}` brings it \
             along",
            argument(remote),
            argument(branch)
        )
    };
    match waiting(&acting.quiet, &here, std::slice::from_ref(&there)) {
        Ok(waits) if waits.is_all_there => {}
        // Nothing of ours is involved: when to pull is for the person to decide.
        Ok(waits) if !waits.has_ours => return,
        Ok(_) => return told.push(stays("there are commits here that are not ours to move")),
        Err(failure) => return told.push(stays(&failure.to_string())),
    }
    if !has_changes_of(acting, &here, &there) {
        return told.push(stays("something that was committed here is not there"));
    }
    if let Err(why) = move_along(acting, target, &name, &here, &there) {
        told.push(stays(&words(why.as_bytes())));
    }
}

/// Whether every file that one commit changed was changed by the other, too. A commit of ours that the person added
/// something of theirs to is not to be lost.
fn has_changes_of(acting: &Acting<'_>, here: &str, there: &str) -> bool {
    let Ok(base) = acting.line("find where two branches part", &["merge-base", here, there]) else { return false };
    let changed = |tip: &str| differences(&acting.quiet, Some(&base), tip).ok();
    let (Some(ours), Some(theirs)) = (changed(here), changed(there)) else { return false };
    let theirs: HashSet<&str> = theirs.iter().map(|row| row.path.as_str()).collect();
    ours.iter().all(|row| theirs.contains(row.path.as_str()))
}

/// The one of two commits that comes after the other.
fn newest(acting: &Acting<'_>, known: &[String]) -> Option<String> {
    match known {
        [] => None,
        [only] => Some(only.clone()),
        [one, other, ..] => {
            let is_older = acting.is_true(&["merge-base", "--is-ancestor", one, other]);
            Some(if is_older { other.clone() } else { one.clone() })
        }
    }
}

fn move_along(acting: &Acting<'_>, target: &Target, name: &str, here: &str, there: &str) -> Result<(), String> {
    let tidying = acting.quiet.within(TIDYING);
    let move_branch = ["update-ref", "-m", "handoff: onto what others pushed", name, there, here];
    if !target.is_here {
        target.check(acting).map_err(|error| error.to_string())?;
        return acting.change_when_free(&tidying, &move_branch);
    }
    if acting.without_filters {
        return Err("the repository has filters of its own, which are not run".to_owned());
    }
    // Times that changed without the content would count as changes.
    let _ = acting.change(&tidying, &["update-index", "-q", "--refresh"]);
    acting.change_when_free(&tidying, &["read-tree", "-m", "-u", here, there])?;
    acting.change_when_free(&tidying, &move_branch).inspect_err(|_| {
        let _ = acting.change_when_free(&tidying, &["read-tree", "-m", "-u", there, here]);
    })
}
