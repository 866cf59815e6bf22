//! When memories were used on this machine, and which conversation was given them.

use std::collections::{HashMap, HashSet};

use handoff_model::memory::MemoryId;
use handoff_model::rev::Rev;
use handoff_model::when::Moment;
use serde::{Deserialize, Serialize};

use crate::{OpError, Project};

/// One answer with memories.
#[derive(Debug, Serialize, Deserialize)]
struct UseNote {
    at: Moment,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    session: Option<String>,
    memories: Vec<(MemoryId, Rev)>,
}

/// What is known of the use of memories.
#[derive(Debug, Default)]
pub(crate) struct MemoryUse {
    last: HashMap<MemoryId, Moment>,
    given: HashMap<String, HashSet<(MemoryId, Rev)>>,
}

impl MemoryUse {
    /// All that is known.
    pub(crate) fn read(project: &Project) -> MemoryUse {
        MemoryUse::of_lines(project.store().memory_use_notes().into_iter())
    }

    /// What is known of one conversation.
    pub(crate) fn of_conversation(project: &Project, session: &str) -> MemoryUse {
        // Only its own lines are worth understanding; there may be thousands.
        let quoted = serde_json::to_string(session).unwrap_or_default();
        MemoryUse::of_lines(project.store().memory_use_notes().into_iter().filter(|line| line.contains(&quoted)))
    }

    fn of_lines(lines: impl Iterator<Item = String>) -> MemoryUse {
        let mut known = MemoryUse::default();
        for line in lines {
            let Ok(UseNote { at, session, memories }) = serde_json::from_str(&line) else { continue };
            for (id, _) in &memories {
                let last = known.last.entry(*id).or_insert(at);
                *last = at.max(*last);
            }
            if let Some(session) = session {
                known.given.entry(session).or_default().extend(memories);
            }
        }
        known
    }

    /// When a memory was last used on this machine.
    pub(crate) fn last_used(&self, id: MemoryId) -> Option<Moment> {
        self.last.get(&id).copied()
    }

    /// Returns whether a conversation was given a memory that said the same.
    pub(crate) fn was_given(&self, session: &str, id: MemoryId, rev: Rev) -> bool {
        self.given.get(session).is_some_and(|given| given.contains(&(id, rev)))
    }
}

/// Writes down that memories were used.
pub(crate) fn note_use(
    project: &Project,
    session: Option<&str>,
    memories: impl IntoIterator<Item = (MemoryId, Rev)>,
) -> Result<(), OpError> {
    let memories: Vec<(MemoryId, Rev)> = memories.into_iter().collect();
    if memories.is_empty() {
        return Ok(());
    }
    let note = UseNote { at: project.now(), session: session.map(str::to_owned), memories };
    let line =
        serde_json::to_string(&note).map_err(|error| OpError::failure("the use was not noted").caused_by(error))?;
    Ok(project.store().note_memory_use(&line)?)
}
