//! A change of one record costs at most three syncs.

use crate::rig::scratch;

use super::scenario::{Reach, Scenario, spot};
use super::strace::record;
use super::{Lane, Tally};

const LIMIT: usize = 3;

pub(crate) fn run(lane: &Lane, scenarios: &[Scenario]) -> Result<Tally, String> {
    let place = scratch().map_err(|error| error.to_string())?;
    let mut tally = Tally::default();
    for (number, scenario) in scenarios.iter().enumerate().filter(|(_, scenario)| scenario.reach == Reach::One) {
        let sandbox = scenario.fresh(&spot(place.path(), number))?;
        let (_, calls) = record(&sandbox, &lane.binary, &scenario.invocation(), 64)?;
        let syncs: Vec<String> = calls
            .iter()
            .filter(|call| matches!(call.name.as_str(), "fsync" | "fdatasync" | "sync" | "syncfs"))
            .map(|call| call.describe(sandbox.root()))
            .collect();
        let result = match syncs.len() {
            0 => Err("nothing is synced, so nothing is on disk".to_owned()),
            1..=LIMIT => Ok(()),
            count => Err(format!("{count} syncs instead of at most {LIMIT}: {}", syncs.join(", "))),
        };
        tally.check(&format!("syncs of {}", scenario.name), result);
    }
    Ok(tally)
}
