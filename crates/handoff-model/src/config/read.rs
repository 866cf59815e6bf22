//! Reading one layer: everything in it that can be understood, and what cannot, by line.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;
use toml::de::{DeTable, DeValue, ValueDeserializer};
use toml::{Spanned, Table, Value};

use super::key::join;
use super::resolve::Fault;
use super::{Config, check};
use crate::document::{newer_format, one_line};
use crate::known_keys::misspelled;
use crate::problem::Problem;
use crate::{FORMAT, conflict};

/// The most that is told about one file; nobody mends more at once.
const MOST_FAULTS: usize = 20;

/// The longest list whose items are looked at one by one when something is wrong in it.
const LONGEST_LIST: usize = 1_000;

/// What a file says, without what is wrong in it.
pub(super) fn file(path: &str, text: &str) -> (Table, Vec<Fault>) {
    let mut faults = Vec::new();
    let (table, lines_of) = match toml::from_str(text) {
        Ok(table) => {
            faults.extend(misspelled::<Config>(path, text).into_iter().map(Fault::of_file));
            (table, Some(text))
        }
        Err(_) => mended(path, text, &mut faults),
    };
    match table.get("format") {
        None => {}
        Some(Value::Integer(format)) if *format <= i64::from(FORMAT) => {}
        Some(Value::Integer(format)) => {
            let newer = newer_format(u32::try_from(*format).unwrap_or(u32::MAX));
            faults
                .push(Fault::of_file(Problem::damaged(path, format!("{}; none of its settings count", newer.reason))));
            return (Table::new(), faults);
        }
        Some(_) => {
            let reason = format!("`format` is not a whole number; read as format {FORMAT}");
            faults.push(Fault::of_file(Problem::mended(path, reason)));
        }
    }
    if check::typed(table.clone()).is_ok() {
        return (table, faults);
    }
    let mut wrong = Vec::new();
    let table = sift(table, &mut Vec::new(), &mut wrong);
    let places = lines_of.map(Places::new);
    for Wrong { key, item, reason } in wrong.iter().take(MOST_FAULTS) {
        let line = places.as_ref().and_then(|places| places.line(key, *item));
        let what = if item.is_some() { "an item" } else { "the value" };
        let reason = format!("{what} of `{}` does not count: {reason}", join(key));
        faults.push(Fault { key: Some(key.clone()), problem: Problem::mended(path, reason).at_line(line) });
    }
    if wrong.len() > MOST_FAULTS {
        let reason = format!("{} more values do not count", wrong.len() - MOST_FAULTS);
        faults.push(Fault::of_file(Problem::mended(path, reason)));
    }
    (table, faults)
}

/// A value, or one item of a list, that may not stand where it stands.
struct Wrong {
    key: Vec<String>,
    item: Option<usize>,
    reason: String,
}

/// Keeps what may stand where it stands.
fn sift(table: Table, path: &mut Vec<String>, wrong: &mut Vec<Wrong>) -> Table {
    let mut kept = Table::new();
    for (part, value) in table {
        path.push(part.clone());
        if let Err(reason) = check::alone(path, value.clone()) {
            match value {
                Value::Table(inner) if check::alone(path, Value::Table(Table::new())).is_ok() => {
                    kept.insert(part, Value::Table(sift(inner, path, wrong)));
                }
                Value::Array(items) if items.len() <= LONGEST_LIST && check::is_list(path) => {
                    kept.insert(part, Value::Array(sift_list(items, path, wrong)));
                }
                _ => wrong.push(Wrong { key: path.clone(), item: None, reason }),
            }
        } else {
            kept.insert(part, value);
        }
        path.pop();
    }
    kept
}

fn sift_list(items: Vec<Value>, path: &[String], wrong: &mut Vec<Wrong>) -> Vec<Value> {
    let mut kept = Vec::new();
    for (index, item) in items.into_iter().enumerate() {
        match check::alone(path, Value::Array(vec![item.clone()])) {
            Ok(_) => kept.push(item),
            Err(reason) => wrong.push(Wrong { key: path.to_vec(), item: Some(index), reason }),
        }
    }
    kept
}

/// What can be read of a file that is not TOML as it stands, and the text its lines are counted in.
fn mended<'a>(path: &str, text: &'a str, faults: &mut Vec<Fault>) -> (Table, Option<&'a str>) {
    let Some(conflict) = conflict::split(text) else {
        return (recovered(path, text, faults), Some(text));
    };
    let reason = "it has conflict markers; read as our side of them: choose one side and remove the markers";
    faults.push(Fault::of_file(Problem::mended(path, reason).at_line(Some(conflict.line))));
    let table = toml::from_str(&conflict.ours).unwrap_or_else(|_| recovered(path, &conflict.ours, faults));
    (table, None)
}

/// The settings on lines without a fault.
fn recovered(path: &str, text: &str, faults: &mut Vec<Fault>) -> Table {
    let (document, errors) = DeTable::parse_recoverable(text);
    let lines = Lines::of(text);
    let spans = errors.iter().filter_map(toml::de::Error::span);
    let wrong: BTreeSet<usize> = spans.flat_map(|span| [lines.at(span.start), lines.at(span.end)]).collect();
    if let Some(error) = errors.first() {
        let more = if errors.len() > 1 { format!(", and {} more faults", errors.len() - 1) } else { String::new() };
        let reason = format!("not TOML: {}{more}; the lines concerned do not count", one_line(error.message()));
        let line = error.span().map(|span| lines.at(span.start));
        faults.push(Fault::of_file(Problem::damaged(path, reason).at_line(line)));
    }
    without(document.get_ref(), &lines, &wrong)
}

fn without(table: &DeTable<'_>, lines: &Lines, wrong: &BTreeSet<usize>) -> Table {
    let mut kept = Table::new();
    for (key, value) in table {
        let read = if let DeValue::Table(inner) = value.get_ref() {
            Some(Value::Table(without(inner, lines, wrong)))
        } else {
            let (first, last) = (lines.at(key.span().start), lines.at(value.span().end));
            // A value that is missing stands nowhere, hence before its key.
            let is_whole = first <= last && wrong.range(first..=last).next().is_none();
            if is_whole { plain(value) } else { None }
        };
        if let Some(read) = read {
            kept.insert(key.get_ref().to_string(), read);
        }
    }
    kept
}

fn plain(value: &Spanned<DeValue<'_>>) -> Option<Value> {
    Value::deserialize(ValueDeserializer::from(value.clone())).ok()
}

/// The places of everything in a file.
struct Places<'a> {
    document: Spanned<DeTable<'a>>,
    lines: Lines,
}

impl<'a> Places<'a> {
    fn new(text: &'a str) -> Self {
        Places { document: DeTable::parse_recoverable(text).0, lines: Lines::of(text) }
    }

    /// The line a setting stands on, or one item of its list.
    fn line(&self, path: &[String], item: Option<usize>) -> Option<usize> {
        let (last, parents) = path.split_last()?;
        let mut table = self.document.get_ref();
        for part in parents {
            table = table.get(part.as_str())?.get_ref().as_table()?;
        }
        let (key, value) = table.get_key_value(last.as_str())?;
        let span = match item {
            Some(index) => value.get_ref().as_array()?.get(index)?.span(),
            None => key.span(),
        };
        Some(self.lines.at(span.start))
    }
}

/// The line of every setting in a file.
pub(super) fn lines_of_settings(text: &str) -> BTreeMap<Vec<String>, usize> {
    fn walk(table: &DeTable<'_>, path: &mut Vec<String>, lines: &Lines, found: &mut BTreeMap<Vec<String>, usize>) {
        for (key, value) in table {
            path.push(key.get_ref().to_string());
            found.insert(path.clone(), lines.at(key.span().start));
            if let DeValue::Table(inner) = value.get_ref() {
                walk(inner, path, lines, found);
            }
            path.pop();
        }
    }
    let mut found = BTreeMap::new();
    // Lines are those of the file as it stands, so one with conflict markers has none to tell.
    if let Ok(document) = DeTable::parse(text) {
        walk(document.get_ref(), &mut Vec::new(), &Lines::of(text), &mut found);
    }
    found
}

/// Where the lines of a text begin.
struct Lines(Vec<usize>);

impl Lines {
    fn of(text: &str) -> Lines {
        let after_newline = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(index, _)| index + 1);
        Lines(std::iter::once(0).chain(after_newline).collect())
    }

    /// The line, counted from 1, that a byte is on.
    fn at(&self, offset: usize) -> usize {
        self.0.partition_point(|start| *start <= offset)
    }
}
