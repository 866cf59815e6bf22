//! What is different between two sessions, or between two states of one.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value as Json};

use super::Session;
use crate::document;

/// The differences; what is only in the first comes last. Empty when there are none.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct SessionDiff {
    pub fields: Vec<FieldDiff>,
    pub lists: Vec<ListDiff>,
}

/// A field that says something else; fields of a table are named with a dot, such as `git.branch`.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct FieldDiff {
    pub field: String,
    /// What it said; absent where it said nothing
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<Json>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<Json>,
}

/// A list whose items differ.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct ListDiff {
    pub list: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub added: Vec<Json>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub removed: Vec<Json>,
    /// Items that are in both and say something else
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub changed: Vec<ItemDiff>,
    /// Whether those that are in both stand in another order
    pub reordered: bool,
}

/// One item before and after.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct ItemDiff {
    pub before: Json,
    pub after: Json,
}

/// What tells the items of each list of tables apart.
const KEYS: &[(&str, &[&str])] = &[
    ("decisions", &["decision"]),
    ("checklist", &["item"]),
    ("notes", &["note"]),
    ("references", &["uri"]),
    ("pointers", &["path", "lines"]),
    ("items", &["text"]),
    ("settled", &["item"]),
];

impl SessionDiff {
    pub fn is_empty(&self) -> bool {
        self.fields.is_empty() && self.lists.is_empty()
    }

    /// From `before` to `after`. Identity and format of the files are no differences.
    pub fn between(before: &Session, after: &Session) -> Self {
        let (old, new) = (document::object(before), document::object(after));
        let mut diff = SessionDiff::default();
        let keys = new.keys().chain(old.keys().filter(|key| !new.contains_key(*key)));
        for key in keys.filter(|key| !["format", "id", "last_decision", "items"].contains(&key.as_str())) {
            // The ids of decisions mean something inside one session only.
            let by_id = key == "decisions" && before.id == after.id;
            diff.compare(key, old.get(key), new.get(key), by_id);
        }
        diff
    }

    fn compare(&mut self, field: &str, before: Option<&Json>, after: Option<&Json>, by_id: bool) {
        if before == after {
            return;
        }
        let (no_items, no_fields) = (Vec::new(), Map::new());
        match (before, after) {
            (Some(Json::Array(before)), Some(Json::Array(after))) => self.compare_lists(field, before, after, by_id),
            (Some(Json::Array(before)), None) => self.compare_lists(field, before, &no_items, by_id),
            (None, Some(Json::Array(after))) => self.compare_lists(field, &no_items, after, by_id),
            (Some(Json::Object(before)), Some(Json::Object(after))) => self.compare_tables(field, before, after),
            (Some(Json::Object(before)), None) => self.compare_tables(field, before, &no_fields),
            (None, Some(Json::Object(after))) => self.compare_tables(field, &no_fields, after),
            _ => {
                let (before, after) = (before.cloned(), after.cloned());
                self.fields.push(FieldDiff { field: field.to_owned(), before, after });
            }
        }
    }

    fn compare_tables(&mut self, field: &str, before: &Map<String, Json>, after: &Map<String, Json>) {
        for key in after.keys().chain(before.keys().filter(|key| !after.contains_key(*key))) {
            self.compare(&format!("{field}.{key}"), before.get(key), after.get(key), false);
        }
    }

    fn compare_lists(&mut self, list: &str, before: &[Json], after: &[Json], by_id: bool) {
        let pairs = pairs(list, before, after, by_id);
        let is_paired = |place: usize| pairs.iter().any(|(old, _)| *old == place);
        let removed = (0..before.len()).filter(|place| !is_paired(*place)).map(|place| before[place].clone()).collect();
        let is_paired = |place: usize| pairs.iter().any(|(_, new)| *new == place);
        let added = (0..after.len()).filter(|place| !is_paired(*place)).map(|place| after[place].clone()).collect();
        let changed = pairs.iter().map(|(old, new)| (&before[*old], &after[*new])).filter(|(old, new)| old != new);
        let changed = changed.map(|(old, new)| ItemDiff { before: old.clone(), after: new.clone() }).collect();
        let reordered = !pairs.is_sorted_by_key(|(old, _)| *old);
        self.lists.push(ListDiff { list: list.to_owned(), added, removed, changed, reordered });
    }
}

type SameItem<'a> = &'a dyn Fn(&Json, &Json) -> bool;

/// Which item became which, by place, in the order of those after.
fn pairs(list: &str, before: &[Json], after: &[Json], by_id: bool) -> Vec<(usize, usize)> {
    let keys = KEYS.iter().find(|(name, _)| *name == list).map_or(&[][..], |(_, keys)| keys);
    let same = |old: &Json, new: &Json| keys.iter().all(|key| old.get(key) == new.get(key));
    let ways: [SameItem<'_>; 3] = [
        &|old, new| old == new,
        &|old, new| by_id && old.get("id").is_some_and(|id| new.get("id") == Some(id)),
        &|old, new| !keys.is_empty() && same(old, new),
    ];
    let mut free: Vec<bool> = vec![true; before.len()];
    let mut found: Vec<Option<usize>> = vec![None; after.len()];
    for is_same in ways {
        for (new, old) in after.iter().zip(&mut found).filter(|(_, old)| old.is_none()) {
            *old = (0..before.len()).find(|place| free[*place] && is_same(&before[*place], new));
            if let Some(place) = *old {
                free[place] = false;
            }
        }
    }
    found.into_iter().enumerate().filter_map(|(new, old)| Some((old?, new))).collect()
}

#[cfg(test)]
mod tests;
