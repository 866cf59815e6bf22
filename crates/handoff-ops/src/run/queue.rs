//! The requests that wait, and what lies among them that is none.
//!
//! **Invariant:** what is no request is never taken for one, never stands in the way of the others, and is never deleted.

use handoff_model::heal::{Finding, Kind};
use handoff_store::{Store, StoreError};
use serde_json::json;

use super::{Inputs, checked};
use crate::doctor::Doctor;
use crate::{Breaks, Hint, OpError, Project, visible};

/// Where requests wait, relative to the store.
pub(super) const QUEUE: &str = "local/state/queue";
/// Where what is no request is put.
const ASIDE: &str = "local/state/queue-damaged";

/// Something in the queue that is no request.
#[derive(Debug)]
pub(super) struct NoRequest {
    name: String,
    /// Why it cannot be read as one
    pub(super) why: String,
}

impl NoRequest {
    /// Its file, as it can be shown.
    pub(super) fn path(&self) -> String {
        format!("{QUEUE}/{}", visible(&self.name, Breaks::Mark))
    }

    pub(super) fn told(&self) -> String {
        format!("`{}` is no request, and nobody takes it up: {}", self.path(), self.why)
    }

    pub(super) fn finding(&self) -> Finding {
        let what = format!("a request that waits cannot be read: {}", self.why);
        Finding::new(Kind::Checkpoint, self.path(), what).fixed_by(format!("put aside in {ASIDE}"))
    }
}

/// What takes it out of the way without touching a run that was cut short.
pub(super) fn way_out() -> Hint {
    Hint::run_with::<Doctor>(json!({"fix": true}))
}

/// What was read of the queue under this name, as a request, or why it is none; `None` if it is gone.
pub(super) fn understood(name: &str, read: Result<Option<Vec<u8>>, StoreError>) -> Option<Result<Inputs, String>> {
    let why = match read {
        Ok(None) => return None,
        Ok(Some(bytes)) => return Some(request(name, &bytes)),
        Err(StoreError::Damaged(problem)) => problem.reason,
        Err(error) => OpError::from(error).sentence(),
    };
    Some(Err(why))
}

fn request(name: &str, bytes: &[u8]) -> Result<Inputs, String> {
    let inputs: Inputs = serde_json::from_slice(bytes).map_err(|error| error.to_string())?;
    checked::check_inputs(&inputs)?;
    // It is taken out of the queue by the one name, and known to be done by the other.
    if inputs.request == name {
        Ok(inputs)
    } else {
        Err(format!("`request` is `{}`, and must be the name of the file", inputs.request))
    }
}

/// What of these names is no request, as `read` finds them.
pub(super) fn no_requests(
    names: Vec<String>,
    read: impl Fn(&str) -> Result<Option<Vec<u8>>, StoreError>,
) -> Vec<NoRequest> {
    let judged = names.into_iter().filter_map(|name| {
        let why = understood(&name, read(&name))?.err()?;
        Some(NoRequest { why: visible(&why, Breaks::Mark).into_owned(), name })
    });
    judged.collect()
}

/// What lies in the queue of a store and is no request.
pub(super) fn damaged(store: &Store) -> Result<Vec<NoRequest>, OpError> {
    Ok(no_requests(store.queued_runs()?, |name| store.queued_run(name)))
}

/// Puts aside what is no request, each with where it is now.
pub(super) fn put_aside(store: &Store) -> Result<Vec<(NoRequest, String)>, OpError> {
    let mut moved = Vec::new();
    for entry in damaged(store)? {
        if let Some(aside) = store.put_queued_aside(&entry.name)? {
            moved.push((entry, visible(&aside, Breaks::Mark).into_owned()));
        }
    }
    Ok(moved)
}

/// The same for the doctor.
pub(crate) fn mend_queue(project: &Project) -> Result<Vec<Finding>, OpError> {
    let moved = put_aside(project.store())?.into_iter();
    Ok(moved.map(|(entry, aside)| entry.finding().fixed_by(format!("put aside as {aside}"))).collect())
}
