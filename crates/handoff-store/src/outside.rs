//! Files of other programs: read and replaced whole, in directories that are theirs.
//!
//! **Invariant:** nobody sees half a file, and nothing is left beside it. A file is replaced only while it is still what the
//! change was made for, and keeps its mode; one that may not be written is left alone.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

mod lock;
mod tree;

pub use lock::OutsideLock;
pub use tree::{Listing, OutsideTree};

use crate::place::make_dirs;
use crate::session::bound::Process;
use crate::step::tmp_name;
use crate::sys::{Handle, Kind, not_a_file, too_large};

/// More than any settings file has, also one that its program keeps a history in.
const LARGEST: usize = 64 * 1024 * 1024;

/// How a file comes to be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NewFile {
    #[default]
    Usual,
    /// Only its owner may read it
    Secret,
    /// It can be run
    Program,
}

/// Reads a file, through links; `None` where there is none.
pub fn read_outside(path: &Path) -> io::Result<Option<Vec<u8>>> {
    let metadata = match fs::metadata(path) {
        Ok(metadata) => metadata,
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            return Ok(None);
        }
        Err(error) => return Err(error),
    };
    if !metadata.is_file() {
        return Err(not_a_file(if metadata.is_dir() { Kind::Directory } else { Kind::Other }));
    }
    let size = usize::try_from(metadata.len()).unwrap_or(usize::MAX);
    if size > LARGEST {
        return Err(too_large(size, LARGEST));
    }
    let mut bytes = Vec::with_capacity(size);
    File::open(path)?.read_to_end(&mut bytes)?;
    Ok(Some(bytes))
}

/// Brings a file from one content to another; `None` is no file. It is on disk before this returns.
///
/// Directories that are missing are made.
pub fn change_outside(path: &Path, before: Option<&[u8]>, after: Option<&[u8]>, new: NewFile) -> io::Result<()> {
    if read_outside(path)?.as_deref() != before {
        return Err(io::Error::other("it was changed meanwhile"));
    }
    let (Some(dir), Some(name)) = (path.parent(), path.file_name().and_then(|name| name.to_str())) else {
        return Err(io::Error::from(io::ErrorKind::InvalidInput));
    };
    let present = before.map(|_| fs::metadata(path)).transpose()?;
    if present.as_ref().is_some_and(|metadata| metadata.permissions().readonly()) {
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, "it is read-only"));
    }
    let Some(after) = after else {
        if before.is_some() {
            let dir = Handle::open_root(dir)?;
            dir.remove_file(name)?;
            dir.sync()?;
        }
        return Ok(());
    };
    make_dirs(dir)?;
    let handle = Handle::open_root(dir)?;
    let staged = format!("{}{}", staged_prefix(name), tmp_name());
    let result = write_staged(&dir.join(&staged), after, present.map(|metadata| metadata.permissions()), new)
        .and_then(|()| handle.replace(&staged, &handle, name));
    if result.is_err() {
        let _ = handle.remove_file(&staged);
    }
    result?;
    handle.sync()
}

/// Gives a directory another name beside itself; whatever has that name already stays. It is on disk before this returns.
pub fn rename_outside(from: &Path, to: &Path) -> io::Result<()> {
    let name = |path: &Path| path.file_name().and_then(|name| name.to_str()).map(str::to_owned);
    let (Some(dir), Some(from), Some(to)) = (from.parent(), name(from), name(to)) else {
        return Err(io::Error::from(io::ErrorKind::InvalidInput));
    };
    let handle = Handle::open_root(dir)?;
    handle.rename_to_free(&from, &handle, &to)?;
    handle.sync()
}

/// Writes a file whole, for its owner alone, whatever was there before under whatever mode. It is on disk before this
/// returns. A link in its place is replaced, and never followed.
pub fn replace_private(path: &Path, bytes: &[u8]) -> io::Result<()> {
    replace_outside(path, bytes, NewFile::Secret)
}

/// The same for a file that others may read.
pub(crate) fn replace_outside(path: &Path, bytes: &[u8], new: NewFile) -> io::Result<()> {
    let (Some(dir), Some(name)) = (path.parent(), path.file_name().and_then(|name| name.to_str())) else {
        return Err(io::Error::from(io::ErrorKind::InvalidInput));
    };
    let handle = Handle::open_root(dir)?;
    let staged = format!("{}{}", staged_prefix(name), tmp_name());
    let result =
        write_staged(&dir.join(&staged), bytes, None, new).and_then(|()| handle.replace(&staged, &handle, name));
    if result.is_err() {
        let _ = handle.remove_file(&staged);
    }
    result?;
    handle.sync()
}

/// What is beside a file while it is being replaced begins like this; behind it stand the process and a number.
fn staged_prefix(name: &str) -> String {
    format!(".{name}.handoff-")
}

/// No file takes this long to be written; a process of the same number is another one by then.
const LONG_AGO: Duration = Duration::from_hours(1);

/// Removes what a process that was killed left beside a file it was replacing.
pub fn sweep_outside(path: &Path) {
    let (Some(dir), Some(name)) = (path.parent(), path.file_name().and_then(|name| name.to_str())) else { return };
    if let Ok(handle) = Handle::open_root(dir) {
        sweep_in(&handle, name);
    }
}

fn sweep_in(dir: &Handle, name: &str) {
    let prefix = staged_prefix(name);
    for entry in dir.list().unwrap_or_default().into_iter().filter(|entry| entry.kind == Kind::File) {
        let numbers = entry.name.strip_prefix(&prefix).and_then(|rest| rest.split_once('-'));
        let Some((process, number)) = numbers else { continue };
        let (Ok(process), Ok(_)) = (process.parse::<u32>(), number.parse::<u32>()) else { continue };
        let modified = dir.stamp(&entry.name).ok().flatten().and_then(|stamp| u64::try_from(stamp.modified).ok());
        let modified = modified.map(|at| SystemTime::UNIX_EPOCH + Duration::from_nanos(at));
        let is_old = modified.is_some_and(|at| at.elapsed().is_ok_and(|age| age > LONG_AGO));
        if is_old || !Process::is_running(process) {
            let _ = dir.remove_file(&entry.name);
        }
    }
}

/// Why somebody else than its owner, who is whoever runs this, could write to a file; `None` where nobody could.
pub fn written_by_others(path: &Path) -> Option<String> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt as _;
        const EVERYBODY: u32 = 0o002;
        let metadata = fs::metadata(path).ok()?;
        let us = rustix::process::geteuid().as_raw();
        if metadata.mode() & EVERYBODY != 0 {
            return Some(format!("everybody may write to it (mode {:04o})", metadata.mode() & 0o7777));
        }
        // Root can write to everything, and so can whoever is root.
        (![us, 0].contains(&metadata.uid()) && us != 0).then(|| "it belongs to another user".to_owned())
    }
    #[cfg(not(unix))]
    {
        let _ = path;
        None
    }
}

/// Returns whether a file belongs to the user who runs this. Where files have no owners, it does.
pub fn is_owned_by_us(path: &Path) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt as _;
        fs::symlink_metadata(path).is_ok_and(|metadata| metadata.uid() == rustix::process::geteuid().as_raw())
    }
    #[cfg(not(unix))]
    {
        path.exists()
    }
}

/// Leaves a file to its owner alone.
pub fn make_private(path: &Path) -> io::Result<()> {
    #[cfg(unix)]
    return fs::set_permissions(path, std::os::unix::fs::PermissionsExt::from_mode(0o600));
    #[cfg(not(unix))]
    {
        let _ = path;
        Ok(())
    }
}

/// Whether a file has another name, which goes on leading to what it was once it is replaced.
pub fn has_other_names(path: &Path) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt as _;
        fs::metadata(path).is_ok_and(|metadata| metadata.is_file() && metadata.nlink() > 1)
    }
    #[cfg(not(unix))]
    {
        let _ = path;
        false
    }
}

/// Removes directories that are empty, the innermost first; those that are not stay.
pub fn remove_empty_dirs(dirs: &[PathBuf]) {
    for dir in dirs.iter().rev() {
        let _ = fs::remove_dir(dir);
    }
}

/// Which of the directories of a file are missing, the outermost first.
pub fn missing_dirs(path: &Path) -> Vec<PathBuf> {
    let mut missing: Vec<PathBuf> =
        path.ancestors().skip(1).take_while(|dir| !dir.exists()).map(Path::to_owned).collect();
    missing.reverse();
    missing
}

fn write_staged(path: &Path, bytes: &[u8], kept: Option<fs::Permissions>, new: NewFile) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt as _;
        // What replaces a file may hold its secrets, so nobody else may look at it meanwhile.
        let mode = match (&kept, new) {
            (Some(_), _) | (None, NewFile::Secret) => 0o600,
            (None, NewFile::Usual) => 0o644,
            (None, NewFile::Program) => 0o755,
        };
        options.mode(mode);
    }
    #[cfg(not(unix))]
    let _ = new;
    let mut file = options.open(path)?;
    file.write_all(bytes)?;
    if let Some(kept) = kept {
        file.set_permissions(kept)?;
    }
    file.sync_all()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_replaced_only_while_it_is_what_was_read() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a/b/settings.json");
        assert_eq!(missing_dirs(&path), [dir.path().join("a"), dir.path().join("a/b")]);
        change_outside(&path, None, Some(b"one"), NewFile::Usual).unwrap();
        assert_eq!(read_outside(&path).unwrap().unwrap(), b"one");
        let refused = change_outside(&path, Some(b"other"), Some(b"two"), NewFile::Usual).unwrap_err();
        assert_eq!(refused.to_string(), "it was changed meanwhile");
        change_outside(&path, Some(b"one"), None, NewFile::Usual).unwrap();
        assert_eq!(read_outside(&path).unwrap(), None);
        remove_empty_dirs(&[dir.path().join("a"), dir.path().join("a/b")]);
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0, "nothing is left beside it");
    }

    #[cfg(unix)]
    #[test]
    fn what_a_killed_process_left_is_swept_and_nothing_else() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("settings.json");
        let mut child = std::process::Command::new("true").spawn().unwrap();
        let (gone, here) = (child.id(), std::process::id());
        child.wait().unwrap();
        let left = format!(".settings.json.handoff-{gone}-3");
        let kept = [
            format!(".settings.json.handoff-{here}-3"),
            format!(".other.json.handoff-{gone}-3"),
            ".settings.json.handoff-notes".to_owned(),
            "settings.json".to_owned(),
        ];
        for name in kept.iter().chain([&left]) {
            write_staged(&dir.path().join(name), b"x", None, NewFile::Usual).unwrap();
        }
        sweep_outside(&path);
        assert!(!dir.path().join(left).exists());
        for name in kept {
            assert!(dir.path().join(&name).exists(), "{name}");
        }
        sweep_outside(&dir.path().join("no/such/directory/settings.json"));
    }

    #[cfg(unix)]
    #[test]
    fn the_mode_is_kept_and_a_read_only_file_is_left_alone() {
        use std::os::unix::fs::PermissionsExt as _;
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("settings.json");
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        change_outside(&path, None, Some(b"one"), NewFile::Secret).unwrap();
        assert_eq!(mode(&path), 0o600);
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        change_outside(&path, Some(b"one"), Some(b"two"), NewFile::Usual).unwrap();
        assert_eq!(mode(&path), 0o640);
        fs::set_permissions(&path, fs::Permissions::from_mode(0o444)).unwrap();
        let refused = change_outside(&path, Some(b"two"), Some(b"three"), NewFile::Usual).unwrap_err();
        assert_eq!(refused.to_string(), "it is read-only");
        assert_eq!(read_outside(&path).unwrap().unwrap(), b"two");
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
    }
}
