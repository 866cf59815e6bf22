//! What each kind of step does. A file per kind that is more than a call.
//!
//! **Invariant:** performing a step again comes to the same as performing it once: each looks whether it happened. The
//! lock of the store is held for a change only, never while git, a program or a network is waited for.

use std::time::Duration;

use handoff_engine::{Step, Turn};
use handoff_model::handover::{Act, Action, Note, When};
use handoff_store::CURRENT_STATE;
use serde_json::{Value, json};

use super::HandoverRun;
use super::source::Declaration;
use crate::task::pack_tasks;
use crate::trust::require;
use crate::{OpError, Project};

mod close;
mod collect;
mod command;
mod export;
mod mirror;
mod note;
mod publish;

/// The step that keeps what no other took.
const KEPT_NOTE: &str = "kept-note";

/// What came of a step.
pub(super) enum Performed {
    /// With what to keep of it: `message` is shown, `warning` is told
    Done(Value),
    /// There was nothing to do
    Skipped(String),
    /// Nobody can tell whether it happened, or it goes on still
    Unsettled(OpError),
}

impl Performed {
    fn done(message: impl Into<String>) -> Performed {
        Performed::Done(json!({"message": message.into()}))
    }
}

/// Performs a step.
pub(super) fn perform(project: &mut Project, run: &HandoverRun, turn: &Turn<Act>) -> Result<Performed, OpError> {
    let limit = Duration::from_secs(turn.action.timeout_seconds);
    match &turn.action.action {
        Action::Collect(collect) => collect::perform(project, run, collect, limit),
        Action::Close(_) => close::perform(project, run),
        Action::Note(note) => note::perform(project, run, note),
        Action::State(_) => state(project),
        Action::Pack(pack) => self::pack(project, pack.older_than_days),
        Action::Export(export) => export::perform(project, run, export),
        Action::Publish(publish) => publish::perform(project, run, publish, limit),
        Action::Command(command) => command::perform(project, run, turn, command),
        Action::Mirror(mirror) => mirror::perform(project, run, mirror),
        Action::Compact(compact) => mirror::compact(project, compact),
    }
}

/// Refuses a list that does more than hand over, where nobody trusted it to: run programs, sign, or publish what is not ours
/// or otherwise than the person set git up for.
///
/// This decides what state files can make happen. A run performs the steps of its list as the list is now: a checkpoint
/// is [adopted](handoff_engine::Run::adopt) by it, so its own actions are never performed, and a request has none but
/// those of a list that is gone. A program therefore runs only where the bytes that were just read are trusted, by their
/// hash, in the person's own list of trusted files. The order by which it is started is written for each start, under
/// the lock of the step, and sealed; one that was there before is overwritten or refused.
pub(super) fn check_trust(project: &Project, declared: &Declaration) -> Result<(), OpError> {
    let needs_trust = declared.handover.steps.iter().any(|step| match &step.act.action {
        Action::Command(_) => true,
        Action::Export(export) => export.sign_key.is_some(),
        Action::Publish(publish) => publish::goes_beyond(project, declared, publish),
        _ => false,
    });
    match &declared.path {
        Some(path) if needs_trust => require(project, path, &declared.bytes),
        _ => Ok(()),
    }
}

/// The step that keeps what was given, where no other took it.
pub(super) fn left_over(run: &HandoverRun) -> Option<Step<Act>> {
    let inputs = &run.inputs;
    let has_something = inputs.note.is_some() || inputs.state.is_some() || !inputs.next.is_empty();
    if !has_something || super::view::session_of(run).is_some() {
        return None;
    }
    let act = Act { action: Action::Note(Note::default()), when: When::default(), timeout_seconds: 60 };
    Some(Step::new(KEPT_NOTE, act))
}

/// Forgets what is kept beside a run that is over; what cannot be forgotten now is swept later.
pub(super) fn forget(project: &Project, run: &HandoverRun) {
    let _ = crate::run::command::forget(project, &run.run);
}

fn state(project: &mut Project) -> Result<Performed, OpError> {
    let read = |project: &Project| Ok::<_, OpError>(project.store().file(CURRENT_STATE)?.map(|(text, _)| text));
    let (before, text) = project.change("run", |project| {
        let before = read(project)?;
        let text = crate::resume::current_state(project)?.text();
        project.store_mut().put_view(CURRENT_STATE, text.clone());
        Ok((before, text))
    })?;
    // A view may fail to be written without failing the change that asks for it; here it is the change. Somebody else may
    // have made it anew since.
    let after = read(project)?;
    if after.as_ref() != Some(&text) && after == before {
        return Err(OpError::failure(format!("`{CURRENT_STATE}` could not be written"))
            .detail(project.shown(&project.store().path_of(CURRENT_STATE))));
    }
    Ok(Performed::done("current-state.md is made anew"))
}

fn pack(project: &mut Project, older_than: Option<u32>) -> Result<Performed, OpError> {
    let packings = project.change("run", |project| pack_tasks(project, older_than))?;
    let count: usize = packings.iter().filter(|packing| packing.stays.is_none()).map(|packing| packing.count).sum();
    Ok(match count {
        0 => Performed::Skipped("no task was finished long enough ago".to_owned()),
        1 => Performed::done("packed 1 finished task"),
        count => Performed::done(format!("packed {count} finished tasks")),
    })
}

/// What a step would do, in words.
pub(super) fn plan(project: &Project, run: &HandoverRun, act: &Act) -> Result<String, OpError> {
    let inputs = &run.inputs;
    Ok(match &act.action {
        Action::Collect(_) => "would ask git, the tasks and the agent's transcript".to_owned(),
        Action::Close(_) => match &inputs.session {
            Some(id) => format!("would close session {id}"),
            None => "no session of yours is under way".to_owned(),
        },
        Action::Note(_) if inputs.note.is_none() && inputs.state.is_none() && inputs.next.is_empty() => {
            "no note was given: a new transcript would become one".to_owned()
        }
        Action::Note(_) => "would write the note, unless a session takes it".to_owned(),
        Action::State(_) => "would make current-state.md anew".to_owned(),
        Action::Pack(_) => "would pack tasks that were finished long ago".to_owned(),
        Action::Export(wanted) => format!("would write {}", export::output(run, &wanted.output)),
        Action::Publish(publish) => publish::plan(project, run, publish, Duration::from_secs(act.timeout_seconds)),
        Action::Command(command) => format!("would run `{}`", command::shown(command)),
        Action::Mirror(mirror) => mirror::plan(project, run, mirror)?,
        Action::Compact(compact) => mirror::plan_compact(project, compact)?,
    })
}
