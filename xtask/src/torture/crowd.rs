//! Eight processes change one store while readers look on.
//!
//! Each writer owns tasks that only it changes, so it knows exactly how they must end; all of them write notes into,
//! check criteria of, and rename the same few hubs, under which everybody's tasks live.

mod agents;
mod runs;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use crate::rig::{Finished, Rng, Sandbox, flatten, scratch, text};

use super::deeds::{CRITERIA, Deed, STATUSES};
use super::ledger::{Ledger, Made, Names, State, difference, list, read_back};
use super::{Lane, Tally};

const WRITERS: usize = 8;
const READERS: usize = 2;
const HUBS: usize = 4;

/// Refusals because somebody else held the lock, per thousand operations.
const REFUSED_PER_MILLE: usize = 1;

pub(crate) fn run(lane: &Lane) -> Result<Tally, String> {
    let mut tally = Tally::default();
    for layout in [&["init", "crowd"][..], &["init", "crowd", "--shared"]] {
        let place = scratch().map_err(|error| error.to_string())?;
        let sandbox = Sandbox::create(place.path()).map_err(|error| error.to_string())?;
        tally.add(&Crowd::gather(lane, sandbox, layout)?.meet());
    }
    tally.add(&agents::run(lane)?);
    tally.add(&runs::run(lane)?);
    Ok(tally)
}

/// What one writer did and must find again.
#[derive(Debug, Default)]
struct Own {
    ledger: Ledger,
    /// Notes and checks it left in the hubs.
    hub_notes: Vec<(String, String)>,
    hub_checks: BTreeSet<(String, usize)>,
    times: Vec<Duration>,
}

struct Crowd<'a> {
    lane: &'a Lane,
    sandbox: Sandbox,
    hubs: Vec<String>,
    /// Tasks every reader must see from now on.
    visible: Mutex<BTreeSet<String>>,
    failures: Mutex<Vec<String>>,
    refused: AtomicUsize,
    done: AtomicUsize,
}

impl<'a> Crowd<'a> {
    fn gather(lane: &'a Lane, sandbox: Sandbox, init: &[&str]) -> Result<Self, String> {
        let mut crowd = Self {
            lane,
            sandbox,
            hubs: Vec::new(),
            visible: Mutex::default(),
            failures: Mutex::default(),
            refused: AtomicUsize::new(0),
            done: AtomicUsize::new(0),
        };
        let made = crowd.sandbox.run(&lane.binary, init).map_err(|error| error.to_string())?;
        if !made.succeeded() {
            return Err(format!("`init` fails with {}", made.brief()));
        }
        for hub in 0..HUBS {
            let mut args = vec!["task".to_owned(), "create".to_owned(), format!("Hub {hub}"), "--json".to_owned()];
            for writer in 0..WRITERS {
                args.extend(["--criterion".to_owned(), format!("seen by {writer}")]);
            }
            let made = crowd.sandbox.run(&lane.binary, &args).map_err(|error| error.to_string())?;
            crowd.hubs.push(text(&made.json()?, "id"));
        }
        crowd.visible.lock().expect("nobody panicked").extend(crowd.hubs.clone());
        Ok(crowd)
    }

    /// Everybody works, readers look on, and then all is read back.
    fn meet(&self) -> Tally {
        let busy = AtomicBool::new(true);
        let (owns, looks) = std::thread::scope(|scope| {
            let readers: Vec<_> = (0..READERS).map(|_| scope.spawn(|| self.look_on(&busy))).collect();
            let writers: Vec<_> = (0..WRITERS).map(|writer| scope.spawn(move || self.work(writer))).collect();
            let owns: Vec<Own> =
                writers.into_iter().map(|writer| writer.join().expect("writers do not panic")).collect();
            busy.store(false, Ordering::Release);
            let looks: usize = readers.into_iter().map(|reader| reader.join().expect("readers do not panic")).sum();
            (owns, looks)
        });
        self.verdict(&owns, looks)
    }

    fn work(&self, writer: usize) -> Own {
        let mut own = Own::default();
        let mut random = Rng::new(self.lane.seed.wrapping_mul(1_000).wrapping_add(writer as u64));
        for serial in 0..self.lane.operations {
            let deed = self.choose(&own, &mut random, writer, serial);
            self.hide(&deed, &own);
            let started = Instant::now();
            let finished = match self.sandbox.run(&self.lane.binary, &deed.args()) {
                Ok(finished) => finished,
                Err(error) => {
                    self.complain(format!("cannot start: {error}"));
                    continue;
                }
            };
            own.times.push(started.elapsed());
            self.done.fetch_add(1, Ordering::Relaxed);
            self.account(&deed, &finished, &mut own);
        }
        own
    }

    fn choose(&self, own: &Own, random: &mut Rng, writer: usize, serial: usize) -> Deed {
        // The first writer converts everything under the feet of the others, and back.
        let (turn, back) = (self.lane.operations / 2, self.lane.operations * 3 / 4);
        if writer == 0 && (serial == turn || serial == back) {
            return if self.is_shared() { Deed::Unshare } else { Deed::Share };
        }
        let hub = random.pick(&self.hubs).clone();
        let mine: Vec<String> = own.ledger.now.tasks.keys().cloned().collect();
        let Some(id) = (!mine.is_empty()).then(|| random.pick(&mine).clone()) else {
            return Deed::Create { title: format!("Own {writer}-{serial}"), parent: Some(hub) };
        };
        let restorable: Vec<&String> = own.ledger.restorable(&self.hubs);
        match random.below(20) {
            0..=3 => {
                let parent = [None, Some(hub), Some(id)];
                Deed::Create { title: format!("Own {writer}-{serial}"), parent: random.pick(&parent).clone() }
            }
            4..=7 => Deed::Note { id: hub, text: format!("from {writer}-{serial}") },
            8 | 9 => Deed::Note { id, text: format!("from {writer}-{serial}") },
            10 | 11 => Deed::Status { id, status: random.pick::<&str>(STATUSES) },
            12 => Deed::Status { id: hub, status: random.pick::<&str>(STATUSES) },
            13 => Deed::Title { id, title: format!("Own {writer}-{serial} renamed") },
            14 => Deed::Check { id: hub, criterion: writer + 1 },
            15 => Deed::Check { id, criterion: random.below(CRITERIA) + 1 },
            16 | 17 => Deed::Move { id, parent: random.pick(&[None, Some(hub)]).clone() },
            18 if !restorable.is_empty() => Deed::Restore { id: (*random.pick(&restorable)).clone() },
            _ => Deed::Delete { id },
        }
    }

    fn is_shared(&self) -> bool {
        let shown = self.sandbox.run(&self.lane.binary, &["config", "get", "settings.task_dirs"]);
        shown.is_ok_and(|shown| shown.stdout.contains("stable"))
    }

    /// From the moment a deletion is asked for, nobody can be blamed for not seeing the task.
    fn hide(&self, deed: &Deed, own: &Own) {
        if let Deed::Delete { id } = deed {
            let mut visible = self.visible.lock().expect("nobody panicked");
            for id in own.ledger.subtree(id) {
                visible.remove(&id);
            }
        }
    }

    fn account(&self, deed: &Deed, finished: &Finished, own: &mut Own) {
        if !finished.succeeded() {
            let said = finished.stderr.to_lowercase();
            if finished.died().is_none() && (said.contains("lock") || said.contains("busy")) {
                self.refused.fetch_add(1, Ordering::Relaxed);
                // The task that was to be deleted is still there.
                self.visible.lock().expect("nobody panicked").extend(own.ledger.now.tasks.keys().cloned());
            } else {
                self.complain(format!("{deed:?} fails with {}", finished.brief()));
            }
            return;
        }
        match deed {
            Deed::Note { id, text } if self.hubs.contains(id) => own.hub_notes.push((id.clone(), text.clone())),
            Deed::Check { id, criterion } if self.hubs.contains(id) => {
                own.hub_checks.insert((id.clone(), *criterion));
            }
            Deed::Status { id, .. } if self.hubs.contains(id) => {}
            Deed::Share | Deed::Unshare => {}
            _ => match finished.json() {
                Ok(answer) => own.ledger.apply(deed, &Made::by(deed, &answer)),
                Err(why) => self.complain(format!("{deed:?}: {why}")),
            },
        }
        if matches!(deed, Deed::Create { .. } | Deed::Restore { .. }) {
            self.visible.lock().expect("nobody panicked").extend(own.ledger.now.tasks.keys().cloned());
        }
    }

    /// Lists over and over; returns how often.
    fn look_on(&self, busy: &AtomicBool) -> usize {
        let mut looks = 0;
        while busy.load(Ordering::Acquire) {
            let expected = self.visible.lock().expect("nobody panicked").clone();
            let seen = match list(&self.sandbox, &self.lane.binary, Names::Exact) {
                Ok(list) => flatten(&list).into_iter().map(|task| text(task, "id")).collect::<Vec<_>>(),
                Err(why) => {
                    self.complain(format!("a reader: {why}"));
                    continue;
                }
            };
            looks += 1;
            let distinct: BTreeSet<&String> = seen.iter().collect();
            if distinct.len() != seen.len() {
                self.complain("a reader sees a task twice".to_owned());
            }
            let still = self.visible.lock().expect("nobody panicked");
            let missing: Vec<&String> =
                expected.iter().filter(|id| still.contains(*id) && !distinct.contains(id)).collect();
            if !missing.is_empty() {
                self.complain(format!(
                    "a reader misses {} of {} tasks, such as {}",
                    missing.len(),
                    expected.len(),
                    missing[0]
                ));
            }
        }
        looks
    }

    fn complain(&self, why: String) {
        self.failures.lock().expect("nobody panicked").push(why);
    }

    fn verdict(&self, owns: &[Own], looks: usize) -> Tally {
        let mut tally = Tally::default();
        let done = self.done.load(Ordering::Relaxed);
        let refused = self.refused.load(Ordering::Relaxed);
        let mut times: Vec<Duration> = owns.iter().flat_map(|own| own.times.clone()).collect();
        times.sort();
        if let (Some(half), Some(most)) = (times.get(times.len() / 2), times.get(times.len() * 99 / 100)) {
            println!(
                "crowd: {done} operations, median {half:.1?}, 99 in 100 under {most:.1?}, {looks} listings, {refused} refused"
            );
        }
        let failures = std::mem::take(&mut *self.failures.lock().expect("nobody panicked"));
        for why in &failures {
            tally.check("crowd", Err(why.clone()));
        }
        tally.passed += (done + looks).saturating_sub(failures.len());
        let limit = done * REFUSED_PER_MILLE / 1_000;
        tally.check(
            "crowd: refusals",
            if refused <= limit { Ok(()) } else { Err(format!("{refused} of {done} refused because of the lock")) },
        );
        tally.check("crowd: read back", self.read_back(owns));
        let leftovers = self.sandbox.leftovers();
        tally
            .check("crowd: nothing left behind", if leftovers.is_empty() { Ok(()) } else { Err(leftovers.join(", ")) });
        tally
    }

    /// Everything acknowledged is there once, with everything that was acknowledged about it.
    fn read_back(&self, owns: &[Own]) -> Result<(), String> {
        let actual = read_back(&self.sandbox, &self.lane.binary, Names::Exact)?;
        let mut expected = State::default();
        let mut hub_notes: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for own in owns {
            expected.tasks.extend(own.ledger.now.tasks.clone());
            for (hub, note) in &own.hub_notes {
                hub_notes.entry(hub).or_default().push(note);
            }
        }
        for hub in &self.hubs {
            let found = actual.tasks.get(hub).ok_or_else(|| format!("the hub {hub} is gone"))?;
            let mut notes: Vec<&str> = found.notes.iter().map(String::as_str).collect();
            notes.sort_unstable();
            let mut acknowledged = hub_notes.remove(hub.as_str()).unwrap_or_default();
            acknowledged.sort_unstable();
            if notes != acknowledged {
                return Err(format!("hub {hub} has {} notes, {} were acknowledged", notes.len(), acknowledged.len()));
            }
            let checks = owns.iter().flat_map(|own| &own.hub_checks).filter(|(id, _)| id == hub);
            if let Some((_, lost)) = checks.into_iter().find(|(_, criterion)| !found.checked.contains(criterion)) {
                return Err(format!("hub {hub} lost its check of criterion {lost}"));
            }
            // Whatever status the last writer gave it; the rest was compared above.
            expected.tasks.insert(hub.clone(), found.clone());
        }
        difference(&expected, &actual).map_or(Ok(()), Err)
    }
}
