//! The steps a change is made of: each can be done, and undone, any number of times.

use std::io;

use serde::{Deserialize, Serialize};

use crate::layout::TMP;
use crate::limits::max_bytes_at;
use crate::root::{Root, join, split};

/// One step of a change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Step {
    /// Brings a file from one content to another; `None` is no file
    Put { path: String, before: Option<String>, after: String },
    /// Makes a directory with one file in it
    NewDir { path: String, name: String, text: String },
    /// Renames a directory
    MoveDir { from: String, to: String },
    /// Removes a file
    Remove { path: String, before: String },
    /// Removes a directory that holds one file and nothing else
    RemoveDir { path: String, name: String, text: String },
}

/// How a step found things.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    Done,
    /// Someone else changed the place meanwhile; their version was kept
    Foreign,
    /// Something else has the name already
    Taken,
}

impl Step {
    /// The file or directory the step is about.
    pub(crate) fn path(&self) -> &str {
        match self {
            Step::Put { path, .. }
            | Step::NewDir { path, .. }
            | Step::Remove { path, .. }
            | Step::RemoveDir { path, .. } => path,
            Step::MoveDir { to, .. } => to,
        }
    }

    /// What it does, for people.
    pub(crate) fn in_words(&self) -> String {
        match self {
            Step::Put { path, before: None, .. } | Step::NewDir { path, .. } => format!("make {path}"),
            Step::Put { path, .. } => format!("write {path}"),
            Step::MoveDir { from, to } => format!("move {from} to {to}"),
            Step::Remove { path, .. } | Step::RemoveDir { path, .. } => format!("remove {path}"),
        }
    }

    /// The step that takes this one back.
    pub(crate) fn inverse(&self) -> Step {
        match self.clone() {
            Step::Put { path, before: None, after } => Step::Remove { path, before: after },
            Step::Put { path, before: Some(before), after } => Step::Put { path, before: Some(after), after: before },
            Step::NewDir { path, name, text } => Step::RemoveDir { path, name, text },
            Step::MoveDir { from, to } => Step::MoveDir { from: to, to: from },
            Step::Remove { path, before } => Step::Put { path, before: None, after: before },
            Step::RemoveDir { path, name, text } => Step::NewDir { path, name, text },
        }
    }

    /// The names the step gives, takes or fills. Where two steps of one change share none of them, either is found done
    /// after the other.
    pub(crate) fn names(&self) -> Vec<String> {
        match self {
            Step::Put { path, .. } | Step::Remove { path, .. } => vec![path.clone()],
            Step::NewDir { path, name, .. } | Step::RemoveDir { path, name, .. } => {
                vec![path.clone(), join(path, name)]
            }
            Step::MoveDir { from, to } => vec![from.clone(), to.clone()],
        }
    }

    /// The directories whose entries the step changes.
    fn touched(&self) -> Vec<&str> {
        match self {
            Step::Put { path, .. }
            | Step::Remove { path, .. }
            | Step::NewDir { path, .. }
            | Step::RemoveDir { path, .. } => vec![split(path).0],
            // The new place first: a cut between the two must not show the task in neither.
            Step::MoveDir { from, to } if split(from).0 == split(to).0 => vec![split(to).0],
            Step::MoveDir { from, to } => vec![split(to).0, split(from).0],
        }
    }

    /// Does the step, unless it is done already; it is on disk before this returns.
    pub(crate) fn apply(&self, root: &Root) -> io::Result<Outcome> {
        match self {
            Step::Put { path, before, after } => {
                let present = read(root, path)?;
                if present.as_deref() == Some(after) {
                    return self.sync_done(root);
                }
                if present != *before {
                    return Ok(Outcome::Foreign);
                }
                put(root, path, after)?;
            }
            Step::NewDir { path, name, text } => {
                if root.exists(path) {
                    let same = read(root, &join(path, name))?.as_deref() == Some(text);
                    return if same { self.sync_done(root) } else { Ok(Outcome::Taken) };
                }
                // In the directory of a task that moved on, it moved along; another is never made there.
                let above = split(path).0;
                if above.contains('/') && !root.exists(above) {
                    return Ok(Outcome::Foreign);
                }
                new_dir(root, path, name, text)?;
            }
            Step::MoveDir { from, to } => match (root.exists(from), root.exists(to)) {
                (true, false) => root.rename_to_free(from, to)?,
                (false, true) => return self.sync_done(root),
                (true, true) => return Ok(Outcome::Taken),
                (false, false) => return Ok(Outcome::Foreign),
            },
            Step::Remove { path, before } => match read(root, path)? {
                None => return Ok(Outcome::Done),
                Some(present) if present == *before => root.remove_file(path)?,
                Some(_) => return Ok(Outcome::Foreign),
            },
            Step::RemoveDir { path, name, text } => {
                if !root.exists(path) {
                    return self.sync_done(root);
                }
                let is_ours = read(root, &join(path, name))?.as_deref() == Some(text);
                if !is_ours || root.dir(path)?.list()?.len() != 1 {
                    return Ok(Outcome::Foreign);
                }
                // Renamed away whole: a reader must see the directory with its file, or neither.
                root.dir_made(TMP)?;
                let gone = join(TMP, &tmp_name());
                root.rename_to_free(path, &gone)?;
                let synced = root.sync_dir(split(path).0);
                // What stays behind there is swept by whoever takes the lock next.
                let _ = root.remove_tree(&gone);
                synced?;
                return Ok(Outcome::Done);
            }
        }
        for dir in self.touched() {
            root.sync_dir(dir)?;
        }
        Ok(Outcome::Done)
    }

    /// A step found done may have been done a moment before a crash, and not be on disk yet.
    fn sync_done(&self, root: &Root) -> io::Result<Outcome> {
        for dir in self.touched() {
            match root.sync_dir(dir) {
                // What it was done in has moved on.
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                result => result?,
            }
        }
        Ok(Outcome::Done)
    }

    /// Takes the step back, unless it is not done or someone else changed the place since.
    pub(crate) fn undo(&self, root: &Root) -> io::Result<Outcome> {
        // What was never made is not there to be taken away, whatever stands in its place.
        if let Step::NewDir { path, name, text } = self
            && !matches!(read(root, &join(path, name)), Ok(Some(present)) if present == *text)
        {
            return Ok(Outcome::Done);
        }
        self.inverse().apply(root)
    }
}

/// The text of a file, up to the size it may have at this place.
fn read(root: &Root, path: &str) -> io::Result<Option<String>> {
    root.read_text_within(path, max_bytes_at(path))
}

/// Writes a file beside, syncs it and renames it into place. Every record is written here or in [`new_dir`].
pub(crate) fn put(root: &Root, path: &str, text: &str) -> io::Result<()> {
    let (dir, name) = split(path);
    let target = root.dir_made(dir)?;
    let staging = root.dir_made(TMP)?;
    let staged = tmp_name();
    let result = staging
        .create_synced(&staged, text.as_bytes())
        // Rename, not copy: a reader must see the old file or the new one, never half of each.
        .and_then(|()| staging.replace(&staged, &target, name));
    if result.is_err() {
        let _ = staging.remove_file(&staged);
    }
    result
}

/// Prepares a directory with its file beside, and renames the whole into place.
fn new_dir(root: &Root, path: &str, name: &str, text: &str) -> io::Result<()> {
    let (parent, dir_name) = split(path);
    let target = root.dir_made(parent)?;
    let staging = root.dir_made(TMP)?;
    let staged = tmp_name();
    let prepared = || {
        staging.make_dir(&staged)?;
        let inner = staging.open_dir(&staged)?;
        inner.create_synced(name, text.as_bytes())?;
        inner.sync()?;
        staging.rename_to_free(&staged, &target, dir_name)
    };
    let result = prepared();
    if result.is_err() {
        let _ = crate::root::remove_tree_in(&staging, &staged);
    }
    result
}

/// A name that no other process uses at this moment. Only the holder of the lock writes here.
pub(crate) fn tmp_name() -> String {
    use std::sync::atomic::{AtomicU32, Ordering};
    static NEXT: AtomicU32 = AtomicU32::new(0);
    format!("{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed))
}
