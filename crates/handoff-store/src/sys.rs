//! Files and directories below one root, never through a link.
//!
//! **Invariant:** nothing outside the root is read or written. Links, FIFOs, sockets and devices are refused, whatever
//! a repository put in their place.

use std::io;

#[cfg(any(not(unix), test))]
mod portable;
#[cfg(unix)]
mod unix;

#[cfg(not(unix))]
pub(crate) use portable::Handle;
#[cfg(unix)]
pub(crate) use unix::Handle;

/// What a name in a directory stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    File,
    Directory,
    Link,
    /// FIFO, socket, device
    Other,
}

/// One name in a directory.
#[derive(Clone, Debug)]
pub(crate) struct Listed {
    pub(crate) name: String,
    pub(crate) kind: Kind,
    /// Stays with the file when it is renamed; 0 where the platform does not tell
    pub(crate) inode: u64,
}

/// Whether a directory had to be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Made {
    New,
    Present,
}

/// The error for something that is not an ordinary file.
pub(crate) fn not_a_file(kind: Kind) -> io::Error {
    io::Error::new(
        io::ErrorKind::InvalidInput,
        match kind {
            Kind::Directory => "a directory stands where a file should be",
            Kind::Link => "a symbolic link; links inside .handoff/ are never followed",
            Kind::File | Kind::Other => "not an ordinary file",
        },
    )
}

/// The error for a file that is larger than a record may be.
pub(crate) fn too_large(size: usize, limit: usize) -> io::Error {
    io::Error::new(io::ErrorKind::FileTooLarge, format!("{size} bytes are more than the {limit} a file here may have"))
}

/// Refuses a name that is not one plain part of a path. Names are made here from ids and slugs, so this never
/// happens; it stands in the way of a mistake.
pub(crate) fn check_name(name: &str) -> io::Result<()> {
    let plain = !name.is_empty() && name != "." && name != ".." && !name.contains(['/', '\\', '\0']);
    if plain {
        Ok(())
    } else {
        Err(io::Error::new(io::ErrorKind::InvalidInput, format!("`{name}` is not a plain file name")))
    }
}

#[cfg(all(test, unix))]
mod tests;
