//! Operations about the project itself.

mod init;
mod known;
mod share;
mod take_over;

pub(crate) use init::default_name;
pub use init::{Init, NewProject};
pub use known::{ForgetProject, ListProjects};
pub use share::{Share, Unshare};
