//! The brake: whatever is called `PAUSE` stops writing as long as it is there.
//!
//! **Invariant:** looking takes one call where nothing is, never waits, and opens nothing but an ordinary file. What
//! cannot be looked at counts as a pause: a brake that fails must not let go.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use handoff_model::pause::{PauseNote, PausePlace};
use handoff_model::when::Moment;

use crate::error::{Result, StoreError};
use crate::layout::PAUSE;
use crate::outside::{NewFile, replace_outside, sweep_outside};
use crate::place::make_own_dirs;
use crate::sys::Handle;

/// As much of a file as is read; people do not write more.
const MOST_BYTES: u64 = 4096;

/// A place where a pause may stand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PauseFile {
    pub place: PausePlace,
    pub path: PathBuf,
}

/// A pause that is in force.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pause {
    pub place: PausePlace,
    pub path: PathBuf,
    /// One line as it was written, perhaps empty
    pub reason: String,
    pub by: Option<String>,
    pub since: Option<Moment>,
    pub form: PauseForm,
}

/// What stands there under the name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PauseForm {
    File,
    Directory,
    Link,
    /// FIFO, socket, device
    Other,
    /// It cannot be looked at, and why
    Hidden(String),
}

/// What came of lifting a pause.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lifted {
    Now,
    /// There was none
    NotPaused,
}

impl PauseFile {
    /// The one in a directory.
    pub fn within(place: PausePlace, dir: &Path) -> PauseFile {
        PauseFile { place, path: dir.join(PAUSE) }
    }

    /// The pause, if there is one.
    pub fn look(&self) -> Option<Pause> {
        let pause = |form| Pause {
            place: self.place,
            path: self.path.clone(),
            reason: String::new(),
            by: None,
            since: None,
            form,
        };
        let metadata = match fs::symlink_metadata(&self.path) {
            Ok(metadata) => metadata,
            Err(error) if self.is_none(&error) => return None,
            Err(error) => return Some(pause(PauseForm::Hidden(error.to_string()))),
        };
        let kind = metadata.file_type();
        let form = if kind.is_file() {
            PauseForm::File
        } else if kind.is_dir() {
            PauseForm::Directory
        } else if kind.is_symlink() {
            PauseForm::Link
        } else {
            PauseForm::Other
        };
        let note = if form == PauseForm::File { self.note() } else { PauseNote::default() };
        Some(Pause {
            reason: note.reason,
            by: note.by.or_else(|| other_owner(&metadata)),
            since: note.since.or_else(|| changed_at(&metadata)),
            ..pause(form)
        })
    }

    /// Whether an error means that nothing is there, as opposed to something that is hidden. A directory that cannot be
    /// seen itself, such as in the home of somebody else, is none of ours.
    fn is_none(&self, error: &io::Error) -> bool {
        let is_out_of_reach =
            || self.path.parent().is_none_or(|dir| fs::symlink_metadata(dir).is_err_and(|error| is_denied(&error)));
        cannot_be_there(error) || (is_denied(error) && is_out_of_reach())
    }

    /// What an ordinary file says, as far as it can be read.
    fn note(&self) -> PauseNote {
        let mut bytes = Vec::new();
        let read = self.open().and_then(|file| file.take(MOST_BYTES).read_to_end(&mut bytes));
        if read.is_err() { PauseNote::default() } else { PauseNote::read(&String::from_utf8_lossy(&bytes)) }
    }

    fn open(&self) -> io::Result<File> {
        let name = self.path.file_name().and_then(|name| name.to_str()).ok_or(io::ErrorKind::InvalidInput)?;
        Handle::open_root(&self.dir()?)?.open_to_read(name)
    }

    /// The directory it lies in. That of the user's settings may be a link, as people keep them elsewhere; a store may
    /// not, and is refused where it is opened.
    fn dir(&self) -> io::Result<PathBuf> {
        let dir = self.path.parent().ok_or(io::ErrorKind::InvalidInput)?;
        if self.place == PausePlace::Project { Ok(dir.to_owned()) } else { dir.canonicalize() }
    }

    /// Pauses, or says more about a pause that is there. It is on disk before this returns, and nobody is waited for.
    pub fn set(&self, note: &PauseNote) -> Result<()> {
        let fail = |source| StoreError::Write { path: self.path.display().to_string(), source };
        if let Some(dir) = self.path.parent().filter(|_| self.place != PausePlace::Project) {
            make_own_dirs(dir).map_err(fail)?;
        }
        let path = self.dir().map_err(fail)?.join(PAUSE);
        sweep_outside(&path);
        replace_outside(&path, note.to_string().as_bytes(), NewFile::Usual).map_err(fail)
    }

    /// Takes the pause away. A directory goes only if it is empty. It is on disk before this returns.
    pub fn lift(&self) -> Result<Lifted> {
        let Some(pause) = self.look() else { return Ok(Lifted::NotPaused) };
        let fail = |source| StoreError::Write { path: self.path.display().to_string(), source };
        let dir = self.dir().map_err(fail)?;
        let handle = Handle::open_root(&dir).map_err(fail)?;
        let removed = match pause.form {
            PauseForm::Directory => handle.remove_empty_dir(PAUSE),
            _ => handle.remove_file(PAUSE),
        };
        match removed {
            // Somebody else lifted it at the same moment.
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Lifted::NotPaused),
            removed => removed.map_err(fail)?,
        }
        handle.sync().map_err(fail)?;
        sweep_outside(&dir.join(PAUSE));
        Ok(Lifted::Now)
    }
}

/// Refuses to write while a directory holds a pause. For whoever holds the lock, just before writing.
pub(crate) fn refuse(dir: &Path) -> Result<()> {
    match PauseFile::within(PausePlace::Project, dir).look() {
        None => Ok(()),
        Some(pause) => Err(StoreError::Paused(Box::new(pause))),
    }
}

fn is_denied(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::PermissionDenied
}

/// Whether nothing can be there under such a name.
fn cannot_be_there(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::NotFound
            | io::ErrorKind::NotADirectory
            | io::ErrorKind::InvalidInput
            | io::ErrorKind::InvalidFilename
    )
}

/// Whose file it is, where it is somebody else's.
fn other_owner(metadata: &fs::Metadata) -> Option<String> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt as _;
        let owner = metadata.uid();
        (owner != rustix::process::geteuid().as_raw()).then(|| format!("the user with id {owner}"))
    }
    #[cfg(not(unix))]
    {
        let _ = metadata;
        None
    }
}

fn changed_at(metadata: &fs::Metadata) -> Option<Moment> {
    let since = metadata.modified().ok()?.duration_since(std::time::UNIX_EPOCH).ok()?;
    Some(Moment::from_milliseconds(i64::try_from(since.as_millis()).ok()?)?.in_seconds())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(dir: &Path) -> PauseFile {
        PauseFile::within(PausePlace::Project, dir)
    }

    fn note(reason: &str) -> PauseNote {
        let since = Some("2026-11-16T08:00:00Z".parse().unwrap());
        PauseNote { reason: reason.to_owned(), by: Some("alice".to_owned()), since }
    }

    #[test]
    fn a_pause_is_set_replaced_and_lifted_and_nothing_is_left_beside_it() {
        let dir = tempfile::tempdir().unwrap();
        let file = file(dir.path());
        assert_eq!((file.look(), file.lift().unwrap()), (None, Lifted::NotPaused));
        file.set(&note("one")).unwrap();
        file.set(&note("two")).unwrap();
        let pause = file.look().unwrap();
        assert_eq!((pause.reason.as_str(), pause.by.as_deref(), &pause.form), ("two", Some("alice"), &PauseForm::File));
        assert_eq!(fs::read_to_string(dir.path().join("PAUSE")).unwrap(), "two\nby alice, 2026-11-16T08:00:00Z\n");
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
        assert_eq!((file.lift().unwrap(), file.lift().unwrap()), (Lifted::Now, Lifted::NotPaused));
    }

    #[test]
    fn a_file_that_somebody_made_by_hand_tells_its_time_and_its_first_line() {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join("x")).unwrap();
        let text = [b"lunch \xff\n".as_slice(), &b"x".repeat(1_000_000)].concat();
        crate::outside::change_outside(&dir.path().join("PAUSE"), None, Some(&text), NewFile::Usual).unwrap();
        let pause = file(dir.path()).look().unwrap();
        assert_eq!((pause.reason.as_str(), pause.by, pause.since.is_some()), ("lunch \u{fffd}", None, true));
        assert_eq!(file(&dir.path().join("PAUSE")).look(), None, "a file holds no other");
        assert_eq!(file(&dir.path().join("none")).look(), None);
    }

    #[cfg(unix)]
    #[test]
    fn whatever_has_the_name_counts_and_is_never_opened() {
        let dir = tempfile::tempdir().unwrap();
        let (path, file) = (dir.path().join("PAUSE"), file(dir.path()));
        std::os::unix::fs::symlink("/no/such/place", &path).unwrap();
        assert_eq!(file.look().unwrap().form, PauseForm::Link);
        assert_eq!(file.lift().unwrap(), Lifted::Now);
        assert!(std::process::Command::new("mkfifo").arg(&path).status().unwrap().success());
        let pause = file.look().unwrap();
        assert_eq!((pause.form, pause.reason.as_str()), (PauseForm::Other, ""));
        file.set(&note("in its place")).unwrap();
        assert_eq!(file.look().unwrap().form, PauseForm::File);
        file.lift().unwrap();
        fs::create_dir(&path).unwrap();
        fs::create_dir(path.join("kept")).unwrap();
        assert_eq!(file.look().unwrap().form, PauseForm::Directory);
        assert!(file.set(&note("no")).is_err() && file.lift().is_err());
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1, "nothing is left beside it");
        fs::remove_dir(path.join("kept")).unwrap();
        assert_eq!(file.lift().unwrap(), Lifted::Now);
    }

    #[cfg(unix)]
    #[test]
    fn what_cannot_be_looked_at_counts() {
        use std::os::unix::fs::PermissionsExt as _;
        let dir = tempfile::tempdir().unwrap();
        let inner = dir.path().join("inner");
        fs::create_dir(&inner).unwrap();
        let mode = |mode| fs::set_permissions(&inner, fs::Permissions::from_mode(mode)).unwrap();
        mode(0o000);
        assert_eq!(file(&inner.join("farther")).look(), None, "who cannot see the directory is not concerned");
        let pause = file(&inner).look();
        mode(0o700);
        // Whoever may do anything sees that nothing is there.
        let is_root = rustix::process::geteuid().is_root();
        assert_eq!(pause.is_none(), is_root);
        assert!(pause.is_none_or(|pause| matches!(pause.form, PauseForm::Hidden(_))));
    }
}
