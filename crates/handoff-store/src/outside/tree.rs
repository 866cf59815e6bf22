//! A directory of files for other programs, below a directory that it never leaves.
//!
//! **Invariant:** no link is followed, whatever stands in place of a directory or a file. A file is seen whole or not at all,
//! keeps its mode, and is on disk before writing it returns.

use std::io;
use std::path::{Component, Path};

use super::{staged_prefix, sweep_in};
use crate::root::{Root, is_absent, join, split};
use crate::step::tmp_name;
use crate::sys::{Kind, not_a_file};

/// The largest file that is read.
const LARGEST: usize = 256 * 1024 * 1024;

/// An open tree. Paths are relative to it, with `/` between names.
#[derive(Debug)]
pub struct OutsideTree {
    root: Root,
    /// Where it lies below what it never leaves; it need not be there yet
    dir: String,
}

/// The names in a directory, sorted; links and the like are none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Listing {
    pub files: Vec<String>,
    pub directories: Vec<String>,
}

impl OutsideTree {
    /// Opens the tree `dir`, which is `inside` or below it.
    pub fn open(inside: &Path, dir: &Path) -> io::Result<OutsideTree> {
        let real = inside.canonicalize()?;
        let below = dir.strip_prefix(inside).or_else(|_| dir.strip_prefix(&real)).map_err(|_| is_outside())?;
        let mut names = Vec::new();
        for part in below.components() {
            match part {
                Component::CurDir => {}
                Component::Normal(name) => names.push(name.to_str().ok_or_else(is_outside)?),
                Component::ParentDir | Component::RootDir | Component::Prefix(_) => return Err(is_outside()),
            }
        }
        let root = Root::open(&real).map_err(io::Error::other)?;
        Ok(OutsideTree { root, dir: names.join("/") })
    }

    /// The bytes of a file; `None` where there is none.
    pub fn read(&self, path: &str) -> io::Result<Option<Vec<u8>>> {
        let path = self.path(path);
        self.root.read_up_to(&path, LARGEST).map_err(|error| self.without_link(&path, error))
    }

    /// What is in a directory; nothing where there is none.
    pub fn list(&self, path: &str) -> io::Result<Listing> {
        let path = self.path(path);
        let listed = match self.root.dir(&path).and_then(|dir| dir.list()) {
            Ok(listed) => listed,
            Err(error) if is_absent(&error) => return Ok(Listing::default()),
            Err(error) => return Err(self.without_link(&path, error)),
        };
        let named = |kind: Kind| {
            let wanted = listed.iter().filter(|entry| entry.kind == kind);
            let mut names: Vec<String> = wanted.map(|entry| entry.name.clone()).collect();
            names.sort_unstable();
            names
        };
        Ok(Listing { files: named(Kind::File), directories: named(Kind::Directory) })
    }

    /// Writes a file whole, in place of one that may be there. Directories that are missing are made.
    pub fn replace(&self, path: &str, bytes: &[u8]) -> io::Result<()> {
        let path = self.path(path);
        self.put(&path, bytes).map_err(|error| self.without_link(&path, error))
    }

    fn put(&self, path: &str, bytes: &[u8]) -> io::Result<()> {
        let (above, name) = split(path);
        let dir = if above.is_empty() { self.root.dir("")? } else { self.root.dir_made(above)? };
        let access = match dir.kind(name)? {
            None => None,
            Some(Kind::File) => dir.access(name)?,
            Some(kind) => return Err(not_a_file(kind)),
        };
        if access.is_some_and(|access| access.mode & 0o200 == 0) {
            return Err(io::Error::new(io::ErrorKind::PermissionDenied, "it is read-only"));
        }
        sweep_in(&dir, name);
        let staged = format!("{}{}", staged_prefix(name), tmp_name());
        let kept = |mode| if mode == NEW_MODE { Ok(()) } else { dir.set_access(&staged, mode) };
        let result = dir
            .create_synced(&staged, bytes)
            .and_then(|()| access.map_or(Ok(()), |access| kept(access.mode)))
            .and_then(|()| dir.replace(&staged, &dir, name));
        if result.is_err() {
            let _ = dir.remove_file(&staged);
        }
        result?;
        dir.sync()
    }

    /// Removes a file; one that is not there is fine.
    pub fn remove(&self, path: &str) -> io::Result<()> {
        let path = self.path(path);
        let (above, name) = split(&path);
        let removed = self.root.dir(above).and_then(|dir| {
            dir.remove_file(name)?;
            dir.sync()
        });
        match removed {
            Err(error) if is_absent(&error) => Ok(()),
            removed => removed.map_err(|error| self.without_link(&path, error)),
        }
    }

    /// Removes a directory if nothing is in it.
    pub fn remove_if_empty(&self, path: &str) {
        let path = self.path(path);
        let (above, name) = split(&path);
        if let Ok(dir) = self.root.dir(above) {
            let _ = dir.remove_empty_dir(name);
        }
    }

    fn path(&self, path: &str) -> String {
        if path.is_empty() { self.dir.clone() } else { join(&self.dir, path) }
    }

    /// The error, or that a part of the path is a link, where it is for that.
    fn without_link(&self, path: &str, error: io::Error) -> io::Error {
        let ends = path.match_indices('/').map(|(end, _)| end).chain([path.len()]);
        let mut parts = ends.map(|end| &path[..end]);
        match parts.find(|part| matches!(self.root.kind(part), Ok(Some(Kind::Link)))) {
            Some(link) => io::Error::new(
                io::ErrorKind::InvalidInput,
                format!("`{link}` is a symbolic link, and none is followed"),
            ),
            None => error,
        }
    }
}

/// The mode of files that are new.
const NEW_MODE: u32 = 0o644;

fn is_outside() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, "it lies outside the directory that it must stay in")
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_tree_never_leaves_its_place() {
        let dir = tempfile::tempdir().unwrap();
        let project = dir.path().join("project");
        fs::create_dir(&project).unwrap();
        for outside in ["", "other", "project/../other", "project/a/../../other"] {
            assert!(OutsideTree::open(&project, &dir.path().join(outside)).is_err(), "{outside}");
        }
        let tree = OutsideTree::open(&project, &project.join("./memory/deep")).unwrap();
        assert!(tree.replace("../../x", b"x").is_err() && tree.read("../x").is_err());
        tree.replace("a/b.md", b"one").unwrap();
        tree.replace("a/b.md", b"two").unwrap();
        assert_eq!(fs::read(project.join("memory/deep/a/b.md")).unwrap(), b"two");
        assert_eq!(tree.list("a").unwrap().files, ["b.md"], "nothing is left beside it");
        tree.remove("a/b.md").unwrap();
        tree.remove("a/b.md").unwrap();
        tree.remove_if_empty("a");
        assert_eq!(tree.list("").unwrap(), Listing::default());
    }

    #[cfg(unix)]
    #[test]
    fn links_are_named_and_not_followed() {
        let dir = tempfile::tempdir().unwrap();
        let (project, other) = (dir.path().join("project"), dir.path().join("other"));
        fs::create_dir_all(project.join("memory")).unwrap();
        fs::create_dir(&other).unwrap();
        let tree = OutsideTree::open(&project, &project.join("memory")).unwrap();
        std::os::unix::fs::symlink(&other, project.join("memory/layer1")).unwrap();
        let refused = tree.replace("layer1/x.md", b"x").unwrap_err().to_string();
        assert_eq!(refused, "`memory/layer1` is a symbolic link, and none is followed");
        assert!(tree.list("layer1").is_err() && tree.read("layer1/x.md").is_err());
        std::os::unix::fs::symlink(other.join("x.md"), project.join("memory/x.md")).unwrap();
        assert!(tree.replace("x.md", b"x").is_err() && tree.read("x.md").is_err());
        assert_eq!(fs::read_dir(&other).unwrap().count(), 0);
        fs::create_dir(project.join("memory/y.md")).unwrap();
        assert!(tree.replace("y.md", b"x").unwrap_err().to_string().contains("a directory stands"));
    }

    #[cfg(unix)]
    #[test]
    fn a_mode_is_kept_and_a_read_only_file_is_left_alone() {
        use std::os::unix::fs::PermissionsExt as _;
        let dir = tempfile::tempdir().unwrap();
        let tree = OutsideTree::open(dir.path(), dir.path()).unwrap();
        tree.replace("x.md", b"one").unwrap();
        let path = dir.path().join("x.md");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
        tree.replace("x.md", b"two").unwrap();
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        fs::set_permissions(&path, fs::Permissions::from_mode(0o444)).unwrap();
        assert_eq!(tree.replace("x.md", b"three").unwrap_err().to_string(), "it is read-only");
        assert_eq!(fs::read(&path).unwrap(), b"two");
    }
}
