//! The Go program `handoff`: named packages with a lifetime, in one SQLite file.
//!
//! The program deletes rows whenever it opens its file, and opening rolls back what a crash left half written. So the
//! file is copied with its journals, and only the copy is opened.

use std::fs;
use std::path::{Path, PathBuf};

use handoff_model::session::SessionKind;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, OpenFlags};
use serde_json::Value;

use crate::record::Draft;
use crate::source::{check, unreadable};
use crate::{Reading, System, Taken, Unreadable, time};

/// Larger than anybody keeps packages in.
const LARGEST: u64 = 1 << 30;
const COLUMNS: [&str; 8] = ["id", "name", "summary", "content", "tags", "project", "created_at", "expires_at"];
/// How often a copy is made anew when the file changed meanwhile.
const ATTEMPTS: usize = 5;

pub(crate) fn read(reading: Reading<'_>) -> Result<Taken, Unreadable> {
    let path = reading.path.canonicalize().map_err(|error| unreadable(reading.path, error))?;
    let scratch = tempfile::Builder::new()
        .prefix("handoff-import-")
        .tempdir_in(reading.scratch)
        .map_err(|source| Unreadable::Io { path: reading.scratch.to_owned(), source })?;
    let copy = copied(&path, scratch.path())?;
    let damaged = |error: rusqlite::Error| Unreadable::Damaged { path: path.clone(), reason: error.to_string() };
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(&copy, flags).map_err(damaged)?;
    connection.pragma_update(None, "trusted_schema", false).map_err(damaged)?;
    check_columns(&connection, &path)?;
    packages(&connection, reading).map_err(damaged)
}

/// Copies the database and the journals beside it, as they are at one moment.
#[expect(clippy::disallowed_methods, reason = "a copy for this process alone, which is gone afterwards")]
fn copied(path: &Path, scratch: &Path) -> Result<PathBuf, Unreadable> {
    let target = scratch.join("copy.db");
    for _ in 0..ATTEMPTS {
        let before = state(path);
        for ending in ["", "-journal", "-wal"] {
            let (from, to) = (beside(path, ending), beside(&target, ending));
            let _ = fs::remove_file(&to);
            match fs::symlink_metadata(&from) {
                Ok(metadata) => {
                    check(&from, &metadata, LARGEST)?;
                    fs::copy(&from, &to).map_err(|error| unreadable(&from, error))?;
                }
                Err(error) if ending.is_empty() => return Err(unreadable(&from, error)),
                Err(_) => {}
            }
        }
        if state(path) == before {
            return Ok(target);
        }
    }
    let what = "being written to all the time; try again when nobody uses it".to_owned();
    Err(Unreadable::Refused { path: path.to_owned(), what })
}

/// What tells whether a database changed: sizes and times of its files.
fn state(path: &Path) -> Vec<Option<(u64, Option<std::time::SystemTime>)>> {
    let of = |ending| fs::metadata(beside(path, ending)).ok().map(|file| (file.len(), file.modified().ok()));
    ["", "-journal", "-wal"].map(of).to_vec()
}

fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    PathBuf::from(name)
}

fn check_columns(connection: &Connection, path: &Path) -> Result<(), Unreadable> {
    let damaged = |reason: String| Unreadable::Damaged { path: path.to_owned(), reason };
    let names = || -> rusqlite::Result<Vec<String>> {
        // A view could go on for ever.
        let is_table = "(SELECT type FROM sqlite_schema WHERE name = 'packages') = 'table'";
        let mut statement =
            connection.prepare(&format!("SELECT name FROM pragma_table_info('packages') WHERE {is_table}"))?;
        let names = statement.query_map([], |row| row.get(0))?;
        names.collect()
    };
    let present = names().map_err(|error| damaged(error.to_string()))?;
    if present.is_empty() {
        return Err(damaged("it has no table `packages`".to_owned()));
    }
    let missing: Vec<&str> = COLUMNS.into_iter().filter(|column| !present.iter().any(|name| name == column)).collect();
    if missing.is_empty() {
        return Ok(());
    }
    Err(damaged(format!("the table `packages` lacks {}; it has {}", missing.join(", "), present.join(", "))))
}

fn packages(connection: &Connection, reading: Reading<'_>) -> rusqlite::Result<Taken> {
    let mut taken = Taken::default();
    let mut statement = connection.prepare("SELECT * FROM packages ORDER BY created_at, id")?;
    let columns: Vec<String> = statement.column_names().map(str::to_owned).collect();
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let mut values: Vec<(&str, Vec<u8>, bool)> = Vec::new();
        for (place, column) in columns.iter().enumerate() {
            let (bytes, is_null) = bytes(row.get_ref(place)?);
            values.push((column, bytes, is_null));
        }
        package(&values, reading, &mut taken);
    }
    Ok(taken)
}

/// A value as the bytes it is written with.
fn bytes(value: ValueRef<'_>) -> (Vec<u8>, bool) {
    match value {
        ValueRef::Null => (Vec::new(), true),
        ValueRef::Integer(number) => (number.to_string().into_bytes(), false),
        ValueRef::Real(number) => (number.to_string().into_bytes(), false),
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => (bytes.to_vec(), false),
    }
}

fn package(values: &[(&str, Vec<u8>, bool)], reading: Reading<'_>, taken: &mut Taken) {
    let raw = |column: &str| values.iter().find(|(name, ..)| *name == column).map_or(&[][..], |(_, bytes, _)| bytes);
    let text = |column: &str| String::from_utf8_lossy(raw(column)).into_owned();
    let parts: Vec<&[u8]> = values.iter().flat_map(|(name, bytes, _)| [name.as_bytes(), bytes.as_slice()]).collect();
    let mut draft = Draft::new(System::HandoffCli, &text("id"), SessionKind::Package, reading.now);
    draft.called = format!("package `{}` ({})", text("id"), text("name"));
    draft.made_at("created_at", &text("created_at"), reading.now, taken);
    match time::read(&text("expires_at")) {
        Some(at) => draft.session.expires_at = Some(at),
        None => {
            let (called, written) = (&draft.called, text("expires_at"));
            taken.changed.push(format!("`expires_at` of {called} is no time, so it does not expire: {written:?}"));
            draft.keep("expires_at", written.into());
        }
    }
    let present = |column: &str| Some(text(column)).filter(|text| !text.is_empty());
    draft.session.name = present("name");
    draft.session.summary = text("summary");
    draft.session.project = present("project");
    match serde_json::from_slice::<Option<Vec<String>>>(raw("tags")) {
        Ok(tags) => {
            draft.session.tags = tags.unwrap_or_default().into_iter().filter(|tag| !tag.trim().is_empty()).collect();
        }
        Err(_) if raw("tags").is_empty() => {}
        Err(_) => {
            taken.changed.push(format!("the tags of {} are no list and are kept as they are written", draft.called));
            draft.keep("tags", text("tags").into());
        }
    }
    for (name, bytes, is_null) in values.iter().filter(|(name, ..)| !COLUMNS.contains(name)) {
        let value = if *is_null { Value::Null } else { String::from_utf8_lossy(bytes).into_owned().into() };
        draft.keep(name, value);
    }
    draft.finish(&parts, Some(raw("content").to_vec()), reading.now, taken);
}
