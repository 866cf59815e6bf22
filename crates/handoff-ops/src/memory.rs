//! What a long-lived process remembers from one request to the next.
//!
//! **Invariant:** an answer with a memory is the answer without one. Whatever is remembered is proven true for each
//! request, or found out anew.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use handoff_model::config::{Resolved, Sources, resolve};
use handoff_model::search::Segment;
use handoff_store::{ForeignLocal, Marks, Store, Warm};

use crate::{Door, Place, Project};

/// The memory of a server, shared by all its requests.
#[derive(Debug)]
pub struct Memory {
    /// The one used last stands last
    stores: Mutex<Vec<(PathBuf, Arc<Warm>)>>,
    settings: Mutex<Vec<(Sources, Arc<Resolved>)>>,
    /// The words of each store's records
    words: Mutex<Vec<(PathBuf, Segments)>>,
    most_watches: usize,
}

/// Words of records, in parts; each says of which records, as they were.
pub(crate) type Segments = Vec<Arc<Segment>>;

/// How many stores are remembered at a time.
const MOST_STORES: usize = 8;

/// How many sets of configuration files are remembered at a time.
const MOST_SETTINGS: usize = 8;

impl Memory {
    pub fn new() -> Arc<Memory> {
        Memory::watching_at_most(usize::MAX)
    }

    /// A memory that watches at most so many directories of each store.
    pub fn watching_at_most(most_watches: usize) -> Arc<Memory> {
        let (stores, settings, words) = Default::default();
        Arc::new(Memory { stores, settings, words, most_watches })
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

    /// The memory of a store.
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
    pub(crate) fn words(&self, store: &Path) -> Segments {
        let words = self.words.lock().unwrap_or_else(PoisonError::into_inner);
        words.iter().find(|(path, _)| *path == store).map(|(_, segments)| segments.clone()).unwrap_or_default()
    }

    /// Remembers the words of a store's records.
    pub(crate) fn keep_words(&self, store: &Path, segments: Segments) {
        let mut words = self.words.lock().unwrap_or_else(PoisonError::into_inner);
        words.retain(|(path, _)| *path != store);
        words.push((store.to_owned(), segments));
        if words.len() > MOST_STORES {
            words.remove(0);
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
