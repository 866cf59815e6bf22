//! The team: people with their hours and days off, and how much the project may cost.
//!
//! All of it stands in `config.toml`. Milestones, calendar and labels are nouns of their own beside this one, and are
//! changed the same way (`change.rs`).

mod add;
mod budget;
pub(crate) mod change;
pub(crate) mod input;
mod list;
mod remove;
mod rename;
mod show;
mod update;
mod view;

pub use add::AddAssignee;
pub use budget::SetBudget;
pub use change::TeamChange;
pub use list::{Assignees, ListAssignees};
pub use remove::RemoveAssignee;
pub use rename::RenameAssignee;
pub use show::{BudgetView, ShowTeam, TeamView};
pub use update::UpdateAssignee;
pub use view::AssigneeView;
pub(crate) use view::known_people;
