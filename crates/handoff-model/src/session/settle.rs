//! Recording the end of items in the session during which they are settled.

use super::open_items::ItemTarget;
use super::{ItemEntry, ItemKind, NoteCategory, Session, SettledHow, Settlement};
use crate::id::TaskId;
use crate::when::Moment;

/// The end of an item that is to be recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ItemEnding {
    pub item: ItemTarget,
    pub how: SettledHow,
    pub because: Option<String>,
    /// The task that it becomes
    pub task: Option<TaskId>,
}

/// When something is settled, and by whom.
#[derive(Clone, Copy, Debug, Default)]
pub struct SettledBy<'a> {
    pub at: Option<Moment>,
    pub by: Option<&'a str>,
}

impl Session {
    /// Records the end of items, and takes those that this session names itself out of its lists. A checklist item that
    /// is done is ticked and stays.
    pub fn settle(&mut self, name: &str, endings: &[ItemEnding], settled: SettledBy<'_>) {
        for ItemEnding { item, how, because, task } in endings {
            let is_it = |entry: &ItemEntry<'_>| self.reference_of(name, *entry).as_ref() == Some(&item.reference);
            let own: Vec<(ItemKind, String)> =
                self.item_entries().filter(is_it).map(|entry| (entry.kind, entry.text.to_owned())).collect();
            let mut is_ticked = false;
            for (kind, text) in own {
                match (kind, how) {
                    (ItemKind::Checklist, SettledHow::Done) => {
                        self.tick(&text);
                        is_ticked = because.is_none();
                    }
                    // A task carries it on, and this session goes on naming it.
                    (_, SettledHow::Task) => {}
                    _ => self.take_out(kind, &text),
                }
            }
            let is_recorded = self.settled.iter().any(|known| known.item == item.reference && known.task == *task);
            if !is_ticked && !is_recorded {
                self.settled.push(Settlement {
                    item: item.reference.clone(),
                    text: item.text.clone(),
                    how: *how,
                    because: because.clone(),
                    task: *task,
                    at: settled.at,
                    by: settled.by.map(str::to_owned),
                });
            }
        }
    }

    /// The full form of the item that an entry is; `None` where it has no id yet.
    pub(super) fn reference_of(&self, name: &str, entry: ItemEntry<'_>) -> Option<String> {
        let record = self.item_record(entry.kind, entry.text)?;
        let id = self.own_item_id(record)?;
        Some(format!("{}#{id}", record.since.as_deref().unwrap_or(name)))
    }

    fn tick(&mut self, text: &str) {
        for item in self.checklist.iter_mut().filter(|item| item.item == text) {
            item.checked = true;
        }
    }

    fn take_out(&mut self, kind: ItemKind, text: &str) {
        match kind {
            ItemKind::Next => self.next.retain(|step| step != text),
            ItemKind::Blocker => self.blockers.retain(|blocker| blocker != text),
            ItemKind::Question => self.questions.retain(|question| question != text),
            ItemKind::Checklist => self.checklist.retain(|item| item.item != text),
            ItemKind::Caution => {
                self.notes.retain(|note| note.note != text || note.category != NoteCategory::Caution);
            }
        }
    }
}
