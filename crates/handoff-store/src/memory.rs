//! The memories of a store: `memory/<slug>-<id>.md`, one file each.

mod kept;
mod read;
mod used;
mod write;

pub use read::{FoundMemory, Memories, MemoryFiles, ReadMemory};
