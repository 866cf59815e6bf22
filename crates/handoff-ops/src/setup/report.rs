//! What setting up came to.

use std::path::Path;

use handoff_hosts::setup::{HostPlan, Part, PartPlan, Plan, Scope, State};
use handoff_model::agent::Host;
use serde::Serialize;

use super::carry_out::Failures;
use crate::operation::Report;
use crate::page::{Role, Text};
use crate::{Hint, OpError, Page, Reply};

/// What was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Action {
    Install,
    Check,
    Uninstall,
}

/// What setting up came to.
#[derive(Debug, Clone, Serialize)]
pub struct SetupOutcome {
    pub action: Action,
    pub scope: Scope,
    /// Whether nothing was changed
    pub is_dry_run: bool,
    /// The program that agents start
    pub program: String,
    pub agents: Vec<AgentOutcome>,
    /// What would change, file by file
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub diffs: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// What it came to for one agent.
#[derive(Debug, Clone, Serialize)]
pub struct AgentOutcome {
    pub agent: Host,
    pub status: Status,
    pub parts: Vec<PartOutcome>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// Why nothing was done for it
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// How an agent stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Status {
    /// Set up by this command
    SetUp,
    /// Set up before, and brought up to date by this command
    Updated,
    AlreadySetUp,
    /// Something is missing or outdated
    Incomplete,
    NotSetUp,
    Removed,
    /// One of its files cannot be changed as it is
    Refused,
    /// One of its files could not be written
    Failed,
}

/// What it came to for one part.
#[derive(Debug, Clone, Serialize)]
pub struct PartOutcome {
    pub part: Part,
    pub path: String,
    /// The same as a person would write it
    #[serde(skip)]
    pub shown: String,
    pub status: PartStatus,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub details: Vec<String>,
}

/// How one part stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum PartStatus {
    Added,
    Updated,
    Current,
    Missing,
    Outdated,
    /// Another tool has its place
    Foreign,
    Removed,
    /// It was to go, and stays
    Kept,
}

impl PartStatus {
    const fn word(self) -> &'static str {
        match self {
            PartStatus::Added => "added",
            PartStatus::Updated => "updated",
            PartStatus::Current => "in place",
            PartStatus::Missing => "missing",
            PartStatus::Outdated => "outdated",
            PartStatus::Foreign => "left to another tool",
            PartStatus::Removed => "removed",
            PartStatus::Kept => "kept",
        }
    }

    const fn role(self) -> Role {
        match self {
            PartStatus::Added | PartStatus::Updated | PartStatus::Removed => Role::Good,
            PartStatus::Current => Role::Dim,
            PartStatus::Missing | PartStatus::Outdated | PartStatus::Foreign | PartStatus::Kept => Role::Warn,
        }
    }
}

impl PartOutcome {
    pub(super) fn is_changed(&self) -> bool {
        matches!(self.status, PartStatus::Added | PartStatus::Updated | PartStatus::Removed)
    }

    fn of(plan: &PartPlan, action: Action, shown: &impl Fn(&Path) -> String) -> PartOutcome {
        let status = match (action, plan.state, &plan.kept) {
            (Action::Uninstall, _, Some(_)) => PartStatus::Kept,
            (Action::Uninstall | Action::Check, State::Missing, _) => PartStatus::Missing,
            (Action::Uninstall, _, None) => PartStatus::Removed,
            (_, State::Current, _) => PartStatus::Current,
            (_, State::Foreign, _) => PartStatus::Foreign,
            (Action::Check, _, _) | (_, _, Some(_)) => PartStatus::Outdated,
            (_, State::Missing, None) => PartStatus::Added,
            (_, State::Outdated, None) => PartStatus::Updated,
        };
        let details = plan.kept.iter().chain(&plan.why).chain(&plan.foreign).cloned().collect();
        let path = plan.path.display().to_string();
        PartOutcome { part: plan.part, path, shown: shown(&plan.path), status, details }
    }
}

impl AgentOutcome {
    fn of(plan: &HostPlan, action: Action, shown: &impl Fn(&Path) -> String) -> AgentOutcome {
        let parts: Vec<PartOutcome> = plan.parts.iter().map(|part| PartOutcome::of(part, action, shown)).collect();
        let any = |status| parts.iter().any(|part| part.status == status);
        let all = |status| parts.iter().all(|part| part.status == status);
        // Instructions may be in place for the sake of another agent.
        let was_registered = parts.iter().any(|part| part.part == Part::Server && part.status == PartStatus::Current);
        let status = match action {
            _ if plan.refused.is_some() => Status::Refused,
            Action::Uninstall if any(PartStatus::Removed) => Status::Removed,
            Action::Uninstall => Status::NotSetUp,
            _ if all(PartStatus::Current) => Status::AlreadySetUp,
            Action::Check if all(PartStatus::Missing) => Status::NotSetUp,
            Action::Install if any(PartStatus::Updated) || was_registered => Status::Updated,
            Action::Install if any(PartStatus::Added) => Status::SetUp,
            Action::Check | Action::Install => Status::Incomplete,
        };
        let says_more = matches!(status, Status::SetUp | Status::Updated) && action == Action::Install;
        let notes = if says_more { plan.notes.clone() } else { Vec::new() };
        let error = plan.refused.as_ref().map(|(path, why)| format!("{}: {why}", shown(path)));
        AgentOutcome { agent: plan.host, status, parts, notes, error }
    }
}

impl SetupOutcome {
    pub(super) fn of(action: Action, scope: Scope, plan: &Plan, shown: impl Fn(&Path) -> String) -> SetupOutcome {
        let agents = plan.hosts.iter().map(|host| AgentOutcome::of(host, action, &shown)).collect();
        SetupOutcome {
            action,
            scope,
            is_dry_run: false,
            program: String::new(),
            agents,
            diffs: Vec::new(),
            warnings: Vec::new(),
        }
    }

    /// Notes for which agents it could not be done after all.
    pub(super) fn fail(&mut self, failures: &Failures) {
        for agent in &mut self.agents {
            if let Some((_, why)) = failures.iter().find(|(host, _)| *host == agent.agent) {
                agent.status = Status::Failed;
                agent.error = Some(why.clone());
                agent.parts.clear();
                agent.notes.clear();
            }
        }
    }

    /// As a door shows it.
    pub fn reply(self) -> Reply {
        Reply::of(self)
    }

    /// Why agents were left as they were.
    pub fn errors(&self) -> Vec<OpError> {
        let failed = |agent: &AgentOutcome| {
            let message = format!("{} was left as it was", agent.agent.title());
            let error =
                if agent.status == Status::Refused { OpError::refused(message) } else { OpError::failure(message) };
            Some(error.caused_by(agent.error.clone()?))
        };
        self.agents.iter().filter_map(failed).collect()
    }

    /// The exit code: 4 where a file was refused, 1 where one could not be written or a check found something.
    pub fn exit_code(&self) -> u8 {
        let any = |status| self.agents.iter().any(|agent| agent.status == status);
        match () {
            () if any(Status::Refused) => 4,
            () if any(Status::Failed) => 1,
            () if self.action == Action::Check && !self.agents.iter().all(|a| a.status == Status::AlreadySetUp) => 1,
            () => 0,
        }
    }

    fn headline(&self, agent: &AgentOutcome) -> Text {
        let words = match (agent.status, self.is_dry_run) {
            (Status::SetUp, true) => "would be set up",
            (Status::SetUp, false) => "set up",
            (Status::Updated, true) => "would be brought up to date",
            (Status::Updated, false) => "brought up to date",
            (Status::AlreadySetUp, _) => "already set up, nothing to change",
            (Status::Incomplete, _) => "not as it should be",
            (Status::NotSetUp, _) => "not set up",
            (Status::Removed, true) => "would be taken out",
            (Status::Removed, false) => "taken out",
            (Status::Refused | Status::Failed, _) => "left as it was",
        };
        let role = match agent.status {
            Status::Incomplete | Status::NotSetUp => Role::Warn,
            _ => Role::Good,
        };
        Text::of(Role::Strong, agent.agent.title()).plain(": ").and(role, words)
    }
}

impl Report for SetupOutcome {
    fn page(&self) -> Page {
        let mut page = Page::new();
        for agent in self.agents.iter().filter(|agent| agent.error.is_none()) {
            page = page.line(self.headline(agent));
            let is_quiet = agent.status == Status::AlreadySetUp || agent.status == Status::NotSetUp;
            for part in agent.parts.iter().filter(|part| !is_quiet || !part.details.is_empty()) {
                let text = Text::from(part.part.word()).plain(" ").and(part.status.role(), part.status.word());
                let mut text = text.plain(format!(": {}", part.shown));
                if !part.details.is_empty() {
                    text = text.and(Role::Dim, format!(" ({})", part.details.join("; ")));
                }
                page = page.item(text);
            }
            for note in &agent.notes {
                page = page.item(note.as_str());
            }
        }
        for diff in &self.diffs {
            page = page.blank().prose(diff.as_str());
        }
        let has_foreign =
            self.agents.iter().flat_map(|agent| &agent.parts).any(|part| part.status == PartStatus::Foreign);
        if has_foreign && self.action != Action::Uninstall {
            page = page.advice("", Hint::say("`--replace` takes the place of what other tools left there"));
        }
        page
    }

    fn warnings(&self) -> &[String] {
        &self.warnings
    }
}
