//! What is asked of `handoff setup`.

use clap::Args;
use serde::Deserialize;

use crate::OpError;
use handoff_hosts::setup::Scope;
use handoff_model::agent::Host;

/// Wire handoff into coding agents: MCP server, hooks, skill, instructions
///
/// One command per machine: afterwards every session of these agents starts with what the last one left, in every project
/// that has a `.handoff/`. Elsewhere the hooks do nothing. Without a name it finds out which agents are installed and asks.
///
/// What is in the files already stays, comments and order included. Doing it twice changes nothing, and `--uninstall`
/// restores the files to the byte; where one was edited since, it takes out exactly what is handoff's.
#[derive(Debug, Clone, Default, Args, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
pub struct SetupRequest {
    /// Agents to set up: claude-code, codex, cursor, gemini, opencode, cline, copilot, vscode, or all
    #[arg(value_name = "AGENT")]
    pub agents: Vec<String>,
    /// For whom: all your projects (user), or everybody who works in this project (project) [default: user]
    #[arg(long, visible_alias = "level", value_name = "SCOPE", value_parser = scope)]
    pub scope: Option<Scope>,
    /// The same as --scope user
    #[arg(long, conflicts_with_all = ["scope", "project"])]
    pub user: bool,
    /// The same as --scope project
    #[arg(long, conflicts_with = "scope")]
    pub project: bool,
    /// Say what is missing or outdated and change nothing; exit code 1 if anything is
    #[arg(long, conflicts_with_all = ["uninstall", "dry_run"])]
    pub check: bool,
    /// Take handoff out again
    #[arg(long)]
    pub uninstall: bool,
    /// Show what would change, line by line, and change nothing
    #[arg(long)]
    pub dry_run: bool,
    /// Take the place of what handoff-mcp, agent-handover and their kin left there; otherwise it is reported
    #[arg(long)]
    pub replace: bool,
    /// Replace files and entries that have the name of ours and are not, and files of ours that were edited
    #[arg(long)]
    pub force: bool,
    /// Leave it to you to trust the hooks in Codex
    #[arg(long)]
    pub no_trust: bool,
    /// Ask nothing: set up every agent that was found
    #[arg(long, short = 'y')]
    pub yes: bool,
}

fn scope(text: &str) -> Result<Scope, String> {
    match text {
        "user" => Ok(Scope::User),
        "project" => Ok(Scope::Project),
        _ => Err("use user or project".to_owned()),
    }
}

impl SetupRequest {
    /// Reads a request from JSON.
    pub fn read(json: serde_json::Value) -> Result<SetupRequest, OpError> {
        serde_path_to_error::deserialize(json)
            .map_err(|error| OpError::usage("the request cannot be used").caused_by(error))
    }

    pub fn scope(&self) -> Scope {
        if self.project { Scope::Project } else { self.scope.unwrap_or_default() }
    }

    /// The agents that are named, each once; `all` names every one.
    pub fn named(&self) -> Result<Vec<Host>, OpError> {
        let mut hosts = Vec::new();
        for name in &self.agents {
            if name == "all" {
                return Ok(Host::ALL.to_vec());
            }
            let host: Host =
                name.parse().map_err(|error: handoff_model::agent::NotAHost| OpError::usage(error.to_string()))?;
            if !hosts.contains(&host) {
                hosts.push(host);
            }
        }
        Ok(hosts)
    }
}
