//! Operations on tasks.

mod change;
mod check;
mod create;
mod delete;
mod link;
mod list;
mod r#move;
mod note;
mod reorder;
mod restore;
mod show;
mod update;
mod view;

pub use check::{CheckCriterion, UncheckCriterion};
pub use create::CreateTask;
pub use delete::DeleteTask;
pub use link::{LinkTask, UnlinkTask};
pub use list::ListTasks;
pub use r#move::MoveTask;
pub use note::NoteTask;
pub use reorder::ReorderTask;
pub use restore::{ListTrash, RestoreTask};
pub use show::ShowTask;
pub use update::UpdateTask;
pub use view::TaskView;
