//! One directory of tasks as a row of bytes, always of the same size, of which each reader takes what it needs.

use std::sync::{Arc, OnceLock};

use handoff_model::id::TaskId;
use handoff_model::task::{Priority, Status};
use handoff_model::when::Moment;

use super::{Index, Kept};
use crate::packed::{at, day_number, milliseconds, place, read_day, read_id, read_stamp, stamp_bytes};
use crate::sys::Stamp;
use crate::task::dir::Said;
use crate::task::lazy::{LazyTask, Rest};

/// A directory, with what its task file says as far as trees and lists are made of it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry<'a>(&'a [u8; SIZE]);

/// The same while it is written.
#[derive(Debug)]
pub(super) struct NewEntry(pub(super) [u8; SIZE]);

pub(super) const SIZE: usize = 176;

// Where each field begins.
const NAME_AT: usize = 0;
const NAME_LENGTH: usize = 4;
const DEPTH: usize = 6;
const FLAGS: usize = 7;
const STATUS: usize = 8;
const PRIORITY: usize = 9;
/// Which of the fields that may be absent are there
const GIVEN: usize = 10;
/// What its name says
const NAME_STATUS: usize = 11;
const NAME_ORDINAL: usize = 12;
const DIRECTORY: usize = 16;
const FILE: usize = 48;
const MARK: usize = 80;
const ID: usize = 88;
const PARENT: usize = 96;
const ORDER: usize = 104;
const CREATED: usize = 112;
const COMPLETED: usize = 120;
const TOUCHED: usize = 128;
const NUMBER: usize = 136;
const DUE: usize = 140;
/// Dependencies and what is wrong, in the heap
const MORE_AT: usize = 144;
const MORE_LENGTH: usize = 148;
const BODY_AT: usize = 152;
const BODY_LENGTH: usize = 160;
const BODY_SUM: usize = 164;
/// The entry of the directory it lies in
const ABOVE: usize = 168;
/// How many entries of directories below it follow
const BELOW: usize = 172;

const NO_STATUS: u8 = u8::MAX;

/// The stamp of the directory tells whether it is unchanged.
pub(super) const DIRECTORY_SETTLED: u8 = 1;
/// The stamp of the file tells whether it is unchanged.
pub(super) const FILE_SETTLED: u8 = 2;
pub(super) const HAS_DIRECTORIES: u8 = 4;
pub(super) const HAS_FILE: u8 = 8;
pub(super) const HAS_TASK: u8 = 16;
/// All tasks from here down are finished, and there is nothing to say of them but how many they are.
pub(super) const QUIET: u8 = 32;

const HAS_PARENT: u8 = 1;
const HAS_ORDER: u8 = 2;
const HAS_CREATED: u8 = 4;
const HAS_COMPLETED: u8 = 8;
const HAS_NUMBER: u8 = 16;
const HAS_DUE: u8 = 32;
const HAS_PRIORITY: u8 = 64;
const HAS_TOUCHED: u8 = 128;

impl<'a> Entry<'a> {
    pub(super) fn of(bytes: &'a [u8]) -> Option<Entry<'a>> {
        bytes.try_into().ok().map(Entry)
    }

    fn bytes<const N: usize>(self, at: usize) -> [u8; N] {
        self.0[at..at + N].try_into().expect("fields lie within their entry")
    }

    fn short(self, at: usize) -> u32 {
        u32::from_le_bytes(self.bytes(at))
    }

    fn long(self, at: usize) -> u64 {
        u64::from_le_bytes(self.bytes(at))
    }

    /// Where in the heap its name is.
    pub(super) fn name(self) -> (u32, usize) {
        (self.short(NAME_AT), usize::from(u16::from_le_bytes(self.bytes(NAME_LENGTH))))
    }

    pub(super) fn said(self) -> Said {
        let ordinal = Some(self.short(NAME_ORDINAL)).filter(|ordinal| *ordinal > 0);
        Said { ordinal, status: at(Status::ALL, self.0[NAME_STATUS]) }
    }

    /// The entry of the directory it lies in; that of all tasks lies in itself.
    pub(super) fn above(self) -> usize {
        self.short(ABOVE) as usize
    }

    /// How many entries of directories below it follow.
    pub(super) fn below(self) -> usize {
        self.short(BELOW) as usize
    }

    /// How many directories lie above it, down from that of all tasks.
    pub(super) fn depth(self) -> u8 {
        self.0[DEPTH]
    }

    pub(super) fn has(self, flag: u8) -> bool {
        self.0[FLAGS] & flag != 0
    }

    fn stamp(self, at: usize) -> Stamp {
        read_stamp(&self.bytes(at))
    }

    /// The stamp of the directory, where that tells whether it is unchanged.
    pub(super) fn settled_directory(self) -> Option<Stamp> {
        self.has(DIRECTORY_SETTLED).then(|| self.stamp(DIRECTORY))
    }

    /// The stamp of the file, where that tells whether it is unchanged.
    pub(super) fn settled_file(self) -> Option<Stamp> {
        self.has(FILE_SETTLED).then(|| self.stamp(FILE))
    }

    pub(super) fn mark(self) -> u64 {
        self.long(MARK)
    }

    pub(super) fn id(self) -> Option<TaskId> {
        read_id(&self.bytes::<8>(ID))
    }

    pub(super) fn status(self) -> Option<Status> {
        if self.has(HAS_TASK) { at(Status::ALL, self.0[STATUS]) } else { None }
    }

    /// Whether its file says that there is nothing left to do.
    pub(super) fn is_finished(self) -> bool {
        self.status().is_some_and(Status::is_finished)
    }

    /// Where in the heap its dependencies are, and what is wrong with it.
    pub(super) fn more(self) -> (u32, usize) {
        (self.short(MORE_AT), self.short(MORE_LENGTH) as usize)
    }

    /// Where among the tasks its own is, how long it is, and its checksum.
    pub(super) fn body(self) -> (u64, usize, u32) {
        (self.long(BODY_AT), self.short(BODY_LENGTH) as usize, self.short(BODY_SUM))
    }

    /// The task, of which the rest is understood when it is looked at.
    pub(super) fn task(self, dependencies: Vec<TaskId>, kept: Kept) -> Option<Arc<LazyTask>> {
        #[expect(clippy::option_option, reason = "what cannot be read is something else than what is absent")]
        fn given<T>(is_given: bool, value: impl FnOnce() -> Option<T>) -> Option<Option<T>> {
            if is_given { value().map(Some) } else { Some(None) }
        }
        let has = |flag: u8| self.0[GIVEN] & flag != 0;
        let moment = |at: usize| Moment::from_milliseconds(self.long(at).cast_signed());
        Some(Arc::new(LazyTask {
            id: self.id()?,
            status: at(Status::ALL, self.0[STATUS])?,
            priority: given(has(HAS_PRIORITY), || at(Priority::ALL, self.0[PRIORITY]))?,
            parent: given(has(HAS_PARENT), || read_id(&self.bytes::<8>(PARENT)))?,
            number: has(HAS_NUMBER).then(|| self.short(NUMBER)),
            order: has(HAS_ORDER).then(|| self.long(ORDER).cast_signed()),
            created_at: given(has(HAS_CREATED), || moment(CREATED))?,
            completed_at: given(has(HAS_COMPLETED), || moment(COMPLETED))?,
            due_date: given(has(HAS_DUE), || read_day(self.short(DUE).cast_signed()))?,
            dependencies,
            last_touched: given(has(HAS_TOUCHED), || moment(TOUCHED))?,
            whole: OnceLock::new(),
            rest: Rest::Kept(kept),
        }))
    }
}

impl NewEntry {
    pub(super) fn new(depth: u8, mark: u64) -> NewEntry {
        let mut entry = NewEntry([0; SIZE]);
        entry.0[DEPTH] = depth;
        entry.put(MARK, mark.to_le_bytes());
        entry
    }

    fn put<const N: usize>(&mut self, at: usize, bytes: [u8; N]) {
        self.0[at..at + N].copy_from_slice(&bytes);
    }

    pub(super) fn flag(&mut self, flag: u8, is_set: bool) {
        self.0[FLAGS] |= if is_set { flag } else { 0 };
    }

    pub(super) fn name(&mut self, at: u32, length: u16, said: Said) {
        self.put(NAME_AT, at.to_le_bytes());
        self.put(NAME_LENGTH, length.to_le_bytes());
        self.0[NAME_STATUS] = said.status.map_or(NO_STATUS, |status| place(Status::ALL, &status));
        self.put(NAME_ORDINAL, said.ordinal.unwrap_or(0).to_le_bytes());
    }

    pub(super) fn above(&mut self, above: u32) {
        self.put(ABOVE, above.to_le_bytes());
    }

    pub(super) fn stamps(&mut self, directory: Option<Stamp>, file: Option<Stamp>) {
        for (at, stamp) in [(DIRECTORY, directory), (FILE, file)] {
            self.put(at, stamp_bytes(stamp.unwrap_or_default()));
        }
    }

    pub(super) fn more(&mut self, at: u32, length: u32) {
        self.put(MORE_AT, at.to_le_bytes());
        self.put(MORE_LENGTH, length.to_le_bytes());
    }

    pub(super) fn body(&mut self, at: u64, length: u32, sum: u32) {
        self.put(BODY_AT, at.to_le_bytes());
        self.put(BODY_LENGTH, length.to_le_bytes());
        self.put(BODY_SUM, sum.to_le_bytes());
    }

    /// Takes over what a task says.
    pub(super) fn say(&mut self, task: &LazyTask) {
        let bytes = |id: TaskId| <[u8; 8]>::try_from(id.as_str().as_bytes()).expect("an id has eight letters");
        self.flag(HAS_TASK, true);
        self.put(ID, bytes(task.id));
        self.0[STATUS] = place(Status::ALL, &task.status);
        if let Some(priority) = task.priority {
            self.0[GIVEN] |= HAS_PRIORITY;
            self.0[PRIORITY] = place(Priority::ALL, &priority);
        }
        self.give(HAS_PARENT, PARENT, task.parent.map(bytes));
        self.give(HAS_ORDER, ORDER, task.order.map(i64::to_le_bytes));
        self.give(HAS_NUMBER, NUMBER, task.number.map(u32::to_le_bytes));
        self.give(HAS_DUE, DUE, task.due_date.map(|day| day_number(day).to_le_bytes()));
        let moment = |moment: Moment| milliseconds(moment).to_le_bytes();
        self.give(HAS_CREATED, CREATED, task.created_at.map(moment));
        self.give(HAS_COMPLETED, COMPLETED, task.completed_at.map(moment));
        self.give(HAS_TOUCHED, TOUCHED, task.last_touched.map(moment));
    }

    fn give<const N: usize>(&mut self, flag: u8, at: usize, bytes: Option<[u8; N]>) {
        if let Some(bytes) = bytes {
            self.0[GIVEN] |= flag;
            self.put(at, bytes);
        }
    }
}

/// Notes in an entry that was written that it is quiet.
pub(super) fn put_quiet(entry: &mut [u8]) {
    entry[FLAGS] |= QUIET;
}

/// Notes in an entry that was written how many of those below it follow.
pub(super) fn put_below(entry: &mut [u8], below: u32) {
    entry[BELOW..BELOW + 4].copy_from_slice(&below.to_le_bytes());
}

impl Index {
    pub(super) fn kept(self: &Arc<Index>, entry: usize) -> Kept {
        Kept { index: self.clone(), entry }
    }
}
