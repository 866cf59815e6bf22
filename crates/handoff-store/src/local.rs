//! Ownership of `local/`, the part of a store that belongs to one user on one machine.
//!
//! **Invariant:** nothing in `local/` is used unless this user made it, on this machine, for this directory. What came
//! with a clone, an archive or a copy is set aside whole before any of it is read, or ignored where nothing can be
//! written. The rest of the store is data that anybody may bring along; `local/` says what is to be done with it.

use std::io;
use std::path::{Path, PathBuf};

use crate::layout::LOCAL;
use crate::place::{DIRECTORY, Registry};
use crate::root::is_absent;
use crate::sys::{DirectoryFacts, Handle, Kind};

mod set_aside;
mod stamp;

pub use set_aside::{LocalContent, SetAside, SetAsideOrigin};
pub(crate) use stamp::LocalIdentity;
use stamp::{current_user, path_hash};

/// Treatment of a `local/` that was not made here.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ForeignLocal {
    /// Move it aside and begin a new one.
    #[default]
    SetAside,
    /// Leave it where it is and act as if it were missing, for those who only look into somebody's project.
    Ignore,
}

/// Circumstances that decide whose a `local/` is.
#[derive(Clone, Debug, Default)]
pub struct LocalRules {
    /// The user's own directory, with the registry of known projects
    pub user_dir: Option<PathBuf>,
    pub foreign: ForeignLocal,
}

/// Relation of an opened store to its `local/`.
#[derive(Clone, Debug)]
pub(crate) enum LocalAccess {
    /// Not looked at: a directory that is no project, such as the user's own store
    Unguarded,
    /// Made here, or missing
    Own(LocalRules),
    /// Not made here and still in its place, for this reason
    Ignored(String),
}

/// Result of checking who made a `local/`.
#[derive(Debug)]
enum Verdict {
    Missing,
    Own { unreported: Vec<String> },
    Foreign,
}

impl LocalAccess {
    /// Decides whose the `local/` of a store is, before anything in it is read. One that was not made here is set
    /// aside, or ignored where that is asked for or cannot be done.
    pub(crate) fn of(store: &Handle, path: &Path, rules: &LocalRules) -> (LocalAccess, Vec<String>) {
        if path.file_name().is_none_or(|name| name != DIRECTORY) {
            return (LocalAccess::Unguarded, Vec::new());
        }
        let own = || LocalAccess::Own(rules.clone());
        let ignored = |error: io::Error| (LocalAccess::Ignored(error.to_string()), Vec::new());
        let verdict = match judge(store, path, rules) {
            Ok(verdict) => verdict,
            Err(error) => return ignored(error),
        };
        match verdict {
            Verdict::Own { unreported } => (own(), unreported),
            Verdict::Missing => {
                set_aside::complete(store, path, rules);
                (own(), Vec::new())
            }
            Verdict::Foreign if rules.foreign == ForeignLocal::Ignore => {
                let reason = "it was not made by this user on this machine for this directory";
                (LocalAccess::Ignored(reason.to_owned()), Vec::new())
            }
            Verdict::Foreign => match set_aside::set_aside(store, path, rules) {
                Ok(unreported) => (own(), unreported),
                Err(error) => ignored(error),
            },
        }
    }

    /// Error for a path that is not to be used, if it lies in a `local/` that is ignored.
    pub(crate) fn refuse(&self, path: &str) -> io::Result<()> {
        match self {
            LocalAccess::Ignored(_) if is_local(path) => Err(io::Error::from(io::ErrorKind::NotFound)),
            _ => Ok(()),
        }
    }

    /// Prepares for making a path in `local/`: a directory that is new gets its stamp before anything else is in it.
    pub(crate) fn prepare(&self, store: &Handle, path: &Path, wanted: &str) -> io::Result<()> {
        if !is_local(wanted) {
            return Ok(());
        }
        match self {
            LocalAccess::Unguarded => Ok(()),
            LocalAccess::Ignored(reason) => {
                let reason = format!("`{LOCAL}/` cannot be used: {reason}");
                Err(io::Error::new(io::ErrorKind::PermissionDenied, reason))
            }
            LocalAccess::Own(rules) => {
                if store.make_dir(LOCAL)? == crate::sys::Made::New {
                    let local = store.open_dir(LOCAL)?;
                    LocalIdentity::of(&local.facts()?, path, rules.user_dir.as_deref()).put_in(&local)?;
                    store.sync()?;
                }
                Ok(())
            }
        }
    }

    /// Identity of `local/`, where it is this user's and there.
    pub(crate) fn identity(&self, store: &Handle, path: &Path) -> io::Result<Option<LocalIdentity>> {
        let user_dir = match self {
            LocalAccess::Own(rules) => rules.user_dir.as_deref(),
            LocalAccess::Unguarded => None,
            LocalAccess::Ignored(_) => return Ok(None),
        };
        let local = match store.open_dir(LOCAL) {
            Err(error) if is_absent(&error) => return Ok(None),
            opened => opened?,
        };
        Ok(Some(LocalIdentity::of(&local.facts()?, path, user_dir)))
    }
}

/// Returns whether a path of the store lies in `local/`.
fn is_local(path: &str) -> bool {
    path.strip_prefix(LOCAL).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Finds out whose the `local/` of a store is.
fn judge(store: &Handle, path: &Path, rules: &LocalRules) -> io::Result<Verdict> {
    match store.kind(LOCAL)? {
        Some(Kind::Directory) => {}
        // Nothing is ever read through anything else, and the doctor knows how to put it out of the way.
        None | Some(Kind::File | Kind::Link | Kind::Other) => return Ok(Verdict::Missing),
    }
    let local = store.open_dir(LOCAL)?;
    judge_directory(store, &local, path, rules)
}

/// Finds out whose a directory is that was, or could be, the `local/` of a store.
fn judge_directory(store: &Handle, local: &Handle, path: &Path, rules: &LocalRules) -> io::Result<Verdict> {
    let facts = local.facts()?;
    let identity = LocalIdentity::of(&facts, path, rules.user_dir.as_deref());
    let may_write = rules.foreign == ForeignLocal::SetAside;
    let is_owned = is_owned(&facts) || (may_write && shows_one_owner(store) == facts.owner);
    if !is_owned {
        return Ok(Verdict::Foreign);
    }
    let Some(stamp) = identity.stamp_in(local)? else {
        // A crash came between making the directory and its stamp; there is nothing in it to believe.
        if may_write && local.list()?.is_empty() {
            identity.put_in(local)?;
            return Ok(Verdict::Own { unreported: Vec::new() });
        }
        return Ok(Verdict::Foreign);
    };
    if !identity.is_at(&stamp) {
        // The same directory under another name: the project was moved. It may have been put together by a process of
        // this user that works for somebody else, so the place it came from must be known as a project of theirs.
        if !is_known(rules.user_dir.as_deref(), &stamp.path) {
            return Ok(Verdict::Foreign);
        }
        if may_write {
            let _ = identity.renew_in(local, &stamp.unreported);
        }
    }
    Ok(Verdict::Own { unreported: stamp.unreported })
}

/// Returns whether a directory belongs to the user this process acts as, as far as the platform tells.
fn is_owned(facts: &DirectoryFacts) -> bool {
    facts.owner == current_user()
}

/// The owner that a new directory gets, where the file system gives it to somebody else than the one who makes it:
/// some network and shared file systems show one owner for everything.
fn shows_one_owner(store: &Handle) -> Option<u32> {
    let name = format!(".owner-{}", crate::step::tmp_name());
    store.make_dir(&name).ok()?;
    let facts = store.open_dir(&name).and_then(|dir| dir.facts());
    let _ = store.remove_empty_dir(&name);
    facts.ok()?.owner.filter(|owner| Some(*owner) != current_user())
}

/// Returns whether the registry knows a project whose store has a path with this hash.
fn is_known(user_dir: Option<&Path>, hash: &str) -> bool {
    let known = user_dir.and_then(|dir| Registry::read(dir).ok()).unwrap_or_default();
    known.iter().any(|project| path_hash(&project.path.join(DIRECTORY)) == *hash)
}
