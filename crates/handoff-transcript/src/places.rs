//! Where agents keep what they write, and which directory a session belongs to.

use std::fs;
use std::path::{Component, Path, PathBuf};
use std::time::SystemTime;

use crate::Env;

/// The directory in a variable, where it is set.
pub(crate) fn directory(env: Env<'_>, variable: &str) -> Option<PathBuf> {
    env(variable).filter(|value| !value.is_empty()).map(PathBuf::from)
}

/// The home directory.
pub(crate) fn home(env: Env<'_>) -> Option<PathBuf> {
    directory(env, "HOME").or_else(|| directory(env, "USERPROFILE"))
}

/// What is in a directory; nothing where it cannot be read.
pub(crate) fn entries(directory: &Path) -> impl Iterator<Item = PathBuf> + use<> {
    fs::read_dir(directory).into_iter().flatten().flatten().map(|entry| entry.path())
}

/// When a file was last changed; the dawn of time where that is not told.
pub(crate) fn modified(path: &Path) -> SystemTime {
    fs::metadata(path).and_then(|metadata| metadata.modified()).unwrap_or(SystemTime::UNIX_EPOCH)
}

/// Whether a session that works in `cwd` belongs to `directory`: there or below it, by the real names of both.
///
/// A directory that is gone is known by the name it had.
pub(crate) fn belongs(cwd: &Path, directory: &Path) -> bool {
    let climbs = |part: Component<'_>| part == Component::ParentDir;
    if !cwd.is_absolute() {
        return false;
    }
    let real = directory.canonicalize().unwrap_or_else(|_| directory.to_owned());
    match cwd.canonicalize() {
        Ok(cwd) => cwd.starts_with(real),
        Err(_) if cwd.components().any(climbs) => false,
        Err(_) => cwd.starts_with(directory) || cwd.starts_with(real),
    }
}

/// Whether a session's id can stand in a file's name, so that it leads nowhere else.
pub(crate) fn is_plain(session: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
    !session.is_empty() && session.len() <= 200 && session.bytes().all(plain)
}
