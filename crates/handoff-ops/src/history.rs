//! What was changed, and taking it back.

mod diff;
mod log;
mod redo;
mod undo;
mod view;

pub use log::{ChangeLog, ShowLog};
pub use redo::Redo;
pub use undo::{Undo, Undone, Which};
pub use view::{LoggedChange, Standing};
