//! Directory handles by path, for platforms without `openat`.
//!
//! Every step looks at the name first and refuses links; on these platforms making a link needs special rights, so the
//! moment between looking and acting is accepted.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use super::{Access, DirectoryFacts, Kind, Listed, Made, Stamp, born, check_name, not_a_file, too_large};

/// A directory that was there when it was opened.
#[derive(Debug)]
pub(crate) struct Handle(PathBuf);

impl Handle {
    pub(crate) fn open_root(path: &Path) -> io::Result<Handle> {
        match kind_at(path)? {
            Some(Kind::Directory) => Ok(Handle(path.to_owned())),
            Some(Kind::Link) => Err(not_a_file(Kind::Link)),
            Some(_) => Err(io::Error::from(io::ErrorKind::NotADirectory)),
            None => Err(io::Error::from(io::ErrorKind::NotFound)),
        }
    }

    pub(crate) fn open_dir(&self, name: &str) -> io::Result<Handle> {
        check_name(name)?;
        Handle::open_root(&self.0.join(name))
    }

    pub(crate) fn descend(&self, path: &str) -> io::Result<Handle> {
        let mut handle = Handle(self.0.clone());
        for part in path.split('/').filter(|part| !part.is_empty()) {
            handle = handle.open_dir(part)?;
        }
        Ok(handle)
    }

    pub(crate) fn list(&self) -> io::Result<Vec<Listed>> {
        let mut listed = Vec::new();
        for entry in fs::read_dir(&self.0)? {
            let entry = entry?;
            let kind = kind_of(entry.file_type()?);
            let (name, kind) = match entry.file_name().into_string() {
                Ok(name) => (name, kind),
                Err(name) => (name.to_string_lossy().into_owned(), Kind::Other),
            };
            listed.push(Listed { name, kind, inode: 0 });
        }
        Ok(listed)
    }

    pub(crate) fn kind(&self, name: &str) -> io::Result<Option<Kind>> {
        check_name(name)?;
        kind_at(&self.0.join(name))
    }

    pub(crate) fn changed_at(&self) -> io::Result<i128> {
        let modified = fs::metadata(&self.0)?.modified()?;
        let since = modified.duration_since(UNIX_EPOCH).unwrap_or_default();
        Ok(i128::try_from(since.as_nanos()).unwrap_or(0))
    }

    pub(crate) fn stamp(&self, name: &str) -> io::Result<Option<Stamp>> {
        check_name(name)?;
        match fs::symlink_metadata(self.0.join(name)) {
            Ok(metadata) => Ok(Some(stamp_of(&metadata))),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    #[cfg_attr(test, expect(dead_code, reason = "only the tests of both layers build this one here"))]
    #[expect(clippy::unused_self, reason = "the handles of other platforms know")]
    pub(crate) fn access(&self, name: &str) -> io::Result<Option<Access>> {
        check_name(name).map(|()| None)
    }

    #[cfg_attr(test, expect(dead_code, reason = "only the tests of both layers build this one here"))]
    #[expect(clippy::unused_self, reason = "the handles of other platforms know")]
    pub(crate) fn set_access(&self, name: &str, _: u32) -> io::Result<()> {
        check_name(name)
    }

    pub(crate) fn own_stamp(&self) -> io::Result<Stamp> {
        fs::metadata(&self.0).map(|metadata| stamp_of(&metadata))
    }

    pub(crate) fn stamp_below(&self, path: &[u8]) -> Option<Stamp> {
        let path = std::str::from_utf8(path).ok()?;
        fs::symlink_metadata(self.0.join(path)).ok().map(|metadata| stamp_of(&metadata))
    }

    /// Without inodes a stamp does not tell one directory from another.
    #[expect(clippy::unused_self, reason = "the handles of other platforms know")]
    pub(crate) fn identity(&self) -> Option<(u64, u64)> {
        None
    }

    #[cfg_attr(test, expect(dead_code, reason = "only the tests of both layers build this one here"))]
    pub(crate) fn facts(&self) -> io::Result<DirectoryFacts> {
        let metadata = fs::metadata(&self.0)?;
        Ok(DirectoryFacts { device: 0, inode: 0, owner: None, born: born(&metadata) })
    }

    /// Directories cannot be opened as files on these platforms.
    #[cfg_attr(test, expect(dead_code, reason = "only the tests of both layers build this one here"))]
    #[expect(clippy::unnecessary_wraps, clippy::unused_self, reason = "the same signature as on Unix")]
    pub(crate) fn to_lock(&self) -> io::Result<Option<File>> {
        Ok(None)
    }

    /// An open file keeps its directory from being renamed on these platforms.
    #[cfg_attr(test, expect(dead_code, reason = "only the tests of both layers build this one here"))]
    #[expect(clippy::unnecessary_wraps, clippy::unused_self, reason = "the same signature as on Unix")]
    pub(crate) fn leads_to(&self, _: &str, _: &File) -> io::Result<bool> {
        Ok(true)
    }

    pub(crate) fn open_to_read(&self, name: &str) -> io::Result<File> {
        self.open_file(name, OpenOptions::new().read(true))
    }

    pub(crate) fn read(&self, name: &str, limit: usize) -> io::Result<Vec<u8>> {
        self.read_stamped(name, limit).map(|(bytes, _)| bytes)
    }

    pub(crate) fn read_stamped(&self, name: &str, limit: usize) -> io::Result<(Vec<u8>, Stamp)> {
        match self.kind(name)? {
            Some(Kind::File) => {}
            Some(kind) => return Err(not_a_file(kind)),
            None => return Err(io::Error::from(io::ErrorKind::NotFound)),
        }
        let file = File::open(self.0.join(name))?;
        let stamp = stamp_of(&file.metadata()?);
        let mut bytes = Vec::new();
        file.take(limit as u64 + 1).read_to_end(&mut bytes)?;
        if bytes.len() > limit { Err(too_large(bytes.len(), limit)) } else { Ok((bytes, stamp)) }
    }

    pub(crate) fn create_synced(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        let mut file = self.open_file(name, OpenOptions::new().write(true).create_new(true))?;
        file.write_all(bytes)?;
        file.sync_all()
    }

    pub(crate) fn write_loose(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        self.open_file(name, OpenOptions::new().write(true).create(true).truncate(true))?.write_all(bytes)
    }

    pub(crate) fn overwrite_loose(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        self.open_file(name, OpenOptions::new().write(true).create(true).truncate(false))?.write_all(bytes)
    }

    pub(crate) fn append_loose(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        self.open_file(name, OpenOptions::new().append(true).create(true))?.write_all(bytes)
    }

    pub(crate) fn open_to_append(&self, name: &str) -> io::Result<File> {
        self.open_file(name, OpenOptions::new().read(true).append(true).create(true))
    }

    pub(crate) fn open_lock(&self, name: &str) -> io::Result<File> {
        self.open_file(name, OpenOptions::new().read(true).write(true).create(true).truncate(false))
    }

    fn open_file(&self, name: &str, options: &OpenOptions) -> io::Result<File> {
        match self.kind(name)? {
            None | Some(Kind::File) => options.open(self.0.join(name)),
            Some(kind) => Err(not_a_file(kind)),
        }
    }

    pub(crate) fn make_dir(&self, name: &str) -> io::Result<Made> {
        check_name(name)?;
        match fs::create_dir(self.0.join(name)) {
            Ok(()) => Ok(Made::New),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(Made::Present),
            Err(error) => Err(error),
        }
    }

    /// Who may look into it is decided by the directory around it.
    pub(crate) fn make_private_dir(&self, name: &str) -> io::Result<Made> {
        self.make_dir(name)
    }

    #[expect(clippy::disallowed_methods, reason = "this is the layer the others are steered to")]
    pub(crate) fn replace(&self, name: &str, to: &Handle, new_name: &str) -> io::Result<()> {
        check_name(name)?;
        check_name(new_name)?;
        fs::rename(self.0.join(name), to.0.join(new_name))
    }

    pub(crate) fn rename_to_free(&self, name: &str, to: &Handle, new_name: &str) -> io::Result<()> {
        if to.kind(new_name)?.is_some() {
            return Err(io::Error::from(io::ErrorKind::AlreadyExists));
        }
        self.replace(name, to, new_name)
    }

    /// Directories cannot be synced by a path on these platforms; a rename there is durable with the file system's log.
    #[expect(clippy::unnecessary_wraps, clippy::unused_self, reason = "the same signature as on Unix")]
    pub(crate) fn sync(&self) -> io::Result<()> {
        Ok(())
    }

    #[expect(clippy::disallowed_methods, reason = "this is the layer the others are steered to")]
    pub(crate) fn remove_file(&self, name: &str) -> io::Result<()> {
        check_name(name)?;
        fs::remove_file(self.0.join(name))
    }

    pub(crate) fn remove_empty_dir(&self, name: &str) -> io::Result<()> {
        check_name(name)?;
        fs::remove_dir(self.0.join(name))
    }
}

fn stamp_of(metadata: &fs::Metadata) -> Stamp {
    let modified = metadata.modified().ok().and_then(|at| at.duration_since(UNIX_EPOCH).ok()).unwrap_or_default();
    let modified = i64::try_from(modified.as_nanos()).unwrap_or(i64::MAX);
    Stamp { inode: 0, size: metadata.len(), modified, changed: modified }
}

fn kind_at(path: &Path) -> io::Result<Option<Kind>> {
    match fs::symlink_metadata(path) {
        Ok(metadata) => Ok(Some(kind_of(metadata.file_type()))),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

fn kind_of(file_type: fs::FileType) -> Kind {
    if file_type.is_symlink() {
        Kind::Link
    } else if file_type.is_dir() {
        Kind::Directory
    } else if file_type.is_file() {
        Kind::File
    } else {
        Kind::Other
    }
}
