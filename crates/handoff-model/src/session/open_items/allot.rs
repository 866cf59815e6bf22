//! Giving the entries of a session their ids.

use std::collections::HashMap;

use super::super::{ItemEntry, ItemId, ItemKind, ItemRecord, Session, SettledHow, Settlement};
use super::{NormalWords, OpenItem, OpenItems};

/// The ids of items in the text of a session file that cannot be read as a whole: the `id` lines of its `[[items]]`.
pub fn item_ids_in_damaged(text: &str) -> impl Iterator<Item = ItemId> {
    let mut is_of_items = false;
    text.lines().map(str::trim).filter_map(move |line| {
        if line.starts_with('[') {
            is_of_items = line == "[[items]]";
        }
        let value = line.strip_prefix("id").filter(|_| is_of_items)?.trim_start().strip_prefix('=')?;
        ItemId::read(value.trim().trim_matches('"'))
    })
}

impl OpenItems<'_> {
    /// Keeps ids from being given to new items.
    pub fn reserve(&mut self, ids: impl IntoIterator<Item = ItemId>) {
        for id in ids {
            let number = self.highest.entry(id.kind).or_default();
            *number = (*number).max(id.number);
        }
    }

    /// The lowest number above those of all items of a kind.
    fn next_number(&self, kind: ItemKind) -> u32 {
        self.highest.get(&kind).copied().unwrap_or(0).saturating_add(1)
    }

    /// The open item of another session that an entry repeats.
    fn repeated(&self, name: &str, entry: ItemEntry<'_>, check: Option<&str>) -> Option<&OpenItem<'_>> {
        let words = NormalWords::of(entry.text);
        let is_same = |item: &&OpenItem<'_>| {
            let same_check = check.is_some() && item.check == check;
            item.kind.is_like(entry.kind) && (same_check || item.words.is_like(&words))
        };
        // The one that was named last, where earlier versions left several.
        let open = self.items.iter().filter(|item| item.is_open() && item.home != name);
        open.filter(is_same).max_by_key(|item| item.recency)
    }
}

impl Session {
    /// An entry whose item was settled during this session, and which was named again after that.
    fn is_named_again(&self, name: &str, entry: ItemEntry<'_>) -> bool {
        let Some(item) = self.reference_of(name, entry) else { return false };
        // A ticked entry stays in its list, and so does one that became a task.
        let is_end = |end: &Settlement| end.item == item && end.how != SettledHow::Task;
        !entry.is_checked && self.settled.iter().any(is_end)
    }

    /// Records an id for each entry that has none yet. Records of entries that are gone stay, so that an id is never
    /// given to another item.
    ///
    /// `known` are the items of all sessions as they were before this change. An entry that repeats an open item is that
    /// item; any other is a new one.
    pub fn allot_items(&mut self, name: &str, known: &OpenItems<'_>) {
        self.part_shared_ids(name, known);
        let mut next: HashMap<ItemKind, u32> = HashMap::new();
        for record in &self.items {
            if let Some(id) = ItemId::read(&record.id) {
                let number = next.entry(id.kind).or_insert_with(|| known.next_number(id.kind));
                *number = (*number).max(id.number.saturating_add(1));
            }
        }
        let mut records: Vec<ItemRecord> = Vec::new();
        let mut by_words: HashMap<NormalWords, Vec<usize>> = HashMap::new();
        for entry in self.item_entries() {
            if records.iter().any(|record| record.text == entry.text && is_of(record, entry.kind)) {
                continue;
            }
            let known_record = self.item_record(entry.kind, entry.text).filter(|_| !self.is_named_again(name, entry));
            let mut record = known_record.cloned().unwrap_or_default();
            entry.text.clone_into(&mut record.text);
            let words = NormalWords::of(entry.text);
            let twins = by_words.get(&words).into_iter().flatten().map(|index| &records[*index]);
            let twin = twins.filter(|_| !words.is_empty()).find(|twin| is_of(twin, entry.kind));
            if let (None, Some(twin)) = (ItemId::read(&record.id), twin) {
                // Said twice in one list, in other words.
                (record.id, record.since) = (twin.id.clone(), twin.since.clone());
            }
            if ItemId::read(&record.id).is_none() {
                match known.repeated(name, entry, record.check.as_deref()) {
                    Some(item) => {
                        record.id = item.id.to_string();
                        record.since = Some(item.home.to_owned());
                        record.check = record.check.or_else(|| item.check.map(str::to_owned));
                    }
                    // A version without ids may have had it in this very session.
                    None => match known
                        .of_entry(name, self, entry.kind, entry.text)
                        .filter(|item| item.home == name && item.is_open())
                    {
                        Some(item) => record.id = item.id.to_string(),
                        None => {
                            let number = next.entry(entry.kind).or_insert_with(|| known.next_number(entry.kind));
                            record.id = ItemId { kind: entry.kind, number: *number }.to_string();
                            *number = number.saturating_add(1);
                        }
                    },
                }
            }
            by_words.entry(words).or_default().push(records.len());
            records.push(record);
        }
        let is_gone = |record: &&ItemRecord| {
            ItemId::read(&record.id).is_some()
                && !records.iter().any(|kept| kept.id == record.id && kept.since == record.since)
        };
        let gone: Vec<ItemRecord> = self.items.iter().filter(is_gone).cloned().collect();
        records.extend(gone);
        self.items = records;
    }
}

fn is_of(record: &ItemRecord, kind: ItemKind) -> bool {
    ItemId::read(&record.id).is_some_and(|id| id.kind.is_like(kind))
}
