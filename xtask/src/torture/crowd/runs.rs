//! People who hand over at once: with a note, with a record of their own, or only to finish what is open. Some are killed.
//!
//! A note that was taken is in one closed session in the end; one whose process was killed is in one or in none.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::time::Duration;

use crate::rig::{Finished, Rng, Sandbox, scratch, text};
use crate::torture::{Lane, Tally};

const PEOPLE: usize = 8;
const TURNS: usize = 50;
/// Every so many of one's turns is cut short.
const KILLED: usize = 17;
/// What became of a note.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Told {
    Taken,
    /// It is there once or not at all
    Nobody,
}

pub(super) fn run(lane: &Lane) -> Result<Tally, String> {
    let place = scratch().map_err(|error| error.to_string())?;
    let sandbox = Sandbox::create(place.path()).map_err(|error| error.to_string())?;
    let crowd = Crowd { lane, sandbox, notes: Mutex::default(), tally: Mutex::default() };
    crowd.must(&["init", "crowd"])?;
    crowd.must(&["session", "start", "Under way"])?;
    std::thread::scope(|scope| {
        for person in 0..PEOPLE {
            let crowd = &crowd;
            scope.spawn(move || crowd.work(person));
        }
    });
    let verdict = crowd.verdict();
    let mut tally = crowd.tally.into_inner().expect("nobody panicked");
    tally.check("crowd of runs: in the end", verdict);
    Ok(tally)
}

struct Crowd<'a> {
    lane: &'a Lane,
    sandbox: Sandbox,
    notes: Mutex<BTreeMap<String, Told>>,
    tally: Mutex<Tally>,
}

impl Crowd<'_> {
    fn must(&self, args: &[&str]) -> Result<Finished, String> {
        let done = self.sandbox.run(&self.lane.binary, args).map_err(|error| error.to_string())?;
        if done.succeeded() {
            Ok(done)
        } else {
            Err(format!("`handoff {}` fails with {}", args.join(" "), done.brief()))
        }
    }

    fn work(&self, person: usize) {
        let mut random = Rng::new(self.lane.seed.wrapping_mul(1_000).wrapping_add(person as u64));
        for turn in 0..TURNS {
            let note = format!("Note {person}-{turn}.");
            let args = match (turn + person) % 4 {
                0 | 1 => vec!["run", &note],
                2 => vec!["save", &note],
                _ => vec!["run"],
            };
            let is_killed = (turn + person) % KILLED == 4;
            let told = if is_killed {
                let delay = Duration::from_millis(random.next() % 60);
                self.kill_after(&args, delay).map(|()| Told::Nobody)
            } else {
                self.do_it(&args)
            };
            let result = told.map(|told| {
                if args.len() > 1 {
                    self.notes.lock().expect("nobody panicked").insert(note.clone(), told);
                }
            });
            let mut tally = self.tally.lock().expect("nobody panicked");
            tally.check(&format!("crowd of runs: {}", args.join(" ")), result);
        }
    }

    fn do_it(&self, args: &[&str]) -> Result<Told, String> {
        let done = self.sandbox.run(&self.lane.binary, args).map_err(|error| error.to_string())?;
        match (done.died(), done.code) {
            (Some(death), _) => Err(format!("the process {death}: {}", done.brief())),
            (None, Some(0)) => Ok(Told::Taken),
            // Whoever has nothing to say need not wait for those who have.
            (None, Some(4)) if args == ["run"] => Ok(Told::Nobody),
            _ => Err(format!("it ends with {}", done.brief())),
        }
    }

    fn kill_after(&self, args: &[&str], delay: Duration) -> Result<(), String> {
        let child = self.sandbox.command(&self.lane.binary).args(args).spawn();
        let mut child = child.map_err(|error| format!("cannot start: {error}"))?;
        std::thread::sleep(delay);
        // An error says that it ended first.
        let _ = child.kill();
        child.wait_with_output().map(|_| ()).map_err(|error| format!("cannot wait: {error}"))
    }

    /// What was cut short is finished, and then each note is where it belongs.
    fn verdict(&self) -> Result<(), String> {
        self.must(&["run"])?;
        let queue = self.sandbox.store().join("local/state/queue");
        let waits = std::fs::read_dir(queue).map_err(|error| error.to_string())?.flatten();
        let waiting = waits.filter(|entry| !entry.file_name().to_string_lossy().starts_with(".new-")).count();
        if waiting > 0 {
            return Err(format!("{waiting} requests still wait"));
        }
        let list = self.must(&["session", "list", "--archived", "--json"])?.json()?;
        let mut found: BTreeMap<String, usize> = BTreeMap::new();
        for session in list["sessions"].as_array().into_iter().flatten() {
            if text(session, "status") != "closed" {
                return Err(format!("a session is not closed: {session}"));
            }
            *found.entry(text(session, "title")).or_default() += 1;
        }
        for (note, told) in &*self.notes.lock().expect("nobody panicked") {
            let count = found.remove(note).unwrap_or_default();
            if count > 1 || (count == 0 && *told == Told::Taken) {
                return Err(format!("`{note}` is in {count} sessions, and its process said {told:?}"));
            }
        }
        // The first who came and had nothing to say closed what was under way.
        found.remove("Under way");
        if !found.is_empty() {
            return Err(format!("nobody said {found:?}"));
        }
        let checked = self.sandbox.run(&self.lane.binary, &["check"]).map_err(|error| error.to_string())?;
        if checked.code != Some(2) {
            return Err(format!("`check` ends with {}", checked.brief()));
        }
        self.must(&["doctor"])?;
        let leftovers = self.sandbox.leftovers();
        if leftovers.is_empty() { Ok(()) } else { Err(format!("temporary files are left: {}", leftovers.join(", "))) }
    }
}
