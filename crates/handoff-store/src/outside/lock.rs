//! One at a time among those who change files outside any store: a lock file that is there only while it is held.
//!
//! **Invariant:** two never hold it together, although it is removed. Whoever locks a file makes sure that it is the one
//! that still has the name; only its holder removes it, before letting go.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::{missing_dirs, remove_empty_dirs};
use crate::error::{Result, StoreError};
use crate::lock::{self, Waited};
use crate::place::make_dirs;
use crate::stop::Stop;

/// The right to change files outside any store; given back when dropped. A directory in which nothing else is goes, too.
#[derive(Debug)]
pub struct OutsideLock {
    file: File,
    path: PathBuf,
    /// Directories that were made for it, the outermost first
    made: Vec<PathBuf>,
}

impl OutsideLock {
    /// Waits at most `wait` for the lock, and leaves a note of who has it for those who wait next.
    pub fn take(path: &Path, holder: &str, wait: Duration) -> Result<OutsideLock> {
        let fail = |source| StoreError::Write { path: path.display().to_string(), source };
        let until = Instant::now() + wait;
        loop {
            let made = missing_dirs(path);
            let left = until.saturating_duration_since(Instant::now());
            let opened = path.parent().map_or(Ok(()), make_dirs).and_then(|()| open(path));
            let mut file = match opened {
                Ok(file) => file,
                // Another made the directory, or removed the one that it had made, at this moment.
                Err(error) if is_of_another(&error) && !left.is_zero() => continue,
                Err(error) => return Err(fail(error)),
            };
            match lock::wait_for(&file, left, &Stop::never(), || true)? {
                Waited::Locked if has_name(&file, path) => {
                    lock::write_holder(&mut file, holder);
                    return Ok(OutsideLock { file, path: path.to_owned(), made });
                }
                // The one before removed the file that was waited for.
                Waited::Locked | Waited::Unneeded => {}
                Waited::Busy => {
                    return Err(StoreError::Locked { holder: lock::read_holder(&mut file), seconds: wait.as_secs() });
                }
                Waited::Failed(source) => return Err(fail(source)),
            }
        }
    }
}

impl OutsideLock {
    /// The locked file once more, for a program that is to keep the lock should this one be killed.
    pub(crate) fn handle(&self) -> io::Result<File> {
        self.file.try_clone()
    }
}

impl Drop for OutsideLock {
    fn drop(&mut self) {
        if cfg!(unix) {
            remove(&self.path);
        }
        let _ = self.file.unlock();
        remove_empty_dirs(&self.path.parent().map(Path::to_owned).into_iter().collect::<Vec<_>>());
        remove_empty_dirs(&self.made);
    }
}

fn is_of_another(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::AlreadyExists)
}

fn open(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

#[expect(clippy::disallowed_methods, reason = "the lock is no record: nothing is lost with it")]
fn remove(path: &Path) {
    let _ = fs::remove_file(path);
}

/// Whether the file is the one that is found by its name now.
#[cfg(unix)]
fn has_name(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    let id = |metadata: fs::Metadata| (metadata.dev(), metadata.ino());
    matches!((file.metadata().map(id), fs::metadata(path).map(id)), (Ok(one), Ok(other)) if one == other)
}

/// It is never removed where files cannot be told apart.
#[cfg(not(unix))]
fn has_name(_: &File, _: &Path) -> bool {
    true
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

    use super::*;

    #[test]
    fn only_one_is_in_at_a_time_and_nothing_stays_behind() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("data/handoff/setup.lock");
        let (is_in, times) = (AtomicBool::new(false), AtomicUsize::new(0));
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    for _ in 0..40 {
                        let held = OutsideLock::take(&path, "a test", Duration::from_mins(1)).unwrap();
                        assert!(!is_in.swap(true, Ordering::SeqCst), "two are in");
                        times.fetch_add(1, Ordering::SeqCst);
                        std::thread::yield_now();
                        is_in.store(false, Ordering::SeqCst);
                        drop(held);
                    }
                });
            }
        });
        assert_eq!(times.into_inner(), 320);
        assert!(!path.exists() || cfg!(not(unix)));
    }

    #[test]
    fn whoever_waits_in_vain_is_told_for_whom() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("setup.lock");
        let held = OutsideLock::take(&path, "setting up agents", Duration::ZERO).unwrap();
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        }
        let refused = OutsideLock::take(&path, "another", Duration::ZERO).unwrap_err();
        if cfg!(unix) {
            let process = std::process::id();
            let said =
                format!("another handoff is writing here (process {process}, setting up agents); gave up after 0 s");
            assert_eq!(refused.to_string(), said);
        }
        drop(held);
        OutsideLock::take(&path, "another", Duration::ZERO).unwrap();
    }
}
