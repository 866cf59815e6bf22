//! A kill while a fresh process mends what an earlier kill left behind.

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::rig::{Rng, Sandbox, scratch};

use super::aftermath::{Allowed, inspect};
use super::faults::concerns;
use super::scenario::{Reach, Scenario, spot};
use super::strace::{Call, Fault, FaultKind, inject, record};
use super::{Lane, Tally, check_each};

/// Pairs of kills tried per operation.
const PAIRS: usize = 250;
const SAMPLED_PAIRS: usize = 6;
/// First kills whose mending the sample looks at.
const SAMPLED_FIRST: usize = 4;

/// A first kill in the operation and a second one in its repetition, which begins by mending.
struct Pair<'a> {
    scenario: &'a Scenario,
    first: Fault,
    second: Fault,
    description: String,
}

pub(crate) fn run(lane: &Lane, scenarios: &[Scenario]) -> Result<Tally, String> {
    let place = scratch().map_err(|error| error.to_string())?;
    let mut random = Rng::new(lane.seed);
    let mut pairs = Vec::new();
    // Only a change of several records leaves something to mend; the others are whole at every moment.
    for (number, scenario) in scenarios.iter().filter(|scenario| scenario.reach == Reach::Several).enumerate() {
        let found = pair_up(lane, scenario, &spot(place.path(), number), &mut random)?;
        let keep = if lane.sample { SAMPLED_PAIRS } else { PAIRS };
        pairs.extend(random.sample(found, keep));
    }
    let number = AtomicUsize::new(scenarios.len());
    Ok(check_each(
        &pairs,
        |pair| pair.description.clone(),
        |pair| {
            let spot = spot(place.path(), number.fetch_add(1, Ordering::Relaxed));
            std::fs::create_dir(&spot).map_err(|error| error.to_string())?;
            let result = kill_twice(lane, pair, &spot);
            std::fs::remove_dir_all(&spot).map_err(|error| error.to_string())?;
            result
        },
    ))
}

/// For every first kill that leaves something to mend, every second kill in what mends it.
fn pair_up<'a>(lane: &Lane, scenario: &'a Scenario, place: &Path, random: &mut Rng) -> Result<Vec<Pair<'a>>, String> {
    std::fs::create_dir(place).map_err(|error| error.to_string())?;
    let whole = scenario.fresh(&place.join("whole"))?;
    let mut pairs = Vec::new();
    let mut firsts = kills(&whole, lane, scenario)?;
    if lane.sample {
        firsts = random.sample(firsts, SAMPLED_FIRST);
    }
    for (number, (call, first)) in firsts.into_iter().enumerate() {
        let sandbox = scenario.fresh(&place.join(format!("broken-{number}")))?;
        if inject(&sandbox, &lane.binary, &scenario.invocation(), &first)?.is_none() || sandbox.leftovers().is_empty() {
            continue;
        }
        for (second_call, second) in kills(&sandbox, lane, scenario)? {
            pairs.push(Pair {
                scenario,
                first: first.clone(),
                second,
                description: format!(
                    "{}: killed at {}, then while mending at {}",
                    scenario.name,
                    call.describe(whole.root()),
                    second_call.describe(sandbox.root())
                ),
            });
        }
    }
    Ok(pairs)
}

/// A kill at every file-changing call of the operation as it runs in `sandbox`.
fn kills(sandbox: &Sandbox, lane: &Lane, scenario: &Scenario) -> Result<Vec<(Call, Fault)>, String> {
    let (_, calls) = record(sandbox, &lane.binary, &scenario.invocation(), 64)?;
    let changing = calls
        .into_iter()
        .filter(|call| !call.only_reads() && !call.failed() && !call.speaks() && concerns(call, sandbox.root()));
    Ok(changing
        .map(|call| {
            let fault = Fault { call: call.name.clone(), nth: call.nth, kind: FaultKind::Kill };
            (call, fault)
        })
        .collect())
}

fn kill_twice(lane: &Lane, pair: &Pair<'_>, place: &Path) -> Result<(), String> {
    let Pair { scenario, first, second, .. } = pair;
    let sandbox = scenario.fresh(&place.join("state"))?;
    for fault in [first, second] {
        if inject(&sandbox, &lane.binary, &scenario.invocation(), fault)?.is_none() {
            return Err(format!("{} #{} was not reached: the operation does not repeat itself", fault.call, fault.nth));
        }
    }
    inspect(scenario, &sandbox, &lane.binary, Allowed::Twice)
}
