//! Claude Code. Checked against 2.1.325.

use std::path::PathBuf;

use handoff_model::agent::{HookEvent, Host};
use serde_json::json;

use super::super::{Describe, Entry, Machine, Part, Scope, Shell, Signs, Target};
use crate::text;

pub(super) struct ClaudeCode;

/// Our moment in a session, the host's event, its matcher, and how many seconds the hook may take.
const EVENTS: &[(HookEvent, &str, Option<&str>, u32)] = &[
    (HookEvent::SessionStart, "SessionStart", None, 10),
    (HookEvent::Prompt, "UserPromptSubmit", None, 5),
    (HookEvent::Edit, "PostToolUse", Some("Read|Edit|Write|MultiEdit|NotebookEdit"), 5),
    (HookEvent::TurnEnd, "Stop", None, 10),
    (HookEvent::TurnEnd, "StopFailure", None, 10),
    (HookEvent::Compact, "PreCompact", None, 10),
    // Without a time of its own, all hooks of this event together have one and a half seconds.
    (HookEvent::SessionEnd, "SessionEnd", None, 5),
];

impl Describe for ClaudeCode {
    fn host(&self) -> Host {
        Host::ClaudeCode
    }

    fn signs(&self, machine: &Machine<'_>) -> Signs {
        Signs { programs: &["claude"], directories: vec![directory(machine)] }
    }

    fn targets(&self, machine: &Machine<'_>, scope: Scope) -> Vec<Target> {
        let server = json!({"type": "stdio", "command": machine.program_text(), "args": ["mcp"]});
        let (servers, dir, instructions) = match scope {
            Scope::User => {
                let dir = directory(machine);
                // With a directory of its own, this file lies in it; otherwise beside it.
                let servers = match machine.env("CLAUDE_CONFIG_DIR") {
                    Some(_) => dir.join(".claude.json"),
                    None => machine.home.join(".claude.json"),
                };
                let instructions = dir.join("CLAUDE.md");
                (servers, dir, instructions)
            }
            Scope::Project => {
                let here = |name: &str| machine.project.join(name);
                // AGENTS.md is read only where there is no CLAUDE.md.
                let has_agents = machine.exists(&here("AGENTS.md")) && !machine.exists(&here("CLAUDE.md"));
                let instructions = here(if has_agents { "AGENTS.md" } else { "CLAUDE.md" });
                (here(".mcp.json"), here(".claude"), instructions)
            }
        };
        vec![
            Target::server(servers, &["mcpServers", "handoff"], server),
            Target::hooks(dir.join("settings.json"), hooks(machine)),
            Target::file(Part::Skill, dir.join("skills/handoff/SKILL.md"), text::skill()),
            Target::block(instructions, text::BLOCK),
        ]
    }

    fn former(&self, machine: &Machine<'_>, scope: Scope) -> Vec<Target> {
        let places = match scope {
            Scope::User => &[][..],
            Scope::Project => &["CLAUDE.md", "AGENTS.md"][..],
        };
        places.iter().map(|name| Target::block(machine.project.join(name), text::BLOCK)).collect()
    }
}

fn directory(machine: &Machine<'_>) -> PathBuf {
    machine.directory("CLAUDE_CONFIG_DIR", ".claude")
}

fn hooks(machine: &Machine<'_>) -> Vec<Entry> {
    let entry = |&(event, name, matcher, timeout): &(HookEvent, &str, Option<&str>, u32)| {
        // On Windows, too, its commands go through a shell of this kind.
        let command = machine.hook_command(Host::ClaudeCode, event, Shell::Posix);
        let handlers = json!([{"type": "command", "command": command, "timeout": timeout}]);
        let group = match matcher {
            Some(matcher) => json!({"matcher": matcher, "hooks": handlers}),
            None => json!({"hooks": handlers}),
        };
        Entry::items(&["hooks", name], vec![group])
    };
    EVENTS.iter().map(entry).collect::<Vec<Entry>>()
}
