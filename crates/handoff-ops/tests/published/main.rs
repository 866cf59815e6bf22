//! The published tools, asked as an agent asks: by their names and arguments, through the MCP door.
#![expect(clippy::unwrap_used, clippy::disallowed_methods, reason = "tests prepare files as a person would")]

mod config;
mod dashboard;
mod listing;
mod place;
mod rules;
mod tools;
mod update;
