//! One directory of tasks as a row of bytes, always of the same size.

use std::sync::{Arc, OnceLock};

use handoff_model::task::{Priority, Status};

use super::bytes::{Unpacker, day_number, milliseconds, read_day, read_id, read_moment};
use super::pack::{at, place};
use super::{Index, Kept};
use crate::sys::Stamp;
use crate::task::lazy::LazyTask;

/// A directory, with what its task file says as far as trees and lists are made of it.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Entry {
    pub(super) name_at: u32,
    pub(super) name_length: u16,
    /// How many directories lie above it, down from that of all tasks
    pub(super) depth: u8,
    pub(super) flags: u8,
    pub(super) status: u8,
    pub(super) priority: u8,
    /// Which of the fields that may be absent are there
    pub(super) given: u8,
    pub(super) directory: Stamp,
    pub(super) file: Stamp,
    pub(super) mark: u64,
    pub(super) id: [u8; 8],
    pub(super) parent: [u8; 8],
    pub(super) order: i64,
    pub(super) created_at: i64,
    pub(super) completed_at: i64,
    pub(super) number: u32,
    pub(super) due: i32,
    /// Dependencies and what is wrong, in the heap
    pub(super) more_at: u32,
    pub(super) more_length: u32,
    pub(super) body_at: u64,
    pub(super) body_length: u32,
    pub(super) body_sum: u64,
}

/// The stamp of the directory tells whether it is unchanged.
pub(super) const DIRECTORY_SETTLED: u8 = 1;
/// The stamp of the file tells whether it is unchanged.
pub(super) const FILE_SETTLED: u8 = 2;
pub(super) const HAS_DIRECTORIES: u8 = 4;
pub(super) const HAS_FILE: u8 = 8;
pub(super) const HAS_TASK: u8 = 16;

const PARENT: u8 = 1;
const ORDER: u8 = 2;
const CREATED: u8 = 4;
const COMPLETED: u8 = 8;
const NUMBER: u8 = 16;
const DUE: u8 = 32;
const PRIORITY: u8 = 64;

impl Entry {
    pub(super) const SIZE: usize = 160;

    pub(super) fn write(&self, to: &mut Vec<u8>) {
        let Entry { name_at, name_length, depth, flags, status, priority, given, directory, file, mark, .. } = self;
        let before = to.len();
        to.extend(name_at.to_le_bytes());
        to.extend(name_length.to_le_bytes());
        to.extend([*depth, *flags, *status, *priority, *given, 0]);
        for stamp in [directory, file] {
            let Stamp { inode, size, modified, changed } = stamp;
            to.extend(inode.to_le_bytes());
            to.extend(size.to_le_bytes());
            to.extend(modified.to_le_bytes());
            to.extend(changed.to_le_bytes());
        }
        to.extend(mark.to_le_bytes());
        let Entry { id, parent, order, created_at, completed_at, number, due, .. } = self;
        to.extend(id);
        to.extend(parent);
        [order, created_at, completed_at].into_iter().for_each(|number| to.extend(number.to_le_bytes()));
        to.extend(number.to_le_bytes());
        to.extend(due.to_le_bytes());
        let Entry { more_at, more_length, body_at, body_length, body_sum, .. } = self;
        to.extend(more_at.to_le_bytes());
        to.extend(more_length.to_le_bytes());
        to.extend(body_at.to_le_bytes());
        to.extend(body_length.to_le_bytes());
        to.extend(body_sum.to_le_bytes());
        assert_eq!(to.len() - before, Entry::SIZE, "every entry has the same size");
    }

    pub(super) fn read(bytes: &[u8]) -> Option<Entry> {
        let mut from = Unpacker(bytes);
        let stamp = |from: &mut Unpacker<'_>| {
            let (inode, size) = (from.long()?, from.long()?);
            Some(Stamp { inode, size, modified: from.long()?.cast_signed(), changed: from.long()?.cast_signed() })
        };
        Some(Entry {
            name_at: from.short()?,
            name_length: u16::from_le_bytes(from.bytes(2)?.try_into().ok()?),
            depth: from.byte()?,
            flags: from.byte()?,
            status: from.byte()?,
            priority: from.byte()?,
            given: from.bytes(2)?[0],
            directory: stamp(&mut from)?,
            file: stamp(&mut from)?,
            mark: from.long()?,
            id: from.bytes(8)?.try_into().ok()?,
            parent: from.bytes(8)?.try_into().ok()?,
            order: from.long()?.cast_signed(),
            created_at: from.long()?.cast_signed(),
            completed_at: from.long()?.cast_signed(),
            number: from.short()?,
            due: from.short()?.cast_signed(),
            more_at: from.short()?,
            more_length: from.short()?,
            body_at: from.long()?,
            body_length: from.short()?,
            body_sum: from.long()?,
        })
    }

    pub(super) fn has(&self, flag: u8) -> bool {
        self.flags & flag != 0
    }

    /// The stamp of the file, where that tells whether it is unchanged.
    pub(super) fn settled_file(&self) -> Option<Stamp> {
        self.has(FILE_SETTLED).then_some(self.file)
    }

    /// Whether its file says that there is nothing left to do.
    pub(super) fn is_finished(&self) -> bool {
        self.has(HAS_TASK) && at(Status::ALL, self.status).is_some_and(Status::is_finished)
    }

    /// Takes over what a task says.
    pub(super) fn say(&mut self, task: &LazyTask) {
        let mut given = 0;
        let mut give = |flag: u8, is_given: bool| given |= if is_given { flag } else { 0 };
        give(PARENT, task.parent.is_some());
        give(ORDER, task.order.is_some());
        give(CREATED, task.created_at.is_some());
        give(COMPLETED, task.completed_at.is_some());
        give(NUMBER, task.number.is_some());
        give(DUE, task.due_date.is_some());
        give(PRIORITY, task.priority.is_some());
        let bytes =
            |id: &handoff_model::id::TaskId| id.as_str().as_bytes().try_into().expect("an id has eight letters");
        self.given = given;
        self.flags |= HAS_TASK;
        self.id = bytes(&task.id);
        self.status = place(Status::ALL, &task.status);
        self.priority = task.priority.map_or(0, |priority| place(Priority::ALL, &priority));
        self.parent = task.parent.as_ref().map_or([0; 8], bytes);
        self.order = task.order.unwrap_or(0);
        self.created_at = task.created_at.map_or(0, milliseconds);
        self.completed_at = task.completed_at.map_or(0, milliseconds);
        self.number = task.number.unwrap_or(0);
        self.due = task.due_date.map_or(0, day_number);
    }

    /// The task, of which the rest is understood when it is looked at.
    pub(super) fn task(&self, dependencies: Vec<handoff_model::id::TaskId>, kept: Kept) -> Option<Arc<LazyTask>> {
        fn given<T>(is_given: bool, value: impl FnOnce() -> Option<T>) -> Option<Option<T>> {
            if is_given { value().map(Some) } else { Some(None) }
        }
        let has = |flag: u8| self.given & flag != 0;
        Some(Arc::new(LazyTask {
            id: read_id(&self.id)?,
            status: at(Status::ALL, self.status)?,
            priority: given(has(PRIORITY), || at(Priority::ALL, self.priority))?,
            parent: given(has(PARENT), || read_id(&self.parent))?,
            number: has(NUMBER).then_some(self.number),
            order: has(ORDER).then_some(self.order),
            created_at: given(has(CREATED), || read_moment(self.created_at))?,
            completed_at: given(has(COMPLETED), || read_moment(self.completed_at))?,
            due_date: given(has(DUE), || read_day(self.due))?,
            dependencies,
            whole: OnceLock::new(),
            kept: Some(kept),
        }))
    }
}

impl Index {
    pub(super) fn kept(self: &Arc<Index>, entry: usize) -> Kept {
        Kept { index: self.clone(), entry }
    }
}
