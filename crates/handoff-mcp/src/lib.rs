//! Door: operations as MCP tools over stdio.
//!
//! **Invariant:** this crate is a loop over the registry. It knows operations by their entries, and touches storage never.

mod answer;
mod caller;
mod line;
mod message;
mod schema;
mod sets;
mod shrink;
mod tool;
mod wire;
mod words;

pub use sets::ToolSets;
