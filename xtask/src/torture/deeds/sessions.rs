//! Changes of sessions.

use serde_json::{Value, json};

use crate::rig::Rng;
use crate::torture::ledger::{SessionFact, Sessions};

/// One change of a session, asked for through the command line.
#[derive(Debug, Clone)]
pub(crate) enum SessionDeed {
    /// A closed record of its own.
    Save {
        summary: String,
    },
    /// A closed record with a body that makes one task and writes a note into another, all in one step.
    SaveWithTasks {
        summary: String,
        title: String,
        note_in: Option<String>,
    },
    Start {
        summary: String,
    },
    Tell {
        session: String,
        note: String,
    },
    Pause {
        session: String,
    },
    Close {
        session: String,
        summary: String,
    },
    /// Goes on with a paused session, or with a new one that continues a closed one.
    Reopen {
        session: String,
    },
    /// Brings it back from the archive, if it is there.
    Fetch {
        session: String,
    },
}

impl SessionDeed {
    /// What every save says besides its summary, so that more than one field can be lost.
    pub(crate) fn next_step(summary: &str) -> String {
        format!("go on after {summary}")
    }

    /// The body of a save that has one.
    pub(crate) fn body(summary: &str) -> String {
        format!("# Current State\n\n{summary}, at length.\n")
    }

    pub(super) fn args(&self) -> Vec<String> {
        let step;
        let args: Vec<&str> = match self {
            Self::Save { summary } => {
                step = Self::next_step(summary);
                vec!["save", "--summary", summary, "--next", &step]
            }
            Self::SaveWithTasks { .. } => vec!["save", "--request", "-"],
            Self::Start { summary } => vec!["session", "start", summary],
            Self::Tell { session, note } => vec!["session", "update", session, "--note", note],
            Self::Pause { session } => vec!["session", "pause", session],
            Self::Close { session, summary } => vec!["session", "close", session, "--summary", summary],
            Self::Reopen { session } => vec!["session", "reopen", session],
            Self::Fetch { session } => vec!["session", "restore", session],
        };
        args.into_iter().chain(["--json"]).map(str::to_owned).collect()
    }

    pub(super) fn input(&self) -> Option<String> {
        matches!(self, Self::SaveWithTasks { .. }).then(|| self.request().to_string())
    }

    /// A save with tasks as its request.
    pub(crate) fn request(&self) -> Value {
        let Self::SaveWithTasks { summary, title, note_in } = self else { return Value::Null };
        let mut tasks = vec![json!({ "title": title })];
        tasks.extend(note_in.as_ref().map(|id| json!({"id": id, "notes_append": Self::note_beside(summary)})));
        let next = [Self::next_step(summary)];
        json!({"summary": summary, "next": next, "body": Self::body(summary), "tasks": tasks})
    }

    /// The note that a save with tasks leaves in the task it changes.
    pub(crate) fn note_beside(summary: &str) -> String {
        format!("told by {summary}")
    }

    /// One sensible change of what is there; `task` is one that a save may write a note into.
    pub(crate) fn choose(random: &mut Rng, sessions: &Sessions, task: Option<String>, serial: usize) -> Self {
        let with = |wanted: &[&str]| -> Vec<String> {
            let fits = |fact: &SessionFact| wanted.contains(&fact.status.as_str()) && !fact.is_of_a_bystander();
            sessions.iter().filter(|(_, fact)| fits(fact)).map(|(id, _)| id.clone()).collect()
        };
        let (open, active, over) = (with(&["active", "paused"]), with(&["active"]), with(&["closed"]));
        let summary = format!("Work {serial}");
        match random.below(12) {
            0 | 1 => Self::Save { summary },
            2 | 3 if !open.is_empty() => Self::Close { session: random.pick(&open).clone(), summary },
            4 | 5 if !open.is_empty() => {
                Self::Tell { session: random.pick(&open).clone(), note: format!("note {serial}") }
            }
            6 if !active.is_empty() => Self::Pause { session: random.pick(&active).clone() },
            7 if !over.is_empty() => Self::Reopen { session: random.pick(&over).clone() },
            8 if !open.is_empty() => Self::Reopen { session: random.pick(&open).clone() },
            9 if !over.is_empty() => Self::Fetch { session: random.pick(&over).clone() },
            10 => Self::Start { summary },
            _ => Self::SaveWithTasks { summary, title: format!("Planned {serial}"), note_in: task },
        }
    }
}
