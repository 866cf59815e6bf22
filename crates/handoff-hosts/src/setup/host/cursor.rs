//! Cursor, by its documentation of 2026-09; not run.

use handoff_model::agent::{HookEvent, Host};
use serde_json::{Value, json};

use super::super::{Describe, Entry, Machine, Part, Scope, Signs, Target};
use crate::text;

pub(super) struct Cursor;

/// Our moment in a session, the host's event, its matcher, and how many seconds the hook may take.
///
/// The hooks that may forbid something are left alone: what goes wrong in one of them holds the agent up.
const EVENTS: &[(HookEvent, &str, Option<&str>, u32)] = &[
    (HookEvent::SessionStart, "sessionStart", None, 10),
    (HookEvent::Prompt, "beforeSubmitPrompt", None, 5),
    (HookEvent::Edit, "postToolUse", Some("Read|Write|Delete"), 5),
    (HookEvent::TurnEnd, "stop", None, 10),
    (HookEvent::Compact, "preCompact", None, 10),
    (HookEvent::SessionEnd, "sessionEnd", None, 5),
];

impl Describe for Cursor {
    fn host(&self) -> Host {
        Host::Cursor
    }

    fn signs(&self, machine: &Machine<'_>) -> Signs {
        let directories = vec![machine.home.join(".cursor"), machine.settings_directory().join("Cursor")];
        Signs { programs: &["cursor", "cursor-agent"], directories }
    }

    fn targets(&self, machine: &Machine<'_>, scope: Scope) -> Vec<Target> {
        let (dir, skills, args) = match scope {
            // In this file the placeholder below would stand for the directory the file lies in.
            Scope::User => (machine.home.join(".cursor"), machine.home.join(".cursor/skills"), json!(["mcp"])),
            Scope::Project => {
                let args = json!(["mcp", "--project-dir", "${workspaceFolder}"]);
                (machine.project.join(".cursor"), machine.project.join(".agents/skills"), args)
            }
        };
        let server = json!({"command": machine.program_text(), "args": args});
        let mut targets = vec![
            Target::server(dir.join("mcp.json"), &["mcpServers", "handoff"], server),
            Target::hooks(dir.join("hooks.json"), hooks(machine)),
            Target::file(Part::Skill, skills.join("handoff/SKILL.md"), text::skill()),
        ];
        if scope == Scope::Project {
            targets.push(Target::file(Part::Rule, dir.join("rules/handoff.mdc"), text::cursor_rule()));
        }
        targets
    }

    fn notes(&self, _: &Machine<'_>, scope: Scope) -> Vec<String> {
        match scope {
            Scope::User => vec![
                "Cursor keeps the rules of a user in its settings, where setup cannot reach: paste the block of \
                 handoff's README there, or set up a project, too"
                    .to_owned(),
            ],
            Scope::Project => Vec::new(),
        }
    }
}

fn hooks(machine: &Machine<'_>) -> Vec<Entry> {
    let entry = |&(event, name, matcher, timeout): &(HookEvent, &str, Option<&str>, u32)| {
        let command = machine.hook_command(Host::Cursor, event, machine.shell());
        let mut handler = json!({"command": command, "timeout": timeout});
        if let Some(matcher) = matcher {
            handler["matcher"] = Value::from(matcher);
        }
        Entry::items(&["hooks", name], vec![handler])
    };
    let version = Entry::needed(&["version"], json!(1));
    std::iter::once(version).chain(EVENTS.iter().map(entry)).collect()
}
