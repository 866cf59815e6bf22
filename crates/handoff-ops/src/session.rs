//! Operations on sessions: what was done, decided and left over.

pub(crate) mod change;
mod decision_flags;
pub(crate) mod elsewhere;
pub(crate) mod endings;
pub(crate) mod form;
pub(crate) mod recorded;
pub(crate) mod which;

mod close;
mod diff;
mod fork;

mod list;
mod merge;
mod pause;
mod reopen;
mod restore;
mod save;
mod show;
mod start;
mod template;
mod update;
pub(crate) mod view;

pub use close::CloseSession;
pub use diff::{DiffSessions, SessionDifference};
pub use fork::ForkSession;

pub use list::{ListSessions, ListedSession, SessionList};
pub use merge::{MergeSessions, MergeTarget, Merged};
pub use pause::PauseSession;
pub use reopen::ReopenSession;
pub use restore::RestoreSession;
pub use save::{SaveSession, SavedStatus};
pub use show::{SessionItem, ShowSession};
pub use start::StartSession;
pub use template::{SessionTemplate, Template};
pub use update::UpdateSession;
pub use view::SessionView;
