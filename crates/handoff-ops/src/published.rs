//! The published MCP tools about tasks and configuration.
//!
//! Agents, skills and scripts know them by these names and arguments, so neither may change. Each is a compound of finer
//! operations, which have the rules; here is only what the published form adds: create, change and move in one call,
//! filters and budgets, criteria counted from 0. What is said here is sent to every agent in every session, so it is
//! said in as few words as possible.

mod auto_schedule;
mod budget;
mod bulk_update;
mod calls;
mod check_criterion;
mod configuration;
mod get_task;
mod init;
mod list_tasks;
mod memory_delete;
mod memory_query;
mod memory_save;
pub(crate) mod schema;
mod task_change;
mod task_input;
mod update_task;
mod wanted;
mod words;

pub use auto_schedule::AutoSchedule;
pub(crate) use budget::Budget;
pub use bulk_update::{BulkError, BulkUpdate, BulkUpdateTasks};
pub(crate) use calls::published_call;
pub use check_criterion::CheckCriterion;
pub use configuration::{GetConfig, UpdateConfig};
pub use get_task::{GetTask, TaskDetails};
pub use init::{Init, MadeProject};
pub use list_tasks::{ListTasks, TaskTree, TreeTask};
pub use memory_delete::DeleteMemory;
pub use memory_query::QueryMemories;
pub use memory_save::SaveMemory;
pub use task_change::TaskChange;
pub use task_input::{ScheduleInput, TaskInput};
pub use update_task::UpdateTask;
pub use wanted::Wanted;
pub(crate) use words::{listed, several, switch};
