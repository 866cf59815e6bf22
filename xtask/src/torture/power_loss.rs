//! Power loss, by recording an operation once and opening every disk it may leave behind.
//!
//! A file system promises little between two syncs. Under the POSIX model each directory keeps its changes in
//! order but may have lost any number of the last ones, independently of other directories, until it is synced; a
//! rename happens whole or not at all. Under the ext4 model all directories share one journal, so that a sync of anything
//! keeps everything before it. Under both, contents that were not synced may be old, half there, zeros or complete.

mod disk;
mod recording;

use std::collections::HashMap;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::rig::{Rng, Sandbox, scratch, take_back_local};

use super::aftermath::{Allowed, inspect};
use super::scenario::{Scenario, spot};
use super::strace::record;
use super::{Lane, Tally, check_each};
use disk::{Contents, Image, Inode};
use recording::{Event, Recording};

/// States opened per operation; more are sampled down, with the seed.
const STATES: usize = 300;
const SAMPLED_STATES: usize = 8;

/// Sets of surviving directory changes enumerated per cut before it counts as too many.
const SETS: usize = 256;

/// Strings longer than any record we write, so that no data is cut off in the trace.
const WHOLE: usize = 1 << 24;

/// A disk to open, and whether the answer had been given when the power went.
struct State<'a> {
    scenario: &'a Scenario,
    image: Image,
    answered: bool,
    description: String,
}

pub(crate) fn run(lane: &Lane, scenarios: &[Scenario]) -> Result<Tally, String> {
    let place = scratch().map_err(|error| error.to_string())?;
    let mut random = Rng::new(lane.seed);
    let mut states = Vec::new();
    for (number, scenario) in scenarios.iter().enumerate() {
        let sandbox = scenario.fresh(&spot(place.path(), number))?;
        let recording = observe(lane, scenario, &sandbox).map_err(|why| format!("{}: {why}", scenario.name))?;
        let keep = if lane.sample { SAMPLED_STATES } else { STATES };
        states.extend(random.sample(enumerate(scenario, &recording, &mut random.clone()), keep));
    }
    let number = AtomicUsize::new(scenarios.len());
    Ok(check_each(
        &states,
        |state| state.description.clone(),
        |state| {
            let spot = spot(place.path(), number.fetch_add(1, Ordering::Relaxed));
            let result = open(lane, state, &spot.join("state"));
            std::fs::remove_dir_all(&spot).map_err(|error| error.to_string())?;
            result
        },
    ))
}

/// Records the operation and checks the model against the disk it really left.
fn observe(lane: &Lane, scenario: &Scenario, sandbox: &Sandbox) -> Result<Recording, String> {
    let initial = Image::load(sandbox.root()).map_err(|error| format!("cannot read the project: {error}"))?;
    let (finished, calls) = record(sandbox, &lane.binary, &scenario.invocation(), WHOLE)?;
    if !finished.succeeded() {
        return Err(format!("fails under strace: {}", finished.brief()));
    }
    let recording = Recording::of(&initial, &calls, sandbox.root())?;
    let real = Image::load(sandbox.root()).map_err(|error| format!("cannot read the project: {error}"))?;
    let modelled = recording.survivors(recording.events.len(), |_| true, |_, versions| versions.last().cloned());
    // Without this a call the model does not know would make every state it shows a fiction.
    match modelled.difference(&real) {
        Some(difference) => Err(format!("the replay differs from the real disk: {difference}")),
        None => Ok(recording),
    }
}

fn open(lane: &Lane, state: &State<'_>, place: &Path) -> Result<(), String> {
    state.image.write(place).map_err(|error| format!("cannot write the state: {error}"))?;
    let sandbox = Sandbox::create(place).map_err(|error| error.to_string())?;
    take_back_local(&sandbox.project()).map_err(|error| error.to_string())?;
    let allowed = if state.answered { Allowed::After } else { Allowed::Either };
    inspect(state.scenario, &sandbox, &lane.binary, allowed)
}

/// Every distinct disk that a cut at any moment may leave, under both models.
fn enumerate<'a>(scenario: &'a Scenario, recording: &Recording, random: &mut Rng) -> Vec<State<'a>> {
    let mut found: HashMap<u64, State<'a>> = HashMap::new();
    let mut order = Vec::new();
    for cut in 0..=recording.events.len() {
        let answered = recording.events[..cut].iter().any(|event| matches!(event, Event::Answer));
        // What ext4 may show comes first: a state that both may show is the more serious for it.
        let ordered = recording.ordered_sets(cut).into_iter().map(|set| ("ext4", set));
        let loose = recording.posix_sets(cut, SETS, random).into_iter().map(|set| ("POSIX", set));
        for (model, kept) in ordered.chain(loose) {
            for contents in variants(recording, cut) {
                let image = recording.survivors(
                    cut,
                    |index| kept.contains(&index),
                    |file, versions| contents.choose(file, versions),
                );
                let key = image.fingerprint();
                let description = || {
                    format!(
                        "{}: power lost ({model}) after {}, {}, unsynced data {contents}",
                        scenario.name,
                        recording.describe(cut),
                        recording.lost(cut, &kept),
                    )
                };
                match found.get_mut(&key) {
                    Some(state) if answered && !state.answered => {
                        state.answered = true;
                        state.description = description();
                    }
                    Some(_) => {}
                    None => {
                        order.push(key);
                        found.insert(key, State { scenario, answered, description: description(), image });
                    }
                }
            }
        }
    }
    order.iter().filter_map(|key| found.remove(key)).collect()
}

/// Ways in which unsynced contents may be found: all alike, or one file behind the others.
fn variants(recording: &Recording, cut: usize) -> Vec<Contents> {
    let pending: Vec<Inode> = recording.unsynced_files(cut);
    let mut variants = vec![Contents::Complete];
    if !pending.is_empty() {
        variants.extend([Contents::Old, Contents::Half, Contents::Zeros]);
    }
    if pending.len() > 1 {
        variants.extend(pending.into_iter().map(Contents::OldOnly));
    }
    variants
}
