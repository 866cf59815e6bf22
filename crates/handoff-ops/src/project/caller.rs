//! Who asks, as far as it can be told: what keeps the sessions of several agents apart.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use handoff_model::id::SessionId;

/// The agent behind a request.
#[derive(Debug, Clone, Default)]
pub struct Caller {
    /// The agent's own id for its conversation, which outlives a connection
    pub agent_session: Option<String>,
    /// The tool the agent runs in, such as `codex`
    pub tool: Option<String>,
    /// The connection the request came over, where the door has connections
    pub connection: Option<Arc<Connection>>,
}

/// One connection, and the session it established in each store.
#[derive(Debug, Default)]
pub struct Connection {
    sessions: Mutex<HashMap<PathBuf, SessionId>>,
}

impl Connection {
    pub fn new() -> Arc<Connection> {
        Arc::default()
    }

    /// The session this connection works in, in the store at `root`.
    pub(crate) fn session(&self, root: &Path) -> Option<SessionId> {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner).get(root).cloned()
    }

    pub(crate) fn establish(&self, root: &Path, session: SessionId) {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner).insert(root.to_owned(), session);
    }

    pub(crate) fn leave(&self, root: &Path) {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner).remove(root);
    }
}
