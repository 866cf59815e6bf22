//! Milestones: dates that work is planned towards, in `config.toml`.

mod add;
mod list;
mod remove;
mod update;

pub use add::AddMilestone;
pub use list::{ListMilestones, MilestoneView, Milestones};
pub(crate) use list::{milestone_table, milestones};
pub use remove::RemoveMilestone;
pub use update::UpdateMilestone;
