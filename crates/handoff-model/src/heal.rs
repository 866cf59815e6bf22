//! Healing: what can be wrong with a store, in words that stay, and the pure part of putting it right.

mod finding;
pub mod hidden;
mod kind;
mod merge;

pub use finding::{Finding, Weight};
pub use kind::{Kind, Mending};
pub use merge::{Dispute, Merged, RecordKind, Sides, Unmergeable, merge};
