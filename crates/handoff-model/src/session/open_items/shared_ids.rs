//! Ids that one session file gives to two items, as a person or a merge leaves them.
//!
//! **Invariant:** the first item keeps the id. Any other is read as one without an id, so none hides another.

use std::collections::HashSet;

use super::super::{ItemId, ItemRecord, Session};
use super::{NormalWords, OpenItems};
use crate::problem::Problem;

impl Session {
    /// The id of the item that a record is about; `None` where it has none, or where a record before it has given the id to
    /// another item.
    pub(in crate::session) fn own_item_id(&self, record: &ItemRecord) -> Option<ItemId> {
        let id = ItemId::read(&record.id)?;
        let before = self.items.iter().take_while(|other| !std::ptr::eq(*other, record));
        let mut same_id = before.filter(|other| other.since == record.since && ItemId::read(&other.id) == Some(id));
        same_id.all(|other| is_one_item(other, record)).then_some(id)
    }

    /// Entries whose id a record before theirs gives to another item, by the places of their records.
    fn with_shared_id(&self) -> Vec<usize> {
        let mut seen: HashSet<(ItemId, Option<&str>)> = HashSet::new();
        let mut ids = self.items.iter().filter_map(|record| Some((ItemId::read(&record.id)?, record.since.as_deref())));
        // Hardly any file has an id twice, so words are compared only where one has.
        if ids.all(|id| seen.insert(id)) {
            return Vec::new();
        }
        let is_entry = |record: &ItemRecord| {
            self.item_entries()
                .any(|entry| self.item_record(entry.kind, entry.text).is_some_and(|known| std::ptr::eq(known, record)))
        };
        let shares = |record: &ItemRecord| ItemId::read(&record.id).is_some() && self.own_item_id(record).is_none();
        let all = self.items.iter().enumerate();
        all.filter(|(_, record)| shares(record) && is_entry(record)).map(|(place, _)| place).collect()
    }

    /// Gives each item that shares an id the one under which it is known.
    pub fn part_shared_ids(&mut self, name: &str, known: &OpenItems<'_>) {
        let found = self.with_shared_id().into_iter().map(|place| {
            let record = &self.items[place];
            let item = ItemId::read(&record.id).and_then(|id| known.of_entry(name, self, id.kind, &record.text));
            let since = item.map(|item| item.home).filter(|home| *home != name).map(str::to_owned);
            (place, item.map(|item| item.id.to_string()).unwrap_or_default(), since)
        });
        for (place, id, since) in found.collect::<Vec<_>>() {
            let record = &mut self.items[place];
            (record.id, record.since) = (id, since);
        }
    }
}

/// Reports whether two records with one id are about one item: its words were only put differently, or the same command
/// settles it.
fn is_one_item(one: &ItemRecord, other: &ItemRecord) -> bool {
    let has_same_check = one.check.is_some() && one.check == other.check;
    has_same_check || one.text == other.text || NormalWords::of(&one.text).is_like(&NormalWords::of(&other.text))
}

/// The ids that a session file gives to two items, by file and line.
pub fn shared_id_problems(path: &str, session: &Session, text: &str) -> Vec<Problem> {
    let problem = |place: usize| {
        let record = &session.items[place];
        let is_same = |other: &&ItemRecord| other.id == record.id;
        let before = session.items[..place].iter().filter(is_same).count();
        let quoted = format!("\"{}\"", record.id);
        let mut lines = text.lines().enumerate().filter(|(_, line)| line.contains(&quoted)).map(|(index, _)| index + 1);
        let reason = format!(
            "two items have the id `{}`; the second is shown under another: {}",
            record.id,
            crate::id::shorten(&record.text)
        );
        Problem::mended(path, reason).at_line(lines.nth(before))
    };
    session.with_shared_id().into_iter().map(problem).collect()
}
