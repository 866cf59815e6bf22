//! Conversations whose work is in no session yet, at doors that no hook passes through.
//!
//! **Invariant:** asking what is there never fails because of them, and nothing is written while writing is paused or
//! the store is read-only: they are shown then as they are.

use handoff_model::agent::{Compiled, Digest};
use handoff_model::session::ItemKind;
use handoff_model::session::open_items::OpenItems;
use handoff_model::when::Moment;
use handoff_store::{AgentName, Process};
use handoff_transcript::read_on;
use schemars::JsonSchema;
use serde::Serialize;

use super::finish;
use super::record::Records;
use super::settled::by_gone_files;
use super::state::State;
use super::switch;
use super::turn;
use super::work::{Planned, Work};
use crate::page::{Role, Text};
use crate::{OpError, Project};

/// The most conversations that are looked at, those heard of last first.
const MAX_CONVERSATIONS: usize = 4;
/// As much of a transcript as is read only to be shown.
const REST_BYTES: u64 = 1024 * 1024;
/// The most open items of one that are shown.
const MAX_ITEMS: usize = 8;

/// A conversation whose work is in no session yet.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct UnsavedConversation {
    /// The agent, such as `claude-code`
    pub tool: String,
    /// The agent's own id of the conversation
    pub conversation: String,
    pub state: ConversationState,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub started_at: Option<Moment>,
    /// When it was last heard of
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seen_at: Option<Moment>,
    /// What was done or asked for
    pub title: String,
    /// Next steps that it left
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub next: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub blockers: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub questions: Vec<String>,
    #[serde(skip)]
    pub(crate) compiled: Box<Compiled>,
    /// It is the caller's own, which needs no telling of it
    #[serde(skip)]
    pub(crate) is_own: bool,
}

/// The state of a conversation that is in no session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ConversationState {
    /// Its agent runs
    UnderWay,
    /// Its agent is gone
    Ended,
    /// It cannot be known whether its agent runs
    Silent,
}

impl ConversationState {
    fn of(state: &State) -> ConversationState {
        match (state.ended_at, state.process.as_ref().map(Process::is_alive)) {
            (Some(_), _) | (None, Some(false)) => ConversationState::Ended,
            (None, Some(true)) => ConversationState::UnderWay,
            (None, None) => ConversationState::Silent,
        }
    }

    const fn words(self) -> &'static str {
        match self {
            ConversationState::UnderWay => "under way",
            ConversationState::Ended => "ended",
            ConversationState::Silent => "perhaps under way",
        }
    }
}

impl UnsavedConversation {
    /// One line that says whose it is, and how it stands.
    pub(crate) fn line(&self) -> Text {
        let state = self.state.words();
        let text = Text::from("unsaved conversation: ").and(Role::Id, &self.tool).and(Role::Dim, format!(" {state}"));
        match self.started_at {
            Some(at) => text.and(Role::Dim, " since ").time(at),
            None => text,
        }
    }

    /// What it says of itself, a line each.
    pub(crate) fn said(&self) -> impl Iterator<Item = String> {
        let next = self.next.iter().map(|step| format!("next: {step}"));
        let blockers = self.blockers.iter().map(|blocker| format!("blocked: {blocker}"));
        let questions = self.questions.iter().map(|question| format!("question: {question}"));
        std::iter::once(self.title.clone()).chain(next).chain(blockers).chain(questions)
    }

    /// Both in one line.
    pub(crate) fn headline(&self) -> String {
        format!("{} ({}, in no session yet)", self.title, self.tool)
    }
}

/// Finishes the conversations whose agents are gone, as far as a moment goes. What cannot be written is left as it is.
pub(crate) fn finish_ended(project: &mut Project) {
    let may_write = project.store_if_open().is_some() && project.dir().is_some() && project.pauses().is_empty();
    if !may_write || switch::is_off_here(project) || switch::is_off_by_settings(project) {
        return;
    }
    // They are about the request, and not about what is finished on the way.
    let notes = std::mem::take(&mut project.notes);
    finish::at_door(project);
    project.notes = notes;
}

/// The conversations whose work is in no session, the one heard of last first. Nothing is written.
pub(crate) fn unsaved(project: &Project) -> Vec<UnsavedConversation> {
    if switch::is_off_here(project) || project.dir().is_none() {
        return Vec::new();
    }
    let Ok(names) = project.store().agent_names() else { return Vec::new() };
    let alone = project.store().agents_left_alone();
    let known = names.into_iter().map(|name| (State::read(project.store(), &name), name));
    let mut open: Vec<(State, AgentName)> = known
        .filter(|(state, _)| state.finished.is_none() && state.host.is_some() && !alone.contains(&state.session))
        .collect();
    open.sort_by_key(|(state, _)| std::cmp::Reverse(state.seen_at));
    let shown = open.into_iter().take(MAX_CONVERSATIONS);
    shown.filter_map(|(state, name)| conversation(project, &state, &name).ok().flatten()).collect()
}

fn conversation(project: &Project, state: &State, name: &AgentName) -> Result<Option<UnsavedConversation>, OpError> {
    let Some(host) = state.host else { return Ok(None) };
    let Some(digest) = digest(project, state, name)? else { return Ok(None) };
    let (started_at, mut work) = (digest.started_at, Work::new(host, &state.session, digest));
    // Whatever is under way is worth a line.
    work.is_asked_for = true;
    let Planned::Write(plan) = work.plan(project)? else { return Ok(None) };
    let compiled = plan.compiled;
    if compiled.is_empty() {
        return Ok(None);
    }
    let texts = |kind: ItemKind| compiled.texts(kind).take(MAX_ITEMS).map(str::to_owned).collect();
    Ok(Some(UnsavedConversation {
        tool: host.word().to_owned(),
        conversation: state.session.clone(),
        state: ConversationState::of(state),
        started_at,
        seen_at: state.seen_at,
        title: compiled.title.clone().unwrap_or_else(|| format!("Work with {}", host.title())),
        next: texts(ItemKind::Next),
        blockers: texts(ItemKind::Blocker),
        questions: texts(ItemKind::Question),
        is_own: project.caller.agent_session.as_deref() == Some(state.session.as_str()),
        compiled: Box::new(compiled),
    }))
}

/// What is recorded of a conversation, with the rest of its transcript as far as it is read in a moment.
fn digest(project: &Project, state: &State, name: &AgentName) -> Result<Option<Digest>, OpError> {
    let records = Records::read(project.store(), name)?;
    let mut whole = records.pending();
    let mark = Records::mark_in(project.store(), name)?;
    let source = turn::told_source(project, state);
    if let Some(piece) = source.and_then(|source| read_on(&source, &mark, REST_BYTES).ok()) {
        if piece.is_restarted {
            whole = None;
        }
        // What was passed over before is older than what is recorded, and is read by those who write it down.
        if piece.is_restarted || piece.from >= mark.offset() {
            match &mut whole {
                Some(whole) => whole.join(piece.digest),
                None => whole = Some(piece.digest),
            }
        }
    }
    Ok(whole.filter(|digest| *digest != Digest::default()))
}

/// Takes into account what conversations settled that no session tells of yet, and checks whose file is gone.
pub(crate) fn settle_unsaved(project: &Project, conversations: &[UnsavedConversation], items: &mut OpenItems<'_>) {
    for conversation in conversations {
        let endings = conversation.compiled.endings(items);
        items.settle(&endings);
    }
    let gone = by_gone_files(project, items);
    items.settle(&gone);
}
