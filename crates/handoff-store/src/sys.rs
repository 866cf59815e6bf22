//! Files and directories below one root, never through a link.
//!
//! **Invariant:** nothing outside the root is read or written. Links, FIFOs, sockets and devices are refused, whatever
//! a repository put in their place.

use std::fs::File;
use std::io;

#[cfg(target_os = "linux")]
mod inotify;
#[cfg(target_os = "linux")]
mod local;
mod login;
mod machine;
#[cfg(any(not(unix), test))]
mod portable;
#[cfg(unix)]
mod unix;
#[cfg(not(target_os = "linux"))]
mod unwatched;

#[cfg(not(unix))]
pub(crate) use portable::Handle;
#[cfg(unix)]
pub(crate) use unix::Handle;

#[cfg(target_os = "linux")]
pub(crate) use inotify::Watcher;
#[cfg(not(target_os = "linux"))]
pub(crate) use unwatched::Watcher;

pub use login::login_name;
pub use machine::machine_clock;

/// The watch on one directory; it stays with the directory when that is renamed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(not(target_os = "linux"), allow(dead_code, reason = "nothing is watched there"))]
pub(crate) struct Watch(i32);

/// What a watcher has to tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(not(target_os = "linux"), allow(dead_code, reason = "nothing is watched there"))]
pub(crate) enum Event<'a> {
    /// Something happened to a name in a directory
    Named { watch: Watch, name: &'a str, attributes: bool },
    /// The watch is no more, since its directory is gone
    Gone(Watch),
    /// More happened than could be told
    Lost,
}

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

/// What a file's metadata says of its content: where it is equal and not too young, the content is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Stamp {
    pub(crate) inode: u64,
    pub(crate) size: u64,
    /// When the content was last changed, in nanoseconds
    pub(crate) modified: i64,
    /// When content or metadata last changed, where the platform tells; it cannot be set by hand
    pub(crate) changed: i64,
}

/// Whose clock the times of a file are from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Clock {
    /// Perhaps another machine's
    Any,
    /// That of this machine
    Own,
}

/// Who may do what with a file, where the platform tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(not(unix), allow(dead_code, reason = "nothing is told there"))]
pub(crate) struct Access {
    /// The nine bits for owner, group and others
    pub(crate) mode: u32,
    /// Whether it belongs to whoever runs this
    pub(crate) is_ours: bool,
}

/// Facts by which a directory is recognised, however it is reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct DirectoryFacts {
    /// 0 where the platform has no device numbers
    pub(crate) device: u64,
    /// 0 where the platform has no inodes
    pub(crate) inode: u64,
    /// Owner, where the platform has numeric ones
    pub(crate) owner: Option<u32>,
    /// Time of creation in nanoseconds since 1970, where the file system records it. Nothing can set it.
    pub(crate) born: Option<u128>,
}

/// Time of creation of a file in nanoseconds; `None` where the file system does not record it.
fn born(metadata: &std::fs::Metadata) -> Option<u128> {
    let since = metadata.created().ok()?.duration_since(std::time::UNIX_EPOCH).ok()?;
    // Some images hold zeros there, which identify nothing.
    Some(since.as_nanos()).filter(|nanoseconds| *nanoseconds > 0)
}

/// The coarsest clock of a file system: within one of its ticks a file can change twice and show one time.
const TICK: i64 = 2_000_000_000;
/// The coarsest of a kernel that counts finer than that. This is ten of its ticks and more.
const FINE_TICK: i64 = 100_000_000;
/// A time that is no multiple of this was not cut to a coarse one.
const FINE: i64 = 10_000_000;

impl Stamp {
    /// The stamp, unless the file could change once more without showing it. One from the future tells nothing.
    pub(crate) fn settled(self, clock: Clock) -> Option<Stamp> {
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
        let now = i64::try_from(now.as_nanos()).unwrap_or(i64::MAX);
        // The time of the last change is not set by hand, so it shows how finely this file system counts.
        let is_fine = clock == Clock::Own && self.changed % FINE != 0;
        let tick = if is_fine { FINE_TICK } else { TICK };
        (self.modified.max(self.changed).saturating_add(tick) < now).then_some(self)
    }
}

/// Whether a directory had to be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Made {
    New,
    Present,
}

/// Fills a buffer with the bytes of a file from a place on.
pub(crate) fn read_at(file: &File, buffer: &mut [u8], at: u64) -> io::Result<()> {
    #[cfg(unix)]
    return std::os::unix::fs::FileExt::read_exact_at(file, buffer, at);
    #[cfg(not(unix))]
    {
        use std::io::{Read, Seek};
        let mut file = file;
        file.seek(io::SeekFrom::Start(at))?;
        file.read_exact(buffer)
    }
}

/// Whether an open file has no other names (hard links), which might be outside of the store.
#[cfg(unix)]
pub(crate) fn has_one_name(file: &File) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    file.metadata().is_ok_and(|metadata| metadata.nlink() <= 1)
}

/// Elsewhere this cannot be asked without calls that are not safe, and archives hold no hard links.
#[cfg(not(unix))]
pub(crate) fn has_one_name(_: &File) -> bool {
    true
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
    let has_none_of = |name: &str| memchr::memchr3(b'/', b'\\', b'\0', name.as_bytes()).is_none();
    let plain = !name.is_empty() && name != "." && name != ".." && has_none_of(name);
    if plain {
        Ok(())
    } else {
        Err(io::Error::new(io::ErrorKind::InvalidInput, format!("`{name}` is not a plain file name")))
    }
}

#[cfg(all(test, unix))]
mod tests;
