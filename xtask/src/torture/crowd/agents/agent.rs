//! An agent at a server of its own, which works in one session after another.

use std::sync::atomic::Ordering;
use std::time::Duration;

use serde_json::{Value, json};

use super::Desk;
use crate::rig::{Rng, Server, sessions, text};
use crate::torture::deeds::{Deed, SessionDeed};
use crate::torture::ledger::{Ledger, Made, SessionFact};

/// Does as many changes as the lane says, and returns what must be there of them. The server of one who `is_mortal` is
/// killed in the middle of a save now and then.
pub(super) fn work(desk: &Desk<'_>, number: usize, is_mortal: bool) -> Ledger {
    let who = format!("agent {number}");
    let server = match desk.serve(&who) {
        Ok(server) => server,
        Err(why) => {
            desk.complain(format!("{who}: {why}"));
            return Ledger::default();
        }
    };
    let random = Rng::new(desk.lane.seed.wrapping_mul(2_000).wrapping_add(number as u64));
    let mut agent = Agent { desk, who, server, random, ledger: Ledger::default(), own: None };
    for turn in 0..desk.lane.operations {
        let serial = (number + 1) * 10_000_000 + turn;
        let result = if is_mortal && turn % 8 == 7 { agent.die(serial) } else { agent.act(serial) };
        desk.count(&agent.who, result);
        desk.show(&agent.ledger);
    }
    let Agent { server, ledger, who, .. } = agent;
    if let Err(why) = server.close() {
        desk.complain(format!("{who}: {why}"));
    }
    ledger
}

struct Agent<'a> {
    desk: &'a Desk<'a>,
    who: String,
    server: Server,
    random: Rng,
    ledger: Ledger,
    /// The session its connection established, which it never names.
    own: Option<String>,
}

impl Agent<'_> {
    fn act(&mut self, serial: usize) -> Result<(), String> {
        match (self.random.below(10), self.own.clone()) {
            (0..=2, None) => self.establish(serial),
            (0..=2, Some(own)) => self.tell(&own, serial),
            (3, Some(own)) => self.close(&own, serial),
            (3, None) => self.go_on(serial),
            (4, None) => self.save_with_tasks(serial),
            (4, Some(own)) => self.save_active(&own, serial),
            (5, own) => self.load(own.as_deref()),
            (6, _) => self.create_task(serial),
            (7, _) => self.note_in_task(serial),
            _ => self.look_at_own(),
        }
    }

    /// A change, and the id of the session that the answer names.
    fn change(&mut self, tool: &str, arguments: &Value) -> Result<String, String> {
        let result = self.server.call(tool, arguments)?;
        let id = text(&result["structuredContent"], "id");
        if id.is_empty() { Err(format!("{tool} names no id: {result}")) } else { Ok(id) }
    }

    fn establish(&mut self, serial: usize) -> Result<(), String> {
        let summary = format!("Work {serial}");
        let id = self.change("handoff_save_context", &json!({"summary": summary, "session_status": "active"}))?;
        if self.ledger.now.sessions.contains_key(&id) {
            return Err(format!("what should be a session of its own went into {id}"));
        }
        self.ledger.now.sessions.insert(id.clone(), SessionFact::new(&summary, "active"));
        self.own = Some(id);
        Ok(())
    }

    fn tell(&mut self, own: &str, serial: usize) -> Result<(), String> {
        let (note, step) = (format!("note {serial}"), format!("step {serial}"));
        let id = self.change("handoff_update_session", &json!({"add_notes": [note], "add_next": [step]}))?;
        self.edit(own, &id, |fact| {
            fact.notes.push(note);
            fact.next.push(step);
        })
    }

    fn save_active(&mut self, own: &str, serial: usize) -> Result<(), String> {
        let summary = format!("Work {serial}");
        let arguments = json!({"summary": summary, "session_status": "active"});
        let id = self.change("handoff_save_context", &arguments)?;
        self.edit(own, &id, |fact| fact.summary = summary)
    }

    fn close(&mut self, own: &str, serial: usize) -> Result<(), String> {
        let summary = format!("Work {serial}");
        let next = [format!("step {serial}")];
        let id = self.change("handoff_save_context", &json!({"summary": summary, "next": next}))?;
        self.own = None;
        self.edit(own, &id, |fact| {
            fact.summary = summary;
            fact.next = next.to_vec();
            "closed".clone_into(&mut fact.status);
        })
    }

    fn go_on(&mut self, serial: usize) -> Result<(), String> {
        let closed = self.ledger.now.sessions.iter().filter(|(_, fact)| fact.status == "closed");
        let closed: Vec<String> = closed.map(|(id, _)| id.clone()).collect();
        let Some(session) = (!closed.is_empty()).then(|| self.random.pick(&closed).clone()) else {
            return self.establish(serial);
        };
        let id = self.change("handoff_reopen_session", &json!({ "session": session }))?;
        let made = Made { session: id.clone(), ..Made::default() };
        self.ledger.apply(&Deed::Session(SessionDeed::Reopen { session }), &made);
        self.own = Some(id);
        Ok(())
    }

    fn save_with_tasks(&mut self, serial: usize) -> Result<(), String> {
        let deed = self.planning(serial);
        let id = self.change("handoff_save_context", &deed.request())?;
        self.find(&deed, &id)
    }

    fn planning(&self, serial: usize) -> SessionDeed {
        let note_in = self.ledger.now.tasks.keys().next().cloned();
        SessionDeed::SaveWithTasks { summary: format!("Work {serial}"), title: format!("Planned {serial}"), note_in }
    }

    /// Takes over what a save with tasks made, as the server shows it.
    fn find(&mut self, deed: &SessionDeed, id: &str) -> Result<(), String> {
        let shown = self.server.call("handoff_get_session", &json!({"session": id, "format": "json"}))?;
        let task = shown["structuredContent"]["tasks"][0].as_str().unwrap_or_default().to_owned();
        self.ledger.apply(&Deed::Session(deed.clone()), &Made { task, session: id.to_owned() });
        Ok(())
    }

    fn load(&mut self, own: Option<&str>) -> Result<(), String> {
        let loaded = self.server.call("handoff_load_context", &json!({"format": "json"}))?;
        match own {
            Some(own) if !loaded["structuredContent"].to_string().contains(own) => {
                Err(format!("a load does not speak of the own session {own}: {loaded}"))
            }
            _ => Ok(()),
        }
    }

    fn create_task(&mut self, serial: usize) -> Result<(), String> {
        let title = format!("Task {serial}");
        let arguments = json!({"task": {"title": title, "done_criteria": [{"item": "works"}]}});
        let task = self.change("handoff_update_task", &arguments)?;
        self.ledger.apply(&Deed::Create { title, parent: None }, &Made { task, ..Made::default() });
        Ok(())
    }

    fn note_in_task(&mut self, serial: usize) -> Result<(), String> {
        let tasks: Vec<String> = self.ledger.now.tasks.keys().cloned().collect();
        let Some(id) = (!tasks.is_empty()).then(|| self.random.pick(&tasks).clone()) else {
            return self.create_task(serial);
        };
        let text = format!("note {serial}");
        self.change("handoff_update_task", &json!({"task": {"id": id, "notes_append": text}}))?;
        self.ledger.apply(&Deed::Note { id, text }, &Made::default());
        Ok(())
    }

    /// What the server shows of one of its sessions is what it was told, whatever others did meanwhile.
    fn look_at_own(&mut self) -> Result<(), String> {
        let mine: Vec<String> = self.ledger.now.sessions.keys().cloned().collect();
        let Some(id) = (!mine.is_empty()).then(|| self.random.pick(&mine).clone()) else { return Ok(()) };
        let shown = self.server.call("handoff_get_session", &json!({"session": id, "format": "json"}))?;
        let (shown, expected) = (SessionFact::read(&shown["structuredContent"]), &self.ledger.now.sessions[&id]);
        if shown == *expected { Ok(()) } else { Err(format!("session {id} should be {expected:?} but is {shown:?}")) }
    }

    fn edit(&mut self, own: &str, id: &str, edit: impl FnOnce(&mut SessionFact)) -> Result<(), String> {
        if own != id {
            return Err(format!("meant for the own session {own}, it went into {id}"));
        }
        edit(self.ledger.now.sessions.get_mut(own).ok_or("the own session is unknown")?);
        Ok(())
    }

    /// Asks for a save with tasks and kills the server at some instant; it happened wholly or not at all.
    fn die(&mut self, serial: usize) -> Result<(), String> {
        // Whoever has a session of their own would save that one.
        if let Some(own) = self.own.clone() {
            self.close(&own, serial)?;
        }
        let deed = self.planning(serial + 500_000);
        let arguments = deed.request();
        self.server.ask("tools/call", &json!({"name": "handoff_save_context", "arguments": arguments}))?;
        std::thread::sleep(Duration::from_micros(self.random.next() % 6_000));
        self.server.kill();
        self.desk.killed.fetch_add(1, Ordering::Relaxed);
        self.server = self.desk.serve(&self.who)?;
        let SessionDeed::SaveWithTasks { summary, .. } = &deed else { return Ok(()) };
        let found = sessions(&self.desk.sandbox, self.desk.binary())?;
        match found.iter().find(|session| text(session, "summary") == *summary) {
            Some(session) => self.find(&deed, &text(session, "id")),
            // Tasks without their session would be found at the end, where nobody knows of them.
            None => Ok(()),
        }
    }
}
