//! Finding the item that is meant.

use super::super::{ItemId, ItemRef};
use super::{NormalWords, OpenItem, OpenItems};
use crate::close::close_matches;
use crate::id::{shorten, unique_prefix};
use crate::when::Moment;

/// The reason why a reference leads to no item.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ItemNotFound {
    #[error("there is no item `{wanted}`{}", perhaps(close))]
    Unknown { wanted: String, close: Vec<String> },
    #[error("`{wanted}` could be {}: name one of them with its session", candidates.join(" or "))]
    Ambiguous { wanted: String, candidates: Vec<String> },
}

fn perhaps(close: &[String]) -> String {
    if close.is_empty() { String::new() } else { format!(": perhaps {} is meant", close.join(" or ")) }
}

/// An item as it was found, free of the sessions it was read from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ItemTarget {
    /// Its full form, `2026-11-10-0b5e11d2#n3`
    pub reference: String,
    /// The id that is shown
    pub shown: String,
    pub id: ItemId,
    pub text: String,
}

impl<'a> OpenItems<'a> {
    /// Finds the item that a reference means; an open one before one that is settled.
    pub fn find(&self, wanted: &ItemRef) -> Result<&OpenItem<'a>, ItemNotFound> {
        let fits: Vec<&OpenItem<'a>> = match wanted {
            ItemRef::Id { session, id } => {
                let is_it = |item: &&OpenItem<'_>| {
                    item.id == *id && session.as_ref().is_none_or(|session| session.matches(item.home))
                };
                self.items.iter().filter(is_it).collect()
            }
            ItemRef::Text(text) => {
                let words = NormalWords::of(text);
                let exact = self.items.iter().filter(|item| item.text.trim() == text.trim()).collect::<Vec<_>>();
                if exact.is_empty() {
                    self.items.iter().filter(|item| item.words.is_like(&words)).collect()
                } else {
                    exact
                }
            }
        };
        let open: Vec<&OpenItem<'a>> = fits.iter().copied().filter(|item| item.is_open()).collect();
        match (open.as_slice(), fits.as_slice()) {
            ([item], _) | ([], [item]) => Ok(item),
            ([], []) => Err(ItemNotFound::Unknown { wanted: wanted.to_string(), close: self.close_to(wanted) }),
            ([], [.., last]) => Ok(last),
            (several, _) => Err(ItemNotFound::Ambiguous {
                wanted: wanted.to_string(),
                candidates: several
                    .iter()
                    .map(|item| format!("`{}` ({})", self.shown_id(item), shorten(item.text)))
                    .collect(),
            }),
        }
    }

    /// Finds the item that somebody meant by an id at a moment, in seconds since 1970.
    ///
    /// Two clones may have given an id to two items. Of those that were open then, the only one is meant, or the only one
    /// that the person named first. Which one was meant does not become clear by the other's end.
    pub fn meant_at(&self, wanted: &ItemRef, second: i64, person: &str) -> Option<&OpenItem<'a>> {
        let ItemRef::Id { session, id } = wanted else { return self.find(wanted).ok() };
        let second_of = |at: Moment| at.timestamp().as_second();
        let was_open = |item: &&OpenItem<'_>| {
            let was_known = item.since.is_none_or(|since| second_of(since) <= second);
            let had_ended = item.end.as_ref().and_then(|end| end.at).is_some_and(|at| second_of(at) < second);
            was_known && !had_ended
        };
        let is_it =
            |item: &&OpenItem<'_>| item.id == *id && session.as_ref().is_none_or(|session| session.matches(item.home));
        let open: Vec<&OpenItem<'a>> = self.items.iter().filter(is_it).filter(was_open).collect();
        if let [only] = open.as_slice() {
            return Some(only);
        }
        let mut own = open.into_iter().filter(|item| item.author == Some(person));
        let only = own.next()?;
        own.next().is_none().then_some(only)
    }

    /// The id by which an item is shown: its own, or with the beginning of its session's id where others have the same.
    pub fn shown_id(&self, item: &OpenItem<'_>) -> String {
        let is_other = |other: &&OpenItem<'_>| other.id == item.id && other.home != item.home;
        if !self.items.iter().any(|other| is_other(&other)) {
            return item.id.to_string();
        }
        let id = session_id(item.home);
        let prefix = unique_prefix(id, self.names.iter().map(|name| session_id(name)));
        format!("{prefix}#{}", item.id)
    }

    /// The item in a form that can be kept.
    pub fn target(&self, item: &OpenItem<'_>) -> ItemTarget {
        ItemTarget { reference: item.reference(), shown: self.shown_id(item), id: item.id, text: item.text.to_owned() }
    }

    fn close_to(&self, wanted: &ItemRef) -> Vec<String> {
        const SHOWN: usize = 3;
        let open = || self.items.iter().filter(|item| item.is_open());
        let shown = |item: &OpenItem<'_>| format!("`{}` ({})", self.shown_id(item), shorten(item.text));
        match wanted {
            ItemRef::Id { id, .. } => {
                let mut same_kind: Vec<&OpenItem<'_>> = open().filter(|item| item.id.kind == id.kind).collect();
                same_kind.sort_by_key(|item| item.id.number.abs_diff(id.number));
                same_kind.into_iter().take(SHOWN).map(shown).collect()
            }
            ItemRef::Text(text) => {
                let close = close_matches(text, open().map(|item| item.text), SHOWN);
                let of = |text: &str| self.items.iter().find(|item| item.is_open() && item.text == text);
                close.into_iter().filter_map(of).map(shown).collect()
            }
        }
    }
}

/// The id in a session's full name, or the name where it has none.
fn session_id(name: &str) -> &str {
    let id = name.rsplit('-').next().unwrap_or(name);
    if id.is_ascii() { id } else { name }
}
