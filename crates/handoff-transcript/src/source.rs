//! Which transcript is meant, and why it could not be read.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use handoff_model::agent::Host;

use crate::sqlite::Refused;

/// A transcript.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    pub host: Host,
    pub path: PathBuf,
    /// Which session, where one file holds several; without it the newest
    pub session: Option<String>,
}

/// Why a transcript could not be read.
#[derive(Debug, thiserror::Error)]
pub enum Unreadable {
    #[error("there is no transcript at `{}`", path.display())]
    Missing { path: PathBuf },
    #[error("cannot read `{}`", path.display())]
    Io { path: PathBuf, source: io::Error },
    #[error("`{}` is compressed, and is read only as a whole", path.display())]
    Compressed { path: PathBuf },
    #[error("cannot read `{}` now: another program is writing to it", path.display())]
    Busy { path: PathBuf },
    #[error("`{}` is no transcript of {}", path.display(), host.title())]
    Foreign { path: PathBuf, host: Host },
    #[error("{} keeps no transcript that handoff can read", host.title())]
    NoReader { host: Host },
}

impl Source {
    /// Refuses what is neither a file nor a folder: a pipe would be waited for, and a device never ends.
    pub(crate) fn check(&self) -> Result<(), Unreadable> {
        let kind = fs::metadata(&self.path).map_err(|error| Unreadable::io(&self.path, error))?.file_type();
        if kind.is_file() || kind.is_dir() {
            return Ok(());
        }
        Err(Unreadable::Foreign { path: self.path.clone(), host: self.host })
    }

    pub(crate) fn open(&self) -> Result<File, Unreadable> {
        if self.path.is_dir() {
            return Err(Unreadable::Foreign { path: self.path.clone(), host: self.host });
        }
        File::open(&self.path).map_err(|error| Unreadable::io(&self.path, error))
    }
}

impl Unreadable {
    pub(crate) fn io(path: &Path, error: io::Error) -> Unreadable {
        let path = path.to_owned();
        match error.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => Unreadable::Missing { path },
            _ => Unreadable::Io { path, source: error },
        }
    }

    pub(crate) fn refused(source: &Source, refused: &Refused) -> Unreadable {
        let path = source.path.clone();
        match refused {
            Refused::Busy => Unreadable::Busy { path },
            Refused::Foreign(_) if !path.exists() => Unreadable::Missing { path },
            Refused::Foreign(_) => Unreadable::Foreign { path, host: source.host },
        }
    }
}
