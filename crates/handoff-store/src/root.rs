//! The store's directory, with paths relative to it.

use std::io;
use std::path::{Path, PathBuf};

use handoff_model::MAX_FILE_BYTES;

use crate::error::{Result, StoreError};
use crate::layout::TMP;
use crate::local::{LocalAccess, LocalIdentity, LocalRules};
use crate::seal::Secret;
use crate::sys::{Handle, Kind, Made};

/// An open store directory. Paths are relative to it, with `/` between names.
#[derive(Debug)]
pub(crate) struct Root {
    pub(crate) path: PathBuf,
    handle: Handle,
    local: LocalAccess,
}

/// The directory and the name of a relative path.
pub(crate) fn split(path: &str) -> (&str, &str) {
    path.rsplit_once('/').unwrap_or(("", path))
}

/// A path below another.
pub(crate) fn join(dir: &str, name: &str) -> String {
    if dir.is_empty() { name.to_owned() } else { format!("{dir}/{name}") }
}

impl Root {
    /// Opens a directory whose `local/`, if it has one, is used whoever made it.
    pub(crate) fn open(path: &Path) -> Result<Root> {
        match Handle::open_root(path) {
            Ok(handle) => Ok(Root { path: path.to_owned(), handle, local: LocalAccess::Unguarded }),
            Err(source) => Err(StoreError::Unusable { path: path.to_owned(), source }),
        }
    }

    /// Lets `local/` be used only where this user made it here. Also returns the names of directories that were set
    /// aside and not reported yet.
    pub(crate) fn guarded(mut self, rules: &LocalRules) -> (Root, Vec<String>) {
        let (local, unreported) = LocalAccess::of(&self.handle, &self.path, rules);
        self.local = local;
        (self, unreported)
    }

    pub(crate) fn local_access(&self) -> &LocalAccess {
        &self.local
    }

    /// Identity of `local/`; `None` where there is none that may be used.
    pub(crate) fn local_identity(&self) -> io::Result<Option<LocalIdentity>> {
        self.local.identity(&self.handle, &self.path)
    }

    /// Secret that binds files in `local/` to this user, this machine and this directory. Where there is no `local/`
    /// that may be used nothing can be proven, so nothing is ever sealed with the one that is returned.
    pub(crate) fn local_secret(&self) -> Secret {
        self.local_identity().ok().flatten().map_or_else(crate::random, |identity| identity.secret())
    }

    pub(crate) fn handle(&self) -> &Handle {
        &self.handle
    }

    pub(crate) fn dir(&self, path: &str) -> io::Result<Handle> {
        self.local.refuse(path)?;
        self.handle.descend(path)
    }

    fn parent_of<'a>(&self, path: &'a str) -> io::Result<(Handle, &'a str)> {
        let (dir, name) = split(path);
        Ok((self.dir(dir)?, name))
    }

    /// The bytes of a record file; `None` when there is no such file.
    pub(crate) fn read(&self, path: &str) -> io::Result<Option<Vec<u8>>> {
        self.read_up_to(path, MAX_FILE_BYTES)
    }

    pub(crate) fn read_up_to(&self, path: &str, limit: usize) -> io::Result<Option<Vec<u8>>> {
        match self.parent_of(path).and_then(|(dir, name)| dir.read(name, limit)) {
            Ok(bytes) => Ok(Some(bytes)),
            Err(error) if is_absent(&error) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// The text of a record file; `None` when there is no such file.
    pub(crate) fn read_text(&self, path: &str) -> io::Result<Option<String>> {
        self.read(path)?.map(into_text).transpose()
    }

    /// The same for a file that may be larger than records are.
    pub(crate) fn read_text_within(&self, path: &str, limit: usize) -> io::Result<Option<String>> {
        self.read_up_to(path, limit)?.map(into_text).transpose()
    }

    pub(crate) fn kind(&self, path: &str) -> io::Result<Option<Kind>> {
        if self.local.refuse(path).is_err() {
            return Ok(None);
        }
        match self.parent_of(path).and_then(|(dir, name)| dir.kind(name)) {
            Err(error) if is_absent(&error) => Ok(None),
            result => result,
        }
    }

    pub(crate) fn exists(&self, path: &str) -> bool {
        matches!(self.kind(path), Ok(Some(_)))
    }

    /// Makes a directory and those above it; new ones are on disk before this returns.
    pub(crate) fn make_dirs(&self, path: &str) -> io::Result<()> {
        self.make_dirs_and(path, Handle::sync).map(|_| ())
    }

    fn make_dirs_and(&self, path: &str, made: impl Fn(&Handle) -> io::Result<()>) -> io::Result<Handle> {
        self.local.prepare(&self.handle, &self.path, path)?;
        let mut here = self.handle.descend("")?;
        for name in path.split('/') {
            if here.make_dir(name)? == Made::New {
                made(&here)?;
            }
            here = here.open_dir(name)?;
        }
        Ok(here)
    }

    /// Opens a directory, making it when it is missing.
    pub(crate) fn dir_made(&self, path: &str) -> io::Result<Handle> {
        match self.dir(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => self.make_dirs_and(path, Handle::sync),
            opened => opened,
        }
    }

    /// Opens a directory for files that may be lost, and may be lost with it.
    fn dir_made_loose(&self, path: &str) -> io::Result<Handle> {
        match self.dir(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => self.make_dirs_and(path, |_| Ok(())),
            opened => opened,
        }
    }

    /// Makes a directory that may be lost, and into which only its owner may look.
    pub(crate) fn private_dir_made(&self, path: &str) -> io::Result<()> {
        let (above, name) = split(path);
        self.dir_made_loose(above)?.make_private_dir(name).map(|_| ())
    }

    pub(crate) fn sync_dir(&self, path: &str) -> io::Result<()> {
        self.dir(path)?.sync()
    }

    pub(crate) fn rename_to_free(&self, from: &str, to: &str) -> io::Result<()> {
        let (from_dir, from_name) = self.parent_of(from)?;
        let (to_dir, to_name) = self.parent_of(to)?;
        from_dir.rename_to_free(from_name, &to_dir, to_name)
    }

    pub(crate) fn remove_file(&self, path: &str) -> io::Result<()> {
        let (dir, name) = self.parent_of(path)?;
        dir.remove_file(name)
    }

    /// Removes a directory and what is in it; links are removed, not followed.
    pub(crate) fn remove_tree(&self, path: &str) -> io::Result<()> {
        let (dir, name) = self.parent_of(path)?;
        remove_tree_in(&dir, name)
    }

    /// Writes a file that may be lost, making its directory.
    pub(crate) fn write_loose(&self, path: &str, bytes: &[u8]) -> io::Result<()> {
        let (dir, name) = split(path);
        self.dir_made_loose(dir)?.write_loose(name, bytes)
    }

    /// Puts a file that may be lost in the place of another, so that no reader sees half of it.
    pub(crate) fn replace_loose(&self, path: &str, bytes: &[u8]) -> io::Result<()> {
        let (dir, name) = split(path);
        let target = self.dir_made_loose(dir)?;
        let staging = self.dir_made_loose(TMP)?;
        let staged = crate::step::tmp_name();
        let result = staging.write_loose(&staged, bytes).and_then(|()| staging.replace(&staged, &target, name));
        if result.is_err() {
            let _ = staging.remove_file(&staged);
        }
        result
    }

    pub(crate) fn append_loose(&self, path: &str, bytes: &[u8]) -> io::Result<()> {
        let (dir, name) = split(path);
        self.dir_made_loose(dir)?.append_loose(name, bytes)
    }
}

/// Whether something is not there: it is missing, or what should hold it is no directory.
pub(crate) fn is_absent(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

/// Whether the system does not give what may be there and in order, such as on an error of the disk.
pub(crate) fn is_refusal(error: &io::Error) -> bool {
    error.raw_os_error().is_some() && !is_absent(error)
}

/// Bytes of a record file that are not text. What can be read of them is kept, for files that hold many records.
#[derive(Debug, thiserror::Error)]
#[error("not UTF-8 from byte {at} on")]
pub(crate) struct NotUtf8 {
    at: usize,
    pub(crate) bytes: Vec<u8>,
}

impl NotUtf8 {
    /// The text with a replacement character for each part that is not UTF-8, and the line of the first of them.
    pub(crate) fn readable(&self) -> (String, usize) {
        let line = memchr::memchr_iter(b'\n', &self.bytes[..self.at]).count() + 1;
        (String::from_utf8_lossy(&self.bytes).into_owned(), line)
    }
}

/// The bytes that were read, where an error says that they are not text.
pub(crate) fn not_utf8(error: &io::Error) -> Option<&NotUtf8> {
    error.get_ref()?.downcast_ref()
}

pub(crate) fn into_text(bytes: Vec<u8>) -> io::Result<String> {
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        io::Error::new(io::ErrorKind::InvalidData, NotUtf8 { at, bytes: error.into_bytes() })
    })
}

/// Whether something is there that cannot be the record it should be, whenever it is read.
pub(crate) fn is_damage(error: &io::Error) -> bool {
    use io::ErrorKind::{FileTooLarge, InvalidData, InvalidInput, IsADirectory, NotADirectory};
    matches!(error.kind(), InvalidInput | InvalidData | FileTooLarge | NotADirectory | IsADirectory)
}

pub(crate) fn remove_tree_in(dir: &Handle, name: &str) -> io::Result<()> {
    match dir.kind(name)? {
        None => Ok(()),
        Some(Kind::Directory) => {
            let inner = dir.open_dir(name)?;
            for entry in inner.list()? {
                remove_tree_in(&inner, &entry.name)?;
            }
            dir.remove_empty_dir(name)
        }
        Some(_) => dir.remove_file(name),
    }
}
