//! Git facts, against the real program.
#![expect(clippy::unwrap_used, clippy::disallowed_methods, reason = "tests prepare files as a person would")]

mod blamed;
mod facts;
mod history;
#[cfg(unix)]
mod hostile;
mod judged;
mod lines;
mod measured;
mod places;
mod repository;
#[cfg(unix)]
mod surveyed;
mod uncommitted;
#[cfg(unix)]
mod unwilling;
