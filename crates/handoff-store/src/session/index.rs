//! What was read of the session files, kept so that lists need not read thousands of them again.
//!
//! **Invariant:** a cache in the strict sense, like the index of the tasks. What is kept of a file is believed when the
//! file, or at least the directory where nobody shows the file, is as it was. One that is missing, torn, of another
//! version or of another store only makes the next look slower.
//!
//! The file is a header, one row of equal size for each session file in the order lists have, and a heap of texts. It
//! is replaced as a whole and never written over.

use std::collections::HashSet;
use std::io;
use std::rc::Rc;
use std::sync::Arc;

use handoff_model::MAX_FILE_BYTES;
use handoff_model::checksum::checksum;
use handoff_model::problem::Problem;

use super::read::{ReadSession, SINGLE};
use super::summary::{SessionSummary, Summaries};
use crate::error::{Result, StoreError};
use crate::layout::{SESSION_INDEX, SESSIONS};
use crate::packed::{header, header_size, read_header};
use crate::root::{Root, into_text, split};
use crate::several::in_shares;
use crate::stop::Stop;
use crate::store::{Store, WORTH_KEEPING};
use crate::sys::{self, Clock, Handle, Stamp};

mod row;

pub(in crate::session) use row::Text;
pub(crate) use row::{NewRow, Row, Table};

/// What is written changes with this number.
const VERSION: u32 = 2;
const MAGIC: [u8; 8] = *b"handoffS";
const HEADER: usize = header_size(10);

/// Fewer files than this are looked at before another thread has started.
const WORTH_A_THREAD: usize = 512;
/// The same for files that are read.
const WORTH_A_READER: usize = 32;

/// The files that are looked at, where the directory is as it was.
#[derive(Clone, Copy)]
pub(crate) enum Looked {
    Everywhere,
    At(fn(Row<'_>) -> bool),
}

/// The rows that were kept.
#[derive(Debug, Default)]
pub(crate) struct Kept {
    table: Arc<Table>,
    /// The stamp of the directory, where that tells whether its names are the same
    directory: Option<Stamp>,
}

impl Kept {
    /// What was kept for a store; `None` where that cannot be used.
    pub(crate) fn open(root: &Root) -> Option<Kept> {
        let store = root.handle().identity()?;
        let (dir, name) = split(SESSION_INDEX);
        let file = root.dir(dir).ok()?.open_to_read(name).ok()?;
        let mut said = [0; HEADER];
        sys::read_at(&file, &mut said, 0).ok()?;
        let [count, heap, sum, device, inode, is_settled, directory @ ..] = read_header::<10>(&said, MAGIC, VERSION)?;
        let rows = usize::try_from(count).ok()?.checked_mul(row::SIZE)?;
        let size = rows.checked_add(usize::try_from(heap).ok()?)?;
        // Nothing is made room for that is not there.
        if file.metadata().ok()?.len() != (HEADER as u64).checked_add(size as u64)? || (device, inode) != store {
            return None;
        }
        let mut bytes = vec![0; size];
        sys::read_at(&file, &mut bytes, HEADER as u64).ok()?;
        if checksum(&bytes) != sum {
            return None;
        }
        let [inode, size, modified, changed] = directory;
        let stamp = Stamp { inode, size, modified: modified.cast_signed(), changed: changed.cast_signed() };
        let directory = (is_settled == 1).then_some(stamp);
        Some(Kept { table: Arc::new(Table::new(bytes, rows)), directory })
    }

    /// Puts rows in the place of those that were kept before. Only the holder of the lock does, and nobody depends on it.
    fn keep(root: &Root, table: &Table, directory: Option<Stamp>) -> io::Result<()> {
        let Some(store) = root.handle().identity() else { return Ok(()) };
        let (rows, heap) = table.parts();
        let Stamp { inode, size, modified, changed } = directory.unwrap_or_default();
        let numbers = [
            (rows.len() / row::SIZE) as u64,
            heap.len() as u64,
            checksum(table.bytes()),
            store.0,
            store.1,
            u64::from(directory.is_some()),
            inode,
            size,
            modified.cast_unsigned(),
            changed.cast_unsigned(),
        ];
        root.replace_loose(SESSION_INDEX, &[&header(MAGIC, VERSION, numbers), table.bytes()].concat())
    }
}

/// What became of the rows that were kept.
struct Looks {
    /// Rows that are not as their files, in order
    doubts: Vec<usize>,
    /// The files to read
    wanted: Vec<String>,
}

impl Store {
    /// What lists show of the session files as they are now, by what was kept of them, with what changed since.
    pub(crate) fn indexed_summaries(&self, looked: Looked) -> Result<Summaries> {
        let dir = match self.root.dir(SESSIONS) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Summaries::default()),
            dir => dir,
        };
        let kept = self.kept_sessions();
        let read = dir.and_then(|dir| self.look_at_sessions(&dir, &kept, looked, WORTH_KEEPING));
        self.stop.check()?;
        Ok(read.unwrap_or_else(|error| Summaries::of_nothing(&StoreError::read(SESSIONS, error))))
    }

    /// What was kept, from memory if it is still the same file.
    fn kept_sessions(&self) -> Rc<Kept> {
        let (dir, name) = split(SESSION_INDEX);
        let stamp = || self.root.dir(dir).ok()?.stamp(name).ok()?;
        let Some(stamp) = stamp() else { return Rc::default() };
        let mut known = self.kept_sessions.borrow_mut();
        match &*known {
            Some((seen, kept)) if *seen == stamp => kept.clone(),
            _ => {
                let kept = Rc::new(Kept::open(&self.root).unwrap_or_default());
                *known = Some((stamp, kept.clone()));
                kept
            }
        }
    }

    /// Reads every session file, and keeps what lists show of it.
    pub(crate) fn rebuild_session_index(&self) {
        let read = self.root.dir(SESSIONS).and_then(|dir| {
            let nothing = Kept::default();
            self.look_at_sessions(&dir, &nothing, Looked::Everywhere, 0)
        });
        if read.is_err() {
            let _ = self.root.remove_file(SESSION_INDEX);
        }
    }

    /// What lists show, with what was kept of it; kept anew where so much changed that it is worth it.
    fn look_at_sessions(&self, dir: &Handle, kept: &Kept, looked: Looked, worth: usize) -> io::Result<Summaries> {
        let now = dir.own_stamp()?;
        // Before the names are read: what comes later shows.
        let directory = now.settled(Clock::Own);
        let are_names_known = kept.directory == Some(now);
        let Looks { doubts, wanted } = look(dir, &kept.table, are_names_known, looked, &self.stop)?;
        let fresh = read_files(dir, &wanted, &self.stop);
        let (count, changed) = (kept.table.len() + fresh.len(), fresh.len().max(doubts.len()));
        let table = if fresh.is_empty() { Arc::default() } else { Arc::new(Table::of(fresh)) };
        let rows = merged(&kept.table, &doubts, &table);
        // Listing the names takes as long as writing everything anew.
        let is_worth_it = !are_names_known && directory.is_some() && count >= worth;
        if changed >= worth || is_worth_it {
            self.keep_index(usize::MAX, || Kept::keep(&self.root, &Table::of_rows(&rows), directory));
        }
        Ok(Summaries::settled(rows, !table.is_empty()))
    }

    /// Whether so few sessions are there that they are best read each time, or something else remembers them.
    pub(crate) fn reads_all_sessions(&self) -> bool {
        if self.warm.is_some() || !self.uses_index() || self.root.handle().identity().is_none() {
            return true;
        }
        let is_kept = || self.root.exists(SESSION_INDEX);
        let names = || self.root.dir(SESSIONS).and_then(|dir| dir.list()).unwrap_or_default();
        let count = || names().iter().filter(|entry| (SINGLE.is_wanted)(&entry.name)).count();
        !is_kept() && count() < WORTH_KEEPING
    }

    /// Whether the files of some rows are as the rows say. Those of which no stamp tells were read for this answer.
    pub(super) fn are_as_their_files(&self, rows: &[Row<'_>]) -> bool {
        let Ok(dir) = self.root.dir(SESSIONS) else { return false };
        let look = |number: usize, changed: &mut Vec<usize>| {
            let stamp = rows[number].stamp();
            if stamp.is_some() && dir.stamp(rows[number].file()).ok().flatten() != stamp {
                changed.push(number);
            }
            Some(())
        };
        in_shares(rows.len(), WORTH_A_THREAD, &self.stop, look, || ()).is_some_and(|(changed, ())| changed.is_empty())
    }

    /// The session files that were changed without anything but they themselves showing it.
    pub(crate) fn stale_sessions(&self) -> Vec<String> {
        let (Some(kept), Ok(dir)) = (Kept::open(&self.root), self.root.dir(SESSIONS)) else { return Vec::new() };
        let is_known = kept.directory.is_some() && kept.directory == dir.own_stamp().ok();
        let rows = (0..kept.table.len()).map(|number| kept.table.row(number)).filter(|_| is_known);
        let stale = rows.filter(|row| row.stamp().is_some() && dir.stamp(row.file()).ok().flatten() != row.stamp());
        stale.map(|row| crate::root::join(SESSIONS, row.file())).collect()
    }
}

/// Looks which rows are no longer as their files, and which files have none.
fn look(dir: &Handle, table: &Table, are_names_known: bool, looked: Looked, stop: &Stop) -> io::Result<Looks> {
    let is_looked_at = |row: Row<'_>| {
        !are_names_known
            || match looked {
                Looked::Everywhere => true,
                Looked::At(is_wanted) => is_wanted(row),
            }
    };
    let is_doubtful = |row: Row<'_>| match row.stamp() {
        None => true,
        stamp => is_looked_at(row) && dir.stamp(row.file()).ok().flatten() != stamp,
    };
    let doubtful = |number: usize, doubts: &mut Vec<usize>| {
        if is_doubtful(table.row(number)) {
            doubts.push(number);
        }
        Some(())
    };
    let names = || if are_names_known { Ok(None) } else { dir.list().map(Some) };
    let (doubts, names) = in_shares(table.len(), WORTH_A_THREAD, stop, doubtful, names)
        .ok_or_else(|| io::Error::other("a look at the sessions broke off"))?;
    let mut doubts = doubts;
    doubts.sort_unstable();
    let in_doubt = doubts.iter().map(|number| table.row(*number).file());
    let wanted = match names? {
        None => in_doubt.map(str::to_owned).collect(),
        Some(names) => {
            let mut well: HashSet<&str> = (0..table.len()).map(|number| table.row(number).file()).collect();
            for file in in_doubt {
                well.remove(file);
            }
            let files = names.into_iter().map(|entry| entry.name);
            files.filter(|name| (SINGLE.is_wanted)(name) && !well.contains(name.as_str())).collect()
        }
    };
    Ok(Looks { doubts, wanted })
}

/// Reads files as rows, in the order of lists. One that is gone has none.
fn read_files(dir: &Handle, wanted: &[String], stop: &Stop) -> Vec<NewRow> {
    let read = |number: usize, rows: &mut Vec<NewRow>| {
        rows.extend(read_row(dir, &wanted[number]).map(|(row, _)| row));
        Some(())
    };
    let (mut rows, ()) = in_shares(wanted.len(), WORTH_A_READER, stop, read, || ()).unwrap_or_default();
    rows.sort_by(|a, b| a.as_row().order().cmp(&b.as_row().order()));
    rows
}

/// Reads a file, as what lists show of it and as all that it says; `None` when there is none.
pub(super) fn read_row(dir: &Handle, file: &str) -> Option<(NewRow, ReadSession)> {
    let read = dir.read_stamped(file, MAX_FILE_BYTES).and_then(|(bytes, stamp)| Ok((into_text(bytes)?, stamp)));
    let (read, stamp) = match read {
        Ok((text, stamp)) => ((SINGLE.understand)(file, Ok(&text)), stamp.settled(Clock::Own)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return None,
        // It may be well another time, so it is tried again.
        Err(error) => ((SINGLE.understand)(file, Err(error)), None),
    };
    let row = NewRow::of(file, read.found.as_deref(), read.problem.as_ref(), stamp);
    Some((if read.is_refused { row.refused() } else { row }, read))
}

/// The rows that were kept, but for those in doubt, and those that were read, in the order of lists.
fn merged(kept: &Arc<Table>, doubts: &[usize], fresh: &Arc<Table>) -> Vec<SessionSummary> {
    let mut rows = Vec::with_capacity(kept.len() + fresh.len());
    let mut doubts = doubts.iter().peekable();
    let mut next = 0;
    for number in 0..kept.len() {
        if doubts.next_if_eq(&&number).is_some() {
            continue;
        }
        while next < fresh.len() && fresh.row(next).order() < kept.row(number).order() {
            rows.push(SessionSummary::new(fresh, next));
            next += 1;
        }
        rows.push(SessionSummary::new(kept, number));
    }
    rows.extend((next..fresh.len()).map(|number| SessionSummary::new(fresh, number)));
    rows
}

impl Summaries {
    /// What there is to say where nothing can be read.
    fn of_nothing(error: &StoreError) -> Summaries {
        let problems = match error {
            StoreError::Read { path, source } => vec![Problem::damaged(path, format!("cannot be read: {source}"))],
            other => vec![Problem::damaged(SESSIONS, other.to_string())],
        };
        Summaries { list: Vec::new(), problems, lacks_some: true }
    }
}
