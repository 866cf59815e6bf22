//! Databases that belong to another program, opened to be read.
//!
//! **Invariant:** nothing is written and nobody is kept waiting. A database is opened read-only, waits for a lock only
//! a moment, and leaves no file beside it that was not there.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::{Connection, ErrorCode, OpenFlags, Row};

use crate::document;

/// How long a lock of the program that owns the database is waited for.
const PATIENCE: Duration = Duration::from_millis(100);

/// What the file of a database begins with.
const MAGIC: &[u8; 16] = b"SQLite format 3\0";

/// The largest single value that is read; one above it is passed over.
pub(crate) const LARGEST_VALUE: i64 = 8 << 20;

/// Why a database was not read.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Refused {
    #[error("another program is writing to it")]
    Busy,
    #[error("it is no database of this kind")]
    Foreign(#[source] rusqlite::Error),
}

impl From<rusqlite::Error> for Refused {
    fn from(error: rusqlite::Error) -> Refused {
        match error.sqlite_error_code() {
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Refused::Busy,
            _ => Refused::Foreign(error),
        }
    }
}

/// Opens a database for reading, whether or not its owner is running.
pub(crate) fn open(path: &Path) -> Result<Connection, Refused> {
    // Reading a database in this mode makes files for the log beside it. Where there is none, nobody has it open, and
    // it can be read as it lies there.
    let is_at_rest = has_write_ahead_log(path) && !beside(path, "-wal").exists();
    let suffix = if is_at_rest { "?mode=ro&immutable=1" } else { "?mode=ro" };
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(format!("{}{suffix}", uri(path)), flags)?;
    connection.busy_timeout(PATIENCE)?;
    connection.pragma_update(None, "trusted_schema", false)?;
    Ok(connection)
}

/// Whether the file is a database at all, by its first bytes.
pub(crate) fn is_database(path: &Path) -> bool {
    header(path).is_some()
}

/// Whether there is a table of this name.
pub(crate) fn has_table(connection: &Connection, name: &str) -> bool {
    connection
        .prepare("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?1")
        .and_then(|mut found| found.exists([name]))
        .unwrap_or(false)
}

/// A column by its name, where the table has it and it holds what is expected.
pub(crate) fn column<T: rusqlite::types::FromSql>(row: &Row<'_>, name: &str) -> Option<T> {
    row.get::<_, Option<T>>(name).ok().flatten()
}

fn has_write_ahead_log(path: &Path) -> bool {
    // Bytes 18 and 19 say by which rules the file is written and read; 2 is the write-ahead log.
    header(path).is_some_and(|header| header[18] == 2 || header[19] == 2)
}

fn header(path: &Path) -> Option<[u8; 20]> {
    let mut header = [0; 20];
    document::regular(path).ok()?;
    File::open(path).ok()?.read_exact(&mut header).ok()?;
    header.starts_with(MAGIC).then_some(header)
}

fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    PathBuf::from(name)
}

/// The path as a URI, so that no character of it is taken for a parameter.
fn uri(path: &Path) -> String {
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let mut uri = String::from("file:");
    let text = absolute.as_os_str().as_encoded_bytes();
    if cfg!(windows) {
        uri.push_str("///");
    }
    for &byte in text {
        match byte {
            b'\\' if cfg!(windows) => uri.push('/'),
            b'/' | b':' | b'-' | b'_' | b'.' | b'~' => uri.push(char::from(byte)),
            byte if byte.is_ascii_alphanumeric() => uri.push(char::from(byte)),
            byte => {
                use std::fmt::Write as _;
                let _ = write!(uri, "%{byte:02X}");
            }
        }
    }
    uri
}

#[cfg(test)]
mod tests {
    use super::*;

    fn database(path: &Path, mode: &str) -> Connection {
        let connection = Connection::open(path).unwrap();
        connection.pragma_update(None, "journal_mode", mode).unwrap();
        connection.execute_batch("CREATE TABLE word (text); INSERT INTO word VALUES ('one')").unwrap();
        connection
    }

    fn words(connection: &Connection) -> i64 {
        connection.query_row("SELECT count(*) FROM word", [], |row| row.get(0)).unwrap()
    }

    fn names(directory: &Path) -> Vec<String> {
        let mut names: Vec<_> = std::fs::read_dir(directory)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn reading_a_database_at_rest_leaves_nothing_beside_it() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("odd name?#%.db");
        drop(database(&path, "wal"));
        assert_eq!(names(directory.path()), ["odd name?#%.db"]);
        assert_eq!(words(&open(&path).unwrap()), 1);
        assert_eq!(names(directory.path()), ["odd name?#%.db"]);
    }

    #[test]
    fn what_is_only_in_the_log_of_a_running_program_is_seen() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("live.db");
        let owner = database(&path, "wal");
        owner.execute_batch("INSERT INTO word VALUES ('two')").unwrap();
        let reader = open(&path).unwrap();
        assert_eq!(words(&reader), 2);
        assert!(reader.execute_batch("INSERT INTO word VALUES ('three')").is_err());
    }

    #[test]
    fn a_database_that_is_being_written_is_refused_as_busy() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("locked.db");
        let owner = database(&path, "delete");
        owner.execute_batch("BEGIN EXCLUSIVE").unwrap();
        let refused = open(&path)
            .and_then(|reader| Ok(reader.query_row("SELECT count(*) FROM word", [], |row| row.get::<_, i64>(0))?));
        assert!(matches!(refused, Err(Refused::Busy)), "{refused:?}");
    }

    #[test]
    #[expect(clippy::disallowed_methods, reason = "tests prepare files as another program would")]
    fn a_file_that_is_no_database_is_refused() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("notes.db");
        std::fs::write(&path, "these are notes, nothing else, and long enough to look at").unwrap();
        assert!(!is_database(&path));
        let refused =
            open(&path).and_then(|reader| Ok(reader.query_row("SELECT 1 FROM sqlite_master", [], |_| Ok(()))?));
        assert!(matches!(refused, Err(Refused::Foreign(_))), "{refused:?}");
    }
}
