//! `handoff session list`

use std::cmp::Reverse;

use clap::Args;
use handoff_model::id::SessionId;
use handoff_model::problem::Problem;
use handoff_model::session::{Party, SessionKind, SessionStatus, lineage};
use handoff_model::when::{Day, Moment};
use handoff_store::FoundSession;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::agent::{UnsavedConversation, finish_ended, unsaved};
use crate::page::{Column, Role, Row, Table, Text};
use crate::{Effect, Hint, OpError, Operation, Page, Project, Report, ToolSet};

/// List sessions, the last first
#[derive(Clone, Debug, Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command")]
pub struct ListSessions {
    /// Only sessions with this status; may be given several times
    #[arg(long = "status", value_name = "STATUS")]
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub status: Vec<SessionStatus>,
    /// Only sessions of this kind
    #[arg(long, value_name = "KIND")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<SessionKind>,
    /// Only sessions of this person
    #[arg(long, value_name = "NAME")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub author: Option<String>,
    /// Only sessions with this tool
    #[arg(long, value_name = "NAME")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// Only sessions with this tag; given several times, with all of them
    #[arg(long = "tag", value_name = "TAG")]
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// Only sessions of this line of work
    #[arg(long, value_name = "TEXT")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeline: Option<String>,
    /// Only sessions with this text in any of their fields
    #[arg(long = "text", visible_alias = "query", value_name = "TEXT", allow_hyphen_values = true)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub query: Option<String>,
    /// Only sessions that were at work on this day or later
    #[arg(long, value_name = "DATE")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<Day>,
    /// Only sessions that were at work on this day or before
    #[arg(long, value_name = "DATE")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub until: Option<Day>,
    /// Archived sessions too
    #[arg(long)]
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub archived: bool,
    /// Those whose lifetime is over too
    #[arg(long)]
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub expired: bool,
    /// Ledgers too, which only record that items were settled or asked
    #[arg(long)]
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[schemars(skip)]
    pub all: bool,
    /// As a tree: each line of work from its beginning on, what branched off below
    #[arg(long)]
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub tree: bool,
    /// At most this many
    #[arg(long, short = 'n', value_name = "N")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<usize>,
}

/// Sessions, the last first.
#[derive(Debug, Serialize, JsonSchema)]
pub struct SessionList {
    pub sessions: Vec<ListedSession>,
    /// Conversations of agents whose work is in no session yet, where nothing is filtered
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub conversations: Vec<UnsavedConversation>,
    /// How many match the filters
    pub matches: usize,
    /// What is wrong in the files
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub problems: Vec<Problem>,
    /// The request, for asking again with more
    #[serde(skip)]
    asked: ListSessions,
    #[serde(skip)]
    warnings: Vec<String>,
}

/// One session in a list.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ListedSession {
    pub id: SessionId,
    /// Its full name
    pub name: String,
    pub kind: SessionKind,
    pub status: SessionStatus,
    /// Its title, or the beginning of its summary
    pub title: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub author: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub started_at: Option<Moment>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<Moment>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeline: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub continues: Option<String>,
    /// Full name of the session it branched off from
    #[serde(skip_serializing_if = "Option::is_none")]
    pub forked_from: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub merged_from: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub merged_into: Option<String>,
    /// How many times its line of work branched off, in a tree
    #[serde(skip_serializing_if = "Option::is_none")]
    pub depth: Option<usize>,
    /// How many decisions it made
    pub decisions: usize,
    /// Checklist items that are ticked, and all of them
    #[serde(skip_serializing_if = "Option::is_none")]
    pub checklist: Option<(usize, usize)>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub archived: bool,
}

impl Operation for ListSessions {
    const NAME: &'static str = "session.list";
    const TOOL: &'static str = "handoff_list_sessions";
    const SET: ToolSet = ToolSet::Sessions;
    const EFFECT: Effect = Effect::Read;
    const UNNEEDED: &'static [&'static str] = &["include_children"];
    type Outcome = SessionList;

    fn example() -> Value {
        json!({"status": ["active", "paused"], "limit": 10})
    }

    fn run(self, project: &mut Project) -> Result<SessionList, OpError> {
        if self.limit == Some(0) {
            return Err(OpError::usage("a limit of 0 shows nothing: give 1 or more"));
        }
        finish_ended(project);
        let conversations = if self.is_filtered() { Vec::new() } else { unsaved(project) };
        let store = project.store();
        // One that is archived between two readings would be in both, or in neither.
        let (mut found, archived) = store.at_one_moment(|| {
            let archived = if self.archived { Some(store.archived_sessions()?) } else { None };
            Ok((store.sessions()?, archived))
        })?;
        if let Some(archived) = archived {
            found.problems.extend(archived.problems);
            found.list.extend(archived.list);
            found.list.sort_by_key(|found| Reverse(found.last_active()));
        }
        let query = self.query.as_deref().map(str::to_lowercase);
        let now = project.now();
        let is_shown = |found: &FoundSession| {
            let session = &found.session;
            let is_ledger = session.kind == SessionKind::Ledger && self.kind.is_none() && !self.all;
            !is_ledger && (self.expired || session.status != SessionStatus::Closed || !session.is_expired(now))
        };
        let mut chosen: Vec<&FoundSession> = Vec::new();
        let mut matches = 0;
        for found in found.list.iter().filter(|found| self.accepts(found) && is_shown(found)) {
            if let Some(query) = &query
                && !has_text(project, found, query)?
            {
                continue;
            }
            matches += 1;
            if self.limit.is_none_or(|limit| chosen.len() < limit) {
                chosen.push(found);
            }
        }
        let sessions = if self.tree { in_tree(&chosen) } else { chosen.into_iter().map(listed).collect() };
        let warnings = found.problems.iter().map(ToString::to_string).collect();
        Ok(SessionList { sessions, conversations, matches, problems: found.problems, asked: self, warnings })
    }
}

impl ListSessions {
    /// Reports whether only sessions of some sort are asked for.
    fn is_filtered(&self) -> bool {
        let ListSessions { status, kind, author, tool, tags, timeline, query, since, until, .. } = self;
        let texts = [author, tool, timeline, query];
        let has_text = texts.into_iter().any(Option::is_some);
        has_text || !status.is_empty() || kind.is_some() || !tags.is_empty() || since.is_some() || until.is_some()
    }

    fn accepts(&self, found: &FoundSession) -> bool {
        let session = &found.session;
        let is = |wanted: &Option<String>, value: &Option<String>| wanted.is_none() || wanted == value;
        let day = found.last_active().map(Moment::day);
        let began = session.started_at.or(session.ended_at).map(Moment::day);
        (self.status.is_empty() || self.status.contains(&session.status))
            && self.kind.is_none_or(|kind| session.kind == kind)
            && is(&self.author, &session.author)
            && is(&self.tool, &session.tool)
            && is(&self.timeline, &session.timeline)
            && self.tags.iter().all(|tag| session.tags.contains(tag))
            && self.since.is_none_or(|since| day.is_some_and(|day| day >= since))
            && self.until.is_none_or(|until| began.is_some_and(|day| day <= until))
    }
}

/// Whether any field of a session, or its body, has a text, whatever the case.
fn has_text(project: &Project, found: &FoundSession, query: &str) -> Result<bool, OpError> {
    fn said(value: &Value, query: &str) -> bool {
        match value {
            Value::String(text) => text.to_lowercase().contains(query),
            Value::Array(items) => items.iter().any(|item| said(item, query)),
            Value::Object(fields) => fields.values().any(|value| said(value, query)),
            Value::Null | Value::Bool(_) | Value::Number(_) => false,
        }
    }
    let fields = serde_json::to_value(&found.session).unwrap_or_default();
    if said(&fields, query) {
        return Ok(true);
    }
    let body = project.store().session_body(found)?;
    Ok(body.is_some_and(|body| body.to_lowercase().contains(query)))
}

fn in_tree(chosen: &[&FoundSession]) -> Vec<ListedSession> {
    let parties: Vec<Party<'_>> =
        chosen.iter().map(|found| Party { name: &found.name, session: &found.session }).collect();
    let placed = lineage::tree(&parties).into_iter();
    placed.map(|placed| ListedSession { depth: Some(placed.depth), ..listed(chosen[placed.index]) }).collect()
}

fn listed(found: &FoundSession) -> ListedSession {
    let session = &found.session;
    let ticked = session.checklist.iter().filter(|item| item.checked).count();
    ListedSession {
        id: session.id.clone(),
        name: found.name.clone(),
        kind: session.kind,
        status: session.status,
        title: session.headline(80),
        tool: session.tool.clone(),
        author: session.author.clone().filter(|author| author != "unknown"),
        tags: session.tags.clone(),
        started_at: session.started_at,
        ended_at: session.ended_at,
        timeline: session.timeline.clone(),
        label: session.label.clone(),
        continues: session.continues.clone(),
        forked_from: session.forked_from.clone(),
        merged_from: session.merged_from.clone(),
        merged_into: session.merged_into.clone(),
        depth: None,
        decisions: session.decisions.len(),
        checklist: (!session.checklist.is_empty()).then_some((ticked, session.checklist.len())),
        branch: session.git.as_ref().and_then(|git| git.branch.clone()),
        archived: found.archive.is_some(),
    }
}

impl ListedSession {
    fn row(&self, in_tree: bool) -> Row {
        let role = match self.status {
            SessionStatus::Active => Role::Good,
            SessionStatus::Paused => Role::Warn,
            SessionStatus::Closed => Role::Dim,
        };
        let status = if self.archived { "archived" } else { self.status.word() };
        let by = self.tool.as_deref().or(self.author.as_deref()).unwrap_or_default();
        let label = self.label.as_ref().map(|label| format!("[{label}] ")).unwrap_or_default();
        let title = Text::of(Role::Strong, label).plain(&self.title);
        let comes_from = if in_tree { self.comes_from() } else { String::new() };
        let row = Row::new([
            Text::of(Role::Id, &self.name),
            Text::of(role, status),
            by.into(),
            self.timeline.as_deref().unwrap_or_default().into(),
            title,
            Text::of(Role::Dim, comes_from),
        ]);
        row.indent(self.depth.unwrap_or(0))
    }

    /// Where it comes from and went, in words.
    fn comes_from(&self) -> String {
        let continues = self.continues.as_ref().map(|name| format!("continues {}", short(name)));
        let forked = self.forked_from.as_ref().map(|name| format!("fork of {}", short(name)));
        let merged: Vec<&str> = self.merged_from.iter().map(|name| short(name)).collect();
        let merged = (!merged.is_empty()).then(|| format!("merges {}", merged.join(", ")));
        let into = self.merged_into.as_ref().map(|name| format!("merged into {}", short(name)));
        [continues, forked, merged, into].into_iter().flatten().collect::<Vec<_>>().join("; ")
    }
}

/// The id in a full name.
fn short(name: &str) -> &str {
    name.rsplit('-').next().unwrap_or(name)
}

impl Report for SessionList {
    fn page(&self) -> Page {
        let mut page = Page::new();
        for conversation in &self.conversations {
            page = page.line(conversation.line());
            page = conversation.said().fold(page, Page::said);
        }
        if self.sessions.is_empty() {
            return if self.conversations.is_empty() { page.line("no session matches") } else { page };
        }
        let columns = [
            Column::new("name"),
            Column::new("status"),
            Column::new("by").shrinks_to(6),
            Column::new("line").shrinks_to(6),
            Column::new("title").shrinks_to(20),
            Column::new("comes from").shrinks_to(20),
        ];
        let table = Table::new(columns).rows(self.sessions.iter().map(|session| session.row(self.asked.tree)));
        let mut again = self.asked.clone();
        again.limit = None;
        let hint = serde_json::to_value(&again).map(Hint::run_with::<ListSessions>).ok();
        page.table(table.without_empty_columns()).more(self.matches - self.sessions.len(), hint)
    }

    fn warnings(&self) -> &[String] {
        &self.warnings
    }
}
