//! OpenCode. Checked against 1.18.33.

use std::path::PathBuf;

use handoff_model::agent::Host;
use serde_json::{Value, json};

use super::super::{Describe, Machine, Part, Scope, Signs, Target};
use crate::text;

pub(super) struct OpenCode;

const PLUGIN: &str = include_str!("opencode.js");

impl Describe for OpenCode {
    fn host(&self) -> Host {
        Host::OpenCode
    }

    fn signs(&self, machine: &Machine<'_>) -> Signs {
        Signs { programs: &["opencode"], directories: vec![directory(machine)] }
    }

    fn targets(&self, machine: &Machine<'_>, scope: Scope) -> Vec<Target> {
        let (config, dir) = match scope {
            Scope::User => (directory(machine), directory(machine)),
            Scope::Project => (machine.project.to_owned(), machine.project.join(".opencode")),
        };
        let config = ["opencode.jsonc", "opencode.json"].map(|name| config.join(name));
        let config = config.iter().find(|path| machine.exists(path)).unwrap_or(&config[1]).clone();
        let server = json!({"type": "local", "command": [machine.program_text(), "mcp"], "enabled": true});
        let plugin = PLUGIN.replace("__PROGRAM__", &Value::from(machine.program_text()).to_string());
        vec![
            Target::server(config, &["mcp", "handoff"], server),
            Target::file(Part::Plugin, dir.join("plugins/handoff.js"), plugin),
            Target::file(Part::Skill, dir.join("skills/handoff/SKILL.md"), text::skill()),
            Target::block(instructions(machine, scope), text::BLOCK),
        ]
    }

    fn former(&self, machine: &Machine<'_>, scope: Scope) -> Vec<Target> {
        places(machine, scope).into_iter().map(|path| Target::block(path, text::BLOCK)).collect()
    }

    fn notes(&self, _: &Machine<'_>, _: Scope) -> Vec<String> {
        vec![
            "OpenCode fetches its plugin library from npm when it first finds a plugin: its next start needs the network"
                .to_owned(),
        ]
    }
}

fn directory(machine: &Machine<'_>) -> PathBuf {
    match machine.env("OPENCODE_CONFIG_DIR") {
        Some(dir) => machine.home.join(dir),
        // It uses this place on every platform.
        None => machine.directory("XDG_CONFIG_HOME", ".config").join("opencode"),
    }
}

/// Where instructions may be. The second is read only where the first is missing.
fn places(machine: &Machine<'_>, scope: Scope) -> [PathBuf; 2] {
    match scope {
        Scope::User => {
            [directory(machine).join("AGENTS.md"), machine.directory("CLAUDE_CONFIG_DIR", ".claude").join("CLAUDE.md")]
        }
        Scope::Project => [machine.project.join("AGENTS.md"), machine.project.join("CLAUDE.md")],
    }
}

/// A new AGENTS.md would hide a CLAUDE.md that was read so far.
fn instructions(machine: &Machine<'_>, scope: Scope) -> PathBuf {
    let [agents, claude] = places(machine, scope);
    if !machine.exists(&agents) && machine.exists(&claude) { claude } else { agents }
}
