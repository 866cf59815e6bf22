//! A kill, or an error, at every file-changing system call of every operation.

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::rig::{Rng, scratch};

use super::aftermath::{Allowed, inspect};
use super::scenario::{Scenario, spot};
use super::strace::{Call, Fault, FaultKind, inject, record};
use super::{Lane, Tally, check_each};

/// How many faults of each sort the sample keeps.
const SAMPLE: usize = 220;

/// One fault in one operation.
#[derive(Debug)]
struct Attempt<'a> {
    scenario: &'a Scenario,
    fault: Fault,
    /// The call is the answer itself, so that an error comes too late to take anything back.
    answering: bool,
    /// The call only reads.
    reading: bool,
    description: String,
}

pub(crate) fn kill_at_each_call(lane: &Lane, scenarios: &[Scenario]) -> Result<Tally, String> {
    let attempts = enumerate(lane, scenarios, kills_at)?;
    break_each(lane, attempts)
}

/// A kill at a call that changes something.
pub(crate) fn kills_at(call: &Call) -> Vec<FaultKind> {
    let changes = !call.only_reads() && !call.failed();
    if changes { vec![FaultKind::Kill] } else { Vec::new() }
}

pub(crate) fn fail_each_call(lane: &Lane, scenarios: &[Scenario]) -> Result<Tally, String> {
    let attempts = enumerate(lane, scenarios, errors_at)?;
    break_each(lane, attempts)
}

/// The errors that a call may fail with.
pub(crate) fn errors_at(call: &Call) -> Vec<FaultKind> {
    if call.only_reads() {
        // A file that is not there cannot fail to be read.
        let there = !call.failed();
        return if there { vec![FaultKind::Error("EIO"), FaultKind::Error("EACCES")] } else { Vec::new() };
    }
    vec![
        FaultKind::Error("EIO"),
        FaultKind::Error("ENOSPC"),
        FaultKind::Error("EACCES"),
        FaultKind::ErrorFrom("EIO"),
        FaultKind::ErrorFrom("ENOSPC"),
    ]
}

/// Records each operation once and turns its calls inside the sandbox into faults.
fn enumerate<'a>(
    lane: &Lane,
    scenarios: &'a [Scenario],
    faults: impl Fn(&Call) -> Vec<FaultKind>,
) -> Result<Vec<Attempt<'a>>, String> {
    let place = scratch().map_err(|error| error.to_string())?;
    let mut attempts = Vec::new();
    for (number, scenario) in scenarios.iter().enumerate() {
        let sandbox = scenario.fresh(&spot(place.path(), number))?;
        let (finished, calls) = record(&sandbox, &lane.binary, &scenario.invocation(), 64)?;
        if !finished.succeeded() {
            return Err(format!("{}: fails under strace: {}", scenario.name, finished.brief()));
        }
        let root = sandbox.root();
        for call in calls.iter().filter(|call| call.speaks() || concerns(call, root)) {
            for kind in faults(call) {
                attempts.push(Attempt {
                    scenario,
                    fault: Fault { call: call.name.clone(), nth: call.nth, kind },
                    answering: call.speaks(),
                    reading: call.only_reads(),
                    description: format!("{}: {} at {}", scenario.name, kind.name(), call.describe(root)),
                });
            }
        }
    }
    if attempts.is_empty() {
        return Err("no file-changing call was seen: the trace is not understood".to_owned());
    }
    if lane.sample {
        attempts = Rng::new(lane.seed).sample(attempts, SAMPLE);
    }
    Ok(attempts)
}

pub(crate) fn concerns(call: &Call, root: &Path) -> bool {
    call.paths(&root.join("project")).iter().chain(&call.opened).any(|path| path.starts_with(root))
}

fn break_each(lane: &Lane, attempts: Vec<Attempt<'_>>) -> Result<Tally, String> {
    let place = scratch().map_err(|error| error.to_string())?;
    let number = AtomicUsize::new(0);
    let tally = check_each(
        &attempts,
        |attempt| attempt.description.clone(),
        |attempt| {
            let spot = spot(place.path(), number.fetch_add(1, Ordering::Relaxed));
            std::fs::create_dir(&spot).map_err(|error| error.to_string())?;
            let result = break_once(lane, attempt, &spot);
            // Thousands of copies would fill the disk that the next one needs.
            std::fs::remove_dir_all(&spot).map_err(|error| error.to_string())?;
            result
        },
    );
    drop(attempts);
    Ok(tally)
}

fn break_once(lane: &Lane, attempt: &Attempt<'_>, place: &Path) -> Result<(), String> {
    let Attempt { scenario, fault, answering, reading, .. } = attempt;
    let sandbox = scenario.fresh(&place.join("state"))?;
    let Some(finished) = inject(&sandbox, &lane.binary, &scenario.invocation(), fault)? else {
        return Err("the call was not reached: the operation does not repeat itself".to_owned());
    };
    let allowed = if fault.kind == FaultKind::Kill {
        Allowed::Either
    } else {
        if let Some(death) = finished.died() {
            return Err(format!("the process {death}: {}", finished.brief()));
        }
        match (finished.code, fault.kind) {
            (Some(0), _) if *answering => Allowed::Either,
            (Some(0), _) if *reading => Allowed::AfterAll,
            (Some(0), _) => Allowed::After,
            // What takes a change back needs the disk too; when that stays broken, whole is all one can ask.
            (_, FaultKind::ErrorFrom(_)) => Allowed::Either,
            _ if *answering => Allowed::Either,
            _ if finished.stderr.trim().is_empty() => return Err("failed without a word on standard error".to_owned()),
            _ => Allowed::Before,
        }
    };
    inspect(scenario, &sandbox, &lane.binary, allowed).map_err(|why| format!("{why} [the run: {}]", finished.brief()))
}
