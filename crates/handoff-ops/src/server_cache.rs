//! The cache of a long-lived process: what it remembers from one request to the next.
//!
//! **Invariant:** an answer with a cache is the answer without one. Whatever is remembered is proven true for each
//! request, or found out anew.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use handoff_model::config::{Resolved, Sources, resolve};
use handoff_model::search::Segment;
use handoff_store::{ForeignLocal, Marks, RecordWords, Store, Warm};

use crate::memory::LoadedMemories;
use crate::{Door, Place, Project};

/// Cache of a server, shared by all its requests.
#[derive(Debug)]
pub struct ServerCache {
    /// The one used last stands last
    stores: Mutex<Vec<(PathBuf, Arc<Warm>)>>,
    settings: Mutex<Vec<(Sources, Arc<Resolved>)>>,
    /// The words of each store's records
    words: Mutex<Vec<(PathBuf, RecordWords, Segments)>>,
    /// The memories of each store, with their words
    memories: Mutex<Vec<(PathBuf, Arc<LoadedMemories>)>>,
    most_watches: usize,
}

/// Words of records, in parts; each says of which records, as they were.
pub(crate) type Segments = Vec<Arc<Segment>>;

/// How many stores are remembered at a time.
const MOST_STORES: usize = 8;

/// How many sets of configuration files are remembered at a time.
const MOST_SETTINGS: usize = 8;

impl ServerCache {
    pub fn new() -> Arc<ServerCache> {
        ServerCache::watching_at_most(usize::MAX)
    }

    /// A cache that watches at most so many directories of each store.
    pub fn watching_at_most(most_watches: usize) -> Arc<ServerCache> {
        let (stores, settings, words, memories) = Default::default();
        Arc::new(ServerCache { stores, settings, words, memories, most_watches })
    }

    /// Counters that grow when something changes in the store that requests from there are about; `None` where there is
    /// none.
    pub fn marks(self: &Arc<Self>, place: &Place) -> Option<Marks> {
        let project = Project::new(place.clone(), None, Door::Mcp);
        let dir = project.store_dir().ok()?;
        // Whoever only waits for changes makes none.
        let rules = project.local_rules(ForeignLocal::Ignore);
        Store::open_warm_by(&dir, &rules, &self.of(&dir)).ok()?.marks().ok()?
    }

    /// What is remembered of a store.
    pub(crate) fn of(&self, store: &Path) -> Arc<Warm> {
        let mut stores = self.stores.lock().unwrap_or_else(PoisonError::into_inner);
        let known = stores.iter().position(|(path, _)| *path == store).map(|place| stores.remove(place));
        let (path, warm) = known.unwrap_or_else(|| (store.to_owned(), Warm::watching_at_most(self.most_watches)));
        stores.push((path, warm.clone()));
        if stores.len() > MOST_STORES {
            stores.remove(0);
        }
        warm
    }

    /// The words that are remembered of a store's records.
    pub(crate) fn words(&self, store: &Path, of: RecordWords) -> Segments {
        let words = self.words.lock().unwrap_or_else(PoisonError::into_inner);
        let known = words.iter().find(|(path, kind, _)| (path.as_path(), *kind) == (store, of));
        known.map(|(.., segments)| segments.clone()).unwrap_or_default()
    }

    /// Remembers the words of a store's records.
    pub(crate) fn keep_words(&self, store: &Path, of: RecordWords, segments: Segments) {
        let mut words = self.words.lock().unwrap_or_else(PoisonError::into_inner);
        words.retain(|(path, kind, _)| (path.as_path(), *kind) != (store, of));
        words.push((store.to_owned(), of, segments));
        if words.len() > 2 * MOST_STORES {
            words.remove(0);
        }
    }

    /// The memories of a store as they were last loaded.
    pub(crate) fn memories(&self, store: &Path) -> Option<Arc<LoadedMemories>> {
        let memories = self.memories.lock().unwrap_or_else(PoisonError::into_inner);
        memories.iter().find(|(path, _)| *path == store).map(|(_, loaded)| loaded.clone())
    }

    /// Remembers the memories of a store.
    pub(crate) fn keep_memories(&self, store: &Path, loaded: Arc<LoadedMemories>) {
        let mut memories = self.memories.lock().unwrap_or_else(PoisonError::into_inner);
        memories.retain(|(path, _)| *path != store);
        memories.push((store.to_owned(), loaded));
        if memories.len() > MOST_STORES {
            memories.remove(0);
        }
    }

    /// The settings that these sources make, found out once as long as they stay the same.
    pub(crate) fn resolved(&self, sources: Sources) -> Arc<Resolved> {
        let mut settings = self.settings.lock().unwrap_or_else(PoisonError::into_inner);
        let known = settings.iter().position(|(met, _)| *met == sources).map(|place| settings.remove(place));
        let (sources, resolved) = known.unwrap_or_else(|| {
            let resolved = Arc::new(resolve(sources.clone()));
            (sources, resolved)
        });
        settings.push((sources, resolved.clone()));
        if settings.len() > MOST_SETTINGS {
            settings.remove(0);
        }
        resolved
    }
}
