//! A dry run: what each step would do, found out without doing anything.

use handoff_engine::{Run, Status};

use super::choice::Choice;
use super::kept::{self, HandoverRun};
use super::source::Declaration;
use super::view::{HandoverView, StepView};
use super::{Inputs, RunHandover, steps, when};
use crate::{OpError, Project};

/// What would be done.
pub(super) fn plan(project: &mut Project, asked: &RunHandover) -> Result<HandoverView, OpError> {
    let open = kept::read(project.store())?.filter(|run| run.status == Status::InProgress);
    let mut said = Vec::new();
    if asked.abandon {
        said.push(match &open {
            Some(run) => format!("would give up run {}", run.run),
            None => "no handover was cut short: there is nothing to give up".to_owned(),
        });
        if !asked.asks_for_more() {
            let steps = open.iter().flat_map(|run| &run.steps).map(StepView::of).collect();
            return Ok(HandoverView::planned(said.join("; "), steps, Vec::new()));
        }
    }
    let unfinished = open.filter(|_| !asked.abandon);
    let given = unfinished.as_ref().map_or(asked.config.clone(), |run| run.inputs.config.clone());
    let declared = Declaration::read(project, given.as_deref())?;
    let mut changes = Vec::new();
    let is_new = unfinished.is_none();
    let mut run: HandoverRun = match unfinished {
        Some(mut run) => {
            let differences = run.adopt(declared.steps()).map_err(|error| declared.refused(&error.to_string()))?;
            changes = differences.iter().map(ToString::to_string).collect();
            said.push(format!("would finish run {}", run.run));
            if asked.asks_for_more() {
                said.push("then hand over what is given now".to_owned());
            }
            run
        }
        None => {
            said.push("would hand over".to_owned());
            let inputs = Inputs::capture(project, asked, &declared)?;
            let at = inputs.asked_at;
            Run::start("planned", declared.steps(), inputs, at).map_err(|error| declared.refused(&error.to_string()))?
        }
    };
    let choice = Choice::of(asked);
    if is_new {
        choice.begin(&mut run, project)?;
    } else {
        choice.apply(&mut run, project)?;
    }
    let waiting = project.store().queued_runs()?.len();
    if waiting > 0 {
        said.push(format!("{waiting} more wait in the queue"));
    }
    if let Err(error) = steps::check_trust(project, &declared) {
        said.push(format!("but it would be refused: {}", error.sentence()));
    }
    if let Err(paused) = project.refuse_paused() {
        said.push(format!("but not now: {}", paused.sentence()));
    }
    let mut views = Vec::new();
    for track in &run.steps {
        let mut view = StepView::of(track);
        let is_meant = is_new || asked.only.is_empty() || asked.only.contains(&track.step.id);
        if !track.is_over() && is_meant {
            match when::unmet(project, &run, &track.step.action.when) {
                Some(reason) => (view.state, view.detail) = ("skipped".to_owned(), Some(reason)),
                None => view.detail = Some(steps::plan(project, &run, &track.step.action)?),
            }
        }
        views.push(view);
    }
    Ok(HandoverView::planned(said.join("; "), views, changes))
}
