//! TOML files that people edit too: typed reading, and writing that touches only what changed.
//!
//! **Invariant:** a key this build does not know, and a comment outside a list that is replaced, survive every write.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value as Json};
use toml_edit::{Array, ArrayOfTables, DocumentMut, InlineTable, Item, Table, TableLike, Value};

mod cut;
mod lists;

pub(crate) use cut::cut;

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
pub fn edit<T: Serialize + DeserializeOwned>(text: &str, old: &T, new: &T) -> Result<String, Unreadable> {
    edit_object(text, &object(old), new)
}

/// The same, where what the file says is not a valid record: `old` has the values as they stand there.
pub(crate) fn edit_object<T>(text: &str, old: &Map<String, Json>, new: &T) -> Result<String, Unreadable>
where
    T: Serialize + DeserializeOwned,
{
    let wanted = object(new);
    if *old == wanted {
        return Ok(text.to_owned());
    }
    let (mark, body) = match text.strip_prefix(BYTE_ORDER_MARK) {
        Some(body) => (BYTE_ORDER_MARK, body),
        None => ("", text),
    };
    // What is about to be written must say what it should: better to refuse than to store something else.
    let says_new = |text: &String| read::<T>(text).is_ok_and(|said| object(&said) == wanted);
    // What others added to a table that goes stays, unless the table means something by being there.
    for what_goes in [Emptied::OnlyIfBare, Emptied::Always] {
        let edited = rewritten(body, old, &wanted, what_goes)?;
        let windows = with_windows_line_ends(text, &edited);
        if let Some(edited) = windows.into_iter().chain([edited]).find(says_new) {
            return Ok(format!("{mark}{edited}"));
        }
    }
    let reason = "the file is written in a way that cannot be edited safely".to_owned();
    Err(Unreadable { line: None, reason })
}

/// Whether a table goes when none of the known values is left in it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Emptied {
    OnlyIfBare,
    Always,
}

fn rewritten(
    text: &str,
    old: &Map<String, Json>,
    new: &Map<String, Json>,
    what_goes: Emptied,
) -> Result<String, Unreadable> {
    let said: toml::Table = read(text)?;
    let mut body = text.to_owned();
    for path in removed(old, new, &said, what_goes) {
        body = cut(&body, &path);
    }
    let mut document: DocumentMut = body.parse().map_err(|error: toml_edit::TomlError| Unreadable {
        line: error.span().map(|span| line_at(text, span.start)),
        reason: one_line(error.message()),
    })?;
    patch(document.as_table_mut(), old, new);
    Ok(document.to_string())
}

const BYTE_ORDER_MARK: &str = "\u{feff}";

/// The paths of the values that go. A table goes value by value where others added to it, so that theirs stay.
fn removed(
    old: &Map<String, Json>,
    new: &Map<String, Json>,
    said: &toml::Table,
    what_goes: Emptied,
) -> Vec<Vec<String>> {
    let nothing = (Map::new(), toml::Table::new());
    let mut paths = Vec::new();
    for (key, before) in old {
        let inner = said.get(key).and_then(toml::Value::as_table).unwrap_or(&nothing.1);
        match (before, new.get(key)) {
            (Json::Object(before), after @ (None | Some(Json::Object(_)))) => {
                let is_bare = inner.keys().all(|key| before.contains_key(key));
                if after.is_none() && (is_bare || what_goes == Emptied::Always) {
                    paths.push(vec![key.clone()]);
                    continue;
                }
                let after = after.and_then(Json::as_object).unwrap_or(&nothing.0);
                for mut path in removed(before, after, inner, what_goes) {
                    path.insert(0, key.clone());
                    paths.push(path);
                }
            }
            (_, None) => paths.push(vec![key.clone()]),
            _ => {}
        }
    }
    paths
}

/// The edited text with the line ends the original had, when those were `\r\n` throughout.
pub(crate) fn with_windows_line_ends(original: &str, edited: &str) -> Option<String> {
    let lines = original.matches('\n').count();
    let is_windows = lines > 0 && original.matches("\r\n").count() == lines;
    is_windows.then(|| edited.replace("\r\n", "\n").replace('\n', "\r\n"))
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
            fresh.set_implicit(depth + 1 < parents.len() || value.is_some_and(Json::is_object));
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

pub(crate) fn object<T: Serialize>(record: &T) -> Map<String, Json> {
    match serde_json::to_value(record) {
        Ok(Json::Object(map)) => map,
        other => panic!("a record serialises to an object, not {other:?}"),
    }
}

fn patch(table: &mut dyn TableLike, old: &Map<String, Json>, new: &Map<String, Json>) {
    for (key, before) in old.iter().filter(|(key, _)| !new.contains_key(*key)) {
        match (before, table.get_mut(key).and_then(Item::as_table_like_mut)) {
            (Json::Object(before), Some(inner)) => {
                patch(inner, before, &Map::new());
                if inner.is_empty() && !table.get(key).is_some_and(has_comment) {
                    table.remove(key);
                }
            }
            _ => {
                table.remove(key);
            }
        }
    }
    for (key, value) in new {
        let before = old.get(key);
        // What did not change stays as it is written, also where a default is not written at all.
        if before == Some(value) {
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

/// Whether a person wrote something beside the header of a table.
fn has_comment(item: &Item) -> bool {
    let decor = match item {
        Item::Table(table) => table.decor(),
        Item::Value(value) => value.decor(),
        Item::None | Item::ArrayOfTables(_) => return false,
    };
    let raw = [decor.prefix(), decor.suffix()];
    raw.into_iter().flatten().any(|raw| raw.as_str().is_some_and(|text| text.contains('#')))
}

/// Sets a key, keeping the comment and blanks around a value that was there.
fn set(table: &mut dyn TableLike, key: &str, value: &Json) {
    // A list is changed item by item, so that comments stay with what they are about.
    if let (Some(item), Json::Array(new)) = (table.get_mut(key), value)
        && let Some(old) = item.as_array().and_then(|array| array.iter().map(plain_json).collect::<Option<Vec<_>>>())
        && lists::patch(item, key, &old, new)
    {
        return;
    }
    if let (Some(Item::Value(present)), Some(mut fresh)) = (table.get_mut(key), inline_value(key, value)) {
        *fresh.decor_mut() = present.decor().clone();
        *present = fresh;
        return;
    }
    if let Some(item) = item(key, value) {
        table.insert(key, item);
    }
}

/// A plain value as it is said in JSON, a date as text; `None` for lists and tables.
fn plain_json(value: &Value) -> Option<Json> {
    match value {
        Value::String(text) => Some(Json::from(text.value().as_str())),
        Value::Integer(number) => Some(Json::from(*number.value())),
        Value::Float(number) => Some(Json::from(*number.value())),
        Value::Boolean(truth) => Some(Json::from(*truth.value())),
        Value::Datetime(date) => Some(Json::from(date.value().to_string())),
        Value::Array(_) | Value::InlineTable(_) => None,
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

pub(crate) fn line_at(text: &str, offset: usize) -> usize {
    text.as_bytes().iter().take(offset).filter(|byte| **byte == b'\n').count() + 1
}

pub(crate) fn one_line(message: &str) -> String {
    message.trim().replace('\n', ", ")
}

#[cfg(test)]
mod tests;
