//! What can go wrong with a store.

use std::io;
use std::path::PathBuf;

use handoff_model::history::{ChangeId, ChangeRef};
use handoff_model::id::{SessionRef, TaskId, TaskRef};
use handoff_model::memory::{MemoryId, MemoryRef};
use handoff_model::number::Number;
use handoff_model::problem::Problem;
use handoff_model::rev::Rev;
use handoff_model::session::SessionStatus;

use crate::pause::Pause;
use crate::stop::Stopped;

/// An error of the store; each variant is something a caller treats differently.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    #[error("no handoff project at {}", path.display())]
    NoProject { path: PathBuf },
    #[error("this looks like a handoff project without config.toml: {}", path.display())]
    NoConfig { path: PathBuf },
    #[error("cannot use {}", path.display())]
    Unusable { path: PathBuf, source: io::Error },
    #[error("cannot read {path}")]
    Read { path: String, source: io::Error },
    #[error("cannot write {path}; nothing was changed")]
    Write { path: String, source: io::Error },
    #[error("cannot write {path}, and putting it back failed too; the next command will finish or undo the change")]
    HalfDone { path: String, source: io::Error },
    #[error("a change that was cut off cannot be finished, as {path} has it")]
    Stuck { path: String, source: io::Error },
    #[error("another handoff is writing here ({holder}); gave up after {seconds} s")]
    Locked { holder: String, seconds: u64 },
    #[error("{0}")]
    Stopped(Stopped),
    #[error("writing is paused")]
    Paused(Box<Pause>),
    #[error("no task `{wanted}` in this project")]
    NoSuchTask { wanted: TaskRef, close: Vec<TaskLine> },
    #[error("`{wanted}` could be {} tasks", candidates.len())]
    Ambiguous { wanted: TaskRef, candidates: Vec<TaskLine> },
    #[error("no session `{wanted}` in this project")]
    NoSuchSession { wanted: SessionRef, close: Vec<SessionLine> },
    #[error("`{wanted}` could be {} sessions", candidates.len())]
    AmbiguousSession { wanted: SessionRef, candidates: Vec<SessionLine> },
    #[error("no memory `{wanted}` in this project")]
    NoSuchMemory { wanted: MemoryRef },
    #[error("`{wanted}` could be {} memories", candidates.len())]
    AmbiguousMemory { wanted: MemoryRef, candidates: Vec<MemoryLine> },
    #[error("session `{name}` is in {archive} and cannot be changed there")]
    Archived { name: String, archive: String },
    #[error("{0}")]
    Damaged(Problem),
    #[error("{what} changed meanwhile: it is at revision {found} now, not {expected}")]
    Changed { what: String, expected: Rev, found: Rev },
    #[error("{path} was changed by something else at this moment; nothing was changed, try again")]
    ChangedUnderway { path: String },
    #[error("{path} is in the way; nothing was changed")]
    InTheWay { path: String },
    #[error("task `{id}` would lie {depth} levels deep; at most {} are allowed", handoff_model::MAX_DEPTH)]
    TooDeep { id: TaskId, depth: usize },
    #[error("no number is left here: {} was given out already", handoff_model::number::MAX_ORDINAL)]
    NoNumberLeft,
    #[error("task `{id}` cannot be moved under itself")]
    UnderItself { id: TaskId },
    #[error("{path} would have {size} bytes; at most {} are allowed", handoff_model::MAX_BODY_BYTES)]
    BodyTooLarge { path: String, size: usize },
    #[error("{path} would have {size} bytes; at most {} are allowed", handoff_model::MAX_FILE_BYTES)]
    TooLarge { path: String, size: usize },
    #[error("no deleted task `{wanted}` in the trash, and none in the archive")]
    NotInTrash { wanted: TaskRef, close: Vec<TaskLine> },
    #[error("no change `{wanted}` in the log")]
    NoSuchChange { wanted: ChangeRef },
    #[error("`{wanted}` could be {} changes", candidates.len())]
    AmbiguousChange { wanted: ChangeRef, candidates: Vec<ChangeId> },
    #[error("`{id}` cannot be taken back: {reason}")]
    CannotUndo { id: ChangeId, reason: String, later: Vec<ChangeId> },
    #[error("{}", nothing_to_undo(*asked, *there))]
    NothingToUndo { asked: usize, there: usize },
    #[error("it cannot be told which changes were the last: {0}")]
    LogDamaged(Problem),
    #[error("{}", not_in_log(*wanted, tasks))]
    NotInLog { wanted: ChangeId, tasks: Vec<TaskLine> },
    #[error("nothing was taken back that could be made again")]
    NothingToRedo,
    #[error(
        "something was changed since `{undo}` took back what was there, so it is not made again as a matter of course"
    )]
    ChangedSinceUndo { undo: ChangeId, later: Vec<ChangeId> },
    #[error("there is already a task `{id}`")]
    AlreadyThere { id: TaskId },
    #[error("{} already is a handoff project", path.display())]
    AlreadyProject { path: PathBuf },
    #[error("{} cannot be a project: it is the home directory", path.display())]
    HomeDirectory { path: PathBuf },
    #[error("there is no home directory to keep the user store in: set HOME or HANDOFF_HOME")]
    NoUserStore,
}

fn nothing_to_undo(asked: usize, there: usize) -> String {
    match there {
        0 => "the log holds no change that could be taken back".to_owned(),
        1 => format!("the log holds one change that could be taken back, not {asked}"),
        _ => format!("the log holds {there} changes that could be taken back, not {asked}"),
    }
}

fn not_in_log(wanted: ChangeId, tasks: &[TaskLine]) -> String {
    let which = match tasks {
        [task] => format!("task `{}` was created since and is", task.id),
        _ => format!("{} tasks were created since and are", tasks.len()),
    };
    format!(
        "`{wanted}` is the last change in the log, but {which} not in it: by hand, by git, or by a change whose entry was \
         lost when the power failed"
    )
}

/// Enough of a task to choose it from a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TaskLine {
    pub id: TaskId,
    pub number: Option<Number>,
    pub title: String,
}

/// Enough of a session to choose it from a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionLine {
    pub name: String,
    pub status: SessionStatus,
    pub title: String,
}

/// Enough of a memory to choose it from a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemoryLine {
    pub id: MemoryId,
    pub summary: String,
}

impl StoreError {
    pub(crate) fn read(path: impl Into<String>, source: io::Error) -> Self {
        StoreError::Read { path: path.into(), source }
    }

    pub(crate) fn write(path: impl Into<String>, source: io::Error) -> Self {
        StoreError::Write { path: path.into(), source }
    }
}

pub type Result<T> = std::result::Result<T, StoreError>;
