//! Publishing, against the real program: repositories in a temporary directory, and a bare one as the remote.
#![expect(clippy::unwrap_used, clippy::disallowed_methods, reason = "tests prepare files as a person would")]

mod branches;
#[cfg(unix)]
mod cut_off;
mod detached;
#[cfg(unix)]
mod hooks;
mod own_paths;
mod places;
mod pushing;
mod refused;
mod replayed;
mod world;
