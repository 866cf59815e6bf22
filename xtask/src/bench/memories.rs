//! What lasting memory costs: questions to a server that knows the project, and from a cold start.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::rig::{Rng, Sandbox, Server};

use super::measure::{peak_memory, time};
use super::report::Timed;
use super::search::Words;

/// One five-hundredth of the 2.9 s that handoff-mcp takes for a question of a conversation at 10,000 memories.
const WARM: Duration = Duration::from_micros(5_800);
const MEMORY: u64 = 40_000_000;

/// Rounds of what takes long.
const FEW: usize = 9;
/// Questions to a warm server, and before them.
const TIMED: usize = 300;
const BEFORE: usize = 10;
/// Words of a memory.
const WORDS: usize = 30;

pub(crate) fn measure(binary: &Path, place: &Path, size: usize, rounds: usize) -> Result<Vec<Timed>, String> {
    let sandbox =
        Sandbox::create(&place.join("memories")).map_err(|error| format!("cannot make a project: {error}"))?;
    let made = sandbox.run(binary, &["init", "bench"]).map_err(|error| error.to_string())?;
    if !made.succeeded() {
        return Err(format!("`init` fails with {}", made.brief()));
    }
    write(&sandbox.store(), size).map_err(|error| format!("cannot write memories: {error}"))?;
    let count = size.to_string();
    let mut rows = warm(binary, &sandbox, &count)?;
    let (mut first, mut cold) = (Vec::new(), Vec::new());
    let query = |round: usize| {
        let mut command = sandbox.command(binary);
        command.args(["memory", "search", &Words::query(round + 2)]);
        command
    };
    for round in 0..FEW {
        let _ = fs::remove_dir_all(sandbox.store().join("local/cache"));
        first.push(time(query(round))?.wall);
    }
    for round in 0..rounds {
        cold.push(time(query(round))?.wall);
    }
    let memory = Some((peak_memory(query(0))?, None));
    rows.push(Timed::of("`memory search`, nothing kept", &count, first));
    rows.push(Timed { memory, ..Timed::of("`memory search`, cold", &count, cold) });
    Ok(rows)
}

fn warm(binary: &Path, sandbox: &Sandbox, count: &str) -> Result<Vec<Timed>, String> {
    let mut command = sandbox.command(binary);
    command.arg("mcp");
    let mut server = Server::connect(command, "bench")?;
    let mut ask = |question: Value| {
        let started = Instant::now();
        server.call("handoff_memory_query", &question)?;
        Ok::<_, String>(started.elapsed())
    };
    let plain = |round: usize| json!({"text": Words::query(round + 2)});
    let of_conversation = |round: usize| {
        let file = format!("src/area-{}/x.rs", round % 7);
        json!({"text": Words::query(round + 2), "session_id": format!("bench-{}", round % 20), "file_paths": [file]})
    };
    for round in 0..BEFORE {
        ask(plain(round))?;
    }
    let asked = (0..TIMED).map(|round| ask(plain(round))).collect::<Result<Vec<_>, String>>()?;
    let by_session = (0..TIMED).map(|round| ask(of_conversation(round))).collect::<Result<Vec<_>, String>>()?;
    let mut changed = Vec::new();
    for round in 0..FEW {
        let text = format!("Remember number {round}: {}", Words::query(round * 4 + 3));
        let added = sandbox.run(binary, &["memory", "add", &text, "--force"]).map_err(|error| error.to_string())?;
        if !added.succeeded() {
            return Err(format!("`memory add` fails with {}", added.brief()));
        }
        changed.push(ask(plain(round))?);
    }
    let (memory, _) = server.memory()?;
    server.close()?;
    let limit = Some((WARM, "500 × less than the peer".to_owned()));
    let memory = Some((memory, Some(MEMORY)));
    Ok(vec![
        Timed { limit: limit.clone(), memory, ..Timed::of("`handoff_memory_query`, warm", count, asked) },
        Timed { limit, ..Timed::of("the same of a conversation, with a file", count, by_session) },
        Timed::of("the same after another process added a memory", count, changed),
    ])
}

fn write(store: &Path, size: usize) -> std::io::Result<()> {
    let mut words = Words::new(Rng::new(size as u64));
    fs::create_dir_all(store.join("memory"))?;
    for number in 0..size {
        let kind = ["rule", "gotcha", "convention", "lesson", "fact"][number % 5];
        let paths = if number % 4 == 0 { format!("paths = [\"src/area-{}/\"]\n", number % 7) } else { String::new() };
        let text = format!(
            "+++\nformat = 1\nid = \"m{number:07}\"\nkind = \"{kind}\"\ntags = [\"area-{}\"]\n{paths}author = \"ada\"\n\
             created_at = 2026-11-15T09:15:03Z\n+++\n\n{}\n",
            number % 7,
            words.text(WORDS)
        );
        fs::write(store.join(format!("memory/memory-m{number:07}.md")), text)?;
    }
    Ok(())
}
