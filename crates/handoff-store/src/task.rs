//! Tasks on disk: reading all of them, finding one, and changing them.

mod adopt;
pub(crate) mod archive;
pub(crate) mod convert;
pub(crate) mod dir;
mod draft;
pub(crate) mod find;
pub(crate) mod forest;
pub(crate) mod lazy;
pub(crate) mod moves;
pub(crate) mod read;
pub(crate) mod scan;
pub(crate) mod trash;
pub(crate) mod tree;
pub(crate) mod write;
