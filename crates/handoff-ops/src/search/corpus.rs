//! What there is to find in a store at this moment.

use std::cell::OnceCell;
use std::sync::Arc;

use handoff_model::MAX_FILE_BYTES;
use handoff_model::id::TaskId;
use handoff_model::rev::Rev;
use handoff_model::search::{Document, Item, of_memory, of_session, of_task};
use handoff_store::{ArchivedTasks, Forest, FoundMemory, FoundSession, Node, RecordWords, Store};

use super::index::IndexedRecords;
use crate::OpError;

/// The records of a store.
pub(super) struct Corpus<'s> {
    pub(super) store: &'s Store,
    pub(super) forest: Arc<Forest>,
    packed: ArchivedTasks,
    sessions: Vec<Session>,
    memories: Vec<Arc<FoundMemory>>,
    /// Sorted by key
    present: Vec<Present>,
    pub(super) problems: Vec<handoff_model::problem::Problem>,
}

/// One record.
struct Present {
    key: Key,
    mark: u64,
    record: Record,
}

/// What a record is called among the kept words: a task by its id, and there are many of them.
enum Key {
    Task([u8; TASK_KEY]),
    /// A session or a memory
    Named(String),
}

const TASK: &[u8] = b"task ";
const TASK_KEY: usize = TASK.len() + 8;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Record {
    /// Each by its place
    Task(usize),
    /// A task in the archive
    Packed(usize),
    Session(usize),
    Memory(usize),
}

struct Session {
    found: Arc<FoundSession>,
    body: OnceCell<Option<String>>,
}

/// A record, to look at.
#[derive(Clone, Copy)]
pub(super) enum Seen<'c> {
    Task(&'c Node),
    /// A task in the archive
    Packed(&'c Node),
    Session(&'c FoundSession),
    Memory(&'c FoundMemory),
}

impl<'s> Corpus<'s> {
    /// All there is, after a look at the files of some tasks themselves.
    pub(super) fn of(store: &'s Store, looked_at: &[TaskId]) -> Result<Corpus<'s>, OpError> {
        let (forest, packed, live, archived, memories) = store.at_one_moment(|| {
            let (forest, packed) = (store.forest_of(looked_at)?, store.archived_tasks()?);
            Ok((forest, packed, store.sessions()?, store.archived_sessions()?, store.memories()?))
        })?;
        let mut problems = forest.problems.clone();
        problems.extend(packed.forest.problems.iter().cloned());
        problems.extend(live.problems.into_iter().chain(archived.problems).chain(memories.problems));
        let mut present = Vec::new();
        let task = |(place, node): (usize, &Node), record: fn(usize) -> Record| Present {
            key: Key::of_task(node.task.id),
            mark: node.mark(),
            record: record(place),
        };
        present.extend(forest.by_id().map(|node| task(node, Record::Task)));
        present.extend(packed.forest.by_id().map(|node| task(node, Record::Packed)));
        present.extend(memories.list.iter().enumerate().map(|(place, found)| Present {
            key: Key::Named(format!("memory {}", found.record.id)),
            mark: found.rev.as_number(),
            record: Record::Memory(place),
        }));
        let mut corpus =
            Corpus { store, forest, packed, sessions: Vec::new(), memories: memories.list, present, problems };
        for found in live.list.into_iter().chain(archived.list) {
            let session = Session { found, body: OnceCell::new() };
            // The body of an archived session is part of its mark already.
            let body = if session.found.archive.is_some() { None } else { session.body(store) };
            let body = body.map_or(0, |body| Rev::of(body.as_bytes()).as_number().rotate_left(1));
            let key = Key::Named(format!("session {}", session.found.name));
            let (mark, record) = (session.found.mark() ^ body, Record::Session(corpus.sessions.len()));
            corpus.present.push(Present { key, mark, record });
            corpus.sessions.push(session);
        }
        // Of what is both live and archived the live one comes first, and stays.
        corpus.present.sort_by(|one, other| one.key.bytes().cmp(other.key.bytes()));
        corpus.present.dedup_by(|later, first| later.key.bytes() == first.key.bytes());
        Ok(corpus)
    }

    pub(super) fn see(&self, place: usize) -> Seen<'_> {
        match self.present[place].record {
            Record::Task(place) => Seen::Task(self.forest.at(place).expect("it was walked past")),
            Record::Packed(place) => Seen::Packed(self.packed.forest.at(place).expect("it was walked past")),
            Record::Session(place) => Seen::Session(&self.sessions[place].found),
            Record::Memory(place) => Seen::Memory(&self.memories[place]),
        }
    }

    /// All that can be found of a record.
    pub(super) fn items(&self, place: usize) -> Vec<Item> {
        let each = |count: usize, item: fn(usize) -> Item| (0..count).map(item);
        match self.see(place) {
            Seen::Task(node) | Seen::Packed(node) => {
                std::iter::once(Item::Task).chain(each(node.task.notes.len(), Item::TaskNote)).collect()
            }
            Seen::Session(found) => {
                let decisions = each(found.session.decisions.len(), Item::Decision);
                let notes = each(found.session.notes.len(), Item::SessionNote);
                std::iter::once(Item::Session).chain(decisions).chain(notes).collect()
            }
            Seen::Memory(_) => vec![Item::Memory],
        }
    }

    /// Every session, with where it is among the records.
    pub(super) fn sessions(&self) -> impl Iterator<Item = (usize, &FoundSession)> {
        self.present.iter().enumerate().filter_map(|(place, present)| match present.record {
            Record::Session(session) => Some((place, self.sessions[session].found.as_ref())),
            Record::Task(_) | Record::Packed(_) | Record::Memory(_) => None,
        })
    }

    /// The task that a record is, if it no longer says what was read.
    pub(super) fn outdated(&self, place: usize) -> Option<TaskId> {
        let Record::Task(place) = self.present[place].record else { return None };
        let node = self.forest.at(place)?;
        (!self.store.still_says(node)).then_some(node.task.id)
    }

    /// The place of the task above one.
    pub(super) fn above(&self, place: usize) -> Option<usize> {
        self.place_of(&Key::of_task(self.see(place).task()?.parent?))
    }

    fn place_of(&self, key: &Key) -> Option<usize> {
        self.present.binary_search_by(|present| present.key.bytes().cmp(key.bytes())).ok()
    }
}

impl IndexedRecords for Corpus<'_> {
    const WORDS: RecordWords = RecordWords::Work;

    fn store(&self) -> &Store {
        self.store
    }

    fn len(&self) -> usize {
        self.present.len()
    }

    fn key_bytes(&self, place: usize) -> &[u8] {
        self.present[place].key.bytes()
    }

    fn mark(&self, place: usize) -> u64 {
        self.present[place].mark
    }

    fn documents(&self, place: usize) -> Vec<Document<'_>> {
        match self.present[place].record {
            Record::Task(_) | Record::Packed(_) => {
                self.see(place).task().map(|node| of_task(&node.task)).unwrap_or_default()
            }
            Record::Session(place) => {
                let session = &self.sessions[place];
                of_session(&session.found.session, session.body(self.store))
            }
            Record::Memory(place) => vec![of_memory(&self.memories[place].record)],
        }
    }
}

impl Session {
    /// The free-form text. One that cannot be read is as good as none here; showing the session tells.
    fn body(&self, store: &Store) -> Option<&str> {
        self.body.get_or_init(|| store.session_body_within(&self.found, MAX_FILE_BYTES).ok().flatten()).as_deref()
    }
}

impl<'c> Seen<'c> {
    pub(super) fn is_archived(self) -> bool {
        match self {
            Seen::Task(_) | Seen::Memory(_) => false,
            Seen::Packed(_) => true,
            Seen::Session(found) => found.archive.is_some(),
        }
    }

    pub(super) fn task(self) -> Option<&'c Node> {
        match self {
            Seen::Task(node) | Seen::Packed(node) => Some(node),
            Seen::Session(_) | Seen::Memory(_) => None,
        }
    }
}

impl Key {
    fn of_task(id: TaskId) -> Key {
        let mut key = [0; TASK_KEY];
        key[..TASK.len()].copy_from_slice(TASK);
        key[TASK.len()..].copy_from_slice(id.as_str().as_bytes());
        Key::Task(key)
    }

    fn bytes(&self) -> &[u8] {
        match self {
            Key::Task(key) => key,
            Key::Named(key) => key.as_bytes(),
        }
    }
}
