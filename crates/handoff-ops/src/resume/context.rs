//! The context a session starts from, as it is shown.

use std::collections::BTreeMap;

use handoff_model::id::{SessionId, TaskId};
use handoff_model::number::Number;
use handoff_model::problem::Problem;
use handoff_model::session::{Confidence, NoteCategory, Owner, SessionKind, SessionNote, SessionStatus};
use handoff_model::task::{Priority, Status};
use handoff_model::when::{Day, Moment};
use schemars::JsonSchema;
use serde::{Serialize, Serializer};
use serde_json::Value;

use super::uncommitted::UncommittedWork;
use crate::agent::UnsavedConversation;
use crate::memory::MemoryInContext;

/// What a session needs to go on, within a budget.
#[derive(Debug, Clone, Default, Serialize, JsonSchema)]
pub struct Context {
    /// Name of the project; absent where there is none
    #[serde(skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
    /// The session that is under way, if there is one for this caller
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<SessionHead>,
    /// The handoff to go on from
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_handoff: Option<SessionHead>,
    /// The handoff that was asked for, where a later one exists
    #[serde(skip_serializing_if = "Option::is_none")]
    pub handoff: Option<SessionHead>,
    /// Conversations of agents whose work is in no session yet
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub conversations: Vec<UnsavedConversation>,
    /// Next steps
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub next: Vec<ItemInContext>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub blockers: Vec<ItemInContext>,
    /// Questions that wait for an answer
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub questions: Vec<ItemInContext>,
    /// Ids of the next steps, blockers and questions, in their order
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub ids: BTreeMap<&'static str, Vec<String>>,
    /// What is still open on the checklist
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub checklist: Vec<CheckInContext>,
    /// Where the project stands, in the words that the latest handoff with such words has
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state: Option<GivenState>,
    /// Tasks in progress, in review, blocked, and the first that are ready
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tasks: Vec<TaskInContext>,
    /// Decisions in force
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub decisions: Vec<DecisionInForce>,
    /// Lasting memories that matter here, the closest first
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub memories: Vec<MemoryInContext>,
    /// Cautions first
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<NoteInContext>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub pointers: Vec<CheckedPointer>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub references: Vec<String>,
    /// What git says has changed since the last handoff
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<String>,
    /// Uncommitted work, compared with what the last handoff left uncommitted
    #[serde(skip_serializing_if = "UncommittedWork::is_empty")]
    pub uncommitted: UncommittedWork,
    /// Files most likely needed next, a directory on each line
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub likely_files: Vec<String>,
    /// Files the project says are worth reading first
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub context_files: Vec<String>,
    /// Other sessions that are active or paused, and the last handoffs that left something open
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub other_sessions: Vec<SessionHead>,
    /// What was left out, and how much of it
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub left_out: BTreeMap<&'static str, usize>,
    /// How many tasks there are in each status
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub task_counts: BTreeMap<String, usize>,
    /// How to make a project where there is none
    #[serde(skip_serializing_if = "Option::is_none")]
    pub how_to_start: Option<String>,
    /// The request that makes one
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start: Option<Value>,
    /// How to start a session where none is active, with what is known filled in
    #[serde(skip_serializing_if = "Option::is_none")]
    pub suggestion: Option<Value>,
    /// What is wrong in the files
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub problems: Vec<Problem>,
    /// The same as words for the reader it was rendered for
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rendered: Option<String>,
    /// The budget that would show more
    #[serde(skip)]
    pub(super) ampler: Option<usize>,
    /// How much of what stands around the items is shown
    #[serde(skip)]
    pub(super) frame: Frame,
    #[serde(skip)]
    pub(super) warnings: Vec<String>,
}

impl Context {
    /// The handoff to go on from, be it the last one or the one that was asked for.
    pub(crate) fn continued(&self) -> Option<&SessionHead> {
        self.last_handoff.as_ref().or(self.handoff.as_ref())
    }

    /// How many memories are in force and not shown.
    pub(crate) fn memories_left_out(&self) -> usize {
        self.left_out.get(super::page::MEMORIES).copied().unwrap_or_default()
    }
}

/// An open item in a context. Programs read its words here and its id in [`Context::ids`].
#[derive(Debug, Clone, PartialEq, JsonSchema)]
#[schemars(with = "String")]
pub struct ItemInContext {
    /// Empty where it is part of a text
    pub id: String,
    pub text: String,
    /// Who raised it, its task, and where it comes from
    pub(crate) facts: Vec<String>,
    /// The number of sessions for which it has been open, where that is many
    pub(crate) age: Option<String>,
}

impl ItemInContext {
    /// An item that is part of a free-form text and has no id.
    pub(crate) fn unnamed(text: &str) -> ItemInContext {
        ItemInContext { id: String::new(), text: text.to_owned(), facts: Vec::new(), age: None }
    }
}

impl Serialize for ItemInContext {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.text)
    }
}

/// A checklist item in a context.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct CheckInContext {
    pub id: String,
    pub item: String,
    pub checked: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub owner: Option<Owner>,
}

/// A note in a context.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct NoteInContext {
    /// Id of a caution, for taking it back
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    pub note: String,
    pub category: NoteCategory,
}

impl NoteInContext {
    pub(crate) fn of(note: &SessionNote) -> NoteInContext {
        NoteInContext { id: None, note: note.note.clone(), category: note.category }
    }
}

/// What is shown around the items, from all to as little as makes sense.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Frame {
    #[default]
    Full,
    /// With the one call that goes on, and without ages of items, tasks that can wait and other advice
    Terse,
    /// Without advice
    Plain,
    /// Only what keeps quotation apart
    Bare,
}

/// Where the project stands, in somebody's words.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct GivenState {
    pub text: String,
    /// Full name of the session that says so
    pub session: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<Moment>,
}

/// A session in a few facts.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct SessionHead {
    pub id: SessionId,
    /// Its full name
    pub name: String,
    pub kind: SessionKind,
    pub status: SessionStatus,
    /// Its title, or the beginning of its summary
    #[serde(skip_serializing_if = "String::is_empty")]
    pub title: String,
    /// Set where it belongs to another person or another work tree
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub elsewhere: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub author: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub started_at: Option<Moment>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<Moment>,
    /// The project it is of, where that is another one
    #[serde(skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
    /// The agent from whose transcript it was compiled, where nobody wrote it
    #[serde(skip_serializing_if = "Option::is_none")]
    pub compiled_from: Option<String>,
    /// Branch and commit it was saved at
    #[serde(skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
}

/// A task that matters now.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct TaskInContext {
    pub id: TaskId,
    pub number: Number,
    pub title: String,
    /// Title of the task it is under
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent: Option<String>,
    pub status: Status,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub priority: Option<Priority>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub assignee: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub due_date: Option<Day>,
    /// Why it does not go on, or why it should be begun next
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The first criteria that are still open
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub open_criteria: Vec<String>,
    /// Set where the handoff that is continued was about it
    #[serde(skip)]
    pub(crate) is_handed_over: bool,
}

/// A decision that holds.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct DecisionInForce {
    /// Name for superseding it
    pub id: String,
    /// The same in full
    #[serde(skip)]
    pub(crate) reference: String,
    pub decision: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    pub confidence: Confidence,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub paths: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub author: Option<String>,
    /// Files it governs that changed since it was recorded
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub changed: Vec<String>,
}

/// A pointer, checked against the working tree.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct CheckedPointer {
    pub path: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lines: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    pub state: PointerState,
    /// Where the file is now, if it was moved
    #[serde(skip_serializing_if = "Option::is_none")]
    pub moved_to: Option<String>,
    /// Where the lines are now, if not under the numbers that were recorded
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lines_now: Option<String>,
}

/// What became of a pointed-to file, or of its lines if the pointer names some.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PointerState {
    /// As it was
    Same,
    /// There, and changed since
    Changed,
    Moved,
    /// The lines are as they were, under other numbers
    LinesMoved,
    Gone,
    /// The file is there, and the lines are not
    LinesGone,
    /// There; whether it changed cannot be told
    Present,
}

impl PointerState {
    pub(super) fn words(self) -> &'static str {
        match self {
            PointerState::Same | PointerState::Present => "",
            PointerState::Changed => "changed since",
            PointerState::Moved => "moved",
            PointerState::LinesMoved => "lines moved",
            PointerState::Gone => "gone",
            PointerState::LinesGone => "lines gone",
        }
    }
}
