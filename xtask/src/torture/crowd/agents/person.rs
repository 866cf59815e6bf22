//! Somebody at a command line, who names the session each command is about.

use super::Desk;
use crate::rig::Rng;
use crate::torture::deeds::{Deed, SessionDeed};
use crate::torture::ledger::{Ledger, Made};

/// Does as many changes as the lane says, and returns what must be there of them.
pub(super) fn work(desk: &Desk<'_>, number: usize) -> Ledger {
    let who = format!("person {number}");
    let mut random = Rng::new(desk.lane.seed.wrapping_mul(3_000).wrapping_add(number as u64));
    let mut ledger = Ledger::default();
    for turn in 0..desk.lane.operations {
        let serial = (number + 1) * 100_000 + turn;
        let mine: Vec<String> = ledger.now.tasks.keys().cloned().collect();
        let task = (!mine.is_empty()).then(|| random.pick(&mine).clone());
        let deed = Deed::Session(SessionDeed::choose(&mut random, &ledger.now.sessions, task, serial));
        let result = perform(desk, &deed, &mut ledger).map_err(|why| format!("{deed:?}: {why}"));
        desk.count(&who, result);
        desk.show(&ledger);
    }
    ledger
}

fn perform(desk: &Desk<'_>, deed: &Deed, ledger: &mut Ledger) -> Result<(), String> {
    let finished = desk.sandbox.invoke(desk.binary(), &deed.invocation());
    let finished = finished.map_err(|error| error.to_string())?;
    if let Some(death) = finished.died() {
        return Err(format!("the process {death}: {}", finished.brief()));
    }
    if !finished.succeeded() {
        return Err(finished.brief());
    }
    ledger.apply(deed, &Made::by(deed, &finished.json()?));
    Ok(())
}
