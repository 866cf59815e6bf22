//! Labels: the vocabulary in `config.toml`, and what tasks really use.

mod add;
mod list;
mod remove;
mod set;

pub use add::AddLabels;
pub use list::{LabelView, Labels, ListLabels};
pub(crate) use list::{labels, labels_line};
pub use remove::RemoveLabels;
pub use set::SetLabels;
