//! Lasting memory: rules, conventions, lessons, gotchas and facts that outlive sessions.

mod add;
mod cleanup;
mod edit;
mod in_context;
mod list;
mod loaded;
mod query;
mod retire;
mod save;
mod scope;
mod search;
mod show;
mod used;
mod view;

pub use add::AddMemory;
pub use cleanup::{CleanUpMemories, MemoryCleanup, MemoryGroup, StaleMemory};
pub use edit::EditMemory;
pub use in_context::MemoryInContext;
pub(crate) use in_context::{MemoriesAtHand, candidates, in_context};
pub use list::{ListMemories, MemoryList};
pub(crate) use loaded::LoadedMemories;
pub use query::{FoundMemories, MemoryHit};
pub(crate) use query::{MemoryQuestion, ask};
pub use retire::RetireMemory;
pub(crate) use save::{MemoryDraft, save};
pub use save::{MemorySaved, SaveStatus, SimilarMemoryView};
pub(crate) use scope::{MemoryFilter, current_branch, relative_paths};
pub use search::SearchMemories;
pub use show::ShowMemory;
pub(crate) use used::{MemoryUse, note_use};
pub use view::MemoryView;
