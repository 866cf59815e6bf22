//! Who asks, as far as it can be told: what keeps the sessions of several agents apart.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

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

/// One connection, and the session that each conversation over it established in each store.
#[derive(Debug, Default)]
pub struct Connection {
    sessions: Mutex<HashMap<PathBuf, Conversations>>,
}

/// Sessions by the conversation that established them; hosts need not say which conversation asks.
type Conversations = HashMap<Option<String>, SessionId>;

impl Connection {
    pub fn new() -> Arc<Connection> {
        Arc::default()
    }

    /// The session that a conversation works in, in the store at `root`.
    ///
    /// Where only one of two calls says which conversation it belongs to, both are taken for the same.
    pub(crate) fn session(&self, root: &Path, conversation: Option<&str>) -> Option<SessionId> {
        let sessions = self.lock();
        let here = sessions.get(root)?;
        let same = here.get(&conversation.map(str::to_owned)).or_else(|| here.get(&None));
        let only = || here.values().next().filter(|_| conversation.is_none() && here.len() == 1);
        same.or_else(only).cloned()
    }

    pub(crate) fn establish(&self, root: &Path, conversation: Option<&str>, session: SessionId) {
        self.lock().entry(root.to_owned()).or_default().insert(conversation.map(str::to_owned), session);
    }

    /// Lets go of a session, whoever established it.
    pub(crate) fn leave(&self, root: &Path, session: &SessionId) {
        if let Some(here) = self.lock().get_mut(root) {
            here.retain(|_, known| known != session);
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<PathBuf, Conversations>> {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
