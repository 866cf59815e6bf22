//! `handoff hook status`

use clap::Args;
use handoff_model::agent::Host;
use handoff_model::id::SessionId;
use handoff_model::when::Moment;
use handoff_store::{AgentName, Process};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::record::Records;
use super::state::State;
use super::switch;
use crate::page::{Column, Role, Row, Table, Text};
use crate::{Door, Effect, OpError, Operation, Page, Project, Report, ToolSet};

/// As many failures are shown as help to see what is wrong.
const FAILURES: usize = 5;

/// Show which agents call, what is recorded of them and what went wrong
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ShowHooks {}

/// What is known of the agents that call.
#[derive(Debug, Serialize, JsonSchema)]
pub struct HookStatus {
    /// Whether agents are served in this project
    pub enabled: bool,
    /// Why not
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why_not: Option<String>,
    /// Conversations, the one heard of last first
    pub sessions: Vec<AgentSession>,
    /// What went wrong, the latest last
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub failures: Vec<String>,
}

/// One agent's conversation.
#[derive(Debug, Serialize, JsonSchema)]
pub struct AgentSession {
    /// The agent, such as `claude-code`
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host: Option<String>,
    /// Its own id of the conversation
    pub session: String,
    /// `running`, `ended`, `silent` (it cannot be told), `finished`, `off` or `damaged` (its records cannot be read)
    pub state: &'static str,
    /// When it was last heard of
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seen_at: Option<Moment>,
    /// Records of its work
    pub records: usize,
    /// The handoff that holds its work
    #[serde(skip_serializing_if = "Option::is_none")]
    pub handoff: Option<SessionId>,
}

impl Operation for ShowHooks {
    const NAME: &'static str = "hook.status";
    const TOOL: &'static str = "handoff_show_hooks";
    const SET: ToolSet = ToolSet::Project;
    const EFFECT: Effect = Effect::Read;
    const DOORS: &'static [Door] = &[Door::Cli];
    type Outcome = HookStatus;

    fn example() -> Value {
        json!({})
    }

    fn run(self, project: &mut Project) -> Result<HookStatus, OpError> {
        let store = project.store();
        let why_not = if switch::is_off_here(project) {
            Some("HANDOFF_HOOKS turns them off in this environment".to_owned())
        } else if switch::is_off_by_settings(project) {
            Some("the setting hooks.enabled is false".to_owned())
        } else {
            let pauses = project.pause_lines();
            let told = || format!("agents get context, and nothing is recorded, since {}", pauses.join("; "));
            (!pauses.is_empty()).then(told)
        };
        let alone = store.agents_left_alone();
        let mut sessions = Vec::new();
        for name in store.agent_names()? {
            sessions.push(session(project, &name, &alone));
        }
        sessions.sort_by(|one, other| (other.seen_at, &one.session).cmp(&(one.seen_at, &other.session)));
        let log = store.hook_log();
        let failures = log[log.len().saturating_sub(FAILURES)..].to_vec();
        Ok(HookStatus { enabled: why_not.is_none(), why_not, sessions, failures })
    }
}

fn session(project: &Project, name: &AgentName, alone: &[String]) -> AgentSession {
    let state = State::read(project.store(), name);
    let records = Records::read(project.store(), name);
    let is_damaged = records.is_err();
    let records = records.unwrap_or_default();
    let word = if is_damaged {
        "damaged"
    } else if alone.contains(&state.session) {
        "off"
    } else if state.finished.is_some() {
        "finished"
    } else if state.ended_at.is_some() {
        "ended"
    } else {
        match state.process.as_ref().map(Process::is_alive) {
            Some(true) => "running",
            Some(false) => "ended",
            None => "silent",
        }
    };
    AgentSession {
        host: state.host.map(Host::word).map(str::to_owned),
        session: if state.session.is_empty() { name.to_string() } else { state.session },
        state: word,
        seen_at: state.seen_at.or_else(|| records.last_at()),
        records: records.len(),
        handoff: state.finished.and_then(|finished| finished.handoff),
    }
}

impl Report for HookStatus {
    fn page(&self) -> Page {
        let mut page = match &self.why_not {
            None => Page::new().line("agents are served when they call"),
            Some(why) => Page::new().line(Text::of(Role::Warn, format!("agents are not served: {why}"))),
        };
        if self.sessions.is_empty() {
            page = page.line("none has called yet; `handoff setup` tells them to");
        }
        let rows = self.sessions.iter().map(|session| {
            Row::new([
                Text::from(session.host.as_deref().unwrap_or("?")),
                Text::from(&session.session),
                Text::from(session.state),
                Text::from(session.seen_at.map(|at| at.to_string()).unwrap_or_default()),
                Text::from(session.records.to_string()),
                Text::from(session.handoff.as_ref().map(ToString::to_string).unwrap_or_default()),
            ])
        });
        let columns = ["agent", "conversation", "state", "heard of last", "records", "handoff"].map(|name| {
            let column = Column::new(name);
            if name == "conversation" { column.shrinks_to(8) } else { column }
        });
        let table = Table { columns: columns.into(), rows: rows.collect() };
        page = page.table(table);
        if !self.failures.is_empty() {
            page = page.heading("Went wrong last");
            page = self.failures.iter().fold(page, Page::said);
        }
        page
    }
}
