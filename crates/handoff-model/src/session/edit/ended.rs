//! Entries of a session's own lists that an edit settles.

use super::super::{ItemEntry, ItemKind, Session, SettledHow, Settlement};
use super::Surroundings;

/// Entries that an edit took out of the lists, and why.
#[derive(Default)]
pub(super) struct EndedEntries(Vec<(ItemKind, SettledHow, String)>);

impl EndedEntries {
    pub(super) fn add(&mut self, kind: ItemKind, how: SettledHow, texts: Vec<String>) {
        self.0.extend(texts.into_iter().map(|text| (kind, how, text)));
    }

    /// Records their end, unless the same edit put them back. Entries without an id were never seen by anybody else.
    pub(super) fn record(self, before: &Session, session: &mut Session, around: Surroundings<'_>) {
        for (kind, how, text) in self.0 {
            let entry = ItemEntry { kind, text: &text, is_checked: false };
            let Some(item) = before.reference_of(around.name, entry) else { continue };
            let is_there = session.item_entries().any(|entry| entry.kind == kind && entry.text == text);
            if is_there || session.settled.iter().any(|known| known.item == item) {
                continue;
            }
            session.settled.push(Settlement {
                item,
                text,
                how,
                because: None,
                task: None,
                at: around.settled.at,
                by: around.settled.by.map(str::to_owned),
            });
        }
    }
}
