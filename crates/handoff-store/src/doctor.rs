//! Finding and mending whatever is wrong with a store.
//!
//! All files are read into a [`Picture`](picture::Picture); checks look at it and say what is wrong, and what would mend
//! it. Mending is tried on the picture first, check after check, until no check knows more to do. What was done there is
//! then one list of steps, committed like any change.
//!
//! **Invariant:** what is healthy stays as it is, byte for byte. Nothing is ever deleted: what is written over or taken
//! away lies in a backup of its own, on disk before the change begins. Looking leaves no trace.

mod access;
mod check;
mod crash;
mod cure;
mod look;
mod mend;
mod misfit;
mod numbers;
mod picture;
mod scene;
mod stage;
mod witness;

pub(crate) use check::files::record;
pub use cure::{Circumstances, Cure, KnownVersion};
pub(crate) use misfit::clear_from_above_backup;
pub(crate) use stage::remove_unused_backups;
