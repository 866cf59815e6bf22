//! A run as it is written down, and what is remembered of those that are over.

use handoff_engine::{Run, Status};
use handoff_model::handover::Act;
use handoff_model::when::Moment;
use handoff_store::{RunLock, Store, StoreError};
use serde::{Deserialize, Serialize};

use super::{Inputs, checked, compatible};
use crate::{Hint, OpError, Project};

/// A run of a handover.
pub(crate) type HandoverRun = Run<Act, Inputs>;

/// What is remembered of a run that is over.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Remembered {
    pub(crate) run: String,
    pub(crate) request: String,
    pub(crate) status: String,
    pub(crate) started_at: Moment,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) finished_at: Option<Moment>,
    /// The session that holds what was handed over
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) session: Option<String>,
    /// Steps that were left open, with what went wrong
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) open: Vec<String>,
}

/// The last run; `None` where there was none.
pub(crate) fn read(store: &Store) -> Result<Option<HandoverRun>, OpError> {
    let bytes = match store.checkpoint() {
        Err(StoreError::Damaged(problem)) => return Err(damaged(&problem.reason)),
        read => read?,
    };
    bytes.map(|bytes| parse(&bytes)).transpose()
}

/// A run from what was written down.
pub(crate) fn parse(bytes: &[u8]) -> Result<HandoverRun, OpError> {
    let Format { format } = serde_json::from_slice(bytes).map_err(|error| damaged(&error.to_string()))?;
    if !HandoverRun::is_understood(format) {
        return Err(damaged(&format!("it is of format {format}, which this version of handoff does not know")));
    }
    let run: HandoverRun = serde_json::from_slice(bytes).map_err(|error| damaged(&error.to_string()))?;
    checked::check_run(&run).map_err(|why| damaged(&why))?;
    Ok(run)
}

fn damaged(why: &str) -> OpError {
    OpError::damaged(format!("the checkpoint of the last handover cannot be read: {why}"))
        .detail("it is `local/state/checkpoint.json` of the project's store")
        .hint(Hint::say("`handoff run --abandon` puts it aside; what its steps wrote is safe"))
}

/// What every version says of itself.
#[derive(Deserialize)]
struct Format {
    format: u32,
}

/// Writes a run down.
pub(crate) fn put(project: &Project, held: &RunLock, run: &HandoverRun) -> Result<(), OpError> {
    let store = project.store();
    let is_open = run.status == Status::InProgress;
    let sessions_stamp = if is_open { None } else { store.sessions_stamp() };
    let text = serde_json::to_string_pretty(&Written { run, sessions_stamp }).expect("a run is plain data");
    // Whoever reads the other file must never take a run for finished that is not.
    if is_open {
        compatible::write(project, run);
    }
    store.put_checkpoint(held, &(text + "\n"))?;
    if !is_open {
        compatible::write(project, run);
    }
    Ok(())
}

/// A run, with what is noted beside it.
#[derive(Serialize)]
struct Written<'a> {
    #[serde(flatten)]
    run: &'a HandoverRun,
    /// What the directory of the sessions looked like when the run was over
    #[serde(skip_serializing_if = "Option::is_none")]
    sessions_stamp: Option<String>,
}

/// What the directory of the sessions looked like when a run was over, as far as that was noted.
pub(crate) fn sessions_stamp(bytes: &[u8]) -> Option<String> {
    #[derive(Deserialize)]
    struct Noted {
        #[serde(default)]
        sessions_stamp: Option<String>,
    }
    serde_json::from_slice::<Noted>(bytes).ok()?.sessions_stamp
}

/// What a line of the list of runs says.
pub(crate) fn remembered(store: &Store) -> Result<Vec<Remembered>, OpError> {
    let lines = store.finished_runs()?;
    Ok(lines.iter().filter_map(|line| serde_json::from_str(line).ok()).collect())
}

impl Remembered {
    pub(crate) fn of(run: &HandoverRun) -> Remembered {
        let open = run.steps.iter().filter(|track| !track.is_over());
        let told = |track: &handoff_engine::Track<Act>| match &track.error {
            Some(error) => format!("{}: {error}", track.step.id),
            None => track.step.id.clone(),
        };
        Remembered {
            run: run.run.clone(),
            request: run.inputs.request.clone(),
            status: run.status.word().to_owned(),
            started_at: run.started_at,
            finished_at: run.finished_at,
            session: super::view::session_of(run),
            open: open.map(told).collect(),
        }
    }
}
