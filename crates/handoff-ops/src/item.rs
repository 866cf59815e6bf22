//! Operations on open items: next steps, blockers, checklist items and questions of any session.

mod answer;
mod ask;
mod counts;
mod done;
mod drop;
pub(crate) mod input;
mod list;
pub(crate) mod settle;
mod view;

pub use answer::AnswerQuestion;
pub use ask::AskQuestion;
pub use counts::OpenCounts;
pub use done::CompleteItems;
pub use drop::DropItems;
pub use input::DroppedItem;
pub use list::{ListOpenItems, OpenItemList};
pub use view::{ItemView, SettledItems};
