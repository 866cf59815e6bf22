//! GitHub Copilot CLI, checked against 1.0.102; its cloud agent by the documentation of 2026-10.

use std::path::{Path, PathBuf};

use handoff_model::agent::{HookEvent, Host};
use serde_json::{Value, json};

use super::super::{Describe, Entry, Machine, Part, Scope, Shell, Signs, Target};
use crate::text;

pub(super) struct Copilot;

/// Our moment in a session, the host's event, its matcher, and how many seconds the hook may take.
const EVENTS: &[(HookEvent, &str, Option<&str>, u32)] = &[
    (HookEvent::SessionStart, "sessionStart", None, 10),
    (HookEvent::Prompt, "userPromptSubmitted", None, 5),
    (HookEvent::Edit, "postToolUse", Some("view|edit|create|str_replace_editor|apply_patch"), 5),
    (HookEvent::TurnEnd, "agentStop", None, 10),
    (HookEvent::Compact, "preCompact", None, 10),
    (HookEvent::SessionEnd, "sessionEnd", None, 5),
];

impl Describe for Copilot {
    fn host(&self) -> Host {
        Host::Copilot
    }

    fn signs(&self, machine: &Machine<'_>) -> Signs {
        Signs { programs: &["copilot"], directories: vec![directory(machine).join("session-state")] }
    }

    fn targets(&self, machine: &Machine<'_>, scope: Scope) -> Vec<Target> {
        match scope {
            Scope::User => {
                let dir = directory(machine);
                let server =
                    json!({"type": "local", "command": machine.program_text(), "args": ["mcp"], "tools": ["*"]});
                let mut targets = vec![Target::server(dir.join("mcp-config.json"), &["mcpServers", "handoff"], server)];
                targets.extend(for_user(machine, &dir));
                targets
            }
            Scope::Project => {
                // The same entry as for Claude Code, whose file it reads, too.
                let server = json!({"type": "stdio", "command": machine.program_text(), "args": ["mcp"]});
                let file = machine.project.join(".mcp.json");
                let mut targets = vec![Target::server(file, &["mcpServers", "handoff"], server)];
                targets.extend(for_project(machine));
                targets
            }
        }
    }

    fn notes(&self, _: &Machine<'_>, scope: Scope) -> Vec<String> {
        match scope {
            Scope::User => Vec::new(),
            Scope::Project => vec![
                "Copilot's cloud agent reads the instructions, but has no handoff in its sandbox: its hooks are skipped, \
                 and its MCP servers are set up on GitHub"
                    .to_owned(),
            ],
        }
    }
}

fn directory(machine: &Machine<'_>) -> PathBuf {
    machine.directory("COPILOT_HOME", ".copilot")
}

/// What Copilot CLI and VS Code both read for a user.
pub(super) fn for_user(machine: &Machine<'_>, dir: &Path) -> [Target; 3] {
    [
        Target::hooks(dir.join("hooks/handoff.json"), hooks(machine)),
        Target::file(Part::Skill, dir.join("skills/handoff/SKILL.md"), text::skill()),
        Target::file(Part::Rule, dir.join("instructions/handoff.instructions.md"), text::copilot_instructions()),
    ]
}

/// What Copilot CLI, its cloud agent and VS Code all read in a project.
pub(super) fn for_project(machine: &Machine<'_>) -> [Target; 3] {
    let dir = machine.project.join(".github");
    [
        Target::hooks(dir.join("hooks/handoff.json"), hooks(machine)),
        Target::file(Part::Skill, dir.join("skills/handoff/SKILL.md"), text::skill()),
        Target::block(dir.join("copilot-instructions.md"), text::BLOCK),
    ]
}

fn hooks(machine: &Machine<'_>) -> Vec<Entry> {
    let entry = |&(event, name, matcher, timeout): &(HookEvent, &str, Option<&str>, u32)| {
        let [bash, powershell] =
            [Shell::Posix, Shell::PowerShell].map(|shell| machine.hook_command(Host::Copilot, event, shell));
        let mut handler = json!({"type": "command", "bash": bash, "powershell": powershell, "timeoutSec": timeout});
        if let Some(matcher) = matcher {
            handler["matcher"] = Value::from(matcher);
        }
        Entry::items(&["hooks", name], vec![handler])
    };
    let version = Entry::needed(&["version"], json!(1));
    std::iter::once(version).chain(EVENTS.iter().map(entry)).collect()
}
