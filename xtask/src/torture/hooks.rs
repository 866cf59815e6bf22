//! A kill, or an error, at every file-changing system call of every hook.
//!
//! However it went, the agent goes on or dies, others begin, and the project must end as if nothing had happened, or as
//! if the hook had not been called: what was recorded is there once, and nothing temporary is.

mod agent;
mod story;

pub(crate) use agent::write_transcripts;

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::rig::{Finished, Rng, Sandbox, scratch};

use super::faults::{concerns, errors_at, kills_at};
use super::scenario::{spot, worked};
use super::strace::{Call, Fault, FaultKind, inject, record};
use super::{Lane, Tally, check_each};
use story::{PLOTS, Story, whole_answer};

/// How many kills, and how many errors, the sample keeps.
const SAMPLE: usize = 90;
/// A hook has a limited time for what others left open, so a busy machine may not reach a call.
const TRIES: usize = 4;

/// One fault in one story.
struct Attempt<'a> {
    story: &'a Story,
    fault: Fault,
    description: String,
}

pub(crate) fn run(lane: &Lane, wanted: Option<&str>) -> Result<Tally, String> {
    let place = scratch().map_err(|error| error.to_string())?;
    let mut stories = Vec::new();
    for (layout, base) in worked(&lane.binary, place.path())? {
        for plot in PLOTS.iter().filter(|plot| wanted.is_none_or(|wanted| plot.name.contains(wanted))) {
            let proof = place.path().join(format!("proof-{}", stories.len()));
            stories.push(Story::prove(&lane.binary, plot, layout, &base, &proof)?);
        }
    }
    let mut random = Rng::new(lane.seed);
    let mut attempts = Vec::new();
    for faults in [kills_at, errors_at] {
        let found = enumerate(lane, &stories, faults)?;
        attempts.extend(if lane.sample { random.sample(found, SAMPLE) } else { found });
    }
    let number = AtomicUsize::new(0);
    Ok(check_each(
        &attempts,
        |attempt| attempt.description.clone(),
        |attempt| {
            let spot = spot(place.path(), number.fetch_add(1, Ordering::Relaxed));
            std::fs::create_dir(&spot).map_err(|error| error.to_string())?;
            let result = break_once(lane, attempt, &spot);
            std::fs::remove_dir_all(&spot).map_err(|error| error.to_string())?;
            result
        },
    ))
}

/// Records the call of each story once and turns its system calls inside the sandbox into faults.
fn enumerate<'a>(
    lane: &Lane,
    stories: &'a [Story],
    faults: impl Fn(&Call) -> Vec<FaultKind>,
) -> Result<Vec<Attempt<'a>>, String> {
    let place = scratch().map_err(|error| error.to_string())?;
    let mut attempts = Vec::new();
    for (number, story) in stories.iter().enumerate() {
        let sandbox = story.fresh(&spot(place.path(), number))?;
        let mut agent = story.agent(&sandbox)?;
        let call = story.come_to(&mut agent)?;
        let (finished, calls) = record(&sandbox, &lane.binary, &call, 64)?;
        story.is_polite(&finished).map_err(|why| format!("{}: under strace, {why}", story.name))?;
        let root = sandbox.root();
        for call in calls.iter().filter(|call| call.speaks() || concerns(call, root)) {
            for kind in faults(call) {
                attempts.push(Attempt {
                    story,
                    fault: Fault { call: call.name.clone(), nth: call.nth, kind },
                    description: format!("{}: {} at {}", story.name, kind.name(), call.describe(root)),
                });
            }
        }
    }
    if attempts.is_empty() {
        return Err("no file-changing call was seen: the trace is not understood".to_owned());
    }
    Ok(attempts)
}

fn break_once(lane: &Lane, attempt: &Attempt<'_>, place: &Path) -> Result<(), String> {
    let Attempt { story, fault, .. } = attempt;
    for number in 0..TRIES {
        let sandbox = story.fresh(&place.join(format!("state-{number}")))?;
        let mut agent = story.agent(&sandbox)?;
        let call = story.come_to(&mut agent)?;
        let Some(finished) = inject(&sandbox, &lane.binary, &call, fault)? else { continue };
        judge(story, fault, &finished)?;
        let explain = |why: String| format!("{why} [the run: {}]", finished.brief());
        story.end(&sandbox, &mut agent).map_err(explain)?;
        return go_on(lane, &sandbox).map_err(explain);
    }
    Err("the call was not reached: the hook does not repeat itself".to_owned())
}

/// What the agent that called gets to see.
fn judge(story: &Story, fault: &Fault, finished: &Finished) -> Result<(), String> {
    if fault.kind == FaultKind::Kill {
        // Whatever it had said by then was said at once.
        return if story.is_hook() { whole_answer(&finished.stdout) } else { Ok(()) };
    }
    story.is_polite(finished)
}

/// One more change, after which nothing temporary may be left.
fn go_on(lane: &Lane, sandbox: &Sandbox) -> Result<(), String> {
    let done = sandbox.run(&lane.binary, &["task", "create", "Elsewhere"]).map_err(|error| error.to_string())?;
    if !done.succeeded() {
        return Err(format!("going on elsewhere, `task create` fails with {}", done.brief()));
    }
    let leftovers = sandbox.leftovers();
    if leftovers.is_empty() { Ok(()) } else { Err(format!("temporary files are left: {}", leftovers.join(", "))) }
}
