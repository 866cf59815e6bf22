//! `handoff status`: how it stands with handovers, for people.

use clap::Args;
use handoff_model::id::SessionId;
use handoff_model::session::SessionStatus;
use handoff_model::when::Moment;
use handoff_store::SessionSummary;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::check::{CheckStatus, HandoverCheck};
use super::kept::{self, HandoverRun};
use super::standing::{self, shortened};
use super::view::{self, StepView};
use super::{RunHandover, given, queue};
use crate::agent::{UnsavedConversation, finish_ended, unsaved};
use crate::item::{ListOpenItems, OpenCounts};
use crate::page::{Role, Text};
use crate::resume::COMMIT_TIME;
use crate::resume::gather::Held;
use crate::session::ReopenSession;
use crate::{Effect, ErrorKind, Facts, Hint, OpError, Operation, Page, Project, Report, ToolSet};

/// Say how the last handover went, step by step, what waits, what is paused or open, and what to do next
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ShowStatus {}

/// How it stands with handovers.
#[derive(Debug, Serialize, JsonSchema)]
pub struct StatusView {
    /// What `handoff check` says
    #[serde(flatten)]
    pub check: HandoverCheck,
    /// The last run
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_run: Option<RunView>,
    /// Requests that wait, the oldest first
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub queue: Vec<WaitingRequest>,
    /// The last session or record that was handed over
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_handoff: Option<LastHandoff>,
    /// How many sessions are under way
    pub active_sessions: usize,
    /// How many sessions are paused
    pub paused_sessions: usize,
    /// The sessions under way and the paused ones, the latest first
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub open_sessions: Vec<OpenSession>,
    /// Open items of all sessions by kind, as `handoff open` says
    #[serde(skip_serializing_if = "Option::is_none")]
    pub open_items: Option<OpenCounts>,
    /// Conversations of agents whose work is in no session yet
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub conversations: Vec<UnsavedConversation>,
    /// Why commits are not pushed, where the last publishing says so
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unpushed: Option<String>,
    #[serde(skip)]
    pauses: Vec<String>,
    #[serde(skip)]
    unpause: Option<Hint>,
    #[serde(skip)]
    is_checkpoint_damaged: bool,
}

/// A run, and how far it came.
#[derive(Debug, Serialize, JsonSchema)]
pub struct RunView {
    pub run: String,
    /// `in_progress`, `completed`, `abandoned` or `carried_over`
    pub status: String,
    pub started_at: Moment,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub finished_at: Option<Moment>,
    /// Who asked for it
    pub by: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// The session that holds what was handed over
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    pub steps: Vec<StepView>,
}

/// A request that waits.
#[derive(Debug, Serialize, JsonSchema)]
pub struct WaitingRequest {
    pub request: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub asked_at: Option<Moment>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// How the note begins
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// Why it cannot be read
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
}

/// A session that was handed over.
#[derive(Debug, Serialize, JsonSchema)]
pub struct LastHandoff {
    pub session: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<Moment>,
}

/// A session that is not over.
#[derive(Debug, Serialize, JsonSchema)]
pub struct OpenSession {
    pub id: SessionId,
    pub status: SessionStatus,
    /// What it is called on one line
    pub title: String,
}

impl OpenSession {
    fn of(session: &SessionSummary) -> OpenSession {
        let title = session.title().or(session.label()).unwrap_or_else(|| session.summary());
        OpenSession { id: session.id(), status: session.status(), title: beginning(title) }
    }

    fn line(&self) -> Text {
        Text::of(Role::Id, self.id.to_string()).plain(" ").plain(&self.title)
    }
}

/// As much of a note as tells which it is.
const BEGINNING: usize = 80;
/// Requests that are shown one by one.
const SHOWN: usize = 10;

impl Operation for ShowStatus {
    const NAME: &'static str = "status";
    const TOOL: &'static str = "handoff_status";
    const SET: ToolSet = ToolSet::Sessions;
    const EFFECT: Effect = Effect::Look;
    type Outcome = StatusView;

    fn example() -> Value {
        json!({})
    }

    fn run(self, project: &mut Project) -> Result<StatusView, OpError> {
        if project.dir().is_none() {
            return Err(given::no_project());
        }
        finish_ended(project);
        let conversations = unsaved(project);
        let check = standing::here(project);
        let read = kept::read(project.store());
        let is_checkpoint_damaged = read.is_err();
        let run = read.ok().flatten();
        let sessions = project.store().session_summaries()?.list;
        let handoffs = || sessions.iter().filter(|session| session.is_handoff());
        let with_status = |status| handoffs().filter(|session| session.status() == status).count();
        // A store whose tasks cannot be read still says how the handover went.
        let held = Held::read(project).ok().map(|held| Held { conversations: conversations.clone(), ..held });
        let open_items = held.map(|held| OpenCounts::of(&held.items(project, project.patient(COMMIT_TIME))));
        let last_handoff = handoffs().find(|session| session.status() == SessionStatus::Closed);
        Ok(StatusView {
            // What stands in the place of the queue is told by `check`.
            queue: waiting(project).unwrap_or_default(),
            unpushed: run.as_ref().and_then(unpushed),
            last_run: run.as_ref().map(RunView::of),
            last_handoff: last_handoff.map(|session| LastHandoff {
                session: session.full_name().to_owned(),
                title: session.title().or(session.label()).map(str::to_owned),
                at: session.last_active(),
            }),
            active_sessions: with_status(SessionStatus::Active),
            paused_sessions: with_status(SessionStatus::Paused),
            open_sessions: handoffs().filter(|it| it.status() != SessionStatus::Closed).map(OpenSession::of).collect(),
            open_items,
            conversations: conversations.into_iter().filter(|conversation| !conversation.is_own).collect(),
            pauses: project.pauses().iter().map(|pause| project.told(pause)).collect(),
            unpause: project.unpause_hint(&project.pauses()),
            is_checkpoint_damaged,
            check,
        })
    }
}

fn waiting(project: &Project) -> Result<Vec<WaitingRequest>, OpError> {
    let store = project.store();
    let mut waiting = Vec::new();
    for request in store.queued_runs()? {
        let Some(read) = queue::understood(&request, store.queued_run(&request)) else { continue };
        let nothing = WaitingRequest { request, asked_at: None, by: None, note: None, problem: None };
        waiting.push(match read {
            Ok(inputs) => WaitingRequest {
                asked_at: Some(inputs.asked_at),
                by: Some(inputs.by),
                note: inputs.note.as_deref().map(beginning),
                ..nothing
            },
            Err(problem) => WaitingRequest { problem: Some(problem), ..nothing },
        });
    }
    Ok(waiting)
}

fn beginning(note: &str) -> String {
    let line = note.lines().find(|line| !line.trim().is_empty()).unwrap_or_default().trim();
    match line.char_indices().nth(BEGINNING) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line.to_owned(),
    }
}

/// What the last publishing warns of.
fn unpushed(run: &HandoverRun) -> Option<String> {
    let mut published = run.steps.iter().filter(|track| track.step.action.action.kind() == "publish");
    published.find_map(|track| track.outcome.get("warning")?.as_str().map(str::to_owned))
}

impl RunView {
    fn of(run: &HandoverRun) -> RunView {
        RunView {
            run: run.run.clone(),
            status: run.status.word().to_owned(),
            started_at: run.started_at,
            finished_at: run.finished_at,
            by: run.inputs.by.clone(),
            tool: run.inputs.tool.clone(),
            session: view::session_of(run),
            steps: run.steps.iter().map(StepView::of).collect(),
        }
    }
}

impl Report for StatusView {
    fn page(&self) -> Page {
        let role = match self.check.status {
            CheckStatus::Clean | CheckStatus::Completed => Role::Good,
            CheckStatus::Damaged => Role::Bad,
            _ => Role::Warn,
        };
        let mut page = Page::new().line(Text::of(role, self.check.message.as_str()));
        if let Some(run) = &self.last_run {
            let with = run.tool.as_ref().map(|tool| format!(" with {tool}")).unwrap_or_default();
            page = page
                .blank()
                .field("Run", format!("{} ({})", run.run, run.status))
                .field("Asked for", Text::default().time(run.started_at).plain(format!(", by {}{with}", run.by)))
                .field_if("Finished", run.finished_at.map(|at| Text::default().time(at)))
                .field_if("Session", run.session.clone())
                .table(view::table(&run.steps));
        }
        if !self.queue.is_empty() {
            page = page.blank().heading("Waiting");
            page = self.queue.iter().take(SHOWN).fold(page, |page, request| page.said(request.line()));
            page = page.more_of(self.queue.len().saturating_sub(SHOWN), "requests", None);
        }
        if !self.pauses.is_empty() {
            page = page.blank().heading("Paused");
            page = self.pauses.iter().fold(page, Page::said);
        }
        page = page.blank().field("Sessions under way", self.active_sessions.to_string());
        if self.paused_sessions > 0 {
            page = page.field("Sessions paused", self.paused_sessions.to_string());
        }
        for session in self.open_sessions.iter().take(SHOWN) {
            let label = if session.status == SessionStatus::Paused { "Paused session" } else { "Active session" };
            page = page.field(label, session.line());
        }
        if let Some(last) = &self.last_handoff {
            let title = last.title.as_ref().map(|title| format!(": {title}")).unwrap_or_default();
            page = page.field("Last handoff", format!("{}{title}", last.session));
        }
        for conversation in &self.conversations {
            let words = conversation.line().plain(format!(": {}", conversation.title));
            page = page.field("Not in a session yet", words);
        }
        page = page.field_if("Not pushed", self.unpushed.as_deref().map(shortened));
        let open = self.open_items.and_then(OpenCounts::words);
        let to_list = open.as_ref().map(|_| ("to list what is open, ", Hint::run::<ListOpenItems>()));
        page = page.field_if("Open items", open);
        let paused = self.open_sessions.iter().find(|session| session.status == SessionStatus::Paused);
        let to_go_on = paused.map(|session| {
            ("to go on with the paused session, ", Hint::run_with::<ReopenSession>(json!({"session": session.id})))
        });
        self.hints()
            .into_iter()
            .chain(to_go_on)
            .chain(to_list)
            .fold(page, |page, (before, hint)| page.advice(before, hint))
    }

    fn trouble(&self) -> Option<ErrorKind> {
        (self.check.status == CheckStatus::Damaged).then_some(ErrorKind::Damaged)
    }

    fn facts(&self) -> Facts {
        Facts {
            message: self.page().to_markdown(None),
            id: self.check.run.clone(),
            status: serde_json::to_value(self.check.status).ok().and_then(|word| word.as_str().map(str::to_owned)),
            ..Facts::default()
        }
    }
}

impl StatusView {
    /// What to do next.
    fn hints(&self) -> Vec<(&'static str, Hint)> {
        let abandon = || Hint::run_with::<RunHandover>(json!({"abandon": true}));
        match self.check.status {
            CheckStatus::Resume if self.check.running => Vec::new(),
            CheckStatus::Resume if self.check.unsettled => vec![
                ("where the step did not happen, ", Hint::run_with::<RunHandover>(json!({"from": self.check.step}))),
                ("where it did, ", Hint::run_with::<RunHandover>(json!({"skip": [self.check.step]}))),
                ("to give it up, ", abandon()),
            ],
            CheckStatus::Resume if self.check.step.is_some() => {
                vec![("to finish it, ", Hint::run::<RunHandover>()), ("to give it up, ", abandon())]
            }
            CheckStatus::Resume => vec![("to take up what waits, ", Hint::run::<RunHandover>())],
            CheckStatus::Paused => self.unpause.iter().map(|hint| ("to lift the pause, ", hint.clone())).collect(),
            CheckStatus::Damaged if self.is_checkpoint_damaged => vec![("to put the checkpoint aside, ", abandon())],
            CheckStatus::Damaged => vec![("to put it right, ", queue::way_out())],
            _ if self.unpushed.is_some() => vec![("to push it, ", Hint::run::<RunHandover>())],
            CheckStatus::Clean | CheckStatus::Completed | CheckStatus::NoProject => Vec::new(),
        }
    }
}

impl WaitingRequest {
    fn line(&self) -> String {
        if let Some(problem) = &self.problem {
            return format!("local/state/queue/{}: cannot be read: {problem}", self.request);
        }
        let by = self.by.as_deref().unwrap_or("somebody");
        let at = self.asked_at.map(|at| at.in_seconds().to_string()).unwrap_or_default();
        let note = self.note.as_ref().map(|note| format!(": {note}")).unwrap_or_default();
        format!("{at}, by {by}{note}")
    }
}
