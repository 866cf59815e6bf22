//! `command`: a program of the person's own, run at most once.

use std::time::Duration;

use handoff_engine::Turn;
use handoff_model::handover::{Act, Command};
use serde_json::{Value, json};

use super::Performed;
use crate::run::HandoverRun;
use crate::run::command::{self, CommandStep, Key, NotRun};
use crate::{OpError, Project};

pub(super) fn perform(
    project: &mut Project,
    run: &HandoverRun,
    turn: &Turn<Act>,
    wanted: &Command,
) -> Result<Performed, OpError> {
    let step = CommandStep {
        argv: wanted.run.clone(),
        cwd: wanted.directory.clone(),
        env: wanted.env.clone(),
        inherit: None,
        timeout: Duration::from_secs(turn.action.timeout_seconds),
        repeatable: wanted.repeatable,
        stdin: wanted.facts.then(|| facts(run).to_string()),
    };
    let key = Key { run: run.run.clone(), step: turn.id.clone(), known_by: turn.key.clone(), attempt: turn.attempt };
    match command::perform(project, &step, &key) {
        Ok(ran) => Ok(Performed::Done(json!({"message": format!("`{}` ended well", shown(wanted)), "ran": ran}))),
        Err(NotRun::NotStarted(error) | NotRun::Failed(error)) => Err(error),
        Err(NotRun::Unknown(error) | NotRun::Unfinished(error)) => Ok(Performed::Unsettled(error)),
    }
}

/// The command as a person would write it.
pub(super) fn shown(wanted: &Command) -> String {
    wanted.run.join(" ")
}

/// What was collected and handed over, for a program to work with.
fn facts(run: &HandoverRun) -> Value {
    let collected = run.steps.iter().find(|track| track.step.action.action.kind() == "collect");
    let inputs = &run.inputs;
    json!({
        "run": run.run,
        "asked_at": inputs.asked_at,
        "by": inputs.by,
        "tool": inputs.tool,
        "note": inputs.note,
        "current_state": inputs.state,
        "next": inputs.next,
        "tag": inputs.tag,
        "session": crate::run::view::session_of(run),
        "facts": collected.map(|track| &track.outcome),
    })
}
