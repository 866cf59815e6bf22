//! Reading a store into a picture, without a lock and without a trace.

use std::io;
use std::time::{Duration, Instant};

use handoff_model::{MAX_BODY_BYTES, MAX_FILE_BYTES};

use super::picture::{Content, Entry, Picture};
use crate::agents::is_state;
use crate::commit::{self, Generation};
use crate::error::Result;
use crate::layout::{
    AGENTS, ARCHIVE, BOUND, CONFIG, GITIGNORE, LOG, MEMORY, REGISTRY, SESSIONS, STATE, TASK_FILE, TASKS, TIME, TIMERS,
    TRASH, USEFULNESS,
};
use crate::lock::Lock;
use crate::root::{into_text, join, split};
use crate::session::read::{BODY, SUFFIX};
use crate::store::Store;
use crate::sys::{Handle, Kind};
use crate::task::read::is_ignored;
use crate::timers::is_timer;

/// How long a writer at work is waited for.
const WAIT: Duration = Duration::from_secs(10);
const PAUSE: Duration = Duration::from_millis(5);
/// How often the store is read again because it changed meanwhile.
const ATTEMPTS: usize = 8;
/// Directories deeper than this are not looked into.
const DEEPEST: usize = 48;

impl Store {
    /// The files as they are at one moment; where a change was cut off, as that left them.
    pub(super) fn picture(&self, aside: &str) -> Result<Picture> {
        let mut attempt = 0;
        loop {
            self.wait_for_writer()?;
            let before = Generation::read(&self.root);
            let mut picture = Picture::new(aside.to_owned());
            self.look_into(&mut picture, self.root.handle(), "", 0)?;
            attempt += 1;
            if self.is_locked() || Generation::read(&self.root) == before || attempt == ATTEMPTS {
                return Ok(picture);
            }
        }
    }

    /// Waits as long as somebody is about to change several records. What a crash left is not waited for.
    fn wait_for_writer(&self) -> Result<()> {
        let give_up = Instant::now() + WAIT;
        let is_unsettled = || commit::is_pending(&self.root) || Generation::read(&self.root) % 2 == 1;
        while !self.is_locked() && is_unsettled() && Lock::is_held(&self.root) && Instant::now() < give_up {
            self.stop.check()?;
            std::thread::sleep(PAUSE);
        }
        Ok(())
    }

    fn look_into(&self, picture: &mut Picture, dir: &Handle, path: &str, depth: usize) -> Result<()> {
        self.stop.check()?;
        let entries = match dir.list() {
            Ok(entries) => entries,
            Err(error) => {
                picture
                    .add(path.to_owned(), Entry::new(Content::Failed(error.to_string()), None, Some(path.to_owned())));
                return Ok(());
            }
        };
        for listed in entries {
            let at = join(path, &listed.name);
            if !is_looked_at(&at) {
                continue;
            }
            let access = dir.access(&listed.name).ok().flatten();
            let content = match listed.kind {
                Kind::Directory => Content::Directory,
                // A large body is as it should be, and nothing is looked for in it.
                Kind::File if is_large_body(dir, &at) => Content::Unread,
                Kind::File if is_read(&at) => read(dir, &listed.name),
                Kind::File => Content::Unread,
                kind => Content::Odd(kind),
            };
            if listed.kind == Kind::Link && path.is_empty() && self.leads_to_something(&at) {
                picture.add_full_link(at.clone());
            }
            let is_directory = listed.kind == Kind::Directory;
            picture.add(at.clone(), Entry::new(content, access, Some(at.clone())));
            if is_directory && is_looked_into(&at) && depth < DEEPEST {
                match dir.open_dir(&listed.name) {
                    Ok(inner) => self.look_into(picture, &inner, &at, depth + 1)?,
                    // It went since it was listed, and another look will say where.
                    Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                    Err(error) => {
                        let content = Content::Failed(error.to_string());
                        picture.add(at.clone(), Entry::new(content, access, Some(at)));
                    }
                }
            }
        }
        Ok(())
    }
}

fn read(dir: &Handle, name: &str) -> Content {
    match dir.read(name, MAX_FILE_BYTES) {
        Err(error) if error.kind() == io::ErrorKind::FileTooLarge => Content::TooLarge(error.to_string()),
        Err(error) => Content::Failed(error.to_string()),
        Ok(bytes) => match std::str::from_utf8(&bytes) {
            Err(error) => Content::Bytes(bytes.as_slice().into(), error.valid_up_to()),
            Ok(text) => Content::Text(text.into()),
        },
    }
}

/// Of what belongs to this machine, caches and backups are nobody's concern, and locks are held by others.
fn is_looked_at(path: &str) -> bool {
    let top = path.split('/').next().unwrap_or_default();
    match top {
        "local" => {
            matches!(path, "local" | STATE | TRASH | AGENTS | TIMERS | USEFULNESS | BOUND | LOG)
                || path.starts_with(&format!("{TRASH}/"))
                || (path.starts_with(&format!("{AGENTS}/")) && is_state(path))
                || (path.starts_with(&format!("{TIMERS}/")) && is_timer(path))
        }
        _ => true,
    }
}

/// The directories of ours; what else a person keeps here is left alone.
fn is_looked_into(path: &str) -> bool {
    let top = path.split('/').next().unwrap_or_default();
    matches!(top, TASKS | SESSIONS | ARCHIVE | TIME | MEMORY | "local")
}

/// Whether a file is a body that is larger than any record, and not larger than bodies get.
fn is_large_body(dir: &Handle, path: &str) -> bool {
    let (above, name) = split(path);
    above == SESSIONS && name.ends_with(BODY) && !is_ignored(name) && {
        let size = dir.stamp(name).ok().flatten().map_or(0, |stamp| stamp.size);
        (MAX_FILE_BYTES as u64 + 1..=MAX_BODY_BYTES as u64).contains(&size)
    }
}

/// Whether a file is one of ours, or a copy of one.
fn is_read(path: &str) -> bool {
    let (dir, name) = split(path);
    let is_copy = is_ignored(name) && !name.starts_with('.');
    match path.split('/').next().unwrap_or_default() {
        TASKS => name == TASK_FILE || (is_copy && name.ends_with(SUFFIX)),
        SESSIONS => dir == SESSIONS && (name.ends_with(SUFFIX) || name.ends_with(BODY)),
        ARCHIVE => dir == ARCHIVE && (name.ends_with(SUFFIX) || name.ends_with(BODY)),
        TIME => dir == TIME && name.ends_with(SUFFIX),
        MEMORY => dir == MEMORY && name.ends_with(BODY),
        "local" => {
            let is_note = [AGENTS, TIMERS].contains(&dir) || matches!(path, USEFULNESS | BOUND);
            dir != TRASH && (name == TASK_FILE || is_note)
        }
        _ => matches!(path, CONFIG | GITIGNORE | REGISTRY),
    }
}

/// The error for a file that must be a text and is not.
pub(super) fn not_text(bytes: &[u8]) -> String {
    into_text(bytes.to_vec()).err().map(|error| error.to_string()).unwrap_or_default()
}
