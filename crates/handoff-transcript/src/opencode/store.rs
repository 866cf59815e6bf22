//! Where OpenCode keeps its sessions: a database, in older versions a tree of small files.

use std::fs;
use std::path::{Path, PathBuf};

use handoff_model::agent::{Todo, Usage};
use rusqlite::{Connection, OptionalExtension, params};
use serde_json::Value;

use crate::document;
use crate::sqlite::{self, LARGEST_VALUE, Refused, column};
use crate::tool::todo_status;

/// What is said about a session as a whole.
#[derive(Debug, Default)]
pub(crate) struct Session {
    pub(crate) id: String,
    pub(crate) parent: Option<String>,
    pub(crate) directory: Option<String>,
    pub(crate) title: Option<String>,
    pub(crate) version: Option<String>,
    /// Tokens of all of it, where the store sums them
    pub(crate) spent: Option<Usage>,
    /// Milliseconds
    pub(crate) created: i64,
    pub(crate) updated: i64,
}

/// Where a message stands: messages are in the order of their times, then of their ids.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Key {
    pub(crate) created: i64,
    pub(crate) id: String,
}

/// A message that was found, not yet read.
#[derive(Debug)]
pub(crate) struct MessageRow {
    pub(crate) key: Key,
    pub(crate) row: u64,
    /// Bytes of it and its parts
    pub(crate) bytes: u64,
}

/// From which end messages are taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    Oldest,
    Newest,
}

/// Messages as far as there is room for them.
struct Taken {
    rows: Vec<MessageRow>,
    room: u64,
    has_more: bool,
}

impl Taken {
    /// Takes one more, unless it does not fit. The first is taken in any case, so that each call gets further.
    fn take(&mut self, message: MessageRow) -> bool {
        if message.bytes > self.room && !self.rows.is_empty() {
            self.has_more = true;
            return false;
        }
        self.room = self.room.saturating_sub(message.bytes);
        self.rows.push(message);
        true
    }
}

/// A part of a message; `data` is absent when it is too large.
#[derive(Debug)]
pub(crate) struct PartRow {
    pub(crate) id: String,
    pub(crate) row: u64,
    pub(crate) data: Option<String>,
}

pub(crate) enum Store {
    Database(Connection),
    /// The directory `storage`
    Tree(PathBuf),
}

impl Store {
    /// The store a path belongs to: a database, a directory `storage`, or any file in one.
    pub(crate) fn open(path: &Path) -> Result<Store, Refused> {
        match tree_of(path) {
            Some(tree) => Ok(Store::Tree(tree)),
            None => Ok(Store::Database(sqlite::open(path)?)),
        }
    }

    /// Every session, the one that changed last first.
    pub(crate) fn sessions(&self) -> Result<Vec<Session>, Refused> {
        let mut sessions = match self {
            Store::Database(database) => {
                let mut found = database.prepare("SELECT * FROM session")?;
                let rows = found.query_map([], |row| Ok(session_of_row(row)))?;
                rows.collect::<Result<Vec<_>, _>>()?
            }
            Store::Tree(tree) => entries(&tree.join("session"))
                .iter()
                .flat_map(|project| entries(project))
                .filter_map(|file| session_of_file(&file))
                .collect(),
        };
        sessions.sort_by_key(|session| std::cmp::Reverse(session.updated));
        Ok(sessions)
    }

    pub(crate) fn session(&self, id: &str) -> Result<Option<Session>, Refused> {
        match self {
            Store::Database(database) => {
                let mut found = database.prepare("SELECT * FROM session WHERE id = ?1")?;
                Ok(found.query_row([id], |row| Ok(session_of_row(row))).optional()?)
            }
            // An id becomes part of a path here, so it must be nothing else.
            Store::Tree(_) if !id.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_') => Ok(None),
            Store::Tree(tree) => {
                let name = format!("{id}.json");
                let files = entries(&tree.join("session")).into_iter().map(|project| project.join(&name));
                Ok(files.into_iter().find_map(|file| session_of_file(&file)))
            }
        }
    }

    /// Messages of a session that come after and before the given places, as many as fit in `limit` bytes and at least
    /// one; whether there are more. They come in their order, from whichever end they were taken.
    pub(crate) fn messages(
        &self,
        session: &str,
        (after, until): (Option<&Key>, Option<&Key>),
        end: End,
        limit: u64,
    ) -> Result<(Vec<MessageRow>, bool), Refused> {
        let is_wanted = |key: &Key| after.is_none_or(|after| key > after) && until.is_none_or(|until| key < until);
        let mut taken = Taken { rows: Vec::new(), room: limit, has_more: false };
        match self {
            Store::Database(database) => {
                let direction = if end == End::Oldest { "ASC" } else { "DESC" };
                let mut found = database.prepare(&format!(
                    "SELECT m.id, m.time_created, m.rowid, octet_length(m.data) + \
                     (SELECT coalesce(sum(octet_length(p.data)), 0) FROM part p WHERE p.message_id = m.id) \
                     FROM message m WHERE m.session_id = ?1 AND m.time_created >= ?2 AND m.time_created <= ?3 \
                     ORDER BY m.time_created {direction}, m.id {direction}"
                ))?;
                let from = after.map_or(i64::MIN, |key| key.created);
                let to = until.map_or(i64::MAX, |key| key.created);
                let mut rows = found.query(params![session, from, to])?;
                while let Some(row) = rows.next()? {
                    let key = Key { created: row.get(1)?, id: row.get(0)? };
                    let message = MessageRow { key, row: number(row.get(2)?), bytes: number(row.get(3)?) };
                    if is_wanted(&message.key) && !taken.take(message) {
                        break;
                    }
                }
            }
            Store::Tree(tree) => {
                let mut messages = messages_of_tree(tree, session);
                messages.retain(|message| is_wanted(&message.key));
                if end == End::Newest {
                    messages.reverse();
                }
                for message in messages {
                    if !taken.take(message) {
                        break;
                    }
                }
            }
        }
        if end == End::Newest {
            taken.rows.reverse();
        }
        Ok((taken.rows, taken.has_more))
    }

    /// A message as JSON, unless it is too large.
    pub(crate) fn message(&self, session: &str, id: &str) -> Result<Option<String>, Refused> {
        match self {
            Store::Database(database) => {
                let mut found = database
                    .prepare("SELECT CASE WHEN octet_length(data) <= ?2 THEN data END FROM message WHERE id = ?1")?;
                Ok(found.query_row(params![id, LARGEST_VALUE], |row| row.get(0)).optional()?.flatten())
            }
            Store::Tree(tree) => Ok(small_file(&tree.join("message").join(session).join(format!("{id}.json")))),
        }
    }

    /// The parts of a message, in their order.
    pub(crate) fn parts(&self, message: &str) -> Result<Vec<PartRow>, Refused> {
        match self {
            Store::Database(database) => {
                let mut found = database.prepare(
                    "SELECT id, rowid, CASE WHEN octet_length(data) <= ?2 THEN data END FROM part WHERE message_id = ?1 ORDER BY id",
                )?;
                let rows = found.query_map(params![message, LARGEST_VALUE], |row| {
                    Ok(PartRow { id: row.get(0)?, row: number(row.get(1)?), data: row.get(2)? })
                })?;
                Ok(rows.collect::<Result<_, _>>()?)
            }
            Store::Tree(tree) => Ok(entries(&tree.join("part").join(message))
                .into_iter()
                .filter_map(|file| Some(PartRow { id: stem(&file)?, row: 0, data: small_file(&file) }))
                .collect()),
        }
    }

    /// The list of things to do, as it stands.
    pub(crate) fn todos(&self, session: &str) -> Result<Vec<Todo>, Refused> {
        let todo = |text: String, status: &str| Todo { id: None, text, status: todo_status(status), line: None };
        match self {
            Store::Database(database) if sqlite::has_table(database, "todo") => {
                let mut found = database
                    .prepare("SELECT content, status FROM todo WHERE session_id = ?1 ORDER BY position LIMIT 200")?;
                let rows = found.query_map([session], |row| Ok(todo(row.get(0)?, &row.get::<_, String>(1)?)))?;
                Ok(rows.collect::<Result<_, _>>()?)
            }
            Store::Database(_) => Ok(Vec::new()),
            Store::Tree(tree) => {
                let file = small_file(&tree.join("todo").join(format!("{session}.json")));
                let list: Vec<Value> = file.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default();
                let text = |entry: &Value, name: &str| Some(entry.get(name)?.as_str()?.to_owned());
                let each = list.iter().filter_map(|entry| Some((text(entry, "content")?, text(entry, "status")?)));
                Ok(each.map(|(content, status)| todo(content, &status)).collect())
            }
        }
    }
}

/// The directory `storage` that a path is, or lies in.
fn tree_of(path: &Path) -> Option<PathBuf> {
    let is_tree = |directory: &Path| directory.join("session").is_dir() && directory.join("message").is_dir();
    if path.is_dir() {
        let below = path.join("storage");
        return [path, &below].into_iter().find(|directory| is_tree(directory)).map(Path::to_owned);
    }
    let is_json = path.extension().is_some_and(|extension| extension == "json");
    path.ancestors().skip(1).take(4).find(|directory| is_json && is_tree(directory)).map(Path::to_owned)
}

fn session_of_row(row: &rusqlite::Row<'_>) -> Session {
    let tokens = |name: &str| column::<i64>(row, name).map(number);
    let spent = tokens("tokens_input").map(|input| {
        let cached = tokens("tokens_cache_read").unwrap_or(0);
        let written = tokens("tokens_cache_write").unwrap_or(0);
        let output = tokens("tokens_output").unwrap_or(0);
        let reasoning = tokens("tokens_reasoning").unwrap_or(0);
        Usage {
            input: input.saturating_add(cached).saturating_add(written),
            cached,
            output: output.saturating_add(reasoning),
        }
    });
    Session {
        id: column(row, "id").unwrap_or_default(),
        parent: column(row, "parent_id"),
        directory: column(row, "directory"),
        title: column(row, "title"),
        version: column(row, "version"),
        spent,
        created: column(row, "time_created").unwrap_or_default(),
        updated: column(row, "time_updated").unwrap_or_default(),
    }
}

fn session_of_file(file: &Path) -> Option<Session> {
    let value: Value = serde_json::from_str(&small_file(file)?).ok()?;
    let text = |name: &str| Some(value.get(name)?.as_str()?.to_owned());
    let time = |pointer: &str| value.pointer(pointer).and_then(Value::as_i64).unwrap_or_default();
    Some(Session {
        id: text("id")?,
        parent: text("parentID"),
        directory: text("directory"),
        title: text("title"),
        version: text("version"),
        spent: None,
        created: time("/time/created"),
        updated: time("/time/updated"),
    })
}

fn messages_of_tree(tree: &Path, session: &str) -> Vec<MessageRow> {
    let mut messages: Vec<MessageRow> = Vec::new();
    for file in entries(&tree.join("message").join(session)) {
        let Some((id, created)) = message_of_file(&file) else { continue };
        let parts = entries(&tree.join("part").join(&id));
        let bytes = parts.iter().chain([&file]).filter_map(|file| Some(fs::metadata(file).ok()?.len())).sum();
        messages.push(MessageRow { key: Key { created, id }, row: 0, bytes });
    }
    messages.sort_by(|one, other| one.key.cmp(&other.key));
    messages
}

fn message_of_file(file: &Path) -> Option<(String, i64)> {
    let value: Value = serde_json::from_str(&small_file(file)?).ok()?;
    let created = value.pointer("/time/created").and_then(Value::as_i64).unwrap_or_default();
    Some((stem(file)?, created))
}

/// What lies in a directory, by name.
fn entries(directory: &Path) -> Vec<PathBuf> {
    let Ok(listing) = fs::read_dir(directory) else { return Vec::new() };
    let mut paths: Vec<_> = listing.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.sort();
    paths
}

fn stem(file: &Path) -> Option<String> {
    Some(file.file_stem()?.to_str()?.to_owned())
}

fn small_file(file: &Path) -> Option<String> {
    let size = document::regular(file).ok()?.len();
    (size <= LARGEST_VALUE.unsigned_abs()).then(|| fs::read_to_string(file).ok()).flatten()
}

fn number(value: i64) -> u64 {
    u64::try_from(value).unwrap_or(0)
}
