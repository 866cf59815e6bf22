//! VS Code with Copilot's agents, by its documentation of 2026-07; not run. Its hooks are a preview.
//!
//! Hooks, skill and instructions are those of Copilot, which it reads from the same places.

use std::path::PathBuf;

use handoff_model::agent::Host;
use serde_json::json;

use super::super::{Describe, Machine, Scope, Signs, Target};
use super::copilot;

pub(super) struct VsCode;

/// Directories of its kinds, below where the platform keeps settings.
const KINDS: [&str; 3] = ["Code", "Code - Insiders", "VSCodium"];

impl Describe for VsCode {
    fn host(&self) -> Host {
        Host::VsCode
    }

    fn signs(&self, machine: &Machine<'_>) -> Signs {
        Signs {
            programs: &["code", "code-insiders", "codium"],
            directories: KINDS.map(|kind| user(machine, kind)).into(),
        }
    }

    fn targets(&self, machine: &Machine<'_>, scope: Scope) -> Vec<Target> {
        match scope {
            Scope::User => {
                let kinds = KINDS.map(|kind| user(machine, kind));
                let mut found: Vec<&PathBuf> = kinds.iter().filter(|dir| machine.disk.is_directory(dir)).collect();
                if found.is_empty() {
                    found.push(&kinds[0]);
                }
                // Here a placeholder for the folder stops the server where no folder is open.
                let server = json!({"type": "stdio", "command": machine.program_text(), "args": ["mcp"]});
                let servers = found
                    .into_iter()
                    .map(|dir| Target::server(dir.join("mcp.json"), &["servers", "handoff"], server.clone()));
                servers.chain(copilot::for_user(machine, &machine.home.join(".copilot"))).collect()
            }
            Scope::Project => {
                let args = json!(["mcp", "--project-dir", "${workspaceFolder}"]);
                let server = json!({"type": "stdio", "command": machine.program_text(), "args": args});
                let file = machine.project.join(".vscode/mcp.json");
                let mut targets = vec![Target::server(file, &["servers", "handoff"], server)];
                targets.extend(copilot::for_project(machine));
                targets
            }
        }
    }

    fn notes(&self, _: &Machine<'_>, _: Scope) -> Vec<String> {
        vec![
            "VS Code asks once whether it may start the server; its agent hooks are a preview that can be switched off"
                .to_owned(),
        ]
    }
}

/// Where a kind of it keeps what is a user's.
fn user(machine: &Machine<'_>, kind: &str) -> PathBuf {
    machine.settings_directory().join(kind).join("User")
}
