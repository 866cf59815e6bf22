//! Machine-local state that arrives with a project: nothing in it acts, is shown or is copied, however it came here.
//!
//! Each case is one hostile state file, one way in which a project arrives, and one command that is the first to run
//! there. The user's own state, on the other hand, still works after the project was moved, copied or restored.

mod delivery;
mod door;
mod own_state;
mod plant;
mod verdict;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::rig::{Rng, Sandbox, scratch};

use super::{Lane, Tally, check_each};
use delivery::Delivery;
use door::Door;
use plant::{Attacker, Plant};

/// Text in planted files that must not be seen anywhere else.
const CANARY: &str = "PLANTEDCANARY";
/// Text in a transcript of another project.
const TRANSCRIPT_CANARY: &str = "TRANSCRIPTCANARY";
/// Text in a file of the user that planted paths lead to.
const PROFILE: &str = "# the user's own profile\n";
/// Cases of a sample.
const SAMPLE: usize = 96;

/// One planted file, one delivery, one door.
struct Case<'a> {
    plant: &'a Plant,
    delivery: Delivery,
    door: &'a Door,
}

impl Case<'_> {
    fn describe(&self) -> String {
        format!("{}: {}, {}", self.plant.name, self.delivery.name(), self.door.name)
    }
}

pub(crate) fn run(lane: &Lane, wanted: Option<&str>) -> Result<Tally, String> {
    let place = scratch().map_err(|error| format!("cannot make a scratch directory: {error}"))?;
    let attacker = Attacker::prepare(&lane.binary, &place.path().join("attacker"))?;
    let (plants, doors) = (attacker.plants(), door::all());
    let deliveries: Vec<Delivery> = Delivery::ALL.into_iter().filter(|delivery| delivery.is_possible()).collect();
    let is_wanted = |name: &str| wanted.is_none_or(|text| name.contains(text));
    let mut cases = Vec::new();
    for plant in &plants {
        for &delivery in &deliveries {
            cases.extend(doors.iter().map(|door| Case { plant, delivery, door }));
        }
    }
    cases.retain(|case| is_wanted(&case.describe()));
    if lane.sample {
        cases = Rng::new(lane.seed).sample(cases, SAMPLE);
    }
    let number = AtomicUsize::new(0);
    let fresh = || place.path().join(format!("case-{}", number.fetch_add(1, Ordering::Relaxed)));
    let mut tally = check_each(&cases, Case::describe, |case| check(lane, &attacker, case, &fresh()));
    let moves: Vec<own_state::Transport> =
        own_state::Transport::ALL.into_iter().filter(|transport| is_wanted(transport.name())).collect();
    let own = check_each(
        &moves,
        |transport| format!("own state: {}", transport.name()),
        |transport| own_state::check(lane, *transport, &fresh()),
    );
    tally.add(&own);
    Ok(tally)
}

/// Delivers a hostile project to a fresh user, opens it by one door, and looks at what became of it.
fn check(lane: &Lane, attacker: &Attacker, case: &Case<'_>, place: &Path) -> Result<(), String> {
    let failed = |error: std::io::Error| format!("cannot prepare the case: {error}");
    let sandbox = Sandbox::create(place).map_err(failed)?;
    let victim = Victim::prepare(sandbox).map_err(failed)?;
    let planted = case.plant.files_for(&victim);
    let arrived = delivery::deliver(case.delivery, attacker, &planted, &victim)?;
    let before = verdict::Snapshot::take(&victim, &arrived.top);
    let finished = door::open(case.door, &lane.binary, &victim, &arrived)?;
    let result = verdict::judge(&victim, &arrived, &planted, &before, &finished);
    if result.is_ok() {
        let _ = fs::remove_dir_all(place);
    }
    result.map_err(|why| format!("{why} ({})", finished.brief()))
}

/// A user with files of their own, into whose hands a hostile project comes.
pub(crate) struct Victim {
    sandbox: Sandbox,
}

impl Victim {
    fn prepare(sandbox: Sandbox) -> std::io::Result<Victim> {
        let victim = Victim { sandbox };
        fs::remove_dir(victim.sandbox.project())?;
        fs::write(victim.home().join(".profile"), PROFILE)?;
        let other = victim.sandbox.root().join("other-project");
        fs::create_dir_all(&other)?;
        let transcript = victim.transcript();
        fs::create_dir_all(transcript.parent().unwrap_or(&transcript))?;
        let cwd = other.display();
        let lines = [
            format!(
                r#"{{"type":"user","sessionId":"planted","cwd":"{cwd}","timestamp":"2026-11-15T10:00:00Z","uuid":"u1","parentUuid":null,"message":{{"role":"user","content":"{TRANSCRIPT_CANARY} asked"}}}}"#
            ),
            format!(
                r#"{{"type":"assistant","sessionId":"planted","cwd":"{cwd}","timestamp":"2026-11-15T10:00:05Z","uuid":"u2","parentUuid":"u1","message":{{"role":"assistant","content":[{{"type":"text","text":"{TRANSCRIPT_CANARY} answered"}}]}}}}"#
            ),
        ];
        fs::write(transcript, lines.join("\n") + "\n")?;
        Ok(victim)
    }

    fn root(&self) -> &Path {
        self.sandbox.root()
    }

    fn home(&self) -> PathBuf {
        self.root().join("home")
    }

    /// A conversation of an agent in another project.
    fn transcript(&self) -> PathBuf {
        self.home().join(".claude/projects/-other-project/planted.jsonl")
    }
}
