//! What a run or a request may say when it is read from a file in `local/state/`.
//!
//! **Invariant:** a state file is data, whoever wrote it. The store accepts only files that this installation sealed; this
//! is the second line behind it, so that a file that gets past the seal still makes nothing happen that a person did not
//! ask for. What does not have the form that handoff writes makes the whole entry damaged. Beyond its form, each field
//! is resolved again when it is used:
//!
//! | field | may be | where that is decided |
//! |---|---|---|
//! | `run` | the id of a run | here |
//! | `request` | the name of a request, the same as that of its file | here |
//! | `session`, `record` | session ids, by their type | reading |
//! | `only`, `from`, `skip`, ids and keys of steps | the form of such an id | here |
//! | `steps` of a request, actions of a run | steps that a list could declare: no path leads out of the project | here |
//! | `directory` | an absolute path; one outside the project is not used | [`Project::act_as`] |
//! | `config` | an absolute path: in the project, named by this very request, or trusted by the person | `source.rs` |
//! | `compatible_checkpoint` | an absolute path: written in the project, or where this very request says | `compatible.rs` |
//! | `by`, `author`, `tool`, `agent_session`, notes and outcomes | any text: nothing is found or run by it | |
//!
//! A file whose presence pauses the run is taken from the list as it is now, not from here. Which programs run is decided
//! by the list, too: see [`check_trust`](super::steps::check_trust).
//!
//! [`Project::act_as`]: crate::Project::act_as

use std::path::Path;

use handoff_engine::{Step, Track};
use handoff_model::handover::{Act, Declared};
use handoff_model::id::{SessionId, TaskId, shorten};

use super::Inputs;
use super::kept::HandoverRun;
use crate::{Breaks, visible};

/// Longer than any key of a step.
const LONGEST_KEY: usize = 120;

/// Refuses a run that handoff would not write, naming the field and what would be right.
pub(super) fn check_run(run: &HandoverRun) -> Result<(), String> {
    run.run.parse::<TaskId>().map_err(|_| wrong("run", &run.run, "the id of a run"))?;
    run.steps.iter().try_for_each(check_track)?;
    check_inputs(&run.inputs)
}

/// Refuses a request that handoff would not write, naming the field and what would be right.
pub(super) fn check_inputs(inputs: &Inputs) -> Result<(), String> {
    if !is_request(&inputs.request) {
        return Err(wrong("request", &inputs.request, "the name of a request, such as `01763197200000-a3f9c12e.json`"));
    }
    check_absolute("directory", &inputs.directory)?;
    inputs.config.iter().try_for_each(|path| check_absolute("config", path))?;
    inputs.compatible_checkpoint.iter().try_for_each(|path| check_absolute("compatible_checkpoint", path))?;
    let chosen = [("only", inputs.only.iter()), ("skip", inputs.skip.iter())].into_iter();
    let mut chosen = chosen.flat_map(|(field, ids)| ids.map(move |id| (field, id)));
    let from = inputs.from.iter().map(|id| ("from", id));
    match chosen.by_ref().chain(from).find(|(_, id)| !Declared::is_id(id)) {
        Some((field, id)) => Err(wrong(field, id, "the id of a step")),
        None => inputs.steps.iter().try_for_each(check_step),
    }
}

/// A step as a list would declare it.
pub(super) fn declared(step: &Step<Act>) -> Declared {
    Declared {
        id: step.id.clone(),
        act: step.action.clone(),
        retries: step.retries,
        backoff_milliseconds: step.backoff_milliseconds,
    }
}

fn check_track(track: &Track<Act>) -> Result<(), String> {
    check_step(&track.step)?;
    // An empty one is that of a run which an earlier version wrote.
    let is_key = track.key.len() <= LONGEST_KEY && track.key.bytes().all(is_plain);
    if is_key { Ok(()) } else { Err(wrong("key", &track.key, "letters, digits, `-` and `_`")) }
}

fn check_step(step: &Step<Act>) -> Result<(), String> {
    declared(step).check().map_err(|error| error.reason)?;
    let is_deed = step.deed.bytes().all(|byte| byte.is_ascii_hexdigit());
    if is_deed { Ok(()) } else { Err(wrong("deed", &step.deed, "a hash")) }
}

fn check_absolute(field: &str, path: &Path) -> Result<(), String> {
    let shown = path.to_string_lossy();
    if path.is_absolute() && !shown.contains('\0') { Ok(()) } else { Err(wrong(field, &shown, "an absolute path")) }
}

/// Returns whether a text has the form that [`Inputs::capture`] gives the name of a request.
fn is_request(name: &str) -> bool {
    let parts = name.strip_suffix(".json").and_then(|stem| stem.split_once('-'));
    parts.is_some_and(|(time, id)| {
        (14..=20).contains(&time.len())
            && time.bytes().all(|byte| byte.is_ascii_digit())
            && SessionId::try_from(id.to_owned()).is_ok()
    })
}

const fn is_plain(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_')
}

fn wrong(field: &str, value: &str, right: &str) -> String {
    format!("`{field}` is `{}`, and must be {right}", visible(&shorten(value), Breaks::Mark))
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "tests prepare files as others would")]
mod tests;
