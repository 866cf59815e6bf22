//! What all commands to a timer have in common: whose it is, taking in the signs of life, and one change for the timer
//! and the time log.

use handoff_model::id::{TaskId, TaskRef};
use handoff_model::text::Name;
use handoff_model::timer::{self, Command, KeptTimer, Sign, Step, Timer, TimerRefusal};
use handoff_store::Found;
use serde_json::json;

use super::{ShowTimers, StartTimer, StopTimer, SwitchTimer};
use crate::session::which;
use crate::task::{UpdateTask, change};
use crate::{Breaks, Hint, OpError, Project, visible};

/// The person whose timer is meant: the one who is named, else whoever acts. A tool has no timer of its own.
pub(super) fn person(project: &Project, named: Option<Name>) -> Result<String, OpError> {
    named.map_or_else(|| project.author(), |name| Ok(name.into()))
}

/// How long silence may last.
pub(super) fn idle_minutes(project: &Project) -> u32 {
    u32::try_from(project.config().settings.timer_idle_timeout_minutes.count()).unwrap_or(timer::IDLE_MINUTES)
}

/// The timer of a person with the signs of life taken in, if they have one.
pub(super) fn present(project: &Project, who: &str) -> Result<Option<Timer>, OpError> {
    let kept = project.store().timer(who)?;
    Ok(kept.map(|kept| up_to_date(project, kept)))
}

pub(super) fn up_to_date(project: &Project, kept: KeptTimer) -> Timer {
    let signs = project.store().signs_of_life(&kept);
    kept.with_signs(&signs, idle_minutes(project))
}

/// What came of a command.
pub(super) struct Followed {
    pub(super) who: String,
    /// The timer as it was before
    pub(super) before: Option<Timer>,
    pub(super) step: Step,
    /// Whether what was counted was to be thrown away
    pub(super) discards: bool,
}

/// Follows one command, and stages what comes of it as one change.
pub(super) fn follow(
    project: &mut Project,
    who: String,
    command: impl FnOnce(&Project, Option<&Timer>) -> Result<Command, OpError>,
) -> Result<Followed, OpError> {
    let before = present(project, &who)?;
    let command = command(project, before.as_ref())?;
    let discards = command == Command::Discard;
    // What was decided must be written down, or the same time would be in doubt again.
    let decides = matches!(command, Command::Decide(_));
    // Read after the signs, so that none of them is later.
    let now = project.reading();
    let step = timer::step(before.clone(), &who, command, &now, idle_minutes(project))
        .map_err(|refusal| refused(project, &who, &refusal))?;
    let is_same =
        |timer: &Timer, before: &Timer| Timer { last_seen: before.last_seen.clone(), ..timer.clone() } == *before;
    if let (Some(timer), Some(before)) = (&step.timer, &before)
        && step.intervals.is_empty()
        && !decides
        && is_same(timer, before)
    {
        // Nothing to write down, and nothing to take back.
        if let Some(kept) = project.store().timer(&who)? {
            project.store().note_sign(&kept, &Sign { reading: now, watches: false })?;
        }
        return Ok(Followed { who, before: Some(before.clone()), step, discards });
    }
    for interval in &step.intervals {
        project.store_mut().log_time(interval.clone())?;
    }
    let kept = step.timer.clone().map(|timer| KeptTimer::new(timer, new_name()));
    project.store_mut().put_timer(&who, kept.as_ref())?;
    Ok(Followed { who, before, step, discards })
}

/// A name for the signs of life of one writing of a timer.
fn new_name() -> String {
    format!("{:016x}", u64::from_le_bytes(handoff_store::random()))
}

/// The task to work on, which must be open.
pub(super) fn open_task(project: &Project, task: &TaskRef) -> Result<Found, OpError> {
    let found = change::find(project, task, None)?;
    if found.task.status.is_finished() {
        let name = name(project, found.task.id);
        let reopen = json!({"id": found.task.id, "status": "in_progress"});
        return Err(OpError::refused(format!("{name} is {}: a timer is for work that is open", found.task.status))
            .hint(Hint::run_with::<UpdateTask>(reopen)));
    }
    Ok(found)
}

/// The session of the caller, where the timer is their own.
pub(super) fn session(project: &Project, who: &str) -> Option<String> {
    if project.author().ok().as_deref() != Some(who) {
        return None;
    }
    let sessions = project.store().handoffs().ok()?;
    which::mine(project, &sessions).map(|found| found.name.clone())
}

/// A task in a sentence: its number and title, or its id where it is gone.
pub(crate) fn name(project: &Project, task: TaskId) -> String {
    match project.store().find(&task.into()) {
        Ok(found) => format!("{} {}", found.number, visible(&found.task.title, Breaks::Mark)),
        Err(_) => format!("`{task}`, which is gone"),
    }
}

fn refused(project: &Project, who: &str, refusal: &TimerRefusal) -> OpError {
    let named = |task: &TaskId| name(project, *task);
    match refusal {
        TimerRefusal::NotRunning => OpError::refused(format!("{} has no timer here", visible(who, Breaks::Mark)))
            .hint(Hint::run::<ShowTimers>()),
        TimerRefusal::Busy { task, phase, since } => {
            let message =
                format!("the timer of {} is {phase} on {} since {since}", visible(who, Breaks::Mark), named(task));
            OpError::refused(message)
                .hint(Hint::run_with::<SwitchTimer>(json!({"task_id": "TASK"})))
                .hint(Hint::run::<StopTimer>())
        }
        TimerRefusal::PausedAlready { task, since } => {
            OpError::refused(format!("the timer on {} is paused already, since {since}", named(task)))
                .hint(Hint::run_with::<StartTimer>(json!({"task_id": task})))
        }
        TimerRefusal::NotPaused { task } => OpError::refused(format!("the timer on {} is not paused", named(task))),
    }
}
