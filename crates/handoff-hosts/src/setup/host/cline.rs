//! Cline: its command line, checked against 3.0.65, and its extension for VS Code, by the sources of 2026-09.

use std::path::{Path, PathBuf};

use handoff_model::agent::{HookEvent, Host};
use serde_json::json;

use super::super::{Describe, Machine, OWN_FILE, Part, Piece, Platform, Scope, Shell, Signs, Target};
use crate::text;

pub(super) struct Cline;

/// Our moment in a session, and the host's event, which is the name of the file that is run.
const EVENTS: &[(HookEvent, &str)] = &[
    (HookEvent::SessionStart, "TaskStart"),
    (HookEvent::SessionStart, "TaskResume"),
    (HookEvent::Prompt, "UserPromptSubmit"),
    (HookEvent::Edit, "PostToolUse"),
    (HookEvent::TurnEnd, "TaskComplete"),
    (HookEvent::TurnEnd, "TaskCancel"),
    (HookEvent::TurnEnd, "TaskError"),
    (HookEvent::Compact, "PreCompact"),
    (HookEvent::SessionEnd, "SessionShutdown"),
];

const SERVERS: &str = "cline_mcp_settings.json";

impl Describe for Cline {
    fn host(&self) -> Host {
        Host::Cline
    }

    fn signs(&self, machine: &Machine<'_>) -> Signs {
        let mut directories = vec![directory(machine), machine.home.join("Documents/Cline")];
        directories.extend(of_extension(machine));
        Signs { programs: &["cline"], directories }
    }

    fn targets(&self, machine: &Machine<'_>, scope: Scope) -> Vec<Target> {
        let mut targets = match scope {
            Scope::User => {
                let server = json!({"command": machine.program_text(), "args": ["mcp"]});
                let files = servers(machine).into_iter();
                files.map(|file| Target::server(file, &["mcpServers", "handoff"], server.clone())).collect()
            }
            Scope::Project => Vec::new(),
        };
        let hooks = hook_directories(machine, scope);
        let free = |dir: &&PathBuf| scripts(machine, dir).iter().all(|script| is_free(machine, script));
        // Where a person has hooks of these names, ours go to the other place that is looked at.
        let dir = hooks.iter().find(free).unwrap_or(&hooks[0]);
        targets.extend(scripts(machine, dir));
        targets.push(match scope {
            Scope::User => rule(machine.home.join("Documents/Cline/Rules/handoff.md")),
            Scope::Project => {
                let rules = machine.project.join(".clinerules");
                // One file for all rules, as it was at first.
                if is_file(machine, &rules) {
                    Target::block(rules, text::BLOCK)
                } else {
                    rule(rules.join("handoff.md"))
                }
            }
        });
        let skills = match scope {
            Scope::User => directory(machine).join("skills"),
            Scope::Project => machine.project.join(".agents/skills"),
        };
        targets.push(Target::file(Part::Skill, skills.join("handoff/SKILL.md"), text::skill()));
        targets
    }

    fn former(&self, machine: &Machine<'_>, scope: Scope) -> Vec<Target> {
        hook_directories(machine, scope).iter().flat_map(|dir| scripts(machine, dir)).collect()
    }

    fn notes(&self, _: &Machine<'_>, scope: Scope) -> Vec<String> {
        let mut notes =
            vec!["Cline's extension runs hooks only when `Enable Hooks` is on in its feature settings".to_owned()];
        if scope == Scope::Project {
            notes.push(
                "Cline has no servers of a project: `handoff setup cline --scope user` registers handoff".to_owned(),
            );
        }
        notes
    }
}

fn directory(machine: &Machine<'_>) -> PathBuf {
    machine.directory("CLINE_DIR", ".cline")
}

/// Where the extension kept its settings before it shared those of the command line.
fn of_extension(machine: &Machine<'_>) -> [PathBuf; 3] {
    ["Code", "Code - Insiders", "VSCodium"]
        .map(|kind| machine.settings_directory().join(kind).join("User/globalStorage/saoudrizwan.claude-dev"))
}

/// The files that servers are registered in: that of the command line, and those of extensions that are there.
fn servers(machine: &Machine<'_>) -> Vec<PathBuf> {
    let shared = match (machine.env("CLINE_MCP_SETTINGS_PATH"), machine.env("CLINE_DATA_DIR")) {
        (Some(file), _) => machine.home.join(file),
        (None, Some(data)) => machine.home.join(data).join("settings").join(SERVERS),
        (None, None) => directory(machine).join("data/settings").join(SERVERS),
    };
    let there = of_extension(machine).into_iter().filter(|dir| machine.disk.is_directory(dir));
    std::iter::once(shared).chain(there.map(|dir| dir.join("settings").join(SERVERS))).collect()
}

/// Where hooks are looked for, the place that the extension and the command line both know first.
fn hook_directories(machine: &Machine<'_>, scope: Scope) -> [PathBuf; 2] {
    match scope {
        Scope::User => [machine.home.join("Documents/Cline/Hooks"), directory(machine).join("hooks")],
        Scope::Project => {
            let (rules, own) = (machine.project.join(".clinerules"), machine.project.join(".cline/hooks"));
            [if is_file(machine, &rules) { own.clone() } else { rules.join("hooks") }, own]
        }
    }
}

fn is_file(machine: &Machine<'_>, path: &Path) -> bool {
    machine.exists(path) && !machine.disk.is_directory(path)
}

fn rule(path: PathBuf) -> Target {
    Target::file(Part::Rule, path, text::cline_rule())
}

/// One script per event, which only runs the program.
fn scripts(machine: &Machine<'_>, dir: &Path) -> Vec<Target> {
    let script = |&(event, name): &(HookEvent, &str)| {
        let (file, text) = if machine.platform == Platform::Windows {
            let command = machine.hook_command(Host::Cline, event, Shell::PowerShell);
            (format!("{name}.ps1"), format!("# {OWN_FILE}\n{command}\n"))
        } else {
            let command = machine.hook_command(Host::Cline, event, Shell::Posix);
            (name.to_owned(), format!("#!/bin/sh\n# {OWN_FILE}\nexec {command}\n"))
        };
        Target { part: Part::Hooks, path: dir.join(file), piece: Piece::File { text, is_executable: true } }
    };
    EVENTS.iter().map(script).collect()
}

/// Whether a script of this name is ours or not there.
fn is_free(machine: &Machine<'_>, script: &Target) -> bool {
    match machine.disk.read(&script.path) {
        Ok(None) => true,
        Ok(Some(bytes)) => String::from_utf8_lossy(&bytes).contains(OWN_FILE),
        Err(_) => false,
    }
}
