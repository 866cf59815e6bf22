//! Named packages and records: what is carried to the next session, tool or machine under a name of its own.
//!
//! A package is a closed session of the kind `package` whose body is the thing itself. It is shown as long as its
//! lifetime lasts; when that is over it is hidden, and only `handoff gc` takes it away, into a trash.

pub(crate) mod expired;
mod extend;
mod filter;
mod list;
mod pin;
mod retrieve;
mod select;
mod shelf;
mod store;
mod wanted;

pub(crate) use filter::main_tree;

pub use extend::{ExtendPackage, Extended};
pub use list::{HandoffList, ListHandoffs};
pub use pin::PinPackage;
pub use retrieve::{Parcel, RetrievePackage, Retrieved};
pub use select::{SelectHandoff, Selected};
pub use store::{StorePackage, Stored};
