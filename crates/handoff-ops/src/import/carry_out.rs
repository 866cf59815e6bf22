//! Carrying out the plan of an import: everything is staged, and committed as one change.

use std::collections::{HashMap, HashSet};

use handoff_bundle::Content;
use handoff_import::Taken;
use handoff_model::MAX_FILE_BYTES;
use handoff_model::document::Unreadable;
use handoff_model::heal::{Merged, RecordKind, Sides, merge};
use handoff_model::id::TaskId;
use handoff_model::number::MAX_ORDINAL;
use handoff_model::session::{NoteCategory, Session, SessionNote};
use handoff_model::task::Task;
use handoff_model::text::Hours;
use handoff_model::time_log::Interval;
use handoff_store::Found;

use super::memories;
use super::plan::Plan;
use super::report::Step;
use crate::{Hint, OpError, Project};

/// Stages what a plan says. The answer is the plan, with what was to be told on the way.
pub(crate) fn carry_out(project: &mut Project, taken: &Taken, mut plan: Plan) -> Result<Plan, OpError> {
    sessions(project, &taken.content, &mut plan)?;
    tasks(project, &taken.content, &mut plan)?;
    memories::carry_out(project, &taken.memories, &mut plan)?;
    if plan.records().any(|record| matches!(record.step, Step::New | Step::Replaced | Step::Merged)) {
        project.rebuild_current_state();
    }
    Ok(plan)
}

fn sessions(project: &mut Project, content: &Content, plan: &mut Plan) -> Result<(), OpError> {
    let total = plan.sessions.len();
    for (done, planned) in plan.sessions.iter_mut().enumerate() {
        project.report_progress("importing sessions", done, Some(total));
        let carried = &content.sessions[planned.place];
        match (planned.record.step, &planned.present) {
            (Step::New, _) => {
                project.store_mut().adopt_session(&carried.name, carried.text.clone(), carried.body.clone())?;
            }
            (Step::Replaced, Some(found)) => {
                project.store_mut().replace_session(found, carried.text.clone(), carried.body.clone())?;
            }
            (Step::Merged, Some(found)) => {
                let sides = Sides { base: None, ours: found.text(), theirs: &carried.text };
                let merged = merged(RecordKind::Session, sides, project, &carried.name)?;
                plan.warnings.extend(told(&carried.name, &merged));
                let body = project.store().session_body(found)?;
                let mut text = merged.text;
                let other = carried.body.as_ref().filter(|other| body.as_ref().is_some_and(|body| body != *other));
                if let Some(other) = other {
                    let name = &carried.name;
                    text = with_other_body(&text, other, name)?;
                    plan.warnings.push(format!(
                        "the free-form text of `{name}` that is here was kept; the other one is a note in the record"
                    ));
                }
                if text == found.text() && (body.is_some() || carried.body.is_none()) {
                    planned.record.step = Step::Same;
                }
                let body = body.or_else(|| carried.body.clone());
                project.store_mut().replace_session(found, text, body)?;
            }
            _ => {}
        }
    }
    Ok(())
}

fn tasks(project: &mut Project, content: &Content, plan: &mut Plan) -> Result<(), OpError> {
    if plan.tasks.is_empty() {
        return Ok(());
    }
    // Numbers that are taken, among those that are here and those that come.
    let mut taken: HashSet<(Option<TaskId>, u32)> = HashSet::new();
    for node in project.store().whole_forest()?.walk() {
        taken.insert((node.parent, node.number.ordinal()));
    }
    let mut placed: HashMap<TaskId, Found> = HashMap::new();
    let mut worked = Vec::new();
    let total = plan.tasks.len();
    let order = parents_first(content, plan);
    for (done, index) in order.into_iter().enumerate() {
        project.report_progress("importing tasks", done, Some(total));
        let planned = &mut plan.tasks[index];
        let carried = &content.tasks[planned.place];
        match (planned.record.step, &planned.present) {
            (Step::New, _) => {
                let parent = match planned.parent {
                    None => None,
                    Some(id) => match placed.get(&id) {
                        Some(found) => Some(found.clone()),
                        None => project.store().find(&id.into()).ok(),
                    },
                };
                let above = parent.as_ref().map(|parent| parent.task.id);
                let own = carried.number.filter(|number| (1..=MAX_ORDINAL).contains(number));
                let own = own.filter(|number| above == carried.parent && !taken.contains(&(above, *number)));
                let found = project.store_mut().adopt_task(parent.as_ref(), &carried.text, own)?;
                taken.insert((above, found.number.ordinal()));
                worked.extend(hours_elsewhere(project, &found.task));
                if carried.archived {
                    plan.warnings.push(format!("task `{}` was in an archive; `handoff gc` packs it again", carried.id));
                }
                placed.insert(carried.id, found);
            }
            (Step::Replaced, Some(found)) => {
                project.store_mut().replace_task(found, &carried.text)?;
            }
            (Step::Merged, Some(found)) => {
                let sides = Sides { base: None, ours: found.text(), theirs: &carried.text };
                let merged = merged(RecordKind::Task, sides, project, carried.id.as_str())?;
                plan.warnings.extend(told(carried.id.as_str(), &merged));
                if merged.text == found.text() {
                    planned.record.step = Step::Same;
                }
                project.store_mut().replace_task(found, &merged.text)?;
            }
            _ => {}
        }
    }
    project.store_mut().log_times(worked)?;
    Ok(())
}

/// The hours that another system had counted for a task, as an entry for the time log.
fn hours_elsewhere(project: &Project, task: &Task) -> Option<Interval> {
    let origin = task.origin.as_ref()?;
    let hours = origin.fields.get("schedule")?.get("actual_hours")?.as_f64()?;
    let minutes = Task::minutes_of(Hours::try_from(hours).ok()?.value());
    let who = task.assignee.clone().unwrap_or_else(|| project.person());
    let at = task.completed_at.or(task.last_touched()).unwrap_or(project.now());
    let note = Some(format!("counted by {}", origin.system));
    (minutes > 0).then(|| Interval { note, ..Interval::minutes(task.id, &who, at, minutes) })
}

/// The planned tasks in an order in which each comes after the one it is put under.
fn parents_first(content: &Content, plan: &Plan) -> Vec<usize> {
    let index: HashMap<TaskId, usize> =
        plan.tasks.iter().enumerate().map(|(index, planned)| (content.tasks[planned.place].id, index)).collect();
    let mut order = Vec::with_capacity(plan.tasks.len());
    let mut is_listed = vec![false; plan.tasks.len()];
    for start in 0..plan.tasks.len() {
        let mut above = Vec::new();
        let mut at = Some(start);
        while let Some(here) = at.filter(|here| !is_listed[*here] && !above.contains(here)) {
            above.push(here);
            at = plan.tasks[here].parent.and_then(|parent| index.get(&parent)).copied();
        }
        for here in above.into_iter().rev() {
            is_listed[here] = true;
            order.push(here);
        }
    }
    order
}

fn merged(kind: RecordKind, sides: Sides<'_>, project: &Project, name: &str) -> Result<Merged, OpError> {
    merge(kind, sides, project.now())
        .map_err(|error| OpError::refused(format!("the two versions of `{name}` cannot become one")).caused_by(error))
}

/// The text of a session with a body that cannot stand beside it as a note.
fn with_other_body(text: &str, other: &str, name: &str) -> Result<String, OpError> {
    let unread = |error: Unreadable| {
        OpError::damaged(format!("the two versions of `{name}` cannot become one")).caused_by(error)
    };
    let mut session = Session::read(text).map_err(unread)?;
    let note = SessionNote {
        note: format!("two versions were joined; the free-form text of the other was:\n{other}"),
        category: NoteCategory::Context,
    };
    if session.notes.contains(&note) {
        return Ok(text.to_owned());
    }
    session.notes.push(note);
    let text = session.write_over(text).map_err(unread)?;
    if text.len() > MAX_FILE_BYTES {
        let message = format!("the two free-form texts of `{name}` are too large to become one; nothing was imported");
        return Err(OpError::refused(message).hint(Hint::say("choose one with `--on-conflict skip` or `replace`")));
    }
    Ok(text)
}

fn told<'a>(name: &'a str, merged: &'a Merged) -> impl Iterator<Item = String> + 'a {
    merged.disputes.iter().map(move |dispute| format!("two versions of `{name}` became one; {dispute}"))
}
