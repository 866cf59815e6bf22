//! TOML files that people edit too: typed reading, and writing that touches only what changed.
//!
//! **Invariant:** a key this build does not know, and a comment outside a list that is replaced, survive every write.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value as Json};
use toml_edit::{Array, ArrayOfTables, DocumentMut, InlineTable, Item, Table, TableLike, Value};

mod lists;

/// Why a file could not be read, and on which line.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{reason}")]
pub struct Unreadable {
    pub line: Option<usize>,
    pub reason: String,
}

/// Lists of tables that are written on one line each, because they are short.
const INLINE_LISTS: [&str; 1] = ["links"];

/// Reads a typed record from the text of its file.
pub fn read<T: DeserializeOwned>(text: &str) -> Result<T, Unreadable> {
    toml::from_str(text).map_err(|error| Unreadable {
        line: error.span().map(|span| line_at(text, span.start)),
        reason: one_line(error.message()),
    })
}

/// The text of a new file that says `record`.
pub fn print<T: Serialize>(record: &T) -> String {
    let mut document = DocumentMut::new();
    patch(document.as_table_mut(), &Map::new(), &object(record));
    document.to_string()
}

/// Brings `text`, which says `old`, to say `new`, leaving everything else as it stands.
pub fn edit<T>(text: &str, old: &T, new: &T) -> Result<String, Unreadable>
where
    T: Serialize + DeserializeOwned + PartialEq,
{
    let mut document: DocumentMut = text.parse().map_err(|error: toml_edit::TomlError| Unreadable {
        line: error.span().map(|span| line_at(text, span.start)),
        reason: one_line(error.message()),
    })?;
    patch(document.as_table_mut(), &object(old), &object(new));
    let edited = document.to_string();
    // What is about to be written must say what it should: better to refuse than to store something else.
    let says_new = |text: &str| read::<T>(text).is_ok_and(|said| said == *new);
    if let Some(windows) = with_windows_line_ends(text, &edited)
        && says_new(&windows)
    {
        return Ok(windows);
    }
    if says_new(&edited) {
        return Ok(edited);
    }
    Err(Unreadable { line: None, reason: "the file is written in a way that cannot be edited safely".to_owned() })
}

/// The edited text with the line ends the original had, when those were `\r\n` throughout.
pub(crate) fn with_windows_line_ends(original: &str, edited: &str) -> Option<String> {
    let lines = original.matches('\n').count();
    (lines > 0 && original.matches("\r\n").count() == lines).then(|| edited.replace('\n', "\r\n"))
}

/// Sets one value by its path, making the tables on the way; `None` removes it.
pub fn set_path(document: &mut DocumentMut, path: &[&str], value: Option<&Json>) -> Result<(), Unreadable> {
    let (last, parents) = path.split_last().expect("a key has at least one part");
    let mut table: &mut dyn TableLike = document.as_table_mut();
    for (depth, part) in parents.iter().enumerate() {
        if !table.contains_key(part) {
            if value.is_none() {
                return Ok(());
            }
            let mut fresh = Table::new();
            // A table that holds only tables needs no header of its own.
            fresh.set_implicit(depth + 1 < parents.len());
            table.insert(part, Item::Table(fresh));
        }
        let item = table.get_mut(part).expect("it was just inserted");
        table = item
            .as_table_like_mut()
            .ok_or_else(|| Unreadable { line: None, reason: format!("`{part}` is not a table in this file") })?;
    }
    match value {
        None => {
            table.remove(last);
        }
        Some(value) => set(table, last, value),
    }
    Ok(())
}

/// The answer to a file of a newer format than this build writes.
pub fn newer_format(format: u32) -> Unreadable {
    Unreadable {
        line: None,
        reason: format!(
            "written in format {format}, newer than the format {} this handoff knows: update handoff to read it",
            crate::FORMAT
        ),
    }
}

fn object<T: Serialize>(record: &T) -> Map<String, Json> {
    match serde_json::to_value(record) {
        Ok(Json::Object(map)) => map,
        other => panic!("a record serialises to an object, not {other:?}"),
    }
}

fn patch(table: &mut dyn TableLike, old: &Map<String, Json>, new: &Map<String, Json>) {
    for key in old.keys().filter(|key| !new.contains_key(*key)) {
        table.remove(key);
    }
    for (key, value) in new {
        let before = old.get(key);
        if before == Some(value) && table.contains_key(key) {
            continue;
        }
        let patched = match (table.get_mut(key), before, value) {
            (Some(item), Some(Json::Object(before)), Json::Object(value)) => match item.as_table_like_mut() {
                Some(inner) => {
                    patch(inner, before, value);
                    true
                }
                None => false,
            },
            (Some(item), Some(Json::Array(before)), Json::Array(value)) => lists::patch(item, key, before, value),
            _ => false,
        };
        if !patched {
            set(table, key, value);
        }
    }
}

/// Sets a key, keeping the comment and blanks around a value that was there.
fn set(table: &mut dyn TableLike, key: &str, value: &Json) {
    if let (Some(Item::Value(present)), Some(mut fresh)) = (table.get_mut(key), inline_value(key, value)) {
        *fresh.decor_mut() = present.decor().clone();
        *present = fresh;
        return;
    }
    if let Some(item) = item(key, value) {
        table.insert(key, item);
    }
}

/// The form a value takes in a new place: tables and lists of tables get headers, the rest stands on a line.
fn item(key: &str, value: &Json) -> Option<Item> {
    match value {
        Json::Object(map) => Some(Item::Table(new_table(map))),
        Json::Array(items) if is_table_list(key, items) => {
            let mut list = ArrayOfTables::new();
            items.iter().filter_map(Json::as_object).for_each(|map| list.push(new_table(map)));
            Some(Item::ArrayOfTables(list))
        }
        _ => inline_value(key, value).map(Item::Value),
    }
}

fn is_table_list(key: &str, items: &[Json]) -> bool {
    !INLINE_LISTS.contains(&key) && !items.is_empty() && items.iter().all(Json::is_object)
}

fn new_table(map: &Map<String, Json>) -> Table {
    let mut table = Table::new();
    patch(&mut table, &Map::new(), map);
    table
}

fn inline_value(key: &str, value: &Json) -> Option<Value> {
    Some(match value {
        Json::Null => return None,
        Json::Bool(value) => (*value).into(),
        Json::Number(number) => match number.as_i64() {
            Some(integer) => integer.into(),
            None => number.as_f64()?.into(),
        },
        Json::String(text) => match text.parse::<toml_edit::Datetime>() {
            Ok(time) if is_time_key(key) => time.into(),
            _ => text.as_str().into(),
        },
        Json::Array(items) => {
            let mut array = Array::new();
            items.iter().filter_map(|item| inline_value(key, item)).for_each(|item| array.push(item));
            array.into()
        }
        Json::Object(map) => {
            let mut table = InlineTable::new();
            for (key, value) in map {
                if let Some(value) = inline_value(key, value) {
                    table.insert(key, value);
                }
            }
            table.into()
        }
    })
}

/// Keys named `at`, `*_at` and `*_date` hold native TOML times; that is a rule of the format.
fn is_time_key(key: &str) -> bool {
    key == "at" || key.ends_with("_at") || key.ends_with("_date")
}

fn line_at(text: &str, offset: usize) -> usize {
    text.as_bytes().iter().take(offset).filter(|byte| **byte == b'\n').count() + 1
}

pub(crate) fn one_line(message: &str) -> String {
    message.trim().replace('\n', ", ")
}

#[cfg(test)]
mod tests;
