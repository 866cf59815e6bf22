//! Directory handles on Unix: every step is relative to an open directory and follows no link.

use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::OwnedFd;
use std::path::Path;

use rustix::fs::{AtFlags, FileType, Mode, OFlags};

use super::{Access, DirectoryFacts, Kind, Listed, Made, Stamp, born, check_name, not_a_file, too_large};

/// An open directory.
#[derive(Debug)]
pub(crate) struct Handle(pub(super) OwnedFd);

const DIRECTORY: OFlags = OFlags::DIRECTORY.union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

impl Handle {
    /// Opens a root directory; a link in its place is refused.
    pub(crate) fn open_root(path: &Path) -> io::Result<Handle> {
        match rustix::fs::open(path, DIRECTORY, Mode::empty()) {
            Ok(opened) => Ok(Handle(opened)),
            Err(_) if path.is_symlink() => Err(not_a_file(Kind::Link)),
            Err(error) => Err(error.into()),
        }
    }

    pub(crate) fn open_dir(&self, name: &str) -> io::Result<Handle> {
        check_name(name)?;
        match rustix::fs::openat(&self.0, name, DIRECTORY, Mode::empty()) {
            Ok(opened) => Ok(Handle(opened)),
            // The system only says that it is no directory, or that there are too many links.
            Err(_) if matches!(self.kind(name), Ok(Some(Kind::Link))) => Err(not_a_file(Kind::Link)),
            Err(error) => Err(error.into()),
        }
    }

    /// Opens a directory some levels down; an empty path is this one.
    pub(crate) fn descend(&self, path: &str) -> io::Result<Handle> {
        if path.is_empty() {
            return Ok(Handle(rustix::fs::openat(&self.0, ".", DIRECTORY, Mode::empty())?));
        }
        path.split('/').try_for_each(check_name)?;
        #[cfg(target_os = "linux")]
        {
            use rustix::fs::ResolveFlags;
            let beneath = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
            match rustix::fs::openat2(&self.0, path, DIRECTORY, Mode::empty(), beneath) {
                // Kernels before 5.6 and some sandboxes do not have this call.
                // The way step by step also finds out which part is a link.
                Err(
                    rustix::io::Errno::NOSYS
                    | rustix::io::Errno::PERM
                    | rustix::io::Errno::LOOP
                    | rustix::io::Errno::NOTDIR,
                ) => {}
                opened => return Ok(Handle(opened?)),
            }
        }
        let mut parts = path.split('/');
        let mut handle = self.open_dir(parts.next().unwrap_or_default())?;
        for part in parts {
            handle = handle.open_dir(part)?;
        }
        Ok(handle)
    }

    /// The names in this directory, read at one go so that a rename meanwhile hides none.
    pub(crate) fn list(&self) -> io::Result<Vec<Listed>> {
        let mut listed = Vec::new();
        rustix::fs::seek(&self.0, rustix::fs::SeekFrom::Start(0))?;
        self.for_each_entry(|name, file_type, inode| {
            if name == b"." || name == b".." {
                return Ok(());
            }
            let text = String::from_utf8_lossy(name).into_owned();
            let kind = match file_type {
                FileType::Unknown => self.kind(&text)?.unwrap_or(Kind::Other),
                known => kind_of(known),
            };
            // A name that is not UTF-8 was never written by us and cannot be opened by its text.
            let kind = if text.as_bytes() == name { kind } else { Kind::Other };
            listed.push(Listed { name: text, kind, inode });
            Ok(())
        })?;
        Ok(listed)
    }

    #[cfg(target_os = "linux")]
    fn for_each_entry(&self, mut visit: impl FnMut(&[u8], FileType, u64) -> io::Result<()>) -> io::Result<()> {
        /// Room for some ten thousand names in one call; the pages that are not filled cost nothing.
        const BUFFER: usize = 1024 * 1024;
        thread_local! {
            // Kept from one directory to the next: making it anew for thousands of them would show.
            static NAMES: std::cell::RefCell<Vec<u8>> = std::cell::RefCell::new(Vec::with_capacity(BUFFER));
        }
        NAMES.with_borrow_mut(|buffer| {
            buffer.clear();
            let mut entries = rustix::fs::RawDir::new(&self.0, buffer.spare_capacity_mut());
            while let Some(entry) = entries.next() {
                let entry = entry?;
                visit(entry.file_name().to_bytes(), entry.file_type(), entry.ino())?;
            }
            Ok(())
        })
    }

    #[cfg(not(target_os = "linux"))]
    fn for_each_entry(&self, mut visit: impl FnMut(&[u8], FileType, u64) -> io::Result<()>) -> io::Result<()> {
        for entry in rustix::fs::Dir::read_from(&self.0)? {
            let entry = entry?;
            visit(entry.file_name().to_bytes(), entry.file_type(), entry.ino())?;
        }
        Ok(())
    }

    /// What a name stands for; `None` when there is no such name.
    pub(crate) fn kind(&self, name: &str) -> io::Result<Option<Kind>> {
        check_name(name)?;
        match rustix::fs::statat(&self.0, name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(stat) => Ok(Some(kind_of(FileType::from_raw_mode(stat.st_mode)))),
            Err(rustix::io::Errno::NOENT) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// When this directory last gained, lost or renamed an entry, in nanoseconds.
    pub(crate) fn changed_at(&self) -> io::Result<i128> {
        let stat = rustix::fs::fstat(&self.0)?;
        Ok(i128::from(stat.st_mtime) * 1_000_000_000 + i128::from(stat.st_mtime_nsec))
    }

    /// The stamp of a file; `None` when there is no such name.
    pub(crate) fn stamp(&self, name: &str) -> io::Result<Option<Stamp>> {
        check_name(name)?;
        match rustix::fs::statat(&self.0, name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(stat) => Ok(Some(stamp_of(&stat))),
            Err(rustix::io::Errno::NOENT) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Who may do what with a file or directory; nothing is told of anything else.
    #[allow(clippy::useless_conversion, reason = "modes have another width on other platforms")]
    pub(crate) fn access(&self, name: &str) -> io::Result<Option<Access>> {
        check_name(name)?;
        let stat = rustix::fs::statat(&self.0, name, AtFlags::SYMLINK_NOFOLLOW)?;
        let is_told = matches!(kind_of(FileType::from_raw_mode(stat.st_mode)), Kind::File | Kind::Directory);
        let mode = u32::from(Mode::from_raw_mode(stat.st_mode).bits()) & 0o777;
        let is_ours = stat.st_uid == rustix::process::geteuid().as_raw();
        Ok(is_told.then_some(Access { mode, is_ours }))
    }

    /// Lets others do what they may, and no more.
    #[allow(clippy::useless_conversion, reason = "modes have another width on other platforms")]
    pub(crate) fn set_access(&self, name: &str, mode: u32) -> io::Result<()> {
        // A link in its place would lead elsewhere.
        match self.kind(name)? {
            Some(Kind::File | Kind::Directory) => {}
            Some(kind) => return Err(not_a_file(kind)),
            None => return Err(io::Error::from(io::ErrorKind::NotFound)),
        }
        let mode = Mode::from_bits_truncate(mode.try_into().unwrap_or(0o700));
        Ok(rustix::fs::chmodat(&self.0, name, mode, AtFlags::empty())?)
    }

    /// The stamp of this directory.
    pub(crate) fn own_stamp(&self) -> io::Result<Stamp> {
        Ok(stamp_of(&rustix::fs::fstat(&self.0)?))
    }

    /// The stamp of whatever a path below leads to, for comparing it: an empty path is this directory. Of links only
    /// one in the last place is not followed, so nothing may be read by such a path.
    pub(crate) fn stamp_below(&self, path: &[u8]) -> Option<Stamp> {
        if path.is_empty() {
            return self.own_stamp().ok();
        }
        rustix::fs::statat(&self.0, path, AtFlags::SYMLINK_NOFOLLOW).ok().map(|stat| stamp_of(&stat))
    }

    /// Device and inode of this directory, where stamps tell what happened: on a file system of this machine alone
    /// that keeps the times of directories.
    pub(crate) fn identity(&self) -> Option<(u64, u64)> {
        #[cfg(target_os = "linux")]
        if !super::local::keeps_times(self) {
            return None;
        }
        let stat = rustix::fs::fstat(&self.0).ok()?;
        // The fields have other widths on other platforms.
        Some((u64::try_from(i128::from(stat.st_dev)).ok()?, u64::try_from(i128::from(stat.st_ino)).ok()?))
    }

    /// Facts by which this directory is recognised.
    pub(crate) fn facts(&self) -> io::Result<DirectoryFacts> {
        use std::os::unix::fs::MetadataExt as _;
        let metadata = File::from(self.0.try_clone()?).metadata()?;
        Ok(DirectoryFacts {
            device: metadata.dev(),
            inode: metadata.ino(),
            owner: Some(metadata.uid()),
            born: born(&metadata),
        })
    }

    /// A second handle on this directory, as a file that can be locked.
    pub(crate) fn to_lock(&self) -> io::Result<Option<File>> {
        // Locks belong to the open file, so a duplicate of this handle would share its lock with others.
        Ok(Some(File::from(rustix::fs::openat(&self.0, ".", DIRECTORY, Mode::empty())?)))
    }

    /// Returns whether a name in this directory still leads to an open file.
    pub(crate) fn leads_to(&self, name: &str, file: &File) -> io::Result<bool> {
        use std::os::unix::fs::MetadataExt as _;
        let opened = file.metadata()?;
        check_name(name)?;
        match rustix::fs::statat(&self.0, name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(stat) => Ok(stat.st_ino == opened.ino()),
            Err(rustix::io::Errno::NOENT) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }

    /// Opens an ordinary file to read in it.
    pub(crate) fn open_to_read(&self, name: &str) -> io::Result<File> {
        self.open_file(name, OFlags::RDONLY)
    }

    /// Reads an ordinary file of at most `limit` bytes.
    pub(crate) fn read(&self, name: &str, limit: usize) -> io::Result<Vec<u8>> {
        self.read_stamped(name, limit).map(|(bytes, _)| bytes)
    }

    /// Reads an ordinary file, with the stamp it had before.
    pub(crate) fn read_stamped(&self, name: &str, limit: usize) -> io::Result<(Vec<u8>, Stamp)> {
        check_name(name)?;
        // Without NONBLOCK the opening of a FIFO would wait for a writer.
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC | OFlags::NOCTTY;
        let opened = rustix::fs::openat(&self.0, name, flags, Mode::empty()).map_err(|error| match error {
            rustix::io::Errno::LOOP => not_a_file(Kind::Link),
            other => other.into(),
        })?;
        let stat = rustix::fs::fstat(&opened)?;
        let kind = kind_of(FileType::from_raw_mode(stat.st_mode));
        if kind != Kind::File {
            return Err(not_a_file(kind));
        }
        let size = usize::try_from(stat.st_size).unwrap_or(usize::MAX);
        if size > limit {
            return Err(too_large(size, limit));
        }
        let mut bytes = Vec::with_capacity(size + 1);
        // The size is known, so this is one read; a limit on the reader would make it many.
        File::from(opened).read_to_end(&mut bytes)?;
        if bytes.len() > limit { Err(too_large(bytes.len(), limit)) } else { Ok((bytes, stamp_of(&stat))) }
    }

    /// Makes a file that was not there, with these bytes, on disk before this returns.
    pub(crate) fn create_synced(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        let mut file = self.open_file(name, OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL)?;
        file.write_all(bytes)?;
        file.sync_all()
    }

    /// Writes a file that may be lost: caches and marks. Never for a record.
    pub(crate) fn write_loose(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        let (mut file, stat) = self.open_with_stat(name, OFlags::WRONLY | OFlags::CREATE)?;
        if has_several_names(&stat) {
            self.remove_file(name)?;
            file = self.open_file(name, OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL)?;
        } else if stat.st_size > 0 {
            file.set_len(0)?;
        }
        file.write_all(bytes)
    }

    /// Writes over the beginning of a file that may be lost, without a moment in which it is empty.
    pub(crate) fn overwrite_loose(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        self.open_to_change(name, OFlags::WRONLY | OFlags::CREATE)?.write_all(bytes)
    }

    /// Adds to a file that may be lost.
    pub(crate) fn append_loose(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        self.open_to_change(name, OFlags::WRONLY | OFlags::CREATE | OFlags::APPEND)?.write_all(bytes)
    }

    /// Opens a file to add to its end; made when missing.
    pub(crate) fn open_to_append(&self, name: &str) -> io::Result<File> {
        self.open_to_change(name, OFlags::RDWR | OFlags::CREATE | OFlags::APPEND)
    }

    /// Opens the file that is locked; made when missing. It may have other names, so nothing is written into it
    /// unless [`has_one_name`](super::has_one_name).
    pub(crate) fn open_lock(&self, name: &str) -> io::Result<File> {
        self.open_file(name, OFlags::RDWR | OFlags::CREATE)
    }

    /// Opens a file whose bytes are about to change where they are.
    ///
    /// A file with several names (hard links) is first replaced by a copy: its other names may be outside of the store,
    /// and what they stand for must not change.
    fn open_to_change(&self, name: &str, flags: OFlags) -> io::Result<File> {
        let (file, stat) = self.open_with_stat(name, flags)?;
        if !has_several_names(&stat) {
            return Ok(file);
        }
        let bytes = self.read(name, LARGEST_COPY)?;
        let copy = format!(".{name}.{}", crate::step::tmp_name());
        let replaced = self.create_synced(&copy, &bytes).and_then(|()| self.replace(&copy, self, name));
        if replaced.is_err() {
            let _ = self.remove_file(&copy);
        }
        replaced?;
        self.sync()?;
        self.open_file(name, flags)
    }

    fn open_file(&self, name: &str, flags: OFlags) -> io::Result<File> {
        self.open_with_stat(name, flags).map(|(file, _)| file)
    }

    fn open_with_stat(&self, name: &str, flags: OFlags) -> io::Result<(File, rustix::fs::Stat)> {
        check_name(name)?;
        let flags = flags | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NONBLOCK;
        let opened =
            rustix::fs::openat(&self.0, name, flags, Mode::from_raw_mode(0o644)).map_err(|error| match error {
                rustix::io::Errno::LOOP => not_a_file(Kind::Link),
                rustix::io::Errno::ISDIR => not_a_file(Kind::Directory),
                rustix::io::Errno::NXIO => not_a_file(Kind::Other),
                other => other.into(),
            })?;
        let stat = rustix::fs::fstat(&opened)?;
        let kind = kind_of(FileType::from_raw_mode(stat.st_mode));
        if kind == Kind::File { Ok((File::from(opened), stat)) } else { Err(not_a_file(kind)) }
    }

    /// Makes a directory; one that is there already is fine.
    pub(crate) fn make_dir(&self, name: &str) -> io::Result<Made> {
        self.make_dir_as(name, 0o755)
    }

    /// The same, for one that others may not look into.
    pub(crate) fn make_private_dir(&self, name: &str) -> io::Result<Made> {
        self.make_dir_as(name, 0o700)
    }

    fn make_dir_as(&self, name: &str, mode: u16) -> io::Result<Made> {
        check_name(name)?;
        match rustix::fs::mkdirat(&self.0, name, Mode::from_raw_mode(mode.into())) {
            Ok(()) => Ok(Made::New),
            Err(rustix::io::Errno::EXIST) => Ok(Made::Present),
            Err(error) => Err(error.into()),
        }
    }

    /// Renames a file over whatever file has the new name.
    pub(crate) fn replace(&self, name: &str, to: &Handle, new_name: &str) -> io::Result<()> {
        check_name(name)?;
        check_name(new_name)?;
        Ok(rustix::fs::renameat(&self.0, name, &to.0, new_name)?)
    }

    /// Renames to a name that must be free.
    pub(crate) fn rename_to_free(&self, name: &str, to: &Handle, new_name: &str) -> io::Result<()> {
        check_name(name)?;
        check_name(new_name)?;
        #[cfg(any(target_os = "linux", target_vendor = "apple"))]
        match rustix::fs::renameat_with(&self.0, name, &to.0, new_name, rustix::fs::RenameFlags::NOREPLACE) {
            // Some file systems cannot refuse to replace; there the check below must do.
            Err(rustix::io::Errno::INVAL | rustix::io::Errno::NOSYS | rustix::io::Errno::NOTSUP) => {}
            done => return Ok(done?),
        }
        if to.kind(new_name)?.is_some() {
            return Err(io::Error::from(io::ErrorKind::AlreadyExists));
        }
        Ok(rustix::fs::renameat(&self.0, name, &to.0, new_name)?)
    }

    /// Puts the names of this directory on disk.
    pub(crate) fn sync(&self) -> io::Result<()> {
        Ok(rustix::fs::fsync(&self.0)?)
    }

    pub(crate) fn remove_file(&self, name: &str) -> io::Result<()> {
        check_name(name)?;
        Ok(rustix::fs::unlinkat(&self.0, name, AtFlags::empty())?)
    }

    pub(crate) fn remove_empty_dir(&self, name: &str) -> io::Result<()> {
        check_name(name)?;
        Ok(rustix::fs::unlinkat(&self.0, name, AtFlags::REMOVEDIR)?)
    }
}

/// The largest file with several names that is copied; no file of ours that changes in place is as large.
const LARGEST_COPY: usize = 64 * 1024 * 1024;

fn has_several_names(stat: &rustix::fs::Stat) -> bool {
    stat.st_nlink > 1
}

fn stamp_of(stat: &rustix::fs::Stat) -> Stamp {
    // The fields have other widths on other platforms.
    let nanoseconds = |seconds: i128, rest: i128| i64::try_from(seconds * 1_000_000_000 + rest).unwrap_or(i64::MAX);
    Stamp {
        inode: stat.st_ino,
        size: u64::try_from(stat.st_size).unwrap_or(u64::MAX),
        modified: nanoseconds(stat.st_mtime.into(), stat.st_mtime_nsec.into()),
        changed: nanoseconds(stat.st_ctime.into(), stat.st_ctime_nsec.into()),
    }
}

fn kind_of(file_type: FileType) -> Kind {
    match file_type {
        FileType::RegularFile => Kind::File,
        FileType::Directory => Kind::Directory,
        FileType::Symlink => Kind::Link,
        _ => Kind::Other,
    }
}
