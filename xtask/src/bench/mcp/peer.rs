//! Any server that publishes the same tools, measured as a client sees it.

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use handoff_model::tokens;
use serde_json::{Value, json};

use super::begin;
use crate::bench::report::{Peer, Timed};
use crate::rig::{Sandbox, Server, said};

const STARTS: usize = 15;
const LOADS: usize = 200;
const SAVES: usize = 15;

/// Our server and those of `others`, each in a project of its own that it makes itself.
pub(crate) fn compare(binary: &Path, others: &[String], place: &Path, tasks: usize) -> Result<Vec<Peer>, String> {
    let mut peers = Vec::new();
    let ours = format!("'{}' mcp", binary.display());
    for (number, command) in std::iter::once(&ours).chain(others).enumerate() {
        let name = if number == 0 { "handoff".to_owned() } else { short(command) };
        let sandbox = Sandbox::create(&place.join(format!("peer-{number}"))).map_err(|error| error.to_string())?;
        let mut peer = Peer { name, tasks, ..Peer::default() };
        if let Err(why) = measure(&mut peer, &sandbox, command, tasks) {
            peer.lacks.push(brief(&why));
        }
        peers.push(peer);
    }
    Ok(peers)
}

/// A command line without the directories in it.
fn short(command: &str) -> String {
    let words = command.split_whitespace().map(|word| word.rsplit('/').next().unwrap_or(word));
    words.collect::<Vec<_>>().join(" ")
}

/// Fills in what the server does; an error when it can be asked nothing more.
fn measure(peer: &mut Peer, sandbox: &Sandbox, line: &str, tasks: usize) -> Result<(), String> {
    let command = || -> Command {
        let mut command = sandbox.command(Path::new("sh"));
        command.arg("-c").arg(format!("exec {line}"));
        command
    };
    let starts: Result<Vec<Duration>, String> =
        (0..STARTS).map(|_| begin(command(), |server| server.initialize("bench").map(drop))).collect();
    match starts {
        Ok(starts) => peer.start = Some(Timed::of("", "", starts).median),
        Err(why) => peer.lacks.push(brief(&why)),
    }
    let mut server = Server::connect(command(), "bench")?;
    match server.request("tools/list", &json!({})) {
        Ok(list) => peer.tools = Some(cost_of(&list)),
        Err(why) => peer.lacks.push(brief(&why)),
    }
    let directory = sandbox.project();
    let directory = directory.to_string_lossy();
    let here = |mut arguments: Value| {
        arguments["project_dir"] = json!(directory);
        arguments
    };
    server.call("handoff_init", &here(json!({"project_name": "peer"})))?;
    let created = repeat(tasks, |number| {
        let title = format!("Improve the handling of case {number}");
        let task = json!({"title": title, "status": "todo", "priority": "medium", "notes": "Keep both and say which is newer."});
        server.call("handoff_update_task", &here(json!({ "task": task }))).map(drop)
    });
    match created {
        Ok(times) => peer.create = Some(times.median),
        Err(why) => peer.lacks.push(brief(&why)),
    }
    let saved = repeat(SAVES, |number| {
        let decisions = [json!({"decision": "Keep both", "reason": "nothing is lost", "confidence": "confirmed"})];
        let notes = [json!({"note": "The test database runs on port 5433", "category": "caution"})];
        let save =
            json!({"summary": format!("Case {number} is handled"), "decisions": decisions, "handoff_notes": notes});
        server.call("handoff_save_context", &here(save)).map(drop)
    });
    match saved {
        Ok(times) => peer.save = Some(times.median),
        Err(why) => peer.lacks.push(brief(&why)),
    }
    let mut loaded = 0;
    let loads = repeat(LOADS, |_| {
        let result = server.call("handoff_load_context", &here(json!({})))?;
        loaded = tokens::estimate(&said(&result));
        Ok(())
    });
    match loads {
        Ok(times) => {
            peer.load = Some((times.median, times.most));
            peer.loaded = Some(loaded);
        }
        Err(why) => peer.lacks.push(brief(&why)),
    }
    peer.memory = Some(server.memory()?.0);
    server.close()
}

fn repeat(count: usize, mut ask: impl FnMut(usize) -> Result<(), String>) -> Result<Timed, String> {
    let mut samples = Vec::with_capacity(count);
    for number in 0..count {
        let started = Instant::now();
        ask(number)?;
        samples.push(started.elapsed());
    }
    Ok(Timed::of("", "", samples))
}

/// How many tools are listed, and what their names, descriptions and schemas cost a model.
fn cost_of(list: &Value) -> (usize, usize) {
    let tools = list["tools"].as_array().cloned().unwrap_or_default();
    let cost = |tool: &Value| {
        let shown =
            json!({"name": tool["name"], "description": tool["description"], "inputSchema": tool["inputSchema"]});
        tokens::estimate(&shown.to_string())
    };
    (tools.len(), tools.iter().map(cost).sum())
}

fn brief(why: &str) -> String {
    let line = why.lines().next().unwrap_or_default();
    line.chars().take(120).collect()
}
