//! Moving a `local/` out of the way, and taking it back.
//!
//! A directory that is set aside lies in `local/set-aside/<number>` of the one that took its place, where git ignores
//! it. The new `local/` is prepared beside the old one, so a crash in between leaves one of them whole under a name
//! that the next command recognises.

use std::fs::File;
use std::io;
use std::path::Path;
use std::time::Duration;

use super::stamp::LocalIdentity;
use super::{LocalAccess, LocalRules, Verdict, judge, judge_directory};
use crate::commit;
use crate::error::{Result, StoreError};
use crate::layout::{
    AGENTS, BACKUP, CHECKPOINT, LOCAL, LOG, QUEUE, SET_ASIDE, STATE, STEPS, TIMERS, TRASH, TRASHED_SESSIONS,
};
use crate::lock::{Waited, wait_for};
use crate::pause;
use crate::root::{Root, is_absent, join};
use crate::seal::resealed;
use crate::stop::Stop;
use crate::store::Store;
use crate::sys::{Handle, Kind};

/// Beginning of the name under which a new `local/` is prepared.
const STAGED: &str = ".local-new-";
/// Name of the directory, inside a `local/`, that holds those that were set aside.
const ASIDE: &str = "set-aside";
/// Time to wait for a process that uses what is to be set aside. It may belong to another user, or to a container.
const IN_USE_TIMEOUT: Duration = Duration::from_secs(2);
/// More than a handover that is written down ever holds.
const MAX_SEALED_BYTES: usize = 96 * 1024 * 1024;
/// Names listed of each kind of file.
const MAX_LISTED: usize = 5;
/// Kinds of machine-local state: where they lie, and what one of them is called.
const KINDS: &[(&str, &str)] = &[
    (LOG, "part of the log of changes"),
    (CHECKPOINT, "handover, as far as it had come"),
    (QUEUE, "handover that waits to be run"),
    (STEPS, "note on a command of a handover"),
    (TIMERS, "timer"),
    (TRASH, "deleted task"),
    (TRASHED_SESSIONS, "expired package or record"),
    (AGENTS, "file about a conversation with an agent"),
    (BACKUP, "backup made by `doctor --fix`"),
];

/// Where a directory that was set aside comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SetAsideOrigin {
    /// This user made it on this machine, for another directory
    Copy,
    /// Somebody else, another machine, or a version of handoff that left no stamp
    Unknown,
}

/// A `local/` that was set aside.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SetAside {
    /// Its name in `local/set-aside/`, a number
    pub name: String,
    pub origin: SetAsideOrigin,
    pub content: Vec<LocalContent>,
}

/// Files of one kind in a `local/`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LocalContent {
    /// Path of the file or directory, below the `local/` that held it
    pub path: String,
    /// What one of them is called
    pub kind: &'static str,
    pub count: usize,
    /// The first few names
    pub names: Vec<String>,
}

impl SetAside {
    /// Path of the directory, below the store.
    pub fn path(&self) -> String {
        join(SET_ASIDE, &self.name)
    }
}

/// Sets the `local/` of a store aside and puts a new one in its place, or the one this user had before. Returns the
/// names of directories that were set aside and not reported yet.
pub(super) fn set_aside(store: &Handle, path: &Path, rules: &LocalRules) -> io::Result<Vec<String>> {
    if pause::refuse(path).is_err() {
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, "writing is paused"));
    }
    let _held = hold(store)?;
    // Another process may have been quicker.
    match judge(store, path, rules)? {
        Verdict::Foreign => {}
        Verdict::Own { unreported } => return Ok(unreported),
        Verdict::Missing => return Ok(Vec::new()),
    }
    let local = store.open_dir(LOCAL)?;
    let in_use = hold_local(&local)?;
    let staged = format!("{STAGED}{}", crate::step::tmp_name());
    let came_from = match own_among(store, &local, path, rules)? {
        Some(name) => {
            let aside = local.open_dir(ASIDE)?;
            aside.rename_to_free(&name, store, &staged)?;
            Some((aside, name))
        }
        None => {
            store.make_dir(&staged)?;
            None
        }
    };
    let prepared = store.open_dir(&staged)?;
    let identity = LocalIdentity::of(&prepared.facts()?, path, rules.user_dir.as_deref());
    identity.put_in(&prepared)?;
    if identity.recognises_copy(&local) {
        finish_change(path);
    }
    let name = exchange(store, &prepared, &staged, came_from)?;
    drop(in_use);
    let mut unreported = identity.stamp_in(&prepared)?.map(|stamp| stamp.unreported).unwrap_or_default();
    unreported.push(name);
    identity.renew_in(&prepared, &unreported)?;
    Ok(unreported)
}

/// Moves `local/` into a prepared directory, and that one into its place. Returns the name it has there. On failure the
/// prepared directory goes back to where it came from; one that was made for this is removed.
fn exchange(
    store: &Handle,
    prepared: &Handle,
    staged: &str,
    came_from: Option<(Handle, String)>,
) -> io::Result<String> {
    prepared.make_dir(ASIDE)?;
    let aside = prepared.open_dir(ASIDE)?;
    let taken = aside.list()?.iter().filter_map(|entry| entry.name.parse::<u32>().ok()).max().unwrap_or(0);
    let name = (taken + 1).to_string();
    aside.sync()?;
    prepared.sync()?;
    if let Err(error) = store.rename_to_free(LOCAL, &aside, &name) {
        // What cannot be put back stays under the staged name: state of the user is never removed.
        let _ = match came_from {
            Some((dir, name)) => store.rename_to_free(staged, &dir, &name),
            None => crate::root::remove_tree_in(store, staged),
        };
        return Err(error);
    }
    store.rename_to_free(staged, store, LOCAL)?;
    aside.sync()?;
    store.sync()?;
    Ok(name)
}

/// Puts a prepared `local/` in its place after a crash came before that. Only where there is none.
pub(super) fn complete(store: &Handle, path: &Path, rules: &LocalRules) {
    let listed = store.list().unwrap_or_default();
    for entry in listed.iter().filter(|entry| entry.kind == Kind::Directory && entry.name.starts_with(STAGED)) {
        let is_own = || {
            let staged = store.open_dir(&entry.name).ok()?;
            let verdict = judge_directory(store, &staged, path, rules).ok()?;
            matches!(verdict, Verdict::Own { .. }).then_some(())
        };
        if is_own().is_some() && store.rename_to_free(&entry.name, store, LOCAL).is_ok() {
            let _ = store.sync();
            return;
        }
    }
}

/// Holds the store's directory, so that one process at a time exchanges `local/`.
fn hold(store: &Handle) -> io::Result<Option<File>> {
    let Some(file) = store.to_lock()? else { return Ok(None) };
    wait_for_file(file).map(Some)
}

/// Holds the lock of changes in a `local/` that is to be moved: whoever has it works there.
fn hold_local(local: &Handle) -> io::Result<Option<File>> {
    let Some((_, state)) = STATE.split_once('/') else { return Ok(None) };
    // What is no file to lock, whatever was put in its place, is nobody's lock.
    match local.open_dir(state).and_then(|state| state.open_lock("lock")) {
        Ok(file) => wait_for_file(file).map(Some),
        Err(_) => Ok(None),
    }
}

fn wait_for_file(file: File) -> io::Result<File> {
    match wait_for(&file, IN_USE_TIMEOUT, &Stop::never(), || true) {
        Ok(Waited::Locked) => Ok(file),
        Ok(Waited::Failed(error)) => Err(error),
        Ok(Waited::Busy | Waited::Unneeded) | Err(_) => {
            Err(io::Error::new(io::ErrorKind::ResourceBusy, "another process is using it at this moment"))
        }
    }
}

/// The name of a directory in `local/set-aside/` that this user made here: two users, or a machine and a container,
/// take turns in one project, and each finds their own state again.
fn own_among(store: &Handle, local: &Handle, path: &Path, rules: &LocalRules) -> io::Result<Option<String>> {
    let aside = match local.open_dir(ASIDE) {
        Err(error) if is_absent(&error) => return Ok(None),
        opened => opened?,
    };
    let is_own = |name: &str| {
        let dir = aside.open_dir(name).ok()?;
        if dir.list().ok()?.is_empty() {
            return None;
        }
        matches!(judge_directory(store, &dir, path, rules).ok()?, Verdict::Own { .. }).then_some(())
    };
    let listed = aside.list()?;
    let own = listed.iter().find(|entry| entry.kind == Kind::Directory && is_own(&entry.name).is_some());
    Ok(own.map(|entry| entry.name.clone()))
}

/// Finishes a change of several records that was cut off before the project was copied, so that the copy is not left
/// with half of it. The journal names records of this store only, which whoever made the copy could change anyway.
fn finish_change(path: &Path) {
    // What cannot be finished stays in the directory that is set aside.
    let _ = Root::open(path).and_then(|root| if commit::is_pending(&root) { commit::recover(&root) } else { Ok(()) });
}

/// Makes a directory this user's own, whoever made it: a person has seen what is in it.
fn claim(local: &Handle, path: &Path, rules: &LocalRules) -> io::Result<()> {
    let identity = LocalIdentity::of(&local.facts()?, path, rules.user_dir.as_deref());
    identity.put_in(local)?;
    let below = |path: &'static str| path.strip_prefix(LOCAL).unwrap_or(path).trim_start_matches('/');
    let queue = local.descend(below(QUEUE)).and_then(|queue| queue.list()).unwrap_or_default();
    let queued = queue.into_iter().filter(|entry| entry.kind == Kind::File).map(|entry| join(QUEUE, &entry.name));
    // Handovers were sealed for the directory as it was before.
    for path in std::iter::once(CHECKPOINT.to_owned()).chain(queued) {
        let (above, name) = crate::root::split(&path);
        let above = above.strip_prefix(LOCAL).unwrap_or(above).trim_start_matches('/');
        let Ok(dir) = local.descend(above) else { continue };
        let Ok(bytes) = dir.read(name, MAX_SEALED_BYTES) else { continue };
        let Some(text) = resealed(&identity.secret(), &path, bytes) else { continue };
        let staged = format!(".{}", crate::step::tmp_name());
        dir.create_synced(&staged, text.as_bytes())?;
        dir.replace(&staged, &dir, name)?;
        dir.sync()?;
    }
    Ok(())
}

impl Store {
    /// Makes the `local/` of a store this user's own, where whoever calls this put it together themselves: a test that
    /// rebuilds the state of a disk somewhere else.
    pub fn claim_local(path: &Path, rules: &LocalRules) -> Result<()> {
        let claimed = Handle::open_root(path).and_then(|store| match store.open_dir(LOCAL) {
            Err(error) if is_absent(&error) => Ok(()),
            opened => claim(&opened?, path, rules),
        });
        claimed.map_err(|source| StoreError::write(LOCAL, source))
    }

    /// The directories that were set aside here, the oldest first, with what is in them.
    pub fn set_aside(&self) -> Result<Vec<SetAside>> {
        let fail = |source| StoreError::read(SET_ASIDE, source);
        let aside = match self.root.dir(SET_ASIDE) {
            Err(error) if is_absent(&error) => return Ok(Vec::new()),
            opened => opened.map_err(fail)?,
        };
        let listed = aside.list().map_err(fail)?;
        let mut names: Vec<&str> =
            listed.iter().filter(|entry| entry.kind == Kind::Directory).map(|entry| &*entry.name).collect();
        names.sort_by_key(|name| (name.parse::<u32>().unwrap_or(u32::MAX), *name));
        Ok(names.into_iter().filter_map(|name| self.look_aside(&aside, name)).collect())
    }

    /// The ones of them that nobody has been told of.
    pub fn unreported_set_aside(&self) -> Vec<SetAside> {
        let Ok(aside) = self.root.dir(SET_ASIDE) else { return Vec::new() };
        self.unreported.iter().filter_map(|name| self.look_aside(&aside, name)).collect()
    }

    /// Notes that everything that was set aside has been reported.
    pub fn mark_set_aside_reported(&mut self) {
        if std::mem::take(&mut self.unreported).is_empty() {
            return;
        }
        let local = self.root.dir(LOCAL);
        if let (Ok(local), Ok(Some(identity))) = (local, self.root.local_identity()) {
            let _ = identity.renew_in(&local, &[]);
        }
    }

    fn look_aside(&self, aside: &Handle, name: &str) -> Option<SetAside> {
        let dir = aside.open_dir(name).ok()?;
        let identity = self.root.local_identity().ok()??;
        let origin = if identity.recognises_copy(&dir) { SetAsideOrigin::Copy } else { SetAsideOrigin::Unknown };
        let content = KINDS.iter().filter_map(|(path, kind)| content_of(&dir, path, kind)).collect();
        Some(SetAside { name: name.to_owned(), origin, content })
    }

    /// Takes back a directory that was set aside: it becomes `local/` again, and what was `local/` until now is set
    /// aside in its place. Returns the name of that one. The lock must be held.
    pub fn restore_set_aside(&mut self, name: &str) -> Result<String> {
        assert!(self.is_locked(), "local state is exchanged under the lock");
        let path = join(SET_ASIDE, name);
        let fail = |source| StoreError::write(path.clone(), source);
        let LocalAccess::Own(rules) = self.root.local_access() else {
            return Err(fail(io::Error::from(io::ErrorKind::Unsupported)));
        };
        let rules = rules.clone();
        let store = self.root.handle();
        let _held = hold(store).map_err(fail)?;
        let staged = format!("{STAGED}{}", crate::step::tmp_name());
        let exchanged = || -> io::Result<String> {
            let aside = self.root.dir(SET_ASIDE)?;
            aside.rename_to_free(name, store, &staged)?;
            let prepared = store.open_dir(&staged)?;
            claim(&prepared, &self.root.path, &rules)?;
            exchange(store, &prepared, &staged, Some((aside, name.to_owned())))
        };
        exchanged().map_err(fail)
    }
}

/// Counts the files of one kind.
fn content_of(local: &Handle, path: &str, kind: &'static str) -> Option<LocalContent> {
    let below = path.strip_prefix(LOCAL)?.strip_prefix('/')?;
    let (above, name) = crate::root::split(below);
    let dir = local.descend(above).ok()?;
    let mut names: Vec<String> = match dir.kind(name).ok()?? {
        Kind::Directory => dir.open_dir(name).ok()?.list().ok()?.into_iter().map(|entry| entry.name).collect(),
        Kind::File => vec![name.to_owned()],
        Kind::Link | Kind::Other => return None,
    };
    names.sort_unstable();
    let count = names.len();
    names.truncate(MAX_LISTED);
    (count > 0).then(|| LocalContent { path: below.to_owned(), kind, count, names })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn state_that_cannot_take_its_place_goes_back_to_where_it_was() {
        let place = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(place.path().join("before/7/state/trash")).unwrap();
        let store = Handle::open_root(place.path()).unwrap();
        let before = store.open_dir("before").unwrap();
        before.rename_to_free("7", &store, ".local-new-1").unwrap();
        let prepared = store.open_dir(".local-new-1").unwrap();
        // There is no `local/` to move, so the first rename fails.
        exchange(&store, &prepared, ".local-new-1", Some((before, "7".to_owned()))).unwrap_err();
        assert!(place.path().join("before/7/state/trash").is_dir());
        assert!(!place.path().join(".local-new-1").exists());
    }
}
