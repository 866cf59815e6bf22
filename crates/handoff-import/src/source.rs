//! Files of a source, read without trusting what they are.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use crate::Unreadable;

/// The largest file that is read whole.
pub(crate) const LARGEST: u64 = 64 << 20;
/// More entries than any directory of these systems has.
const MOST: usize = 100_000;

/// What a name in a directory is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    File,
    Directory,
    /// A link, a device or a pipe: never opened
    Other,
}

#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub(crate) name: String,
    pub(crate) path: PathBuf,
    pub(crate) kind: Kind,
}

/// The bytes of a plain file. A link is not followed.
pub(crate) fn read(path: &Path) -> Result<Vec<u8>, Unreadable> {
    let metadata = fs::symlink_metadata(path).map_err(|error| unreadable(path, error))?;
    check(path, &metadata, LARGEST)?;
    let mut bytes = Vec::new();
    let file = File::open(path).map_err(|error| unreadable(path, error))?;
    file.take(LARGEST).read_to_end(&mut bytes).map_err(|error| unreadable(path, error))?;
    Ok(bytes)
}

/// The same for a file that the user named, which may be a link to it.
pub(crate) fn read_named(path: &Path) -> Result<Vec<u8>, Unreadable> {
    read(&path.canonicalize().map_err(|error| unreadable(path, error))?)
}

/// Refuses what is no plain file of a size that can be read.
pub(crate) fn check(path: &Path, metadata: &fs::Metadata, largest: u64) -> Result<(), Unreadable> {
    let refused = |what: String| Err(Unreadable::Refused { path: path.to_owned(), what });
    if metadata.is_symlink() {
        refused("a symbolic link, which is not followed".to_owned())
    } else if metadata.is_dir() {
        refused("a directory, not a file".to_owned())
    } else if !metadata.is_file() {
        refused("no plain file".to_owned())
    } else if metadata.len() > largest {
        refused(format!("{} bytes long; at most {largest} are read", metadata.len()))
    } else {
        Ok(())
    }
}

pub(crate) fn unreadable(path: &Path, source: io::Error) -> Unreadable {
    match source.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => Unreadable::Missing(path.to_owned()),
        _ => Unreadable::Io { path: path.to_owned(), source },
    }
}

/// What lies in a directory, in the order of the names. One that is not there has nothing.
pub(crate) fn list(dir: &Path) -> Result<Vec<Entry>, Unreadable> {
    match fs::symlink_metadata(dir) {
        Ok(metadata) if metadata.is_dir() => {}
        Ok(_) => return Ok(Vec::new()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(unreadable(dir, error)),
    }
    let mut entries = Vec::new();
    for entry in fs::read_dir(dir).map_err(|error| unreadable(dir, error))? {
        let entry = entry.map_err(|error| unreadable(dir, error))?;
        let kind = match entry.file_type() {
            Ok(kind) if kind.is_file() => Kind::File,
            Ok(kind) if kind.is_dir() => Kind::Directory,
            _ => Kind::Other,
        };
        entries.push(Entry { name: entry.file_name().to_string_lossy().into_owned(), path: entry.path(), kind });
        if entries.len() > MOST {
            let what = format!("a directory with more than {MOST} entries");
            return Err(Unreadable::Refused { path: dir.to_owned(), what });
        }
    }
    entries.sort_by(|one, other| one.name.cmp(&other.name));
    Ok(entries)
}

/// The directory that the user named, which may be a link to it.
pub(crate) fn directory(path: &Path) -> Result<PathBuf, Unreadable> {
    let real = path.canonicalize().map_err(|error| unreadable(path, error))?;
    if real.is_dir() {
        Ok(real)
    } else {
        Err(Unreadable::Refused { path: path.to_owned(), what: "not a directory".to_owned() })
    }
}
