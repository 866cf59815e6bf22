//! Signs of life that nobody has to report: what agents and people do here anyway.
//!
//! **Invariant:** no request fails, waits or is slower to notice because of one. Where nobody has a timer this is one look
//! at a directory that is not there.

use std::panic::{AssertUnwindSafe, catch_unwind};

use handoff_model::timer::{Phase, Sign};

use super::{ReportActivity, ShowTimers};
use crate::{Door, Entry, Operation, Project};

/// Takes a request for a sign of life of who asked.
pub(crate) fn after(entry: &Entry, project: &Project) {
    // Clients look at timers on their own, and say themselves what they have seen.
    if [ShowTimers::NAME, ReportActivity::NAME].contains(&entry.name) {
        return;
    }
    match project.door {
        // Every call is something that an agent does, so a silence of its host means something.
        Door::Mcp => note(project, true),
        // Whoever changes something is there; whoever does not may be at work all the same.
        Door::Cli | Door::Http if !entry.effect.is_reading() => note(project, false),
        Door::Cli | Door::Http => {}
    }
}

/// Notes that the person is at work, where their timer runs.
pub(crate) fn note(project: &Project, watches: bool) {
    // Nothing depends on it, so nobody is told when it goes wrong.
    let _ = catch_unwind(AssertUnwindSafe(|| try_to_note(project, watches)));
}

fn try_to_note(project: &Project, watches: bool) -> Option<()> {
    let store = project.store_if_open().filter(|store| store.has_timers())?;
    let kept = store.timer(&project.author().ok()?).ok()??;
    if kept.timer.phase == Phase::Running && project.pauses().is_empty() {
        store.note_sign(&kept, &Sign { reading: project.reading(), watches }).ok()?;
    }
    Some(())
}
