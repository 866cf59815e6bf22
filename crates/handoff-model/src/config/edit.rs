//! Changing a configuration file: every value is checked before anything is written, and the rest stays as it stands.

use serde_json::{Map, Value as Json};
use toml::{Table, Value};
use toml_edit::{DocumentMut, Item, Key};

use super::check;
use super::key::{Keys, Scope, Target, UnknownKey, join};
use super::resolve::{Layer, spellings};
use super::tables::{pruned, put};
use crate::document::{self, Unreadable};
use crate::{FORMAT, conflict};

/// A new value as it was handed in.
#[derive(Clone, Debug, PartialEq)]
pub enum Given {
    /// Words from a command line, read by the type of the setting; the one word `none` clears it
    Words(Vec<String>),
    /// A value that has its type; null clears the setting, an object stands for several settings
    Json(Json),
}

/// One value to be written, or cleared so that the layer below counts.
#[derive(Clone, Debug, PartialEq)]
pub struct Assignment {
    pub path: Vec<String>,
    /// An empty object stands for a table that is to be there, whatever is in it
    pub value: Option<Json>,
}

impl Assignment {
    /// The dotted name of what changes.
    pub fn name(&self) -> String {
        join(&self.path)
    }
}

/// Why a value is not accepted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    #[error(transparent)]
    Unknown(#[from] UnknownKey),
    #[error("`{name}` cannot be set to this: {reason}")]
    Invalid { name: String, reason: String },
    #[error("`{name}` is a group of settings: name one of them")]
    Section { name: String, keys: Vec<String> },
    #[error("`{name}` is set for a user, not in a project")]
    UserOnly { name: String },
    #[error("`{name}` is set in a project, not for a user")]
    ProjectOnly { name: String },
    #[error("`{name}` cannot be set alone, because task directories must be converted with it")]
    Converts { name: String },
    #[error("`{name}` is given twice")]
    Twice { name: String },
}

/// What to write for these settings, or everything that stands against it.
pub fn assign(keys: &Keys, layer: Layer, given: Vec<(String, Given)>) -> Result<Vec<Assignment>, Vec<Refused>> {
    let (mut assignments, mut refusals) = (Vec::new(), Vec::new());
    for (name, value) in given {
        match keys.find(&name) {
            Ok(target) => assign_one(keys, layer, target, value, &mut assignments, &mut refusals),
            Err(unknown) => refusals.push(unknown.into()),
        }
    }
    for (index, assignment) in assignments.iter().enumerate() {
        let overlaps = |earlier: &Assignment| {
            earlier.path.starts_with(&assignment.path) || assignment.path.starts_with(&earlier.path)
        };
        if assignments[..index].iter().any(overlaps) {
            refusals.push(Refused::Twice { name: assignment.name() });
        }
    }
    if refusals.is_empty() { Ok(assignments) } else { Err(refusals) }
}

fn assign_one(
    keys: &Keys,
    layer: Layer,
    target: Target<'_>,
    given: Given,
    assignments: &mut Vec<Assignment>,
    refusals: &mut Vec<Refused>,
) {
    let clears = match &given {
        Given::Json(json) => json.is_null(),
        Given::Words(words) => matches!(words.as_slice(), [word] if word == "none"),
    };
    let found = match target {
        Target::Setting(found) => found,
        Target::Section(path) if clears && keys.is_named_entry(&path) => {
            return assignments.push(Assignment { path, value: None });
        }
        Target::Section(path) => return assign_section(keys, layer, &path, given, assignments, refusals),
    };
    let name = join(&found.path);
    match (found.key.scope, layer) {
        (Scope::User, Layer::Project) => return refusals.push(Refused::UserOnly { name }),
        (Scope::Project, Layer::User) => return refusals.push(Refused::ProjectOnly { name }),
        _ if name == "settings.task_dirs" => return refusals.push(Refused::Converts { name }),
        _ => {}
    }
    if clears {
        return assignments.push(Assignment { path: found.path, value: None });
    }
    let value = match given {
        Given::Words(words) => check::interpret(&found.path, &words),
        Given::Json(json) => check::to_toml(&json),
    };
    match value.and_then(|value| check::canonical(&found.path, &value)) {
        Ok((path, value)) => assignments.push(Assignment { path, value: Some(value) }),
        Err(reason) => refusals.push(Refused::Invalid { name, reason }),
    }
}

/// An object is the settings in it; what it leaves out is kept.
fn assign_section(
    keys: &Keys,
    layer: Layer,
    path: &[String],
    given: Given,
    assignments: &mut Vec<Assignment>,
    refusals: &mut Vec<Refused>,
) {
    let map = match given {
        Given::Json(Json::Object(map)) if !map.is_empty() => map,
        _ => return refusals.push(Refused::Section { name: join(path), keys: keys.below(path) }),
    };
    for (part, value) in map {
        let path = [path, &[part]].concat();
        match keys.find(&join(&path)) {
            Ok(target) => assign_one(keys, layer, target, Given::Json(value), assignments, refusals),
            Err(unknown) => refusals.push(unknown.into()),
        }
    }
}

/// The text of a configuration file with these values in it.
///
/// Comments, unknown keys and the form of everything else survive. A file that cannot be read is refused.
pub fn apply(text: &str, assignments: &[Assignment]) -> Result<String, Unreadable> {
    let present = readable(text)?;
    let mut wanted = present.clone();
    let mut edited = text.to_owned();
    let mut to_set = Vec::new();
    let is_table = |assignment: &&Assignment| assignment.value.as_ref() == Some(&Json::Object(Map::new()));
    let (tables, assignments): (Vec<_>, Vec<_>) = assignments.iter().partition(is_table);
    for Assignment { path, value } in assignments {
        let mut spellings = spellings(&present, path);
        if let Some(json) = value {
            let value = check::to_toml(json).map_err(|reason| Unreadable { line: None, reason })?;
            let path = if spellings.is_empty() { path.clone() } else { spellings.remove(0) };
            let before = wanted.clone();
            set(&mut wanted, &path, Some(value))?;
            if wanted != before {
                to_set.push((path, json));
            }
        }
        for path in spellings {
            set(&mut wanted, &path, None)?;
            edited = document::cut(&edited, &path);
        }
    }
    if !to_set.is_empty() {
        edited = with_values(&edited, &to_set)?;
    }
    for Assignment { path, .. } in &tables {
        edited = with_table(&edited, path)?;
    }
    // What is about to be written must say what it should: better to refuse than to store something else.
    let wanted = dates_as_text(pruned(wanted));
    let says_that = |text: &String| {
        let has_tables = |said: &Table| tables.iter().all(|table| at(said, &table.path).is_some_and(Value::is_table));
        toml::from_str::<Table>(text).is_ok_and(|said| has_tables(&said) && dates_as_text(pruned(said)) == wanted)
    };
    let windows = document::with_windows_line_ends(text, &edited);
    windows.into_iter().chain([edited]).find(says_that).ok_or_else(unsafe_to_edit)
}

/// The text with a table at this path, an empty one where there is none.
fn with_table(text: &str, path: &[String]) -> Result<String, Unreadable> {
    if at(&readable(text)?, path).is_some() {
        return Ok(text.to_owned());
    }
    with_values(text, &[(path.to_vec(), &Json::Object(Map::new()))])
}

/// A table that marks the end of a file while it is edited.
const END: &str = "[\"the end of this file\"]\n";

/// The text with these values in it.
fn with_values(text: &str, values: &[(Vec<String>, &Json)]) -> Result<String, Unreadable> {
    // A comment at the end belongs to what stands above it, and not below tables that are new.
    let is_comment = |line: &str| line.trim_start().starts_with('#');
    let mut lines = text.lines().rev().filter(|line| !line.trim().is_empty());
    let ends_in_comment = lines.next().is_some_and(is_comment) && !lines.all(is_comment);
    let gap = if text.ends_with('\n') { "" } else { "\n" };
    let marked = if ends_in_comment { format!("{text}{gap}{END}") } else { text.to_owned() };
    let mut document: DocumentMut = marked.parse().map_err(|_| unsafe_to_edit())?;
    for (path, json) in values {
        let path: Vec<&str> = path.iter().map(String::as_str).collect();
        document::set_path(&mut document, &path, Some(json))?;
    }
    Ok(with_header_first(text, document.to_string().replacen(END, "", 1)))
}

/// The text with the table at this path under another name, such as `assignees.ann` for `assignees.alice`.
///
/// What is in it, what nobody knows and comments go along. Nothing may have that name yet.
pub fn rename(text: &str, path: &[String], name: &str) -> Result<String, Unreadable> {
    let mut wanted = readable(text)?;
    let missing = || Unreadable { line: None, reason: format!("`{}` does not stand in this file", join(path)) };
    let (last, parents) = path.split_last().ok_or_else(missing)?;
    let moved = at(&wanted, path).cloned().ok_or_else(missing)?;
    let renamed = [parents, &[name.to_owned()]].concat();
    if at(&wanted, &renamed).is_some() {
        return Err(Unreadable { line: None, reason: format!("`{}` stands in this file already", join(&renamed)) });
    }
    set(&mut wanted, path, None)?;
    set(&mut wanted, &renamed, Some(moved))?;

    let mut document: DocumentMut = text.parse().map_err(|_| unsafe_to_edit())?;
    let mut place = document.as_item_mut();
    for part in parents {
        place = place.get_mut(part.as_str()).ok_or_else(missing)?;
    }
    match place {
        Item::Table(table) => {
            let (key, item) = table.remove_entry(last).ok_or_else(missing)?;
            table.insert_formatted(&like(&key, name), item);
        }
        Item::Value(toml_edit::Value::InlineTable(table)) => {
            let (key, value) = table.remove_entry(last).ok_or_else(missing)?;
            table.insert_formatted(&like(&key, name), value);
        }
        _ => return Err(unsafe_to_edit()),
    }
    let edited = document.to_string();
    let says_that = |text: &String| toml::from_str::<Table>(text).is_ok_and(|said| said == wanted);
    let windows = document::with_windows_line_ends(text, &edited);
    windows.into_iter().chain([edited]).find(says_that).ok_or_else(unsafe_to_edit)
}

/// A key with the comments and blanks around another.
fn like(key: &Key, name: &str) -> Key {
    Key::new(name).with_leaf_decor(key.leaf_decor().clone()).with_dotted_decor(key.dotted_decor().clone())
}

/// What stands at a path.
fn at<'a>(table: &'a Table, path: &[String]) -> Option<&'a Value> {
    let (first, rest) = path.split_first()?;
    rest.iter().try_fold(table.get(first)?, |place, part| place.get(part))
}

/// A date says the same with quotation marks and without.
fn dates_as_text(table: Table) -> Table {
    fn as_text(value: Value) -> Value {
        match value {
            Value::Datetime(date) => Value::String(date.to_string()),
            Value::Array(items) => Value::Array(items.into_iter().map(as_text).collect()),
            Value::Table(table) => Value::Table(dates_as_text(table)),
            other => other,
        }
    }
    table.into_iter().map(|(key, value)| (key, as_text(value))).collect()
}

/// Puts the comment a file opens with back to its top; a new setting outside any table would stand above it.
fn with_header_first(text: &str, edited: String) -> String {
    let header: usize = text.split_inclusive('\n').take_while(|line| line.starts_with('#')).map(str::len).sum();
    let header = text[..header].replace("\r\n", "\n");
    match edited.find(&header) {
        Some(place) if place > 0 => {
            let (above, rest) = (&edited[..place], edited[place + header.len()..].trim_start_matches('\n'));
            let gap = if rest.is_empty() { "" } else { "\n" };
            format!("{header}\n{above}{gap}{rest}")
        }
        _ => edited,
    }
}

fn readable(text: &str) -> Result<Table, Unreadable> {
    if let Some(line) = conflict::split(text).map(|conflict| conflict.line) {
        let reason = "it has conflict markers: choose one side and remove them first".to_owned();
        return Err(Unreadable { line: Some(line), reason });
    }
    let table: Table = document::read(text)?;
    match table.get("format").and_then(Value::as_integer) {
        Some(format) if format > i64::from(FORMAT) => {
            Err(document::newer_format(u32::try_from(format).unwrap_or(u32::MAX)))
        }
        _ => Ok(table),
    }
}

fn set(table: &mut Table, path: &[String], value: Option<Value>) -> Result<(), Unreadable> {
    if put(table, path, value) {
        return Ok(());
    }
    Err(Unreadable { line: None, reason: format!("`{}` does not stand in a table in this file", join(path)) })
}

fn unsafe_to_edit() -> Unreadable {
    Unreadable { line: None, reason: "the file is written in a way that cannot be edited safely".to_owned() }
}
