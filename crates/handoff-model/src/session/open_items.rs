//! Open items, computed from all sessions.
//!
//! **Invariant:** the answer depends on what the sessions say, never on the order they are given in. An item is open from
//! the session that names it first until a session records its end; a session that does not mention it changes nothing.
//!
//! An entry of a session's lists is the item whose id is recorded beside it. An entry without one, as in files that were
//! written by hand or by an earlier version, is the item with the same words that is open at that time, or a new one.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap};

mod alike;
mod allot;
mod commit;
mod find;
#[cfg(test)]
mod properties;
mod shared_ids;
#[cfg(test)]
mod tests;

use alike::NormalWords;
pub use allot::item_ids_in_damaged;
pub use commit::{CommitMention, commit_mentions, reverted_commits};
pub use find::{ItemNotFound, ItemTarget};
pub use shared_ids::shared_id_problems;

use super::{
    ItemEnding, ItemId, ItemKind, ItemRecord, Owner, Session, SessionKind, SessionStatus, SettledHow, Settlement,
};
use crate::id::TaskId;
use crate::when::Moment;

/// Sessions over which an item is carried until it is called stale.
pub const STALE_AFTER_SESSIONS: usize = 5;

/// An item over all sessions that name it.
#[derive(Clone, Debug)]
pub struct OpenItem<'a> {
    pub id: ItemId,
    /// Full name of the session that named it first
    pub home: &'a str,
    /// The list it was last in
    pub kind: ItemKind,
    /// Its words, as they were last written
    pub text: &'a str,
    pub owner: Option<Owner>,
    /// The command that settles it by passing
    pub check: Option<&'a str>,
    /// Taken from transcripts alone
    pub is_compiled: bool,
    /// When it was first named, as far as the session says
    pub since: Option<Moment>,
    /// Who named it first
    pub author: Option<&'a str>,
    /// The tool they worked with
    pub tool: Option<&'a str>,
    /// Full name of the session that named it last
    pub last_named_in: &'a str,
    /// When that session ended; `None` while it goes on
    pub named_at: Option<Moment>,
    /// Its place among the entries of that session
    pub place: usize,
    /// Handoffs that were left since it was first named
    pub carried: usize,
    /// The open task that it became
    pub task: Option<TaskId>,
    pub end: Option<ItemEnd<'a>>,
    words: NormalWords,
    /// Order of the session that named it last, the latest being the highest
    recency: usize,
}

/// The end of an item.
#[derive(Clone, Debug)]
pub struct ItemEnd<'a> {
    pub how: SettledHow,
    pub because: Option<Cow<'a, str>>,
    pub task: Option<TaskId>,
    pub at: Option<Moment>,
    pub by: Option<&'a str>,
    /// Full name of the session that records it; empty where it follows from something else, such as a commit
    pub session: &'a str,
}

impl OpenItem<'_> {
    pub fn is_open(&self) -> bool {
        self.end.is_none()
    }

    /// Carried over so many sessions that it should be looked at.
    pub fn is_stale(&self) -> bool {
        self.is_open() && self.carried >= STALE_AFTER_SESSIONS
    }

    /// Its full form, `2026-11-10-0b5e11d2#n3`.
    pub fn reference(&self) -> String {
        format!("{}#{}", self.home, self.id)
    }
}

/// Every item of some sessions.
#[derive(Clone, Debug, Default)]
pub struct OpenItems<'a> {
    items: Vec<OpenItem<'a>>,
    /// Full names of all sessions that were looked at, for naming items by their sessions
    names: BTreeSet<&'a str>,
    /// The highest number that an item of each kind has or had
    highest: BTreeMap<ItemKind, u32>,
}

impl<'a> OpenItems<'a> {
    /// Computes the items of sessions with their full names. Packages have none.
    pub fn of(
        sessions: impl IntoIterator<Item = (&'a str, &'a Session)>,
        is_open_task: impl Fn(&TaskId) -> bool,
    ) -> OpenItems<'a> {
        let mut by_name: BTreeMap<&str, &Session> = BTreeMap::new();
        for (name, session) in sessions.into_iter().filter(|(_, session)| session.kind != SessionKind::Package) {
            let kept = by_name.entry(name).or_insert(session);
            // One name twice is left behind when archiving was cut short; which one is read must not depend on luck.
            if *kept != session && kept.print() < session.print() {
                *kept = session;
            }
        }
        let mut in_order: Vec<(&str, &Session)> = by_name.iter().map(|(name, session)| (*name, *session)).collect();
        in_order.sort_by_key(|(name, session)| (moment(session), *name));
        let mut walk = Walk::default();
        for (place, (name, session)) in in_order.iter().enumerate() {
            walk.take_in(place, name, session);
        }
        let items = walk.finish(&is_open_task, &by_name);
        let ids = all_ids(&items, by_name.values());
        let mut items = OpenItems { items, names: by_name.into_keys().collect(), highest: BTreeMap::new() };
        items.reserve(ids);
        items
    }

    /// Every item, in the order in which they were first named.
    pub fn all(&self) -> &[OpenItem<'a>] {
        &self.items
    }

    /// The items that are open, cautions aside, in the order to take them: what people and agents wrote before what was
    /// compiled, the latest session first, each session's in its own order.
    pub fn open(&self) -> Vec<&OpenItem<'a>> {
        let mut open: Vec<&OpenItem<'a>> =
            self.items.iter().filter(|item| item.is_open() && item.kind != ItemKind::Caution).collect();
        open.sort_by_key(|item| item.order_to_take());
        open
    }

    /// The cautions in force, the latest first.
    pub fn cautions(&self) -> Vec<&OpenItem<'a>> {
        let mut cautions: Vec<&OpenItem<'a>> =
            self.items.iter().filter(|item| item.is_open() && item.kind == ItemKind::Caution).collect();
        cautions.sort_by_key(|item| item.order_to_take());
        cautions
    }

    /// Takes ends into account that no session records yet, such as those that commits tell.
    pub fn settle(&mut self, endings: &[ItemEnding]) {
        for ending in endings {
            let is_it = |item: &&mut OpenItem<'a>| item.is_open() && item.reference() == ending.item.reference;
            if let Some(item) = self.items.iter_mut().find(is_it) {
                let because = ending.because.clone().map(Cow::Owned);
                let (how, task) = (ending.how, ending.task);
                item.end = Some(ItemEnd { how, because, task, at: None, by: None, session: "" });
            }
        }
    }

    /// The item that an entry of a session is.
    pub fn of_entry(&self, name: &str, session: &Session, kind: ItemKind, text: &str) -> Option<&OpenItem<'a>> {
        if let Some(record) = session.item_record(kind, text)
            && let Some(id) = session.own_item_id(record)
        {
            let home = record.since.as_deref().unwrap_or(name);
            return self.items.iter().find(|item| item.home == home && item.id == id);
        }
        let words = NormalWords::of(text);
        let same = self.items.iter().filter(|item| item.kind.is_like(kind) && item.words.is_like(&words));
        same.max_by_key(|item| (item.is_open(), item.last_named_in == name))
    }
}

impl OpenItems<'_> {
    /// A copy of a session without the entries that have ended, for a session that goes on from it.
    #[must_use]
    pub fn without_ended(&self, name: &str, session: &Session) -> Session {
        let is_open = |kind, text: &str| self.of_entry(name, session, kind, text).is_none_or(OpenItem::is_open);
        let mut copy = session.clone();
        // Nothing is known about the items of another project.
        if !self.names.contains(name) {
            return copy;
        }
        copy.next.retain(|text| is_open(ItemKind::Next, text));
        copy.blockers.retain(|text| is_open(ItemKind::Blocker, text));
        copy.questions.retain(|text| is_open(ItemKind::Question, text));
        copy.checklist.retain(|item| item.checked || is_open(ItemKind::Checklist, &item.item));
        copy.notes
            .retain(|note| note.category != super::NoteCategory::Caution || is_open(ItemKind::Caution, &note.note));
        copy
    }
}

impl OpenItem<'_> {
    fn order_to_take(&self) -> (bool, Reverse<usize>, usize) {
        (self.is_compiled, Reverse(self.recency), self.place)
    }
}

/// A session that is not over, and when it ended or began.
type SessionMoment = (bool, Option<Moment>);

/// The moment by which sessions follow each other; one that is not over comes last.
fn moment(session: &Session) -> SessionMoment {
    let is_under_way = session.status != SessionStatus::Closed;
    (is_under_way, session.ended_at.or(session.started_at))
}

/// The ids of all items, those of entries that are gone included: an id is never given to another item.
fn all_ids<'s>(items: &[OpenItem<'_>], sessions: impl Iterator<Item = &'s &'s Session>) -> Vec<ItemId> {
    let gone = sessions.flat_map(|session| session.items.iter().filter_map(|record| ItemId::read(&record.id)));
    items.iter().map(|item| item.id).chain(gone).collect()
}

/// An item while sessions are looked through.
struct Found<'a> {
    id: Option<ItemId>,
    home: &'a str,
    /// Moment of the session that named it first
    home_at: SessionMoment,
    item: OpenItem<'a>,
    /// The end that counts so far
    end: Option<ItemEnd<'a>>,
    /// Ended by a tick in a list, which a later list can take back
    is_ticked: bool,
    /// The tasks that it became
    tasks: Vec<ItemEnd<'a>>,
}

#[derive(Default)]
struct Walk<'a> {
    found: Vec<Found<'a>>,
    by_key: HashMap<(&'a str, ItemId), usize>,
    by_words: HashMap<NormalWords, Vec<usize>>,
    /// Ends of items that no session so far has named, by where they are recorded
    pending: Vec<(&'a str, &'a Settlement)>,
    /// When each closed handoff was begun
    handoffs: Vec<SessionMoment>,
}

impl<'a> Walk<'a> {
    fn take_in(&mut self, place: usize, name: &'a str, session: &'a Session) {
        for (entry_place, entry) in session.item_entries().enumerate() {
            let record = session.item_record(entry.kind, entry.text);
            let id = record.and_then(|record| session.own_item_id(record));
            let words = NormalWords::of(entry.text);
            let known = match (record, id) {
                (Some(record), Some(id)) => {
                    let home = record.since.as_deref().unwrap_or(name);
                    self.by_key.get(&(home, id)).copied()
                }
                _ => self.open_like(entry.kind, &words),
            };
            let index = known.unwrap_or_else(|| {
                // What a record says beside an id that is not its own is about another item.
                self.add(place, name, session, record.filter(|_| id.is_some()), entry.kind, id)
            });
            self.by_words.entry(words.clone()).or_default().push(index);
            let found = &mut self.found[index];
            let item = &mut found.item;
            let is_compiled = record.is_some_and(|record| record.compiled);
            item.is_compiled = item.is_compiled && is_compiled;
            (item.kind, item.text, item.words) = (entry.kind, entry.text, words);
            (item.last_named_in, item.place, item.recency) = (name, entry_place, place);
            item.named_at = session.ended_at.filter(|_| session.status == SessionStatus::Closed);
            item.check = record.and_then(|record| record.check.as_deref()).or(item.check);
            if entry.kind == ItemKind::Checklist {
                let same = session.checklist.iter().find(|item| item.item == entry.text);
                item.owner = same.and_then(|item| item.owner).or(item.owner);
            }
            if entry.is_checked && found.end.is_none() {
                found.is_ticked = true;
                found.end = Some(ItemEnd {
                    how: SettledHow::Done,
                    because: None,
                    task: None,
                    at: session.ended_at,
                    by: session.author.as_deref(),
                    session: name,
                });
            } else if !entry.is_checked && found.is_ticked {
                // Opened again in a later list.
                found.is_ticked = false;
                found.end = None;
            }
        }
        for settlement in &session.settled {
            match self.target(settlement) {
                Some(index) => self.settle(index, name, settlement),
                None => self.pending.push((name, settlement)),
            }
        }
        let is_handoff = matches!(session.kind, SessionKind::Session | SessionKind::Record);
        if is_handoff && session.status == SessionStatus::Closed {
            self.handoffs.push((false, session.started_at.or(session.ended_at)));
        }
    }

    /// The item with the same words that is open so far.
    fn open_like(&self, kind: ItemKind, words: &NormalWords) -> Option<usize> {
        let is_open = |index: &usize| {
            let found = &self.found[*index];
            found.end.is_none() && found.item.kind.is_like(kind) && found.item.words.is_like(words)
        };
        self.by_words.get(words)?.iter().rev().copied().find(is_open)
    }

    fn add(
        &mut self,
        place: usize,
        name: &'a str,
        session: &'a Session,
        record: Option<&'a ItemRecord>,
        kind: ItemKind,
        id: Option<ItemId>,
    ) -> usize {
        let home = record.and_then(|record| record.since.as_deref()).unwrap_or(name);
        let item = OpenItem {
            id: id.unwrap_or(ItemId { kind, number: 0 }),
            home,
            kind,
            text: "",
            owner: None,
            check: None,
            is_compiled: true,
            since: session.started_at,
            author: session.author.as_deref(),
            tool: session.tool.as_deref(),
            last_named_in: name,
            named_at: None,
            place: 0,
            carried: 0,
            task: None,
            end: None,
            words: NormalWords::of(""),
            recency: place,
        };
        let index = self.found.len();
        if let Some(id) = id {
            self.by_key.insert((home, id), index);
        }
        self.found.push(Found {
            id,
            home,
            home_at: moment(session),
            item,
            end: None,
            is_ticked: false,
            tasks: Vec::new(),
        });
        index
    }

    /// The item whose end is recorded: by its key, else by its words in the session that is named.
    fn target(&self, settlement: &'a Settlement) -> Option<usize> {
        let (home, id) = settlement.item.rsplit_once('#')?;
        let id = ItemId::read(id)?;
        if let Some(index) = self.by_key.get(&(home, id)) {
            return Some(*index);
        }
        let words = NormalWords::of(&settlement.text);
        (0..self.found.len()).rev().find(|index| {
            let found = &self.found[*index];
            found.id.is_none()
                && found.home == home
                && found.item.kind.is_like(id.kind)
                && found.item.words.is_like(&words)
        })
    }

    fn settle(&mut self, index: usize, name: &'a str, settlement: &'a Settlement) {
        let end = ItemEnd {
            how: settlement.how,
            because: settlement.because.as_deref().map(Cow::Borrowed),
            task: settlement.task,
            at: settlement.at,
            by: settlement.by.as_deref(),
            session: name,
        };
        let found = &mut self.found[index];
        if end.how == SettledHow::Task && end.task.is_some() {
            found.tasks.push(end);
        } else if found.end.is_none() || found.is_ticked {
            found.is_ticked = false;
            found.end = Some(end);
        }
    }

    fn finish(
        mut self,
        is_open_task: &impl Fn(&TaskId) -> bool,
        by_name: &BTreeMap<&'a str, &'a Session>,
    ) -> Vec<OpenItem<'a>> {
        // A clock that was wrong may put an end before the item that it ends.
        for (name, settlement) in std::mem::take(&mut self.pending) {
            match self.target(settlement) {
                Some(index) => self.settle(index, name, settlement),
                None => self.add_settled(name, settlement, by_name),
            }
        }
        self.number(by_name.values().flat_map(|session| &session.items));
        let mut handoffs = self.handoffs;
        handoffs.sort_unstable();
        let mut items: Vec<OpenItem<'a>> = Vec::with_capacity(self.found.len());
        for mut found in self.found {
            let mut item = found.item;
            item.end = found.end;
            // The last task counts: an earlier one may have been removed.
            if let (None, Some(as_task)) = (&item.end, found.tasks.pop()) {
                match as_task.task.filter(is_open_task) {
                    Some(task) => item.task = Some(task),
                    None => item.end = Some(as_task),
                }
            }
            // One that had begun by then is where it was named, and carries nothing over.
            item.carried = handoffs.len() - handoffs.partition_point(|begun| *begun <= found.home_at);
            // The session that named it first may be gone, or have another clock.
            if let Some(session) = by_name.get(item.home) {
                item.since = session.started_at;
                item.author = session.author.as_deref();
                item.tool = session.tool.as_deref();
            }
            items.push(item);
        }
        items
    }

    /// Adds an item that no session names any more, because it was settled in the session that did.
    fn add_settled(&mut self, name: &'a str, settlement: &'a Settlement, by_name: &BTreeMap<&'a str, &'a Session>) {
        let Some((home, id)) = settlement.item.rsplit_once('#') else { return };
        let (Some(id), Some(session)) = (ItemId::read(id), by_name.get(home).or_else(|| by_name.get(name))) else {
            return;
        };
        let index = self.add(usize::MAX, name, session, None, id.kind, Some(id));
        let item = &mut self.found[index].item;
        (item.home, item.text, item.words) = (home, &settlement.text, NormalWords::of(&settlement.text));
        item.is_compiled = false;
        self.found[index].home = home;
        self.by_key.insert((home, id), index);
        self.settle(index, name, settlement);
    }

    /// Gives the items without a recorded id the lowest numbers that no recorded id has.
    fn number<'r>(&mut self, records: impl Iterator<Item = &'r ItemRecord>) {
        let recorded = records.filter_map(|record| ItemId::read(&record.id));
        let taken: BTreeSet<ItemId> = self.found.iter().filter_map(|found| found.id).chain(recorded).collect();
        let mut next: BTreeMap<ItemKind, u32> = BTreeMap::new();
        for found in self.found.iter_mut().filter(|found| found.id.is_none()) {
            let kind = found.item.id.kind;
            let number = next.entry(kind).or_insert(1);
            while taken.contains(&ItemId { kind, number: *number }) {
                *number += 1;
            }
            found.item.id = ItemId { kind, number: *number };
            *number += 1;
        }
    }
}
