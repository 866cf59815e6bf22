//! Directories that a power failure left in both places of a move.
//!
//! A rename changes two directories, and a file system may keep the new name without having taken away the old one. Only
//! what a journal or the log says was moved is looked at, and only a copy that is equal to the byte is taken away.

use std::io;

use crate::layout::{TASK_FILE, TMP};
use crate::root::{Root, join, remove_tree_in, split};
use crate::step::tmp_name;
use crate::sys::{Handle, Kind};

/// Takes the directory at the old place of a move away when an equal one is at the new place. Tells whether it did.
pub(crate) fn finish_move(root: &Root, from: &str, to: &str) -> io::Result<bool> {
    let is_task = |dir: &str| root.exists(&join(dir, TASK_FILE));
    if !is_task(from) || !is_task(to) || !is_same_tree(&root.dir(from)?, &root.dir(to)?)? {
        return Ok(false);
    }
    root.sync_dir(split(to).0)?;
    // Renamed away whole first: nobody may find half of it at its old place.
    let staging = root.dir_made(TMP)?;
    let gone = tmp_name();
    root.rename_to_free(from, &join(TMP, &gone))?;
    root.sync_dir(split(from).0)?;
    let _ = remove_tree_in(&staging, &gone);
    Ok(true)
}

/// Whether two directories hold the same files with the same bytes, and are not one directory under two names.
fn is_same_tree(one: &Handle, other: &Handle) -> io::Result<bool> {
    let is_one = |(one, other): ((u64, u64), (u64, u64))| one == other;
    // What would be taken away would be the only copy there is.
    if one.identity().zip(other.identity()).is_none_or(is_one) {
        return Ok(false);
    }
    let names = |dir: &Handle| -> io::Result<Vec<(String, Kind)>> {
        let mut names: Vec<(String, Kind)> = dir.list()?.into_iter().map(|entry| (entry.name, entry.kind)).collect();
        names.sort_unstable_by(|one, other| one.0.cmp(&other.0));
        Ok(names)
    };
    let entries = names(one)?;
    if entries != names(other)? {
        return Ok(false);
    }
    for (name, kind) in entries {
        let is_same = match kind {
            Kind::Directory => is_same_tree(&one.open_dir(&name)?, &other.open_dir(&name)?)?,
            Kind::File => one.read(&name, usize::MAX / 2)? == other.read(&name, usize::MAX / 2)?,
            Kind::Link | Kind::Other => false,
        };
        if !is_same {
            return Ok(false);
        }
    }
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::step::put;

    fn scratch() -> (tempfile::TempDir, Root) {
        let place = tempfile::tempdir().unwrap();
        let root = Root::open(place.path()).unwrap();
        for dir in ["tasks/a", "tasks/b/a"] {
            root.make_dirs(dir).unwrap();
            put(&root, &join(dir, TASK_FILE), "id = 1").unwrap();
            put(&root, &join(dir, "sub/task.toml"), "id = 2").unwrap();
        }
        (place, root)
    }

    #[test]
    fn what_is_equal_at_both_places_stays_at_the_new_one() {
        let (_place, root) = scratch();
        assert!(finish_move(&root, "tasks/a", "tasks/b/a").unwrap());
        assert!(!root.exists("tasks/a") && root.exists("tasks/b/a/sub/task.toml"));
        assert!(!finish_move(&root, "tasks/a", "tasks/b/a").unwrap());
    }

    #[test]
    fn what_differs_anywhere_stays_at_both_places() {
        let (_place, root) = scratch();
        put(&root, "tasks/a/sub/task.toml", "id = 3").unwrap();
        assert!(!finish_move(&root, "tasks/a", "tasks/b/a").unwrap());
        put(&root, "tasks/a/sub/task.toml", "id = 2").unwrap();
        put(&root, "tasks/a/notes.md", "by hand").unwrap();
        assert!(!finish_move(&root, "tasks/a", "tasks/b/a").unwrap());
        assert!(root.exists("tasks/a/notes.md") && root.exists("tasks/b/a/task.toml"));
    }
}
