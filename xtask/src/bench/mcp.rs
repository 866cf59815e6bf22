//! What a server costs: its start, a load of the context once it is warm, and many requests of all kinds.

mod mixed;
mod peer;

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::json;

use crate::rig::Server;

use super::floor::Floor;
use super::measure::time;
use super::project::{DAYS, Sample, Shape, make};
use super::report::Timed;
pub(crate) use mixed::endure;
pub(crate) use peer::compare;

/// A start may take two empty programs and this.
const START_TIMES: u32 = 2;
const START_PLUS: Duration = Duration::from_millis(1);

/// What a warm load may take at how many tasks, and what the server may weigh afterwards.
const LOADS: &[(usize, Duration)] = &[(1_000, Duration::from_millis(1)), (10_000, Duration::from_millis(5))];
const MEMORY: u64 = 40_000_000;

/// Loads that are timed, and loads before them that fill the server's memory.
const TIMED: usize = 500;
const BEFORE: usize = 20;
/// Loads that each come after a change by another process.
const AFTER_CHANGES: usize = 60;

/// From the start of the process until each of the two ways to begin is answered, against an empty program.
pub(crate) fn starts(binary: &Path, floor: &Floor, place: &Path, rounds: usize) -> Result<Vec<Timed>, String> {
    let sample = make(binary, place, 10, Shape::Nested)?;
    let (mut empty, mut shaken, mut discovered) = (Vec::new(), Vec::new(), Vec::new());
    // The first round warms caches and is not counted.
    for round in 0..=rounds {
        let nothing = time(sample.sandbox.command(&floor.empty))?.wall;
        let handshake = begin(server_of(binary, &sample), |server| server.initialize("bench").map(drop))?;
        let discovery = begin(server_of(binary, &sample), |server| server.discover().map(drop))?;
        if round > 0 {
            empty.push(nothing);
            shaken.push(handshake);
            discovered.push(discovery);
        }
    }
    let empty = Timed::of("an empty program, from start to end", "", empty);
    let why = format!("{START_TIMES} × empty + {} ms", START_PLUS.as_millis());
    let limit = Some((empty.median * START_TIMES + START_PLUS, why));
    let shaken = Timed { limit: limit.clone(), ..Timed::of("start until `initialize` is answered", "", shaken) };
    let discovered = Timed { limit, ..Timed::of("start until `server/discover` is answered", "", discovered) };
    Ok(vec![empty, shaken, discovered])
}

/// The time until a server has answered for the first time.
fn begin(command: Command, ask: impl FnOnce(&mut Server) -> Result<(), String>) -> Result<Duration, String> {
    let started = Instant::now();
    let mut server = Server::start(command)?;
    ask(&mut server)?;
    let took = started.elapsed();
    server.close()?;
    Ok(took)
}

fn server_of(binary: &Path, sample: &Sample) -> Command {
    let mut command = sample.sandbox.command(binary);
    command.arg("mcp");
    command
}

/// Loads by a server that knows the project already, outside git.
pub(crate) fn loads(binary: &Path, place: &Path) -> Result<Vec<Timed>, String> {
    let mut rows = Vec::new();
    for (size, limit) in LOADS {
        let sample = make(binary, &place.join(format!("loads-{size}")), *size, Shape::Nested)?;
        sample.work(binary, DAYS)?;
        let mut server = Server::connect(server_of(binary, &sample), "bench")?;
        let tasks = size.to_string();
        let first = load(&mut server)?;
        rows.push(Timed::of("the first load of a server", &tasks, vec![first]));
        for _ in 0..BEFORE {
            load(&mut server)?;
        }
        let samples = (0..TIMED).map(|_| load(&mut server)).collect::<Result<Vec<_>, String>>()?;
        let (memory, _) = server.memory()?;
        rows.push(Timed {
            limit: Some((*limit, String::new())),
            memory: Some((memory, Some(MEMORY))),
            ..Timed::of("`handoff_load_context`, warm", &tasks, samples)
        });
        let mut samples = Vec::new();
        for round in 0..AFTER_CHANGES {
            let id = &sample.open[round * 7 % sample.open.len()];
            let note = ["task", "note", id, "Seen by another process."];
            let noted = sample.sandbox.run(binary, &note).map_err(|error| error.to_string())?;
            if !noted.succeeded() {
                return Err(format!("`task note` fails with {}", noted.brief()));
            }
            samples.push(load(&mut server)?);
        }
        let (memory, _) = server.memory()?;
        let row = Timed::of("the same after another process changed a task", &tasks, samples);
        rows.push(Timed { memory: Some((memory, Some(MEMORY))), ..row });
        server.close()?;
    }
    Ok(rows)
}

fn load(server: &mut Server) -> Result<Duration, String> {
    let started = Instant::now();
    server.call("handoff_load_context", &json!({}))?;
    Ok(started.elapsed())
}
