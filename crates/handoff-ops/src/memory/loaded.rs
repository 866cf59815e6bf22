//! The memories of a store with their words, as a long-lived process keeps them.

use std::sync::Arc;

use handoff_model::search::{Document, Query, of_memory, search};
use handoff_store::{FoundMemory, Memories, MemoryFiles, RecordWords, Store, StoreError};

use crate::search::index::{Index, IndexedRecords};
use crate::{OpError, Project};

/// Memories and their words. As long as the files are the same allocation, all of it still holds.
pub(crate) struct LoadedMemories {
    files: MemoryFiles,
    pub(crate) memories: Memories,
    /// Places in the list of memories, in the order of the ids
    by_id: Vec<usize>,
    index: Index,
}

struct MemoryCorpus<'s> {
    store: &'s Store,
    /// Sorted by id
    sorted: Vec<&'s FoundMemory>,
}

impl IndexedRecords for MemoryCorpus<'_> {
    const WORDS: RecordWords = RecordWords::Memories;

    fn store(&self) -> &Store {
        self.store
    }

    fn len(&self) -> usize {
        self.sorted.len()
    }

    fn key_bytes(&self, place: usize) -> &[u8] {
        self.sorted[place].record.id.as_str().as_bytes()
    }

    fn mark(&self, place: usize) -> u64 {
        self.sorted[place].rev.as_number()
    }

    fn documents(&self, place: usize) -> Vec<Document<'_>> {
        vec![of_memory(&self.sorted[place].record)]
    }
}

impl LoadedMemories {
    /// The memories as they are now.
    pub(crate) fn read(project: &Project) -> Result<Arc<LoadedMemories>, OpError> {
        let store = project.store();
        let files = match store.memory_files() {
            Err(error @ StoreError::Read { .. }) => return Err(error.into()),
            files => files?,
        };
        let known = project.server_cache.as_ref().and_then(|cache| cache.memories(store.path()));
        if let Some(known) = known.filter(|known| Arc::ptr_eq(&known.files, &files)) {
            return Ok(known);
        }
        let memories = Memories::of(&files);
        let mut by_id: Vec<usize> = (0..memories.list.len()).collect();
        by_id.sort_by_key(|place| memories.list[*place].record.id);
        let sorted = by_id.iter().map(|place| &*memories.list[*place]).collect();
        let index = Index::of(&MemoryCorpus { store, sorted }, project);
        let loaded = Arc::new(LoadedMemories { files, memories, by_id, index });
        if let Some(cache) = &project.server_cache {
            cache.keep_memories(store.path(), loaded.clone());
        }
        Ok(loaded)
    }

    /// Memories that have some of the words, the best first: places in the list, and how well each answers.
    pub(crate) fn search(&self, words: &str) -> Vec<(usize, f64)> {
        let query = Query::parse(&without_operators(words));
        if query.is_empty() {
            return Vec::new();
        }
        let parts: Vec<_> = self.index.parts().collect();
        let found = search(&query, &parts, |_, _| None);
        let place = |part: usize, source: usize| self.by_id.get(self.index.record(part, source)).copied();
        found.ranked.iter().filter_map(|hit| Some((place(hit.part, hit.source)?, hit.score))).collect()
    }
}

impl std::fmt::Debug for LoadedMemories {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "LoadedMemories({})", self.memories.list.len())
    }
}

/// Words without the signs that have a meaning in a query. A prompt has quotes and flags too, and means none by them.
fn without_operators(text: &str) -> String {
    let words = text.split(|c: char| c.is_whitespace() || "\"“”„「」*".contains(c));
    words.map(|word| word.trim_start_matches('-')).filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_and_flags_in_a_prompt_are_words() {
        assert_eq!(without_operators("run \"cargo test\" -p auth --lib a*"), "run cargo test p auth lib a");
    }
}
