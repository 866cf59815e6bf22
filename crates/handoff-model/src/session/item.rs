//! Open items: the words they are written in, how they are named, and how their end is recorded.
//!
//! A next step, blocker, checklist item or question keeps its identity over sessions by an id such as `n7`, which is
//! written beside the lists of the session that names it. A closed session never changes, so the end of an item is
//! recorded in the session during which it was settled.

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{NoteCategory, Session};
use crate::id::{SessionRef, TaskId, shorten};
use crate::task::words;
use crate::when::Moment;

words!(
    /// The list of a session that an item is in.
    ItemKind, "kind of item", {
        Next = "next",
        Blocker = "blocker",
        Checklist = "checklist",
        Question = "question",
        Caution = "caution",
    }
);

words!(
    /// The way an item ended.
    SettledHow, "way to settle an item", {
        Done = "done",
        Resolved = "resolved",
        Answered = "answered",
        Dropped = "dropped",
        Replaced = "replaced",
        Task = "task",
    }
);

impl ItemKind {
    /// The first letter of the ids of its items.
    pub const fn letter(self) -> char {
        match self {
            ItemKind::Next => 'n',
            ItemKind::Blocker => 'b',
            ItemKind::Checklist => 'c',
            ItemKind::Question => 'q',
            // A caution warns; `c` is taken.
            ItemKind::Caution => 'w',
        }
    }

    /// The name of one item of this kind, as it stands in a sentence.
    pub const fn noun(self) -> &'static str {
        match self {
            ItemKind::Next => "next step",
            ItemKind::Blocker => "blocker",
            ItemKind::Checklist => "checklist item",
            ItemKind::Question => "question",
            ItemKind::Caution => "caution",
        }
    }

    /// Kinds among which equal words mean one item: a next step and a checklist item are both something to do.
    pub(super) fn is_like(self, other: ItemKind) -> bool {
        let to_do = |kind| matches!(kind, ItemKind::Next | ItemKind::Checklist);
        self == other || (to_do(self) && to_do(other))
    }

    /// The way in which an item of this kind ends well.
    pub const fn end(self) -> SettledHow {
        match self {
            ItemKind::Next | ItemKind::Checklist => SettledHow::Done,
            ItemKind::Blocker => SettledHow::Resolved,
            ItemKind::Question => SettledHow::Answered,
            ItemKind::Caution => SettledHow::Dropped,
        }
    }
}

/// The id of an item: the letter of its kind and a number, such as `n7`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ItemId {
    pub kind: ItemKind,
    pub number: u32,
}

impl ItemId {
    /// Reads an id that stands in a file or was typed; `None` where it is none.
    pub fn read(text: &str) -> Option<ItemId> {
        const MOST_DIGITS: usize = 7;
        let mut chars = text.trim().chars();
        let letter = chars.next()?.to_ascii_lowercase();
        let kind = ItemKind::ALL.iter().copied().find(|kind| kind.letter() == letter)?;
        let digits = chars.as_str();
        let fits = (1..=MOST_DIGITS).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_digit());
        let number = digits.parse().ok().filter(|number| fits && *number > 0)?;
        Some(ItemId { kind, number })
    }
}

impl fmt::Display for ItemId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.kind.letter(), self.number)
    }
}

/// An item as a person, an agent or a file names it: `n7`, `a3f9c12e#n7`, or its words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ItemRef {
    /// By its id, perhaps with the session that named it first
    Id { session: Option<SessionRef>, id: ItemId },
    /// By what it says
    Text(String),
}

/// A text that cannot name an item.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("an item is named by its id, such as `n7`, or by its words; this is empty")]
pub struct EmptyItemRef;

impl FromStr for ItemRef {
    type Err = EmptyItemRef;

    fn from_str(text: &str) -> Result<Self, EmptyItemRef> {
        let text = text.trim();
        if text.is_empty() {
            return Err(EmptyItemRef);
        }
        if let Some(id) = ItemId::read(text.strip_prefix('#').unwrap_or(text)) {
            return Ok(ItemRef::Id { session: None, id });
        }
        if let Some((session, id)) = text.rsplit_once('#')
            && let Some(id) = ItemId::read(id)
            && let Ok(session) = session.parse::<SessionRef>()
            && !matches!(session, SessionRef::Given(_))
        {
            return Ok(ItemRef::Id { session: Some(session), id });
        }
        Ok(ItemRef::Text(text.to_owned()))
    }
}

impl fmt::Display for ItemRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ItemRef::Id { session: Some(session), id } => write!(f, "{session}#{id}"),
            ItemRef::Id { session: None, id } => write!(f, "{id}"),
            ItemRef::Text(text) => f.write_str(&shorten(text)),
        }
    }
}

impl<'de> Deserialize<'de> for ItemRef {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

impl JsonSchema for ItemRef {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "ItemRef".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "type": "string" })
    }
}

/// Facts about an entry of a session's lists that make it an item over sessions.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ItemRecord {
    /// Id of the item; empty until it is allotted
    #[serde(default)]
    pub id: String,
    /// The words it has in the list
    #[serde(default)]
    pub text: String,
    /// Full name of the session that named it first, where that is another one
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since: Option<String>,
    /// The command that settles it by passing
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub check: Option<String>,
    /// Taken from a transcript, and written by nobody
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub compiled: bool,
}

/// The end of an item of any session.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Settlement {
    /// The item, as `session#id` with the full name of the session that named it first
    pub item: String,
    /// The words of the item
    #[serde(default)]
    pub text: String,
    pub how: SettledHow,
    /// The reason, or the answer to a question
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub because: Option<String>,
    /// The task that it became
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<TaskId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<Moment>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
}

/// An entry of one of a session's lists that can be an item.
#[derive(Clone, Copy, Debug)]
pub struct ItemEntry<'a> {
    pub kind: ItemKind,
    pub text: &'a str,
    /// Ticked off in the list itself
    pub is_checked: bool,
}

impl Session {
    /// Every entry of its lists that can be an item, in the order of the lists.
    pub fn item_entries(&self) -> impl Iterator<Item = ItemEntry<'_>> {
        fn plain(kind: ItemKind, list: &[String]) -> impl Iterator<Item = ItemEntry<'_>> {
            list.iter().map(move |text| ItemEntry { kind, text, is_checked: false })
        }
        let checklist = self.checklist.iter().map(|item| ItemEntry {
            kind: ItemKind::Checklist,
            text: &item.item,
            is_checked: item.checked,
        });
        let cautions = self.notes.iter().filter(|note| note.category == NoteCategory::Caution);
        let cautions = cautions.map(|note| ItemEntry { kind: ItemKind::Caution, text: &note.note, is_checked: false });
        plain(ItemKind::Next, &self.next)
            .chain(plain(ItemKind::Blocker, &self.blockers))
            .chain(checklist)
            .chain(plain(ItemKind::Question, &self.questions))
            .chain(cautions)
    }

    /// What is recorded about the entry of a kind with these words.
    pub fn item_record(&self, kind: ItemKind, text: &str) -> Option<&ItemRecord> {
        let fits = |record: &&ItemRecord| {
            record.text == text && ItemId::read(&record.id).is_none_or(|id| id.kind.is_like(kind))
        };
        self.items.iter().find(fits)
    }
}
