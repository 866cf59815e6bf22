//! Gemini CLI. Checked against 0.61.0.

use std::path::{Path, PathBuf};

use handoff_model::agent::{HookEvent, Host};
use serde_json::{Value, json};

use super::super::edit::{Draft, json as editor};
use super::super::{Describe, Entry, Machine, Part, Platform, Scope, Shell, Signs, Target};
use crate::text;

pub(super) struct Gemini;

/// Our moment in a session, the host's event, its matcher, and how many milliseconds the hook may take.
///
/// What is injected at SessionStart becomes a part of the prompt, so that a command is none any more; the start of a
/// session is told with its first prompt instead. PreCompress comes before every request, compression or not.
const EVENTS: &[(HookEvent, &str, Option<&str>, u32)] = &[
    (HookEvent::Prompt, "BeforeAgent", None, 10_000),
    (HookEvent::Edit, "AfterTool", Some("read_file|read_many_files|replace|write_file|write_todos"), 5_000),
    (HookEvent::TurnEnd, "AfterAgent", None, 10_000),
    (HookEvent::SessionEnd, "SessionEnd", None, 5_000),
];

impl Describe for Gemini {
    fn host(&self) -> Host {
        Host::Gemini
    }

    fn signs(&self, machine: &Machine<'_>) -> Signs {
        Signs { programs: &["gemini"], directories: vec![directory(machine)] }
    }

    fn targets(&self, machine: &Machine<'_>, scope: Scope) -> Vec<Target> {
        let (dir, instructions, skills) = match scope {
            Scope::User => (directory(machine), directory(machine), directory(machine).join("skills")),
            // The same place as for Codex: Gemini CLI reads both, and would list the skill twice.
            Scope::Project => {
                let project = machine.project;
                (project.join(".gemini"), project.to_owned(), project.join(".agents/skills"))
            }
        };
        let settings = dir.join("settings.json");
        let server = json!({"command": machine.program_text(), "args": ["mcp"]});
        let instructions = instructions.join(context_file(machine, &settings));
        vec![
            Target::server(settings.clone(), &["mcpServers", "handoff"], server),
            Target::hooks(settings, hooks(machine)),
            Target::file(Part::Skill, skills.join("handoff/SKILL.md"), text::skill()),
            Target::block(instructions, text::BLOCK),
        ]
    }
}

fn directory(machine: &Machine<'_>) -> PathBuf {
    machine.directory("GEMINI_CLI_HOME", "").join(".gemini")
}

/// The file that is read at the start: GEMINI.md, unless the settings name only others.
fn context_file(machine: &Machine<'_>, settings: &Path) -> String {
    const USUAL: &str = "GEMINI.md";
    let named = || {
        let draft = Draft::new(machine.text(settings)?);
        editor::get(&draft, &["context".to_owned(), "fileName".to_owned()]).ok()?
    };
    let names = match named() {
        Some(Value::String(name)) => vec![name],
        Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
        _ => Vec::new(),
    };
    let plain = |name: &String| !name.is_empty() && !name.contains(['/', '\\']);
    if names.iter().any(|name| name == USUAL) {
        return USUAL.to_owned();
    }
    names.into_iter().find(plain).unwrap_or_else(|| USUAL.to_owned())
}

fn hooks(machine: &Machine<'_>) -> Vec<Entry> {
    let shell = if machine.platform == Platform::Windows { Shell::PowerShell } else { Shell::Posix };
    let entry = |&(event, name, matcher, timeout): &(HookEvent, &str, Option<&str>, u32)| {
        let command = machine.hook_command(Host::Gemini, event, shell);
        let handlers = json!([{"name": "handoff", "type": "command", "command": command, "timeout": timeout}]);
        let group = match matcher {
            Some(matcher) => json!({"matcher": matcher, "hooks": handlers}),
            None => json!({"hooks": handlers}),
        };
        Entry::items(&["hooks", name], vec![group])
    };
    EVENTS.iter().map(entry).collect()
}
