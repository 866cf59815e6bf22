//! `cargo xtask torture`: what must survive a kill, an error, a power cut and a crowd.
//!
//! Every rig drives the real binary and believes only what a fresh process says afterwards.
#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::disallowed_methods,
    reason = "a chore that reports on the terminal and works in scratch directories"
)]

mod aftermath;
mod crowd;
mod damage;
mod deeds;
mod disk_full;
mod faults;
mod hooks;
mod kills;
mod ledger;
mod planted;
mod power_loss;
mod recovery;
mod runs;
mod scenario;
mod setup;
mod sockets;
mod strace;
mod syncs;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use clap::Parser;
use handoff_model::agent::Host;

use crate::rig::{release_binary, scratch};
use scenario::Scenario;

/// Break the store in every way we know and see that nothing is lost
#[derive(Debug, Parser)]
#[command(name = "cargo xtask torture", no_binary_name = true)]
struct Options {
    /// A seeded slice of each rig that ends in a few minutes
    #[arg(long)]
    sample: bool,
    /// Run one rig: sockets, syncs, crash, recovery, errors, hooks, setup, planted, run, damage, power, kills, crowd or full
    #[arg(long, value_name = "NAME")]
    only: Option<String>,
    /// Only scenarios whose name contains this
    #[arg(long, value_name = "TEXT")]
    scenario: Option<String>,
    /// Seed of every random choice
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Binary to torture, instead of a fresh release build
    #[arg(long, value_name = "PATH")]
    binary: Option<PathBuf>,
    /// Number of random kills
    #[arg(long, value_name = "N")]
    kills: Option<usize>,
    /// Operations of each of the eight processes of the crowd
    #[arg(long, value_name = "N")]
    operations: Option<usize>,
    /// The small file system to fill; the rig starts itself again with this
    #[arg(long, hide = true)]
    inside: Option<PathBuf>,
}

/// What every rig gets to know.
#[derive(Debug)]
pub(crate) struct Lane {
    pub(crate) binary: PathBuf,
    pub(crate) sample: bool,
    pub(crate) seed: u64,
    pub(crate) kills: usize,
    pub(crate) operations: usize,
}

/// The agents that handoff can be set up for.
pub(crate) fn hosts() -> impl Iterator<Item = &'static str> {
    Host::ALL.into_iter().map(Host::word)
}

/// Failures of one operation that are printed.
const SHOWN: usize = 6;

/// What a rig found.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    pub(crate) passed: usize,
    pub(crate) failed: usize,
    /// Failures by operation, which is what a description begins with.
    failures: BTreeMap<String, usize>,
}

impl Tally {
    fn add(&mut self, other: &Self) {
        self.passed += other.passed;
        self.failed += other.failed;
        for (operation, count) in &other.failures {
            *self.failures.entry(operation.clone()).or_default() += count;
        }
    }

    /// Counts one check and prints why it failed.
    pub(crate) fn check(&mut self, what: &str, result: Result<(), String>) {
        match result {
            Ok(()) => self.passed += 1,
            Err(why) => {
                self.failed += 1;
                let operation = what.split(": ").next().unwrap_or(what).to_owned();
                let count = self.failures.entry(operation).or_default();
                *count += 1;
                // One cause often breaks hundreds of points; a log that nobody reads to its end hides the others.
                if *count <= SHOWN {
                    println!("FAILED {what}\n       {why}");
                }
            }
        }
    }
}

/// The rigs, in the order they run; the cheapest verdicts come first.
const RIGS: &[&str] = &[
    "sockets", "syncs", "crash", "recovery", "errors", "hooks", "setup", "planted", "run", "damage", "power", "kills",
    "crowd", "full",
];

pub(crate) fn run(args: &[String]) -> ExitCode {
    let options = match Options::try_parse_from(args) {
        Ok(options) => options,
        Err(error) => {
            let _ = error.print();
            return ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2));
        }
    };
    match torture(&options) {
        Ok(tally) => {
            println!("{} passed, {} failed", tally.passed, tally.failed);
            if tally.failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
        }
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn torture(options: &Options) -> Result<Tally, String> {
    if !cfg!(target_os = "linux") {
        return Err("torture needs Linux, for strace".to_owned());
    }
    strace::available()?;
    let chosen: Vec<&str> = match &options.only {
        Some(name) => vec![
            RIGS.iter()
                .find(|rig| *rig == name)
                .ok_or_else(|| format!("no rig `{name}`; there are {}", RIGS.join(", ")))?,
        ],
        None => RIGS.to_vec(),
    };
    let binary = match &options.binary {
        Some(path) => path.canonicalize().map_err(|error| format!("cannot find `{}`: {error}", path.display()))?,
        None => release_binary()?,
    };
    let lane = Lane {
        binary,
        sample: options.sample,
        seed: options.seed,
        kills: options.kills.unwrap_or(if options.sample { 40 } else { 300 }),
        operations: options.operations.unwrap_or(if options.sample { 25 } else { 250 }),
    };
    if let Some(disk) = &options.inside {
        return disk_full::inside(&lane, disk);
    }
    let keep = scratch().map_err(|error| format!("cannot make a scratch directory: {error}"))?;
    let mut scenarios = Vec::new();
    if chosen.iter().any(|rig| ["syncs", "crash", "recovery", "errors", "power"].contains(rig)) {
        scenarios = scenario::prepare(&lane.binary, keep.path(), options.scenario.as_deref())?;
    }
    let mut total = Tally::default();
    for rig in chosen {
        let started = Instant::now();
        let tally = run_rig(rig, &lane, &scenarios, options.scenario.as_deref())?;
        println!(
            "{rig}: {} held, {} broken, {:.1} s (seed {})",
            tally.passed,
            tally.failed,
            started.elapsed().as_secs_f64(),
            lane.seed
        );
        for (operation, count) in tally.failures.iter().filter(|(_, count)| **count > SHOWN) {
            println!("       {operation}: {} more like these", count - SHOWN);
        }
        if tally.failed > 0 {
            let slice = if lane.sample { " --sample" } else { "" };
            println!(
                "       again with `cargo xtask torture --only {rig} --seed {}{slice}`; `--scenario TEXT` narrows it",
                lane.seed
            );
        }
        total.add(&tally);
    }
    Ok(total)
}

fn run_rig(rig: &str, lane: &Lane, scenarios: &[Scenario], wanted: Option<&str>) -> Result<Tally, String> {
    match rig {
        "sockets" => sockets::run(lane),
        "hooks" => hooks::run(lane, wanted),
        "setup" => setup::run(lane, wanted),
        "planted" => planted::run(lane, wanted),
        "run" => runs::run(lane, wanted),
        "damage" => damage::run(lane, wanted),
        "syncs" => syncs::run(lane, scenarios),
        "crash" => faults::kill_at_each_call(lane, scenarios),
        "recovery" => recovery::run(lane, scenarios),
        "errors" => faults::fail_each_call(lane, scenarios),
        "power" => power_loss::run(lane, scenarios),
        "kills" => kills::run(lane),
        "crowd" => crowd::run(lane),
        _ => disk_full::run(lane),
    }
}

/// Runs `check` on every item with as many workers as there are processors; each item is one verdict.
pub(crate) fn check_each<T: Sync>(
    items: &[T],
    describe: impl Fn(&T) -> String + Sync,
    check: impl Fn(&T) -> Result<(), String> + Sync,
) -> Tally {
    let next = AtomicUsize::new(0);
    let tally = Mutex::new(Tally::default());
    let workers = std::thread::available_parallelism().map_or(2, std::num::NonZero::get);
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                while let Some(item) = items.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let result = check(item);
                    let mut tally = tally.lock().expect("no worker panics while counting");
                    tally.check(&describe(item), result);
                }
            });
        }
    });
    tally.into_inner().expect("all workers are done")
}
