//! What the store says, as an operation's error.

use std::io;

use handoff_model::task::Refusal;
use handoff_store::{MemoryLine, SessionLine, StoreError, TaskLine};
use serde_json::json;

use crate::doctor::Doctor;
use crate::history::{ShowLog, Undo};
use crate::memory::ListMemories;
use crate::place::Init;
use crate::session::{ListSessions, RestoreSession};
use crate::task::{CheckCriterion, ListTasks, ListTrash, ShowTask, UpdateTask};
use crate::{Breaks, ErrorKind, Hint, OpError, visible};

impl From<StoreError> for OpError {
    fn from(error: StoreError) -> OpError {
        let kind = kind_of(&error);
        let message = error.to_string();
        let plain = OpError::new(kind, &message);
        let is_in_store = is_in_store(&error);
        match error {
            StoreError::NoProject { .. } => plain.hint(Hint::run::<Init>()),
            StoreError::Unusable { source, .. }
            | StoreError::Read { source, .. }
            | StoreError::Write { source, .. }
            | StoreError::HalfDone { source, .. } => {
                // What is there and cannot be understood is what the doctor is for.
                let is_damage = source.kind() == io::ErrorKind::InvalidData || (is_in_store && is_in_the_way(&source));
                let hint = if is_damage { Some(Hint::run::<Doctor>()) } else { advice(&source).map(Hint::say) };
                let plain = plain.caused_by(source);
                match hint {
                    Some(hint) => plain.hint(hint),
                    None => plain,
                }
            }
            StoreError::Paused(pause) => {
                let reason = visible(&pause.reason, Breaks::Mark);
                let plain = if reason.is_empty() { plain } else { OpError::new(kind, format!("{message}: {reason}")) };
                let file = pause.path.display().to_string();
                plain
                    .hint(Hint::say(format!("somebody paused at this moment, with `{}`", visible(&file, Breaks::Mark))))
            }
            StoreError::Stuck { source, .. } => {
                plain.caused_by(source).hint(Hint::run_with::<Doctor>(json!({"fix": true})))
            }
            StoreError::NoSuchTask { close, .. } => plain.details(close_lines(&close)).hint(Hint::run::<ListTasks>()),
            StoreError::Ambiguous { candidates, .. } => {
                plain.details(candidates.iter().map(line)).hint(Hint::say("give the whole id"))
            }
            StoreError::NoSuchSession { close, .. } => {
                let close = close.iter().map(|session| format!("close: {}", session_line(session)));
                plain.details(close).hint(Hint::run::<ListSessions>())
            }
            StoreError::AmbiguousSession { candidates, .. } => {
                plain.details(candidates.iter().map(session_line)).hint(Hint::say("give the whole name"))
            }
            StoreError::NoSuchMemory { .. } => plain.hint(Hint::run::<ListMemories>()),
            StoreError::AmbiguousMemory { candidates, .. } => {
                let line = |memory: &MemoryLine| format!("{} {}", memory.id, visible(&memory.summary, Breaks::Mark));
                plain.details(candidates.iter().map(line)).hint(Hint::say("give the whole id"))
            }
            StoreError::Archived { ref name, .. } => {
                plain.hint(Hint::run_with::<RestoreSession>(json!({"session": name})))
            }
            StoreError::NotInTrash { close, .. } => plain.details(close_lines(&close)).hint(Hint::run::<ListTrash>()),
            StoreError::AmbiguousChange { candidates, .. } => {
                plain.details(candidates.iter().map(ToString::to_string)).hint(Hint::say("give the whole id"))
            }
            StoreError::CannotUndo { later, .. } => match later.last() {
                Some(first) => plain
                    .details(later.iter().map(|id| format!("changed since by `{id}`")))
                    .hint(Hint::run_with::<Undo>(json!({"change": first.as_str()})))
                    .hint(Hint::run_with::<ShowLog>(json!({"id": first.as_str()}))),
                None => plain,
            },
            StoreError::ChangedSinceUndo { undo, later } => plain
                .details(later.iter().map(|id| format!("changed since by `{id}`")))
                .hint(Hint::run_with::<Undo>(json!({"change": undo.as_str()}))),
            StoreError::NotInLog { wanted, tasks } => plain
                .details(tasks.iter().map(|task| format!("not in the log: {}", line(task))))
                .hint(Hint::run_with::<Undo>(json!({"change": wanted.as_str()})))
                .hint(Hint::run_with::<ShowLog>(json!({"id": wanted.as_str()}))),
            StoreError::LogDamaged(_) => plain.hint(Hint::say("give the id of a change, as `handoff log` shows it")),
            StoreError::NoSuchChange { .. } | StoreError::NothingToUndo { .. } | StoreError::NothingToRedo => {
                plain.hint(Hint::run::<ShowLog>())
            }
            StoreError::Damaged(_) | StoreError::NoConfig { .. } | StoreError::NoNumberLeft => {
                plain.hint(Hint::run::<Doctor>())
            }
            StoreError::Changed { .. } => {
                plain.hint(Hint::say("read it again, and repeat the change on what it is now"))
            }
            StoreError::InTheWay { .. } => plain.hint(Hint::say("move it somewhere else, and try again")),
            StoreError::AlreadyProject { .. } => plain.hint(Hint::run::<ListTasks>()),
            StoreError::HomeDirectory { .. } => plain.hint(Hint::say("run it in the directory of the project")),
            StoreError::Locked { .. }
            | StoreError::Stopped(_)
            | StoreError::ChangedUnderway { .. }
            | StoreError::TooDeep { .. }
            | StoreError::UnderItself { .. }
            | StoreError::TooLarge { .. }
            | StoreError::BodyTooLarge { .. }
            | StoreError::AlreadyThere { .. }
            | StoreError::NoUserStore => plain,
        }
    }
}

fn kind_of(error: &StoreError) -> ErrorKind {
    match error {
        StoreError::NoProject { .. }
        | StoreError::NoSuchTask { .. }
        | StoreError::NoSuchSession { .. }
        | StoreError::NoSuchMemory { .. }
        | StoreError::NoSuchChange { .. }
        | StoreError::NotInTrash { .. } => ErrorKind::NotFound,
        StoreError::Unusable { .. }
        | StoreError::Read { .. }
        | StoreError::Write { .. }
        | StoreError::HalfDone { .. }
        | StoreError::Stopped(_)
        | StoreError::NoUserStore => ErrorKind::Failure,
        StoreError::Damaged(_) | StoreError::Stuck { .. } | StoreError::NoConfig { .. } => ErrorKind::Damaged,
        StoreError::Paused(_) => ErrorKind::Paused,
        StoreError::LogDamaged(_)
        | StoreError::Locked { .. }
        | StoreError::Ambiguous { .. }
        | StoreError::AmbiguousSession { .. }
        | StoreError::AmbiguousMemory { .. }
        | StoreError::Archived { .. }
        | StoreError::Changed { .. }
        | StoreError::ChangedUnderway { .. }
        | StoreError::InTheWay { .. }
        | StoreError::TooDeep { .. }
        | StoreError::UnderItself { .. }
        | StoreError::NoNumberLeft
        | StoreError::TooLarge { .. }
        | StoreError::BodyTooLarge { .. }
        | StoreError::AlreadyThere { .. }
        | StoreError::AmbiguousChange { .. }
        | StoreError::CannotUndo { .. }
        | StoreError::ChangedSinceUndo { .. }
        | StoreError::NothingToUndo { .. }
        | StoreError::NotInLog { .. }
        | StoreError::NothingToRedo
        | StoreError::AlreadyProject { .. }
        | StoreError::HomeDirectory { .. } => ErrorKind::Refused,
    }
}

/// Whether a place in a store is concerned, and not a file of the user's elsewhere.
fn is_in_store(error: &StoreError) -> bool {
    match error {
        StoreError::Read { path, .. } | StoreError::Write { path, .. } | StoreError::HalfDone { path, .. } => {
            std::path::Path::new(path).is_relative()
        }
        _ => false,
    }
}

/// Whether something of another kind stands where a file or directory belongs.
fn is_in_the_way(source: &io::Error) -> bool {
    matches!(source.kind(), io::ErrorKind::InvalidInput | io::ErrorKind::NotADirectory | io::ErrorKind::IsADirectory)
}

fn advice(source: &io::Error) -> Option<&'static str> {
    Some(match source.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => "the disk is full: free some space and try again",
        io::ErrorKind::ReadOnlyFilesystem => "this file system can only be read; reading still works",
        _ if is_in_the_way(source) => "something else stands in its place: move that away, and try again",
        io::ErrorKind::PermissionDenied => "you may not write here; reading still works where that is allowed",
        _ => return None,
    })
}

fn session_line(session: &SessionLine) -> String {
    format!("{} {}: {}", session.name, session.status, visible(&session.title, Breaks::Mark))
}

fn close_lines(close: &[TaskLine]) -> Vec<String> {
    close.iter().map(|task| format!("close: {}", line(task))).collect()
}

/// A task on one line, for choosing it.
pub(crate) fn line(task: &TaskLine) -> String {
    let title = visible(&task.title, Breaks::Mark);
    match &task.number {
        Some(number) => format!("{number} {} {title}", task.id),
        None => format!("{} {title}", task.id),
    }
}

impl From<Refusal> for OpError {
    fn from(refusal: Refusal) -> OpError {
        // Kept as the cause, so that an operation can say it in words of its own.
        let plain = OpError::refused(refusal.to_string()).caused_by(refusal.clone());
        match refusal {
            Refusal::OpenCriteria { id, items } => {
                let hint = Hint::run_with::<CheckCriterion>(json!({"id": id, "criterion": items[0].0.to_string()}));
                plain
                    .details(items.iter().map(|(place, item)| format!("{place}. {}", visible(item, Breaks::Mark))))
                    .hint(hint)
            }
            Refusal::OpenChildren { children, .. } => {
                let hint = Hint::run_with::<UpdateTask>(json!({"id": children[0].0, "status": "done"}));
                plain
                    .details(children.iter().map(|(id, title)| format!("{id} {}", visible(title, Breaks::Mark))))
                    .hint(hint)
            }
            Refusal::ParentDone { parent } => {
                plain.hint(Hint::run_with::<UpdateTask>(json!({"id": parent, "status": "in_progress"})))
            }
            Refusal::NoSuchCriterion { id, .. }
            | Refusal::NoSuchCriterionText { id, .. }
            | Refusal::NoSuchLink { id, .. } => {
                OpError::not_found(plain.message()).hint(Hint::run_with::<ShowTask>(json!({"id": id})))
            }
            Refusal::DependencyCycle { .. } => plain,
        }
    }
}
