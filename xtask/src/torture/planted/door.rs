//! The ways into a project: commands, tools over MCP, and hooks of agents.

use std::path::Path;

use serde_json::{Value, json};

use crate::rig::{Finished, Invocation, finish};

use super::Victim;
use super::delivery::Arrived;

/// One way in.
pub(crate) struct Door {
    pub(crate) name: String,
    kind: Kind,
}

enum Kind {
    Command(&'static [&'static str]),
    /// A tool and its arguments
    Tool(&'static str, Value),
    /// An agent, the event, and what the agent says
    Hook(&'static str, &'static str, Value),
}

/// Commands that read or write machine-local state.
const COMMANDS: &[&[&str]] = &[
    &["run"],
    &["run", "--note", "a note of the user"],
    &["run", "--abandon"],
    &["run", "--dry-run"],
    &["status"],
    &["check"],
    &["resume"],
    &["undo"],
    &["redo"],
    &["log"],
    &["task", "list"],
    &["task", "list", "--all"],
    &["task", "create", "A task of the user"],
    &["task", "restore", "k7f3q2ma"],
    &["session", "list"],
    &["search", "alpha"],
    &["timer", "status"],
    &["timer", "stop"],
    &["doctor"],
    &["doctor", "--fix"],
    &["save", "--summary", "A summary of the user"],
    &["capture", "--host", "claude-code"],
    &["hook", "status"],
    &["metrics", "handoffs"],
    &["gc"],
    &["dashboard"],
    &["local", "list"],
];

pub(crate) fn all() -> Vec<Door> {
    let mut doors: Vec<Door> =
        COMMANDS.iter().map(|args| Door { name: args.join(" "), kind: Kind::Command(args) }).collect();
    let tools = [
        ("handoff_load_context", json!({})),
        ("handoff_save_context", json!({"summary": "A summary of an agent"})),
        ("handoff_list_tasks", json!({})),
        ("handoff_run", json!({})),
        ("handoff_run", json!({"note": "a note of an agent"})),
        ("handoff_status", json!({})),
        ("handoff_search", json!({"query": "alpha"})),
        ("handoff_undo", json!({})),
    ];
    for (tool, arguments) in tools {
        doors.push(Door { name: format!("mcp {tool} {arguments}"), kind: Kind::Tool(tool, arguments) });
    }
    let start = json!({"hook_event_name": "SessionStart", "source": "startup"});
    let prompt = json!({"hook_event_name": "UserPromptSubmit", "prompt": "go on with alpha"});
    let hooks = [
        ("claude-code", "session-start", start.clone()),
        ("claude-code", "prompt", prompt.clone()),
        ("codex", "session-start", start.clone()),
        ("codex", "prompt", prompt),
        ("gemini", "session-start", start),
        ("cursor", "session-start", json!({"hook_event_name": "sessionStart", "conversation_id": "fresh"})),
    ];
    for (host, event, said) in hooks {
        doors.push(Door { name: format!("hook {event} of {host}"), kind: Kind::Hook(host, event, said) });
    }
    doors
}

/// Goes through a door in the directory of a project that arrived.
pub(crate) fn open(door: &Door, binary: &Path, victim: &Victim, arrived: &Arrived) -> Result<Finished, String> {
    let invocation = match &door.kind {
        Kind::Command(args) => Invocation::from(*args),
        Kind::Tool(tool, arguments) => conversation(tool, arguments),
        Kind::Hook(host, event, said) => {
            let mut said = said.clone();
            said["session_id"] = json!("fresh");
            said["cwd"] = json!(arrived.project.to_string_lossy());
            said["workspace_roots"] = json!([arrived.project.to_string_lossy()]);
            let args = ["hook", event, "--host", host].map(str::to_owned).to_vec();
            Invocation { args, input: Some(said.to_string()), env: Vec::new() }
        }
    };
    let mut command = victim.sandbox.command(binary);
    command.current_dir(&arrived.project);
    if !arrived.has_git {
        command.env("PATH", victim.root().join("home"));
    }
    invocation.complete(&mut command).map_err(|error| error.to_string())?;
    finish(command).map_err(|error| format!("cannot start {}: {error}", binary.display()))
}

/// A client that calls one tool and goes.
fn conversation(tool: &str, arguments: &Value) -> Invocation {
    let client = json!({"name": "planted", "version": "1.0"});
    let begin = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client});
    let lines = [
        json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": begin}),
        json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
        json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": tool, "arguments": arguments}}),
    ];
    let input = lines.map(|line| line.to_string()).join("\n") + "\n";
    Invocation {
        args: vec!["mcp".to_owned(), "--tools".to_owned(), "all".to_owned()],
        input: Some(input),
        env: Vec::new(),
    }
}
