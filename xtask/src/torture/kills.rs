//! Processes killed at random instants; whatever was acknowledged must be read back.

use std::path::Path;
use std::process::Child;
use std::time::{Duration, Instant};

use crate::rig::{Sandbox, readable, scratch};

use super::deeds::{Chooser, Deed};
use super::ledger::{Ledger, Made, Names, State, difference, read_back};
use super::scenario::bystanders;
use super::{Lane, Tally};

/// A fresh process must be ready for work this soon after a crash.
const READY: Duration = Duration::from_millis(200);

pub(crate) fn run(lane: &Lane) -> Result<Tally, String> {
    let place = scratch().map_err(|error| error.to_string())?;
    let sandbox = Sandbox::create(place.path()).map_err(|error| error.to_string())?;
    let mut victim = Victim::new(lane, sandbox)?;
    let mut tally = Tally::default();
    let mut killed = 0;
    let mut rounds = 0;
    // A run that ends before its kill counts for nothing but its acknowledgement.
    while killed < lane.kills && rounds < lane.kills * 20 {
        rounds += 1;
        let round = victim.round();
        let (deed, hit, result) = match round {
            Ok(round) => round,
            Err(why) => {
                tally.check(&format!("random kill {killed} (seed {})", lane.seed), Err(why));
                // What is known no longer fits what is there; going on would report the same loss forever.
                return Ok(tally);
            }
        };
        killed += usize::from(hit);
        if hit || result.is_err() {
            tally.check(&format!("random kill {killed} in {deed:?} (seed {})", lane.seed), result);
        }
    }
    if killed < lane.kills {
        tally.check("random kills", Err(format!("only {killed} of {} kills came in time", lane.kills)));
    }
    Ok(tally)
}

struct Victim<'a> {
    lane: &'a Lane,
    sandbox: Sandbox,
    chooser: Chooser,
    ledger: Ledger,
    /// How long an undisturbed change takes, so that kills fall into all of it.
    typical: Duration,
}

impl<'a> Victim<'a> {
    fn new(lane: &'a Lane, sandbox: Sandbox) -> Result<Self, String> {
        let finished = sandbox.run(&lane.binary, &["init", "victim"]).map_err(|error| error.to_string())?;
        if !finished.succeeded() {
            return Err(format!("`init` fails with {}", finished.brief()));
        }
        let chooser = Chooser::new(lane.seed);
        bystanders(&sandbox, &lane.binary)?;
        let now = read_back(&sandbox, &lane.binary, Names::Exact)?;
        let ledger = Ledger { now, ..Ledger::default() };
        let mut victim = Self { lane, sandbox, chooser, ledger, typical: Duration::ZERO };
        let started = Instant::now();
        for _ in 0..5 {
            let deed = victim.chooser.create(None);
            let (_, answer) = victim.perform(&deed, None)?;
            victim.acknowledge(&deed, answer.as_deref().ok_or("a change without any kill fails")?)?;
        }
        victim.typical = started.elapsed() / 5;
        Ok(victim)
    }

    /// One change, perhaps killed, and the look afterwards. The outer error means that nothing can be known any more.
    fn round(&mut self) -> Result<(Deed, bool, Result<(), String>), String> {
        let deed = self.chooser.choose(&self.ledger);
        let span = u64::try_from(self.typical.as_micros() * 13 / 10).unwrap_or(5_000).max(1);
        let delay = Duration::from_micros(self.chooser.random.next() % span);
        let (hit, answer) = self.perform(&deed, Some(delay))?;
        if let Some(answer) = answer {
            self.acknowledge(&deed, &answer)?;
            return Ok((deed, false, self.compare()));
        }
        let started = Instant::now();
        let actual = read_back(&self.sandbox, &self.lane.binary, Names::MayLag)?;
        // The first of these processes repaired what there was to repair; the rest only read.
        let per_process =
            started.elapsed() / u32::try_from(actual.tasks.len() + actual.sessions.len() + 2).unwrap_or(1);
        let result = self.settle(&deed, &actual);
        let result = match result {
            Ok(()) if per_process > READY => Err(format!("a fresh process needed {per_process:?}")),
            other => other,
        };
        Ok((deed, hit, result))
    }

    /// Runs a change and kills it after `delay`. The second value is the answer, when there was one.
    fn perform(&mut self, deed: &Deed, delay: Option<Duration>) -> Result<(bool, Option<String>), String> {
        let mut command = self.sandbox.command(&self.lane.binary);
        if let Some(input) = deed.input() {
            command.stdin(readable(&input).map_err(|error| error.to_string())?);
        }
        let mut child: Child = command.args(deed.args()).spawn().map_err(|error| format!("cannot start: {error}"))?;
        if let Some(delay) = delay {
            std::thread::sleep(delay);
            // An error says that it ended first.
            let _ = child.kill();
        }
        let output = child.wait_with_output().map_err(|error| format!("cannot wait: {error}"))?;
        match output.status.code() {
            Some(0) => Ok((false, Some(String::from_utf8_lossy(&output.stdout).into_owned()))),
            Some(code) => {
                Err(format!("{deed:?} ends with exit {code}: {}", String::from_utf8_lossy(&output.stderr).trim()))
            }
            None => Ok((true, None)),
        }
    }

    fn acknowledge(&mut self, deed: &Deed, answer: &str) -> Result<(), String> {
        let answer: serde_json::Value =
            serde_json::from_str(answer).map_err(|error| format!("{deed:?} answers {answer}: {error}"))?;
        self.ledger.apply(deed, &Made::by(deed, &answer));
        self.chooser.remember(deed);
        Ok(())
    }

    /// After a kill: everything acknowledged is there, and the change itself is there wholly or not at all.
    fn settle(&mut self, deed: &Deed, actual: &State) -> Result<(), String> {
        if matches!(deed, Deed::Share | Deed::Unshare) {
            self.chooser.shared = is_shared(&self.sandbox, &self.lane.binary)?;
        }
        let without = difference(&self.ledger.now, actual);
        let mut changed = self.ledger.clone();
        changed.apply(deed, &Made::between(&self.ledger.now, actual));
        let with = difference(&changed.now, actual);
        match (without, with) {
            (None, _) => Ok(()),
            (_, None) => {
                self.ledger = changed;
                Ok(())
            }
            (Some(without), Some(with)) => {
                self.ledger.now.clone_from(actual);
                Err(format!("neither before nor after; against before: {without}; against after: {with}"))
            }
        }
    }

    /// Everything acknowledged, and nothing else, is there; and nothing temporary is.
    fn compare(&mut self) -> Result<(), String> {
        let actual = read_back(&self.sandbox, &self.lane.binary, Names::MayLag)?;
        if let Some(difference) = difference(&self.ledger.now, &actual) {
            self.ledger.now = actual;
            return Err(difference);
        }
        let leftovers = self.sandbox.leftovers();
        if leftovers.is_empty() { Ok(()) } else { Err(format!("after a successful write: {}", leftovers.join(", "))) }
    }
}

fn is_shared(sandbox: &Sandbox, binary: &Path) -> Result<bool, String> {
    let finished = sandbox.run(binary, &["config", "get", "settings.task_dirs"]).map_err(|error| error.to_string())?;
    Ok(finished.stdout.contains("stable"))
}
