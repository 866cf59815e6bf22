//! Door: operations as MCP tools over stdio.
//!
//! **Invariant:** this crate is a loop over the registry. It knows operations by their entries, and never touches
//! storage. Only protocol goes to standard output.

mod answer;
mod call;
mod caller;
mod completion;
mod hang_up;
mod line;
mod message;
mod oversize;
mod progress;
mod prompt;
mod request;
mod resource;
mod schema;
mod serve;
mod server;
mod sets;
mod settings;
mod shrink;
mod tool;
mod watch;
mod wire;
mod words;

pub use serve::serve;
pub use sets::ToolSets;
pub use settings::Settings;
