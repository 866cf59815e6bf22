//! Files of one directory, read and understood once for as long as they stay as they are.

use std::any::{Any, TypeId};
use std::collections::{BTreeSet, HashMap};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io;
use std::sync::Arc;

use handoff_model::MAX_FILE_BYTES;

use super::{ROUNDS, State, Warm, of_sessions};
use crate::error::{Result, StoreError};
use crate::layout::{ARCHIVE, CONFIG, PAUSE, SESSIONS};
use crate::root::{Root, into_text, split};
use crate::stop::Stop;
use crate::store::Store;
use crate::sys::{Clock, Handle, Stamp, Watch};

/// Which files of a directory are read, and how. One reading for each `T` and directory.
pub struct FileReading<T> {
    pub is_wanted: fn(&str) -> bool,
    /// Given the name, and the text or why there is none
    pub understand: fn(&str, io::Result<&str>) -> T,
}

/// A file, as it was understood.
#[derive(Debug)]
pub struct ReadFile<T> {
    pub name: String,
    pub content: Arc<T>,
    seen: Seen,
    /// Whether it could not be read although it may be in order
    has_failed: bool,
}

impl<T> Clone for ReadFile<T> {
    fn clone(&self) -> Self {
        let (name, content) = (self.name.clone(), self.content.clone());
        ReadFile { name, content, seen: self.seen, has_failed: self.has_failed }
    }
}

/// Gives what an earlier process kept of the files of a directory.
pub(crate) type KeptFiles<'k, T> = dyn Fn() -> Vec<ReadFile<T>> + 'k;

/// The stamp of a file that was read; absent where it could change without showing it.
pub(super) type Seen = Option<Stamp>;

/// A directory of files.
#[derive(Default)]
pub(super) struct Folder {
    pub(super) watch: Option<Watch>,
    shelves: HashMap<TypeId, Box<dyn Shelf>>,
    fingerprint: Option<u64>,
}

trait Shelf: Any + Send {
    fn touch(&mut self, name: &str);
    fn doubt(&mut self);
}

struct Files<T> {
    /// Sorted by name
    list: Arc<Vec<ReadFile<T>>>,
    /// Whether the list, but for the names below, tells what is on disk
    is_sound: bool,
    touched: BTreeSet<String>,
}

impl<T> Default for Files<T> {
    fn default() -> Self {
        Files { list: Arc::default(), is_sound: false, touched: BTreeSet::new() }
    }
}

impl<T: Send + Sync + 'static> Shelf for Files<T> {
    fn touch(&mut self, name: &str) {
        self.touched.insert(name.to_owned());
    }

    fn doubt(&mut self) {
        self.is_sound = false;
    }
}

impl Folder {
    /// From here on everything in it must be looked at.
    pub(super) fn doubt(&mut self) {
        self.watch = None;
        self.shelves.values_mut().for_each(|shelf| shelf.doubt());
    }

    pub(super) fn touch(&mut self, name: &str) {
        self.shelves.values_mut().for_each(|shelf| shelf.touch(name));
    }

    fn shelf<T: Send + Sync + 'static>(&mut self) -> &mut Files<T> {
        let shelf = self.shelves.entry(TypeId::of::<T>()).or_insert_with(|| Box::new(Files::<T>::default()));
        let shelf: &mut dyn Any = shelf.as_mut();
        shelf.downcast_mut().expect("it is kept by its type")
    }
}

impl<T: Send + Sync + 'static> Files<T> {
    /// Reads what was touched, or, where that is not known, whatever is not as it was.
    fn refresh(&mut self, dir: &Handle, reading: &FileReading<T>, stop: &Stop) -> io::Result<()> {
        let mut touched = std::mem::take(&mut self.touched);
        touched.retain(|name| (reading.is_wanted)(name));
        // An error on the way leaves a list that must be looked at.
        let was_sound = std::mem::take(&mut self.is_sound);
        let mut list: Vec<ReadFile<T>> = Vec::new();
        if was_sound {
            list.extend(self.list.iter().filter(|file| !touched.contains(&file.name)).cloned());
        } else {
            // A directory with the name of a record is read like one, so that somebody learns of it.
            let names = dir.list()?.into_iter().map(|entry| entry.name);
            touched = names.filter(|name| (reading.is_wanted)(name)).collect();
            for file in self.list.iter().filter(|file| touched.contains(&file.name)) {
                if stop.is_due() {
                    return Err(io::ErrorKind::Interrupted.into());
                }
                if file.is_unchanged(dir) {
                    list.push(file.clone());
                }
            }
            for file in &list {
                touched.remove(&file.name);
            }
        }
        if !touched.is_empty() || list.len() != self.list.len() {
            for name in &touched {
                if stop.is_due() {
                    return Err(io::ErrorKind::Interrupted.into());
                }
                list.extend(read(dir, name, reading));
            }
            list.sort_by(|a, b| a.name.cmp(&b.name));
            self.list = Arc::new(list);
        }
        self.is_sound = was_sound;
        Ok(())
    }
}

impl<T> ReadFile<T> {
    /// A file as it was kept by an earlier process. It is believed only if its stamp is still the same.
    pub(crate) fn kept(name: String, content: T, stamp: Stamp) -> ReadFile<T> {
        ReadFile { name, content: Arc::new(content), seen: Some(stamp), has_failed: false }
    }

    /// The stamp of the file, where that tells whether it is unchanged.
    pub(crate) fn stamp(&self) -> Option<Stamp> {
        self.seen
    }

    fn is_unchanged(&self, dir: &Handle) -> bool {
        self.seen.is_some() && dir.stamp(&self.name).is_ok_and(|now| now == self.seen)
    }
}

/// Reads a file; `None` when there is none.
fn read<T>(dir: &Handle, name: &str, reading: &FileReading<T>) -> Option<ReadFile<T>> {
    let read = dir.read_stamped(name, MAX_FILE_BYTES).and_then(|(bytes, stamp)| Ok((into_text(bytes)?, stamp)));
    let (content, seen, has_failed) = match read {
        Ok((text, stamp)) => ((reading.understand)(name, Ok(&text)), stamp.settled(Clock::Any), false),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return None,
        Err(error) => ((reading.understand)(name, Err(error)), None, true),
    };
    Some(ReadFile { name: name.to_owned(), content: Arc::new(content), seen, has_failed })
}

impl Warm {
    fn files<T: Send + Sync + 'static>(
        &self,
        root: &Root,
        path: &str,
        reading: &FileReading<T>,
        kept: &KeptFiles<'_, T>,
        stop: &Stop,
    ) -> Result<Option<Arc<Vec<ReadFile<T>>>>> {
        let mut state = self.state(stop)?;
        state.attune(root, self.most_watches);
        state.drain();
        let folder = state.folders.entry(path.to_owned()).or_default();
        let shelf = folder.shelf::<T>();
        let failed: Vec<String> =
            shelf.list.iter().filter(|file| file.has_failed).map(|file| file.name.clone()).collect();
        shelf.touched.extend(failed);
        if shelf.list.is_empty() && !shelf.is_sound {
            let kept = kept();
            // An empty list stays the same one, so that callers see that nothing changed.
            if !kept.is_empty() {
                shelf.list = Arc::new(kept);
            }
        }
        for _ in 0..ROUNDS {
            let folder = state.folders.entry(path.to_owned()).or_default();
            let shelf = folder.shelf::<T>();
            if shelf.is_sound && shelf.touched.is_empty() {
                return Ok(Some(shelf.list.clone()));
            }
            let dir = match root.dir(path) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Some(Arc::default())),
                dir => dir.map_err(|source| StoreError::read(path, source))?,
            };
            state.watch_folder(path, &dir);
            let folder = state.folders.entry(path.to_owned()).or_default();
            let is_watched = folder.watch.is_some();
            let shelf = folder.shelf::<T>();
            let refreshed = shelf.refresh(&dir, reading, stop);
            stop.check()?;
            refreshed.map_err(|source| StoreError::read(path, source))?;
            shelf.is_sound = is_watched;
            if !is_watched {
                return Ok(Some(shelf.list.clone()));
            }
            state.drain();
        }
        Ok(None)
    }
}

impl State {
    /// Watches a directory of files, unless it is watched already.
    fn watch_folder(&mut self, path: &str, dir: &Handle) {
        let folder = self.folders.entry(path.to_owned()).or_default();
        if let Some(watched) = &mut self.watched
            && folder.watch.is_none()
        {
            folder.doubt();
            folder.watch = watched.watcher.watch(dir);
            // What happened before is not told.
            self.marks.sessions += of_sessions(path);
        }
    }

    /// Counts changes beside the tasks, where nobody tells them.
    pub(super) fn mark_rest(&mut self, root: &Root) {
        for path in [SESSIONS, ARCHIVE] {
            let dir = root.dir(path).ok();
            if let Some(dir) = &dir {
                self.watch_folder(path, dir);
            }
            let folder = self.folders.entry(path.to_owned()).or_default();
            if folder.watch.is_none() && grows(&mut folder.fingerprint, dir.as_ref().map(fingerprint)) {
                self.marks.sessions += 1;
            }
        }
        if self.watched.is_none() {
            let folder = self.folders.entry(String::new()).or_default();
            let stamps = [CONFIG, PAUSE].map(|name| root.handle().stamp(name).ok().flatten());
            if grows(&mut folder.fingerprint, Some(hash_of(&stamps))) {
                self.marks.config += 1;
            }
        }
    }
}

/// Whether something is other than it was.
fn grows(known: &mut Option<u64>, now: Option<u64>) -> bool {
    std::mem::replace(known, now) != now
}

/// The names in a directory and the stamps of its files, as one number.
fn fingerprint(dir: &Handle) -> u64 {
    let mut entries = dir.list().unwrap_or_default();
    entries.sort_unstable_by(|a, b| a.name.cmp(&b.name));
    let seen: Vec<_> =
        entries.iter().map(|entry| (entry.name.as_str(), dir.stamp(&entry.name).ok().flatten())).collect();
    hash_of(&seen)
}

fn hash_of(value: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

/// How many single files are remembered.
const MOST_SINGLE: usize = 64;

impl Store {
    /// The files directly in a directory of the store, sorted by name; from memory as far as that is known to be true.
    pub fn files<T: Send + Sync + 'static>(
        &self,
        path: &str,
        reading: &FileReading<T>,
    ) -> Result<Arc<Vec<ReadFile<T>>>> {
        self.files_from(path, reading, &Vec::new)
    }

    /// The same, beginning with what an earlier process kept of the files, sorted by name. It is asked for only where
    /// nothing is known of them yet.
    pub(crate) fn files_from<T: Send + Sync + 'static>(
        &self,
        path: &str,
        reading: &FileReading<T>,
        kept: &KeptFiles<'_, T>,
    ) -> Result<Arc<Vec<ReadFile<T>>>> {
        self.at_one_moment(|| self.read_files(path, reading, kept))
    }

    fn read_files<T: Send + Sync + 'static>(
        &self,
        path: &str,
        reading: &FileReading<T>,
        kept: &KeptFiles<'_, T>,
    ) -> Result<Arc<Vec<ReadFile<T>>>> {
        if let Some(warm) = &self.warm
            && let Some(files) = warm.files(&self.root, path, reading, kept, &self.stop)?
        {
            return Ok(files);
        }
        let mut files = Files { list: Arc::new(kept()), ..Files::default() };
        match self.root.dir(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Arc::default()),
            dir => {
                let refreshed = dir.and_then(|dir| files.refresh(&dir, reading, &self.stop));
                self.stop.check()?;
                refreshed.map_err(|source| StoreError::read(path, source))?;
            }
        }
        Ok(files.list)
    }

    /// One file of the store, as it was understood; read again when it is no longer the one it was. `None` when there is
    /// no such file.
    pub fn cached<T: Send + Sync + 'static>(&self, path: &str, understand: fn(&str) -> T) -> Result<Option<Arc<T>>> {
        let fail = |source| StoreError::read(path, source);
        let (above, name) = split(path);
        let dir = match self.root.dir(above) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            dir => dir.map_err(fail)?,
        };
        let key = (path.to_owned(), TypeId::of::<T>());
        let mut state = self.warm.as_ref().map(|warm| warm.state(&self.stop)).transpose()?;
        if let Some((seen, content)) = state.as_ref().and_then(|state| state.single.get(&key))
            && seen.is_some()
            && *seen == dir.stamp(name).map_err(fail)?
            && let Ok(content) = content.clone().downcast()
        {
            return Ok(Some(content));
        }
        let (bytes, stamp) = match dir.read_stamped(name, MAX_FILE_BYTES) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            read => read.map_err(fail)?,
        };
        let content = Arc::new(understand(&into_text(bytes).map_err(fail)?));
        if let Some(state) = &mut state {
            if state.single.len() >= MOST_SINGLE {
                state.single.clear();
            }
            state.single.insert(key, (stamp.settled(Clock::Any), content.clone()));
        }
        Ok(Some(content))
    }

    /// Counters that grow when something changes; `None` for a store nobody remembers anything of.
    pub fn marks(&self) -> Result<Option<super::Marks>> {
        self.warm.as_ref().map(|warm| warm.marks(&self.root, &self.stop)).transpose()
    }
}
