//! Nothing opens a socket: no hook of any agent, no setup, no handoff saved, resumed, captured or served, and no program
//! that is started for it.

use std::path::Path;

use serde_json::json;

use crate::rig::recorded::all_words;
use crate::rig::{Invocation, Sandbox, scratch};

use super::hooks::write_transcripts;
use super::strace::sockets;
use super::{Lane, Tally, hosts};

/// What is done besides hooks, in this order.
const COMMANDS: &[&[&str]] = &[
    &["save", "--summary", "Done for today", "--next", "Go on", "--pointer", "src/token.txt:1", "--decision", "Files"],
    &["resume"],
    &["session", "list"],
    &["capture", "--host", "claude-code"],
    &["hook", "status"],
    &["metrics", "handoffs"],
    &["task", "create", "Something"],
];

pub(crate) fn run(lane: &Lane) -> Result<Tally, String> {
    let place = scratch().map_err(|error| error.to_string())?;
    let sandbox = Sandbox::create(place.path()).map_err(|error| error.to_string())?;
    prepare(&sandbox, &lane.binary)?;
    let mut tally = Tally::default();
    let mut quiet = |what: &str, call: &Invocation| -> Result<(), String> {
        let (finished, calls) = sockets(&sandbox, &lane.binary, call)?;
        let mut opened = calls.iter().filter(|call| !is_own_pair(call));
        let result = match (finished.code, opened.next()) {
            (_, Some(opened)) => Err(format!("a call for a network: {opened}")),
            // A check says by its exit code what it found.
            (Some(0 | 1), None) => Ok(()),
            _ => Err(format!("it ends with {}", finished.brief())),
        };
        tally.check(&format!("sockets of {what}"), result);
        Ok(())
    };
    for host in hosts() {
        for (name, call) in all_words(host, &sandbox)? {
            quiet(&format!("{host} {name}"), &call)?;
        }
        for more in [&[][..], &["--check"], &["--uninstall"]] {
            let args = [&["setup", host][..], more].concat();
            quiet(&args.join(" "), &plain(&args))?;
        }
    }
    for args in COMMANDS {
        quiet(&args.join(" "), &plain(args))?;
    }
    quiet("mcp", &conversation())?;
    Ok(tally)
}

/// Two ends without a name that the server's runtime makes within its own process, to be woken by a signal.
fn is_own_pair(call: &str) -> bool {
    call.contains(" socketpair(AF_UNIX, ")
}

/// A call that finds no agent: what those do is their own affair.
fn plain(args: &[&str]) -> Invocation {
    Invocation { env: vec![("PATH", "/usr/local/bin:/usr/bin:/bin".to_owned())], ..args.into() }
}

/// A project in a git repository, with transcripts.
fn prepare(sandbox: &Sandbox, binary: &Path) -> Result<(), String> {
    let project = sandbox.project();
    std::fs::create_dir(project.join("src")).map_err(|error| error.to_string())?;
    for file in ["src/token.txt", "src/clock.txt", "login.py"] {
        std::fs::write(project.join(file), "fresh\n").map_err(|error| error.to_string())?;
    }
    let person = ["-c", "user.name=A", "-c", "user.email=a@example.com"];
    for args in [&["init", "-q"][..], &["add", "-A"], &[&person[..], &["commit", "-q", "-m", "Begin"]].concat()] {
        let done = sandbox.run(Path::new("git"), args).map_err(|error| format!("cannot start git: {error}"))?;
        if !done.succeeded() {
            return Err(format!("`git {}` fails with {}", args.join(" "), done.brief()));
        }
    }
    write_transcripts(sandbox)?;
    let made = sandbox.run(binary, &["init", "quiet"]).map_err(|error| error.to_string())?;
    if made.succeeded() { Ok(()) } else { Err(format!("`init` fails with {}", made.brief())) }
}

/// A client of the MCP server that begins, loads, saves and goes.
fn conversation() -> Invocation {
    let client = json!({"name": "quiet", "version": "1.0"});
    let begin = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client});
    let call = |id: u32, name: &str, arguments: serde_json::Value| json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"name": name, "arguments": arguments}});
    let lines = [
        json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": begin}),
        json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
        json!({"jsonrpc": "2.0", "id": 2, "method": "tools/list"}),
        call(3, "handoff_load_context", json!({})),
        call(4, "handoff_save_context", json!({"summary": "Saved by a client", "next": ["Go on"]})),
    ];
    let input = lines.map(|line| line.to_string()).join("\n") + "\n";
    Invocation { input: Some(input), ..plain(&["mcp"]) }
}
