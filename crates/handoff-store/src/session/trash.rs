//! The trash of sessions: those whose lifetime was over when somebody cleaned up, with their bodies.
//!
//! **Invariant:** a clock destroys nothing. What goes here is renamed, never copied or read, and the name tells when its
//! lifetime ends, so that one that is still to be shown by a better clock is found without reading the others. Only a
//! person empties the trash.

use std::io;

use handoff_model::when::Moment;

use super::read::{BODY, FoundSession, SUFFIX, body_file};
use crate::error::{Result, StoreError};
use crate::layout::{SESSIONS, TRASHED_SESSIONS};
use crate::root::{is_absent, join};
use crate::step::Step;
use crate::store::Store;
use crate::sys::{Handle, Kind};

/// A session in the trash, as far as its name tells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TrashedSession {
    /// Its full name
    pub name: String,
    /// When its lifetime ends
    pub expires_at: Moment,
    file: String,
}

impl Store {
    /// Stages the move of a session and its body to the trash.
    pub fn trash_session(&mut self, found: &FoundSession, expires_at: Moment) -> Result<()> {
        if let Some(archive) = &found.archive {
            return Err(StoreError::Archived { name: found.name.clone(), archive: archive.clone() });
        }
        self.root.dir_made(TRASHED_SESSIONS).map_err(|source| StoreError::write(TRASHED_SESSIONS, source))?;
        let stamp = expires_at.in_seconds().to_string().replace(['-', ':'], "");
        let to = join(TRASHED_SESSIONS, &format!("{}.{stamp}{SUFFIX}", found.name));
        self.move_with_body(&found.file, &to);
        Ok(())
    }

    /// What is in the trash, by its names.
    pub fn trashed_sessions(&self) -> Result<Vec<TrashedSession>> {
        let listed = match self.root.dir(TRASHED_SESSIONS).and_then(|dir| dir.list()) {
            Err(error) if is_absent(&error) => return Ok(Vec::new()),
            listed => listed.map_err(|source| StoreError::read(TRASHED_SESSIONS, source))?,
        };
        let mut trashed: Vec<TrashedSession> = listed.iter().filter_map(|entry| read_name(&entry.name)).collect();
        trashed.sort_by(|a, b| b.name.cmp(&a.name));
        Ok(trashed)
    }

    /// A session in the trash; `None` when it is there no more, or cannot be read.
    pub fn trashed_session(&self, trashed: &TrashedSession) -> Result<Option<FoundSession>> {
        let found = self.found_in(&trashed.file)?;
        Ok(found.map(|found| FoundSession { name: trashed.name.clone(), ..found }))
    }

    /// Stages the return of a session from the trash.
    pub fn bring_back_session(&mut self, found: &FoundSession) -> Result<FoundSession> {
        let to = join(SESSIONS, &format!("{}{SUFFIX}", found.name));
        if self.root.exists(&to) {
            return Err(StoreError::InTheWay { path: to });
        }
        self.move_with_body(&found.file, &to);
        Ok(FoundSession { file: to, ..found.clone() })
    }

    /// How many sessions lie in the trash whose lifetime is over, and the bytes that deleting them would free.
    pub fn session_trash_size(&self, now: Moment) -> Result<(usize, u64)> {
        self.each_in_trash(now, |_, _| Ok(()))
    }

    /// Deletes those for good, and says how many sessions and bytes that were. Not part of the change that is staged, and
    /// nothing brings it back.
    pub fn empty_session_trash(&self, now: Moment) -> Result<(usize, u64)> {
        self.each_in_trash(now, Handle::remove_file)
    }

    fn each_in_trash(&self, now: Moment, act: impl Fn(&Handle, &str) -> io::Result<()>) -> Result<(usize, u64)> {
        let read = |source| StoreError::read(TRASHED_SESSIONS, source);
        let dir = match self.root.dir(TRASHED_SESSIONS) {
            Err(error) if is_absent(&error) => return Ok((0, 0)),
            dir => dir.map_err(read)?,
        };
        let (mut sessions, mut bytes) = (0, 0);
        for entry in dir.list().map_err(read)?.iter().filter(|entry| entry.kind == Kind::File) {
            let stem = entry.name.strip_suffix(BODY).or_else(|| entry.name.strip_suffix(SUFFIX)).unwrap_or_default();
            if read_name(&format!("{stem}{SUFFIX}")).is_some_and(|trashed| trashed.expires_at > now) {
                continue;
            }
            bytes += dir.stamp(&entry.name).map_err(read)?.map_or(0, |stamp| stamp.size);
            sessions += usize::from(entry.name.ends_with(SUFFIX));
            act(&dir, &entry.name).map_err(|source| StoreError::write(TRASHED_SESSIONS, source))?;
        }
        Ok((sessions, bytes))
    }

    fn move_with_body(&mut self, from: &str, to: &str) {
        let (body, new_body) = (body_file(from), body_file(to));
        // The session last when it comes back, first when it goes: it is never seen without its body.
        let body = self.root.exists(&body).then_some(Step::MoveDir { from: body, to: new_body });
        let session = Step::MoveDir { from: from.to_owned(), to: to.to_owned() };
        let (first, second) = if from.starts_with(SESSIONS) { (Some(session), body) } else { (body, Some(session)) };
        self.change.steps.extend(first.into_iter().chain(second));
    }
}

/// Reads `2026-11-15-a3f9c12e.20261122T090000Z.toml`.
fn read_name(name: &str) -> Option<TrashedSession> {
    let (full_name, stamp) = name.strip_suffix(SUFFIX)?.rsplit_once('.')?;
    let file = join(TRASHED_SESSIONS, name);
    Some(TrashedSession { name: full_name.to_owned(), expires_at: stamp.parse().ok()?, file })
}
