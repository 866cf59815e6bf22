//! What was read of the memory files, kept so that a new process need not read thousands of them again.
//!
//! **Invariant:** a cache. What is kept of a file is believed only while the stamp of the file is the same. One that is
//! missing, torn, of another version or of another store only makes the next look slower.

use std::io;
use std::sync::Arc;

use handoff_model::checksum::checksum;
use handoff_model::memory::{MemoryId, MemoryKind, MemoryRecord};
use handoff_model::rev::Rev;
use handoff_model::session::Confidence;

use super::read::{FoundMemory, MemoryFiles, ReadMemory};
use crate::layout::{MEMORY, MEMORY_INDEX};
use crate::packed::{Packer, STAMP, Unpacker, at, header, header_size, place, read_header, read_stamp, stamp_bytes};
use crate::root::{Root, join};
use crate::sys::Stamp;
use crate::warm::ReadFile;

/// What is written changes with this number.
const VERSION: u32 = 1;
const MAGIC: [u8; 8] = *b"handoffM";
const HEADER: usize = header_size(4);
/// A larger file was not written here.
const MAX_CACHE_BYTES: usize = 1024 * 1024 * 1024;

/// What was kept, sorted by name; `None` where that cannot be used.
pub(super) fn open(root: &Root) -> Option<Vec<ReadFile<ReadMemory>>> {
    let store = root.handle().identity()?;
    let bytes = root.read_up_to(MEMORY_INDEX, MAX_CACHE_BYTES).ok()??;
    let (said, rows) = bytes.split_at_checked(HEADER)?;
    let [count, sum, device, inode] = read_header::<4>(said, MAGIC, VERSION)?;
    if (device, inode) != store || checksum(rows) != sum {
        return None;
    }
    let mut from = Unpacker(rows);
    (0..count).map(|_| read_row(&mut from)).collect()
}

/// Puts what was read in the place of what was kept before. Files that may change without showing it are left out.
pub(super) fn keep(root: &Root, files: &MemoryFiles) -> io::Result<()> {
    let Some((device, inode)) = root.handle().identity() else { return Ok(()) };
    let mut to = Packer::default();
    let mut count = 0;
    for file in files.iter() {
        if let Some(stamp) = file.stamp() {
            put_row(&mut to, &file.name, stamp, &file.content);
            count += 1;
        }
    }
    let said = header(MAGIC, VERSION, [count, checksum(&to.0), device, inode]);
    root.replace_loose(MEMORY_INDEX, &[said, to.0].concat())
}

fn put_row(to: &mut Packer, name: &str, stamp: Stamp, content: &ReadMemory) {
    to.text(name);
    to.0.extend(stamp_bytes(stamp));
    to.list(&content.problems, Packer::problem);
    to.maybe(content.found.as_deref(), |to, found| {
        to.0.extend(found.rev.as_number().to_le_bytes());
        put_record(to, &found.record);
    });
}

fn read_row(from: &mut Unpacker<'_>) -> Option<ReadFile<ReadMemory>> {
    let name = from.text()?;
    let stamp = read_stamp(from.bytes(STAMP)?.first_chunk()?);
    let problems = from.list(Unpacker::problem)?;
    let found = from.maybe(|from| {
        let rev = Rev::of_number(u64::from_le_bytes(*from.bytes(8)?.first_chunk()?));
        Some((rev, read_record(from)?))
    })?;
    let found = found.map(|(rev, record)| Arc::new(FoundMemory { record, rev, file: join(MEMORY, &name) }));
    Some(ReadFile::kept(name, ReadMemory { found, problems }, stamp))
}

fn put_record(to: &mut Packer, record: &MemoryRecord) {
    let MemoryRecord {
        format,
        id,
        kind,
        title,
        tags,
        keywords,
        paths,
        branches,
        confidence,
        author,
        created_at,
        session,
        retired_at,
        retired_because,
        replaced_by,
        origin,
        text,
    } = record;
    to.number(u64::from(*format));
    to.text(id.as_str());
    to.byte(place(MemoryKind::ALL, kind));
    for list in [tags, keywords, paths, branches] {
        to.list(list, |to, item| to.text(item));
    }
    for line in [title, author, session, retired_because] {
        to.maybe(line.as_deref(), Packer::text);
    }
    to.maybe(*confidence, |to, confidence| to.byte(place(Confidence::ALL, &confidence)));
    for moment in [created_at, retired_at] {
        to.maybe(moment.map(|moment| moment.to_string()), |to, moment| to.text(&moment));
    }
    to.maybe(replaced_by.as_ref(), |to, id| to.text(id.as_str()));
    let origin = origin.as_ref().and_then(|origin| serde_json::to_string(origin).ok());
    to.maybe(origin, |to, origin| to.text(&origin));
    to.text(text);
}

fn read_record(from: &mut Unpacker<'_>) -> Option<MemoryRecord> {
    let id = |text: String| text.parse::<MemoryId>().ok();
    let format = u32::try_from(from.number()?).ok()?;
    let own = id(from.text()?)?;
    let kind = at(MemoryKind::ALL, from.byte()?)?;
    let mut list = || from.list(Unpacker::text);
    let (tags, keywords, paths, branches) = (list()?, list()?, list()?, list()?);
    let mut line = || from.maybe(Unpacker::text);
    let (title, author, session, retired_because) = (line()?, line()?, line()?, line()?);
    let confidence = from.maybe(|from| at(Confidence::ALL, from.byte()?))?;
    let mut moment = || from.maybe(|from| from.text_in_place()?.parse().ok());
    let (created_at, retired_at) = (moment()?, moment()?);
    let replaced_by = from.maybe(|from| id(from.text()?))?;
    let origin = from.maybe(|from| serde_json::from_str(from.text_in_place()?).ok())?;
    let text = from.text()?;
    Some(MemoryRecord {
        format,
        id: own,
        kind,
        title,
        tags,
        keywords,
        paths,
        branches,
        confidence,
        author,
        created_at,
        session,
        retired_at,
        retired_because,
        replaced_by,
        origin,
        text,
    })
}
