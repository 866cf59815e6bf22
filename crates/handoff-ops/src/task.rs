//! Operations on tasks.

pub(crate) mod archived;
pub(crate) mod change;
mod check;
mod create;
mod delete;
mod gc;
mod link;
pub(crate) mod list;
mod r#move;
mod note;
mod reorder;
mod restore;
mod show;
mod update;
pub(crate) mod view;

pub(crate) use check::set as set_criterion;
pub use check::{CheckCriterion, UncheckCriterion};
pub use create::{CreateTask, CriterionInput, LinkInput};
pub use delete::DeleteTask;
pub use gc::CollectGarbage;
pub(crate) use gc::pack as pack_tasks;
pub use link::{LinkTask, UnlinkTask};
pub use list::{ListTasks, ListedTask, Summary, TaskList};
pub use r#move::MoveTask;
pub use note::NoteTask;
pub use reorder::ReorderTask;
pub use restore::{ListTrash, RestoreTask};
pub use show::ShowTask;
pub use update::UpdateTask;
pub(crate) use view::status_role;
pub use view::{ChildView, TaskView};
