//! Codex. Checked against 0.166.0.

use std::path::PathBuf;

use handoff_model::agent::{HookEvent, Host};
use serde_json::{Value, json};

use super::super::{CodexHooks, Describe, Entry, Machine, Part, Piece, Scope, Signs, Target};
use crate::text;

pub(super) struct Codex;

/// Our moment in a session, the host's event, its matcher, and how many seconds the hook may take.
const EVENTS: &[(HookEvent, &str, Option<&str>, u32)] = &[
    (HookEvent::SessionStart, "SessionStart", None, 10),
    (HookEvent::Prompt, "UserPromptSubmit", None, 5),
    (HookEvent::Edit, "PostToolUse", Some("apply_patch|update_plan"), 5),
    (HookEvent::TurnEnd, "Stop", None, 10),
    (HookEvent::Compact, "PreCompact", None, 10),
    // More than three seconds are not given.
    (HookEvent::SessionEnd, "SessionEnd", None, 3),
];

/// Variables that matter to the server, which Codex does not pass on unless they are named.
const PASSED_ON: &[&str] =
    &["HANDOFF_HOME", "HANDOFF_PROJECT_DIR", "HANDOFF_ACTOR", "HANDOFF_TOOLS", "XDG_DATA_HOME", "XDG_CONFIG_HOME"];

impl Describe for Codex {
    fn host(&self) -> Host {
        Host::Codex
    }

    fn signs(&self, machine: &Machine<'_>) -> Signs {
        Signs { programs: &["codex"], directories: vec![directory(machine)] }
    }

    fn targets(&self, machine: &Machine<'_>, scope: Scope) -> Vec<Target> {
        let (dir, skills, instructions) = match scope {
            Scope::User => {
                let dir = directory(machine);
                let (skills, instructions) = (dir.join("skills"), dir.join("AGENTS.md"));
                (dir, skills, instructions)
            }
            Scope::Project => {
                let project = machine.project;
                (project.join(".codex"), project.join(".agents/skills"), project.join("AGENTS.md"))
            }
        };
        let mut server = json!({"command": machine.program_text(), "args": ["mcp"]});
        let set: Vec<&str> = PASSED_ON.iter().copied().filter(|name| machine.env(name).is_some()).collect();
        if scope == Scope::User && !set.is_empty() {
            server["env_vars"] = Value::from(set);
        }
        let server = Piece::Toml(vec![Entry::value(&["mcp_servers", "handoff"], server)]);
        vec![
            Target { part: Part::Server, path: dir.join("config.toml"), piece: server },
            Target::hooks(dir.join("hooks.json"), hooks(machine)),
            Target::file(Part::Skill, skills.join("handoff/SKILL.md"), text::skill()),
            Target::block(instructions, text::BLOCK),
        ]
    }

    fn former(&self, machine: &Machine<'_>, scope: Scope) -> Vec<Target> {
        CodexHooks::find(machine, scope).target().into_iter().collect()
    }

    fn notes(&self, _: &Machine<'_>, scope: Scope) -> Vec<String> {
        match scope {
            Scope::User => Vec::new(),
            Scope::Project => {
                vec![
                    "Codex reads `.codex/` of a project only where the project is trusted; it asks on the first start"
                        .to_owned(),
                ]
            }
        }
    }
}

pub(in super::super) fn directory(machine: &Machine<'_>) -> PathBuf {
    machine.directory("CODEX_HOME", ".codex")
}

fn hooks(machine: &Machine<'_>) -> Vec<Entry> {
    let entry = |&(event, name, matcher, timeout): &(HookEvent, &str, Option<&str>, u32)| {
        let command = machine.hook_command(Host::Codex, event, machine.shell());
        let handlers = json!([{"type": "command", "command": command, "timeout": timeout}]);
        let group = match matcher {
            Some(matcher) => json!({"matcher": matcher, "hooks": handlers}),
            None => json!({"hooks": handlers}),
        };
        Entry::items(&["hooks", name], vec![group])
    };
    EVENTS.iter().map(entry).collect()
}
