//! What must hold when a record is written over the file it was read from.

use std::fmt::Debug;

use handoff_model::document::Unreadable;
use handoff_model::session::Session;
use handoff_model::task::Task;
use handoff_model::time_log::TimeLog;
use serde::Serialize;
use serde_json::{Map, Value as Json};
use toml::{Table, Value};

use crate::choices::Choices;
use crate::written::{self, Addition, Place, Written};
use crate::{edits, records};

/// A record that stands in a file of its own.
pub trait Record: Clone + Debug + PartialEq + Serialize {
    /// Every key a file of this kind may have
    const KEYS: &'static [&'static str];
    fn make(choices: &mut Choices) -> Self;
    fn change(&mut self, choices: &mut Choices);
    fn read(text: &str) -> Result<Self, Unreadable>;
    fn print(&self) -> String;
    fn write_over(&self, text: &str) -> Result<String, Unreadable>;
}

macro_rules! record {
    ($name:ident, $make:path, $change:path, $read:expr, $keys:expr) => {
        impl Record for $name {
            const KEYS: &'static [&'static str] = $keys;

            fn make(choices: &mut Choices) -> Self {
                $make(choices)
            }

            fn change(&mut self, choices: &mut Choices) {
                $change(choices, self);
            }

            fn read(text: &str) -> Result<Self, Unreadable> {
                $read(text)
            }

            fn print(&self) -> String {
                $name::print(self)
            }

            fn write_over(&self, text: &str) -> Result<String, Unreadable> {
                $name::write_over(self, text)
            }
        }
    };
}

record!(Task, records::task, edits::task, |text| Task::read(text).map(|(task, _)| task), records::TASK_KEYS);
record!(Session, records::session, edits::session, Session::read, records::SESSION_KEYS);
record!(TimeLog, records::time_log, edits::time_log, TimeLog::read, records::TIME_LOG_KEYS);

/// A record printed and read is the same record, and printing it over itself changes nothing.
pub fn prints_and_reads_back<R: Record>(choices: &mut Choices) {
    let record = R::make(choices);
    let text = record.print();
    assert_eq!(R::read(&text).as_ref(), Ok(&record), "{text}");
    assert_eq!(record.write_over(&text).as_ref(), Ok(&text));
}

/// Saving a record that did not change leaves every byte of its file alone, however that is written.
pub fn unchanged_is_untouched<R: Record>(choices: &mut Choices) {
    let record = object(&R::make(choices));
    let written = written::write(choices, &record);
    let record = R::read(&written.text).unwrap_or_else(|error| panic!("{error:?}\n{}", written.text));
    assert_eq!(record.write_over(&written.text).as_ref(), Ok(&written.text));
}

/// A changed record is read back as it is, and whatever else stood in its file still stands there.
pub fn a_change_keeps_the_rest<R: Record>(choices: &mut Choices) {
    let record = object(&R::make(choices));
    let written = written::write(choices, &record);
    let old = R::read(&written.text).unwrap_or_else(|error| panic!("{error:?}\n{}", written.text));
    let mut new = old.clone();
    new.change(choices);
    let text = match new.write_over(&written.text) {
        Ok(text) => text,
        Err(error) => panic!("{error}\n{}\n--- to say\n{}", written.text, new.print()),
    };
    let shown = || format!("\n--- before\n{}\n--- after\n{text}", written.text);
    assert_eq!(R::read(&text).as_ref(), Ok(&new), "{}", shown());
    check_kept(&written, &object(&old), &object(&new), &text, shown);
    assert_eq!(new.write_over(&text).as_ref(), Ok(&text), "a second time changes nothing{}", shown());
}

pub fn object<T: Serialize>(record: &T) -> Map<String, Json> {
    match serde_json::to_value(record) {
        Ok(Json::Object(map)) => map,
        other => panic!("a record is an object, not {other:?}"),
    }
}

/// Every comment and every key of somebody else's that was not part of something removed is still in `text`.
pub fn check_kept(
    written: &Written,
    old: &Map<String, Json>,
    new: &Map<String, Json>,
    text: &str,
    shown: impl Fn() -> String,
) {
    for remark in &written.remarks {
        let must_stay = is_kept(&remark.place, old, new);
        assert!(!must_stay || text.contains(&remark.text), "lost the comment {}{}", remark.text, shown());
    }
    let table: Table = toml::from_str(text).expect("it was just read");
    for addition in &written.additions {
        if is_kept(&addition.place, old, new) {
            let found = find_addition(addition, old, new, &table);
            assert_eq!(found.as_ref(), Some(&addition.value), "lost the key {}{}", addition.key, shown());
        }
    }
}

/// Whether what stands at a place must survive the change from `old` to `new`.
fn is_kept(place: &Place, old: &Map<String, Json>, new: &Map<String, Json>) -> bool {
    // A table that says by being there that there is something, such as `git`, takes everything along.
    if place.table.first().is_some_and(|name| ["git", "origin"].contains(&name.as_str()) && !new.contains_key(name)) {
        return false;
    }
    // So does a fact of the surroundings, or of another system, that is no longer a table.
    if place.table.len() > 1
        && ["environment", "origin"].contains(&place.table[0].as_str())
        && !at(new, &place.table).is_some_and(Json::is_object)
    {
        return false;
    }
    match &place.list {
        None => true,
        Some((list, None)) => at(old, list) == at(new, list),
        Some((list, Some(index))) => place_in_new(list, *index, old, new).is_some(),
    }
}

/// Where an item of a list is afterwards, as long as that can be told.
fn place_in_new(list: &[String], index: usize, old: &Map<String, Json>, new: &Map<String, Json>) -> Option<usize> {
    let (old, new) = (at(old, list)?.as_array()?, at(new, list)?.as_array()?);
    if old == new {
        return Some(index);
    }
    let item = &old[index];
    let places: Vec<usize> = (0..new.len()).filter(|&place| new[place] == *item).collect();
    match places.as_slice() {
        [place] if old.iter().filter(|other| *other == item).count() == 1 => Some(*place),
        _ => None,
    }
}

fn at<'a>(map: &'a Map<String, Json>, path: &[String]) -> Option<&'a Json> {
    let (first, rest) = path.split_first()?;
    rest.iter().try_fold(map.get(first)?, |place, part| place.get(part))
}

fn find_addition(
    addition: &Addition,
    old: &Map<String, Json>,
    new: &Map<String, Json>,
    table: &Table,
) -> Option<Value> {
    let mut place = Value::Table(table.clone());
    for part in &addition.place.table {
        place = place.get(part)?.clone();
    }
    if let Some((list, Some(index))) = &addition.place.list {
        place = place.get(place_in_new(list, *index, old, new)?)?.clone();
    }
    place.get(&addition.key).cloned()
}
