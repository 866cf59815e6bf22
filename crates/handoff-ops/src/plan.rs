//! The plan: who does what on which days, what moving a task does, how much time there is, and what comes next.
//!
//! The rules are in `handoff_model::plan`. Here they are asked with the work of a project, and what they answer is shown
//! or written: all dates of one request as one change, read and written under the lock.

mod apply;
mod capacity;
mod gantt;
mod r#move;
mod next;
mod page;
mod planned;
mod show;
mod start;
mod view;

pub use apply::ApplyPlan;
pub(crate) use apply::{Writing, carry_out};
pub use capacity::{CapacityDay, CapacityView, PersonCapacity, ShowCapacity};
pub use r#move::{MoveInPlan, MovedTask, Movement};
pub use next::{NextTask, NextTasks, ShowNext};
pub(crate) use planned::Wish;
pub use show::ShowPlan;
pub use start::{StartProject, StartedProject};
pub use view::{ChangeView, PlanView, PlannedView, ProblemView};
