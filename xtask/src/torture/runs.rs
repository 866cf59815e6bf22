//! `handoff run` killed, failing and paused at its file-changing system calls.
//!
//! Whatever happened, the run is noticed, and whoever comes next finishes it: later, as another person, perhaps with a
//! note of their own. All files must then be as if nothing had happened, so that what the run does is done once.

mod end;
mod ground;
mod pause;

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::rig::{Finished, Rng, Sandbox, scratch};

use super::faults::{concerns, kills_at};
use super::scenario::spot;
use super::strace::{Call, Fault, FaultKind, Whose, inject_into, record_of};
use super::{Lane, Tally, check_each};
use end::Stage;
use ground::{Ground, LAYOUTS, first, resumption, second};

/// How many kills, errors and pauses the sample keeps.
const KILLS: usize = 80;
const ERRORS: usize = 45;
const PAUSES: usize = 25;

/// What happens to a run.
#[derive(Debug, Clone)]
enum Mishap {
    Fault(Fault),
    /// Somebody pauses the project when this call is over
    Pause {
        call: String,
        nth: usize,
    },
}

struct Attempt<'a> {
    ground: &'a Ground,
    mishap: Mishap,
    description: String,
}

pub(crate) fn run(lane: &Lane, wanted: Option<&str>) -> Result<Tally, String> {
    let place = scratch().map_err(|error| error.to_string())?;
    let mut grounds = Vec::new();
    for layout in LAYOUTS.iter().filter(|layout| wanted.is_none_or(|wanted| layout.name.contains(wanted))) {
        grounds.push(Ground::prepare(&lane.binary, layout, &place.path().join(layout.name))?);
    }
    let mut random = Rng::new(lane.seed);
    let mut attempts = Vec::new();
    let sorts: [(Sort, usize); 3] = [(kill_at, KILLS), (fail_at, ERRORS), (pause_at, PAUSES)];
    let record = |ground| Ok(Recorded { ground, calls: calls(lane, ground, place.path())? });
    let recorded: Vec<Recorded<'_>> = grounds.iter().map(record).collect::<Result<_, String>>()?;
    for (sort, keep) in sorts {
        let found = recorded.iter().flat_map(|recorded| recorded.attempts(sort)).collect();
        attempts.extend(if lane.sample { random.sample(found, keep) } else { found });
    }
    let number = AtomicUsize::new(0);
    Ok(check_each(
        &attempts,
        |attempt| attempt.description.clone(),
        |attempt| {
            let number = number.fetch_add(1, Ordering::Relaxed);
            let spot = spot(place.path(), number);
            let result = break_once(lane, attempt, &spot, number % 2 == 1);
            // What was killed may have left a program behind that still writes there.
            let _ = std::fs::remove_dir_all(&spot);
            result
        },
    ))
}

/// What may happen at a call.
type Sort = fn(&Call) -> Vec<Mishap>;

fn kill_at(call: &Call) -> Vec<Mishap> {
    kills_at(call).into_iter().map(|kind| fault(call, kind)).collect()
}

/// A disk that fails or is full, once and for good.
fn fail_at(call: &Call) -> Vec<Mishap> {
    if call.only_reads() {
        return Vec::new();
    }
    let errors = ["EIO", "ENOSPC"].into_iter();
    errors
        .flat_map(|error| [FaultKind::Error(error), FaultKind::ErrorFrom(error)])
        .map(|kind| fault(call, kind))
        .collect()
}

fn pause_at(call: &Call) -> Vec<Mishap> {
    if call.only_reads() || call.failed() || call.speaks() {
        return Vec::new();
    }
    vec![Mishap::Pause { call: call.name.clone(), nth: call.nth }]
}

fn fault(call: &Call, kind: FaultKind) -> Mishap {
    Mishap::Fault(Fault { call: call.name.clone(), nth: call.nth, kind })
}

impl Mishap {
    fn name(&self) -> String {
        match self {
            Mishap::Fault(fault) => fault.kind.name(),
            Mishap::Pause { .. } => "paused".to_owned(),
        }
    }
}

/// An undisturbed run: each of its calls that has to do with the sandbox, and how it is shown.
struct Recorded<'a> {
    ground: &'a Ground,
    calls: Vec<(Call, String)>,
}

fn calls(lane: &Lane, ground: &Ground, place: &Path) -> Result<Vec<(Call, String)>, String> {
    let sandbox = ground.fresh(&place.join(format!("{} recorded", ground.name())))?;
    let (finished, calls) = record_of(Whose::Own, &sandbox, &lane.binary, &first(), 64)?;
    if !finished.succeeded() {
        return Err(format!("run ({}): fails under strace: {}", ground.name(), finished.brief()));
    }
    let root = sandbox.root();
    let concerned = calls.into_iter().filter(|call| call.speaks() || concerns(call, root));
    let shown: Vec<(Call, String)> = concerned.map(|call| (call.clone(), call.describe(root))).collect();
    if shown.is_empty() {
        Err("no file-changing call was seen: the trace is not understood".to_owned())
    } else {
        Ok(shown)
    }
}

impl<'a> Recorded<'a> {
    fn attempts(&self, sort: Sort) -> Vec<Attempt<'a>> {
        let ground = self.ground;
        let attempt = |mishap: Mishap, shown: &str| {
            let description = format!("run ({}): {} at {shown}", ground.name(), mishap.name());
            Attempt { ground, mishap, description }
        };
        let calls = self.calls.iter();
        calls.flat_map(|(call, shown)| sort(call).into_iter().map(move |mishap| attempt(mishap, shown))).collect()
    }
}

fn break_once(lane: &Lane, attempt: &Attempt<'_>, place: &Path, with_another_note: bool) -> Result<(), String> {
    let Attempt { ground, mishap, .. } = attempt;
    let sandbox = ground.fresh(place)?;
    let before = ground.check(&sandbox)?;
    let finished = match mishap {
        Mishap::Fault(fault) => inject_into(Whose::Own, &sandbox, &lane.binary, &first(), fault)?,
        Mishap::Pause { call, nth } => pause::pause_at(&sandbox, &lane.binary, &first(), call, *nth)?,
    };
    let finished = finished.ok_or("the call was not reached: a run does not repeat itself")?;
    let stage = Stage::of(&sandbox)?;
    let explain = |why: String| format!("{why} [{stage:?}; the run: {}]", finished.brief());
    judge(mishap, &finished, stage).map_err(explain)?;
    if matches!(mishap, Mishap::Pause { .. }) {
        pause::stands_still(ground, &sandbox).map_err(explain)?;
    }
    ground.notices(&sandbox, stage, before).map_err(explain)?;
    go_on(ground, &sandbox, stage, with_another_note).map_err(explain)
}

/// What the one who asked for the run gets to see.
fn judge(mishap: &Mishap, finished: &Finished, stage: Stage) -> Result<(), String> {
    if matches!(mishap, Mishap::Fault(Fault { kind: FaultKind::Kill, .. })) {
        return Ok(());
    }
    if let Some(death) = finished.died() {
        return Err(format!("the process {death}"));
    }
    // Where nothing can be written any more, nothing can be said either.
    let may_be_silent = matches!(mishap, Mishap::Fault(Fault { kind: FaultKind::ErrorFrom(_), .. }));
    let is_silent = finished.stderr.trim().is_empty() && finished.stdout.trim().is_empty();
    match (mishap, finished.code) {
        (_, Some(0)) if stage != Stage::Over => Err("answered success, but the run is not over".to_owned()),
        (Mishap::Pause { .. }, code) if !matches!(code, Some(0 | 5)) => Err("a pause is exit 5".to_owned()),
        (_, code) if code != Some(0) && is_silent && !may_be_silent => Err("failed without a word".to_owned()),
        _ => Ok(()),
    }
}

/// Whoever comes next finishes it, and everything is as it would have been.
fn go_on(ground: &Ground, sandbox: &Sandbox, stage: Stage, with_another_note: bool) -> Result<(), String> {
    match (stage, with_another_note) {
        (Stage::Nothing, _) => ground.must(sandbox, &first())?,
        (Stage::Open, false) => ground.must(sandbox, &resumption())?,
        _ => {}
    }
    if with_another_note {
        ground.must(sandbox, &second())?;
    }
    ground.ends_well(sandbox, with_another_note)
}
