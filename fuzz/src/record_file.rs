//! Any text in place of a record's file.

use serde_json::Value as Json;
use toml::Table;

use crate::choices::Choices;
use crate::edited::{Record, object};

/// Reads bytes as a record's file and writes a change over it; what follows a NUL chooses the change.
pub fn run<R: Record>(data: &[u8]) {
    let end = data.iter().position(|&byte| byte == 0).unwrap_or(data.len());
    let Ok(text) = std::str::from_utf8(&data[..end]) else { return };
    let Ok(old) = R::read(text) else { return };
    // A number that is none equals nothing, not even itself.
    if !is_comparable(&old) {
        return;
    }
    assert_eq!(R::read(&old.print()).as_ref(), Ok(&old), "printed and read back");
    let mut new = old.clone();
    new.change(&mut Choices::new(data.get(end + 1..).unwrap_or_default()));
    // A file may be written in a way that cannot be edited; what is written must be right.
    let Ok(edited) = new.write_over(text) else { return };
    assert_eq!(R::read(&edited).as_ref(), Ok(&new), "{text}\n--- after\n{edited}");
    let (before, after) = (unknown::<R>(text), unknown::<R>(&edited));
    assert_eq!(before, after, "{text}\n--- after\n{edited}");
}

#[expect(clippy::eq_op, reason = "that is the question")]
fn is_comparable<R: Record>(record: &R) -> bool {
    record == record && !object(record).values().any(has_null)
}

/// Infinite numbers become null on the way.
fn has_null(json: &Json) -> bool {
    match json {
        Json::Null => true,
        Json::Array(items) => items.iter().any(has_null),
        Json::Object(map) => map.values().any(has_null),
        _ => false,
    }
}

/// The keys at the top that are no part of the record, shown: a number that is none does not equal itself.
fn unknown<R: Record>(text: &str) -> String {
    let mut table: Table = toml::from_str(text).expect("it was read before");
    for known in R::KEYS {
        table.remove(*known);
    }
    format!("{table:?}")
}
