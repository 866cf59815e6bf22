//! Agents at their servers and people at their command lines, on one project at once.
//!
//! Each knows exactly what it was told about its own sessions and tasks. Agents never name the session they work in: it
//! is theirs because their connection established it, and what they say must go there and nowhere else.

mod agent;
mod person;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use serde_json::json;

use crate::rig::{Sandbox, Server, flatten, said, scratch, text};
use crate::torture::ledger::{Ledger, Names, State, difference, list, read_back};
use crate::torture::scenario::bystanders;
use crate::torture::{Lane, Tally};

/// Servers, of which the last is killed over and over.
const AGENTS: usize = 3;
const PEOPLE: usize = 3;

/// Refusals because somebody else held the lock, per thousand operations.
const REFUSED_PER_MILLE: usize = 1;

pub(super) fn run(lane: &Lane) -> Result<Tally, String> {
    let place = scratch().map_err(|error| error.to_string())?;
    let sandbox = Sandbox::create(place.path()).map_err(|error| error.to_string())?;
    let desk = Desk::new(lane, sandbox)?;
    let busy = AtomicBool::new(true);
    let ledgers = std::thread::scope(|scope| {
        let readers = [scope.spawn(|| desk.list_on(&busy)), scope.spawn(|| desk.load_on(&busy))];
        let agents = (0..AGENTS).map(|number| {
            let desk = &desk;
            scope.spawn(move || agent::work(desk, number, number + 1 == AGENTS))
        });
        let people = (0..PEOPLE).map(|number| {
            let desk = &desk;
            scope.spawn(move || person::work(desk, number))
        });
        let workers: Vec<_> = agents.chain(people).collect();
        let ledgers: Vec<Ledger> =
            workers.into_iter().map(|worker| worker.join().expect("workers do not panic")).collect();
        busy.store(false, Ordering::Release);
        for reader in readers {
            reader.join().expect("readers do not panic");
        }
        ledgers
    });
    Ok(desk.verdict(&ledgers))
}

/// The project they all work on, and what is known of it by all.
struct Desk<'a> {
    lane: &'a Lane,
    sandbox: Sandbox,
    /// Before anybody came.
    bystanders: State,
    /// Sessions that every reader must see from now on, with the tasks that were made with them.
    visible: Mutex<BTreeMap<String, Vec<String>>>,
    failures: Mutex<Vec<String>>,
    done: AtomicUsize,
    looks: AtomicUsize,
    refused: AtomicUsize,
    killed: AtomicUsize,
}

impl<'a> Desk<'a> {
    fn new(lane: &'a Lane, sandbox: Sandbox) -> Result<Self, String> {
        let made = sandbox.run(&lane.binary, &["init", "desk"]).map_err(|error| error.to_string())?;
        if !made.succeeded() {
            return Err(format!("`init` fails with {}", made.brief()));
        }
        bystanders(&sandbox, &lane.binary)?;
        let bystanders = read_back(&sandbox, &lane.binary, Names::Exact)?;
        Ok(Self {
            lane,
            sandbox,
            visible: Mutex::new(bystanders.sessions.keys().map(|id| (id.clone(), Vec::new())).collect()),
            bystanders,
            failures: Mutex::default(),
            done: AtomicUsize::new(0),
            looks: AtomicUsize::new(0),
            refused: AtomicUsize::new(0),
            killed: AtomicUsize::new(0),
        })
    }

    fn binary(&self) -> &Path {
        &self.lane.binary
    }

    fn serve(&self, name: &str) -> Result<Server, String> {
        let mut command = self.sandbox.command(self.binary());
        command.arg("mcp");
        Server::connect(command, name)
    }

    fn complain(&self, why: String) {
        self.failures.lock().expect("nobody panicked").push(why);
    }

    /// Counts what was done; whoever could not because of the lock is not to blame.
    fn count(&self, who: &str, result: Result<(), String>) {
        self.done.fetch_add(1, Ordering::Relaxed);
        match result {
            Ok(()) => {}
            Err(why) if why.contains("lock") || why.contains("busy") => {
                self.refused.fetch_add(1, Ordering::Relaxed);
            }
            Err(why) => self.complain(format!("{who}: {why}")),
        }
    }

    /// From now on everybody must see these sessions, and the tasks that were made with them.
    fn show(&self, ledger: &Ledger) {
        let mut visible = self.visible.lock().expect("nobody panicked");
        for (id, fact) in &ledger.now.sessions {
            visible.entry(id.clone()).or_insert_with(|| fact.tasks.clone());
        }
    }

    fn visible(&self) -> BTreeMap<String, Vec<String>> {
        self.visible.lock().expect("nobody panicked").clone()
    }

    /// Lists in fresh processes: each session once, and with each the tasks that were made in the same step.
    fn list_on(&self, busy: &AtomicBool) {
        while busy.load(Ordering::Acquire) {
            let expected = self.visible();
            self.looks.fetch_add(1, Ordering::Relaxed);
            if let Err(why) = self.list_once(&expected) {
                self.complain(format!("a reader: {why}"));
            }
        }
    }

    fn list_once(&self, expected: &BTreeMap<String, Vec<String>>) -> Result<(), String> {
        let listing = ["session", "list", "--archived", "--json"];
        let listed = self.sandbox.run(self.binary(), &listing).map_err(|error| error.to_string())?;
        let listed = listed.json()?;
        crate::rig::no_problems(&listed, "session list")?;
        let mut seen: Vec<String> =
            listed["sessions"].as_array().into_iter().flatten().map(|session| text(session, "id")).collect();
        let count = seen.len();
        seen.sort();
        seen.dedup();
        if seen.len() != count {
            return Err("a session is listed twice".to_owned());
        }
        if let Some(missing) = expected.keys().find(|id| seen.binary_search(id).is_err()) {
            return Err(format!("session {missing} is not listed, {count} others are"));
        }
        let tasks = list(&self.sandbox, self.binary(), Names::Exact)?;
        let tasks: Vec<String> = flatten(&tasks).into_iter().map(|task| text(task, "id")).collect();
        match expected.iter().find(|(_, made)| made.iter().any(|id| !tasks.contains(id))) {
            Some((id, _)) => Err(format!("session {id} is there without the tasks that were made with it")),
            None => Ok(()),
        }
    }

    /// Asks one long-lived server over and over, which must show what everybody else did.
    fn load_on(&self, busy: &AtomicBool) {
        let mut server = match self.serve("reader") {
            Ok(server) => server,
            Err(why) => return self.complain(why),
        };
        while busy.load(Ordering::Acquire) {
            let expected = self.visible();
            self.looks.fetch_add(1, Ordering::Relaxed);
            if let Err(why) = self.load_once(&mut server, &expected) {
                self.complain(format!("a server that reads: {why}"));
            }
        }
        if let Err(why) = server.close() {
            self.complain(why);
        }
    }

    fn load_once(&self, server: &mut Server, expected: &BTreeMap<String, Vec<String>>) -> Result<(), String> {
        let loaded = server.call("handoff_load_context", &json!({}))?;
        if said(&loaded).is_empty() {
            return Err("a load says nothing".to_owned());
        }
        let open = server.request("resources/read", &json!({"uri": "handoff://sessions"}))?;
        let open = text(&open["contents"][0], "text");
        if let Some(missing) = self.bystanders.sessions.keys().find(|id| !open.contains(id.as_str())) {
            return Err(format!("session {missing} is active and not among the open ones: {open}"));
        }
        // The last that came, which is the one that is least likely to be known yet.
        let Some(id) = expected.keys().nth(self.looks.load(Ordering::Relaxed) % expected.len().max(1)) else {
            return Ok(());
        };
        let shown = server.call("handoff_get_session", &json!({"session": id, "format": "json"}))?;
        if text(&shown["structuredContent"], "id") != *id {
            return Err(format!("session {id} is shown as {}", said(&shown)));
        }
        Ok(())
    }

    fn verdict(&self, ledgers: &[Ledger]) -> Tally {
        let mut tally = Tally::default();
        let [done, looks, refused, killed] =
            [&self.done, &self.looks, &self.refused, &self.killed].map(|count| count.load(Ordering::Relaxed));
        println!(
            "crowd: {AGENTS} servers and {PEOPLE} command lines, {done} operations, {looks} looks, {killed} servers killed, {refused} refused"
        );
        let failures = std::mem::take(&mut *self.failures.lock().expect("nobody panicked"));
        for why in &failures {
            tally.check("agents", Err(why.clone()));
        }
        tally.passed += (done + looks).saturating_sub(failures.len());
        let limit = done * REFUSED_PER_MILLE / 1_000;
        let few =
            if refused <= limit { Ok(()) } else { Err(format!("{refused} of {done} refused because of the lock")) };
        tally.check("agents: refusals", few);
        tally.check("agents: read back", self.read_back(ledgers));
        let leftovers = self.sandbox.leftovers();
        let none = if leftovers.is_empty() { Ok(()) } else { Err(leftovers.join(", ")) };
        tally.check("agents: nothing left behind", none);
        tally
    }

    /// Everything acknowledged is there once, and nothing of anybody's was touched by another.
    fn read_back(&self, ledgers: &[Ledger]) -> Result<(), String> {
        let actual = read_back(&self.sandbox, self.binary(), Names::Exact)?;
        let mut expected = self.bystanders.clone();
        for ledger in ledgers {
            expected.tasks.extend(ledger.now.tasks.clone());
            expected.sessions.extend(ledger.now.sessions.clone());
        }
        difference(&expected, &actual).map_or(Ok(()), Err)
    }
}
