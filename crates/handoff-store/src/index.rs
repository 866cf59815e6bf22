//! What was read of the tasks, kept so that it is not read again as long as the files stay as they are.
//!
//! **Invariant:** a cache in the strict sense. Every directory, every file of a task that is not finished, and every
//! file an answer shows is looked at before what is kept of it is believed; one that is missing, torn, of another
//! version or of another store only makes the next look slower.
//!
//! The file is scanned in place: a header, one entry of equal size for each directory, parents first, a heap of names
//! and the like, and the tasks themselves, of which only those that are looked at are read. It is replaced as a whole
//! and never written over, so whoever has it open reads on in the one he has.

use std::fs::File;
use std::io;
use std::sync::Arc;

use handoff_model::task::Task;

use crate::layout::{INDEX, TASK_FILE, TASKS};
use crate::root::{Root, into_text, join, split};
use crate::sys::{self, Handle};
use crate::task::scan::read_leniently;

mod bytes;
mod check;
mod entry;
mod keep;
mod load;
mod pack;
mod scan;

pub(crate) use check::{Doubt, Looked};
use entry::{Entry, SIZE};
pub(crate) use keep::keep;
pub(crate) use pack::{pack_task, unpack_task};
pub(crate) use scan::Quiet;

/// What is written changes with this number.
const VERSION: u32 = 3;
const MAGIC: &[u8; 8] = b"handoffI";

/// An index that is whole and of this store.
#[derive(Debug)]
pub(crate) struct Index {
    /// Entries, then the heap
    bytes: Vec<u8>,
    count: usize,
    /// The file it was read from, for the tasks themselves
    file: File,
    bodies_at: u64,
    /// The directory of the tasks
    tasks: Handle,
}

/// The beginning of the file.
struct Header {
    count: u64,
    heap: u64,
    bodies: u64,
    /// Of entries and heap
    sum: u64,
    /// Device and inode of the store
    store: (u64, u64),
}

impl Header {
    const SIZE: usize = 72;

    fn write(&self) -> Vec<u8> {
        let Header { count, heap, bodies, sum, store } = self;
        let mut bytes = MAGIC.to_vec();
        for number in [u64::from(VERSION), *count, *heap, *bodies, *sum, store.0, store.1] {
            bytes.extend(number.to_le_bytes());
        }
        let sum = bytes::checksum(&bytes);
        bytes.extend(sum.to_le_bytes());
        bytes
    }

    fn read(bytes: &[u8; Header::SIZE]) -> Option<Header> {
        let (said, sum) = bytes.split_last_chunk::<8>()?;
        let numbers = said.strip_prefix(MAGIC)?.as_chunks::<8>().0;
        let [version, count, heap, bodies, own, device, inode] = <[[u8; 8]; 7]>::try_from(numbers).ok()?;
        let is_ours = u64::from_le_bytes(*sum) == bytes::checksum(said);
        let number = u64::from_le_bytes;
        (is_ours && number(version) == u64::from(VERSION)).then(|| Header {
            count: number(count),
            heap: number(heap),
            bodies: number(bodies),
            sum: number(own),
            store: (number(device), number(inode)),
        })
    }
}

impl Index {
    /// The index of a store; `None` where there is none that can be used.
    pub(crate) fn open(root: &Root) -> Option<Arc<Index>> {
        let store = root.handle().identity()?;
        let (dir, name) = split(INDEX);
        let file = root.dir(dir).ok()?.open_to_read(name).ok()?;
        let mut header = [0; Header::SIZE];
        sys::read_at(&file, &mut header, 0).ok()?;
        let header = Header::read(&header).filter(|header| header.store == store)?;
        let count = usize::try_from(header.count).ok()?;
        let size = count.checked_mul(SIZE)?.checked_add(usize::try_from(header.heap).ok()?)?;
        let bodies_at = (Header::SIZE as u64).checked_add(size as u64)?;
        // Nothing is made room for that is not there.
        if file.metadata().ok()?.len() != bodies_at.checked_add(header.bodies)? {
            return None;
        }
        let mut bytes = vec![0; size];
        sys::read_at(&file, &mut bytes, Header::SIZE as u64).ok()?;
        if bytes::checksum(&bytes) != header.sum {
            return None;
        }
        Some(Arc::new(Index { bytes, count, file, bodies_at, tasks: root.dir(TASKS).ok()? }))
    }

    fn entry(&self, number: usize) -> Option<Entry<'_>> {
        let at = number.checked_mul(SIZE)?;
        if number >= self.count { None } else { Entry::of(self.bytes.get(at..at + SIZE)?) }
    }

    fn heap(&self, at: u32, length: usize) -> Option<&[u8]> {
        let at = (self.count * SIZE).checked_add(at as usize)?;
        self.bytes.get(at..at.checked_add(length)?)
    }

    fn name(&self, entry: Entry<'_>) -> Option<&[u8]> {
        let (at, length) = entry.name();
        self.heap(at, length)
    }

    /// The path of a directory below that of all tasks.
    fn path(&self, number: usize) -> Option<Vec<u8>> {
        let mut names = Vec::new();
        let mut at = number;
        while at > 0 {
            let entry = self.entry(at)?;
            names.push(self.name(entry)?);
            // Each lies behind the one it lies in.
            at = Some(entry.above()).filter(|above| *above < at)?;
        }
        names.reverse();
        Some(names.join(&b'/'))
    }

    /// The bytes of a task.
    fn body(&self, entry: Entry<'_>) -> Option<Vec<u8>> {
        let (at, length, sum) = entry.body();
        let mut bytes = vec![0; length];
        sys::read_at(&self.file, &mut bytes, self.bodies_at.checked_add(at)?).ok()?;
        (bytes::short_checksum(&bytes) == sum).then_some(bytes)
    }
}

/// The place of a task in an index.
#[derive(Clone, Debug)]
pub(crate) struct Kept {
    index: Arc<Index>,
    entry: usize,
}

impl Kept {
    /// The task, from the index or, where that is spoiled, from its file.
    pub(crate) fn task(&self) -> Option<Task> {
        self.body().and_then(|bytes| unpack_task(&bytes)).or_else(|| self.read_file().ok().flatten())
    }

    /// Where its directory lies, relative to the store.
    pub(crate) fn dir(&self) -> String {
        let path = self.index.path(self.entry).and_then(|path| String::from_utf8(path).ok());
        path.map_or_else(|| TASKS.to_owned(), |path| join(TASKS, &path))
    }

    pub(crate) fn body(&self) -> Option<Vec<u8>> {
        self.index.body(self.index.entry(self.entry)?)
    }

    fn read_file(&self) -> io::Result<Option<Task>> {
        let path = self.index.path(self.entry).and_then(|path| String::from_utf8(path).ok());
        let Some(path) = path else { return Ok(None) };
        let text = into_text(self.index.tasks.descend(&path)?.read(TASK_FILE, handoff_model::MAX_FILE_BYTES)?)?;
        Ok(read_leniently(&text, TASK_FILE).0)
    }
}
