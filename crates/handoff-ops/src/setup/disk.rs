//! What can be seen of this machine.

use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};

use handoff_hosts::setup::Disk;
use handoff_store::read_outside;

/// The disk of this machine.
#[derive(Debug, Clone)]
pub(crate) struct RealDisk {
    path: Vec<PathBuf>,
}

impl RealDisk {
    /// `path` is the variable `PATH`.
    pub(crate) fn new(path: &(impl AsRef<OsStr> + ?Sized)) -> RealDisk {
        RealDisk { path: std::env::split_paths(path.as_ref()).filter(|dir| dir.is_absolute()).collect() }
    }

    /// A program on the `PATH`.
    pub(crate) fn find(&self, name: &str) -> Option<PathBuf> {
        let endings: &[&str] = if cfg!(windows) { &[".exe", ".cmd", ".bat"] } else { &[""] };
        let candidates =
            self.path.iter().flat_map(|dir| endings.iter().map(move |end| dir.join(format!("{name}{end}"))));
        candidates.into_iter().find(|path| is_program(path))
    }

    /// The places on the `PATH` in which a program of that name is.
    pub(super) fn all<'a>(&'a self, name: &'a OsStr) -> impl Iterator<Item = PathBuf> + 'a {
        self.path.iter().map(move |dir| dir.join(name)).filter(|path| is_program(path))
    }
}

/// Whether a file can be started.
#[cfg(unix)]
pub(crate) fn is_program(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    path.metadata().is_ok_and(|metadata| metadata.is_file() && metadata.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
pub(crate) fn is_program(path: &Path) -> bool {
    path.is_file()
}

impl Disk for RealDisk {
    fn read(&self, path: &Path) -> io::Result<Option<Vec<u8>>> {
        read_outside(path)
    }

    fn real(&self, path: &Path) -> PathBuf {
        real(path)
    }

    fn is_file(&self, path: &Path) -> bool {
        path.is_file()
    }

    fn is_directory(&self, path: &Path) -> bool {
        path.is_dir()
    }

    fn program(&self, name: &str) -> Option<PathBuf> {
        self.find(name)
    }
}

/// Where a path leads to through links, whether or not all of it is there.
pub(super) fn real(path: &Path) -> PathBuf {
    real_within(path, MOST_LINKS)
}

/// As many links as a system follows, too.
const MOST_LINKS: usize = 40;

fn real_within(path: &Path, links: usize) -> PathBuf {
    if let Ok(real) = path.canonicalize() {
        return real;
    }
    // A link to a file that is not there yet: what it leads to is what will be made.
    if let Ok(target) = path.read_link()
        && links > 0
    {
        let target = path.parent().map_or(target.clone(), |dir| dir.join(&target));
        return real_within(&target, links - 1);
    }
    match (path.parent(), path.file_name()) {
        (Some(parent), Some(name)) => real_within(parent, links).join(name),
        _ => path.to_owned(),
    }
}
