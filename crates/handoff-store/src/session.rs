//! Sessions as they lie in the store: one file each, their free-form bodies beside them, old ones in archives.

mod adopt;
pub(crate) mod archive;
pub(crate) mod bound;
pub(crate) mod find;
pub(crate) mod index;
mod links;
pub(crate) mod package;
pub(crate) mod read;
pub(crate) mod summary;
pub(crate) mod trash;
pub(crate) mod write;
