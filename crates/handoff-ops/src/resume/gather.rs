//! What the files of the store say about where the work stands.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use handoff_model::id::{SessionId, SessionRef, TaskId};
use handoff_model::session::sections::{SectionKind, Sections as Body, TEMPLATE};
use handoff_model::session::{Decisions, GitFacts, NoteCategory, Packages, SessionNote, SessionStatus, Standing};
use handoff_model::task::{Priority, Status, Task};
use handoff_store::{Forest, FoundSession, LazyTask, Node, Sessions};
use serde_json::{Value, json};

use super::context::{CheckedPointer, Context, DecisionInForce, PointerState, SessionHead, TaskInContext};
use super::ready::{Ready, ready};
use crate::session::elsewhere;
use crate::{Breaks, OpError, Project, visible};

/// What the store holds, as of one moment.
pub(crate) struct Held {
    pub(crate) sessions: Sessions,
    /// Archived sessions that decided something
    pub(crate) archived: Sessions,
    /// Of finished tasks no more than how many there are
    pub(crate) forest: Arc<Forest>,
}

impl Held {
    /// Reads it, with no change of several records in between.
    pub(crate) fn read(project: &Project) -> Result<Held, OpError> {
        let store = project.store();
        let held = store.at_one_moment(|| {
            let (sessions, archived) = (store.handoffs()?, store.archived_decisions()?);
            Ok(Held { sessions, archived, forest: store.open_forest()? })
        });
        let (mut held, now) = (held?, project.now());
        // What is over is out of sight, unless it is asked for by its id.
        held.sessions.list.retain(|found| {
            let session = &found.session;
            session.status != SessionStatus::Closed || !session.is_expired(now)
        });
        Ok(held)
    }

    /// All decisions there are.
    pub(crate) fn decisions(&self) -> Decisions<'_> {
        let handoffs = self.sessions.list.iter().filter(|found| found.is_handoff());
        let all = handoffs.chain(&self.archived.list).map(|found| (found.name.as_str(), &found.session));
        Decisions::of(all, Packages::Ignore)
    }
}

/// The sessions that a context is made of.
pub(crate) struct Focus {
    /// The one under way for this caller
    pub(crate) active: Option<Arc<FoundSession>>,
    /// The handoff to go on from
    pub(crate) handoff: Option<Arc<FoundSession>>,
}

impl Focus {
    /// What is continued, the one under way first.
    pub(crate) fn sessions(&self) -> impl Iterator<Item = &FoundSession> {
        self.active.iter().chain(&self.handoff).map(AsRef::as_ref)
    }
}

/// What is to be gone on with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Wanted {
    /// The caller's own session and the last handoff of its line of work
    Last,
    Session(SessionRef),
    Timeline(String),
}

/// The sessions to go on from.
pub(crate) fn focus(
    project: &Project,
    sessions: &Sessions,
    wanted: &Wanted,
    mine: Option<&SessionId>,
) -> Result<Focus, OpError> {
    let mine = mine.and_then(|id| sessions.list.iter().find(|found| found.session.id == *id)).cloned();
    match wanted {
        Wanted::Last => {
            let handoff = match mine.as_deref() {
                Some(mine) => before(sessions, mine),
                None => sessions.list.iter().find(is_handoff).cloned(),
            };
            Ok(Focus { active: mine, handoff })
        }
        Wanted::Session(wanted) => {
            let found = Arc::new(elsewhere::find(project, wanted)?);
            if found.session.status == SessionStatus::Closed {
                return Ok(Focus { active: None, handoff: Some(found) });
            }
            let handoff = named_before(sessions, &found).or_else(|| before(sessions, &found));
            Ok(Focus { active: Some(found), handoff })
        }
        Wanted::Timeline(timeline) => {
            let is_wanted = |found: &&Arc<FoundSession>| found.session.timeline.as_ref() == Some(timeline);
            let handoff = sessions.list.iter().filter(is_wanted).find(is_handoff).cloned();
            let active = mine.filter(|mine| is_wanted(&mine));
            if handoff.is_some() || active.is_some() {
                return Ok(Focus { active, handoff });
            }
            // Nobody has handed over on it yet, so whoever is at work on it is what there is to see.
            let Some(found) = sessions.list.iter().find(is_wanted).cloned() else {
                return Err(no_timeline(sessions, timeline));
            };
            Ok(Focus { handoff: named_before(sessions, &found), active: Some(found) })
        }
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "a search passes a reference to its items")]
fn is_handoff(found: &&Arc<FoundSession>) -> bool {
    found.is_handoff() && found.session.status == SessionStatus::Closed
}

/// The last handoff on the line of work that a session belongs to; where there is none yet, what it says it comes
/// from, else the last of all.
fn before(sessions: &Sessions, found: &FoundSession) -> Option<Arc<FoundSession>> {
    let same_line = |other: &&Arc<FoundSession>| other.session.timeline == found.session.timeline;
    let last = sessions.list.iter().filter(same_line).find(is_handoff).cloned();
    let last = last.or_else(|| named_before(sessions, found).filter(|other| is_handoff(&other)));
    last.or_else(|| sessions.list.iter().find(is_handoff).cloned())
}

/// The session that another says it continues or branched off from.
fn named_before(sessions: &Sessions, found: &FoundSession) -> Option<Arc<FoundSession>> {
    let name = found.session.continues.as_ref().or(found.session.forked_from.as_ref())?;
    sessions.list.iter().find(|other| other.name == *name).cloned()
}

fn no_timeline(sessions: &Sessions, timeline: &str) -> OpError {
    let mut known: Vec<&str> = sessions.list.iter().filter_map(|found| found.session.timeline.as_deref()).collect();
    known.sort_unstable();
    known.dedup();
    let known: Vec<String> = known.iter().map(|name| format!("`{}`", visible(name, Breaks::Mark))).collect();
    let advice = match known.as_slice() {
        [] => "there are none yet".to_owned(),
        known => format!("there are {}", known.join(", ")),
    };
    let wanted = visible(timeline, Breaks::Mark);
    OpError::not_found(format!("no session belongs to a line of work `{wanted}`: {advice}"))
}

/// More than anyone reads; the rest is only counted.
const CONSIDERED: usize = 200;
/// How many handoffs before the last one are looked at for what they left open.
const EARLIER: usize = 4;
/// How many tasks that could be begun are offered.
const OFFERED: usize = 5;

/// Everything the store says, before any budget.
pub(crate) struct Gathered {
    pub(crate) context: Context,
    /// What git said when each session was saved, by the full names of the sessions
    pub(crate) git_of: HashMap<String, GitFacts>,
}

/// Reads it.
pub(crate) fn gather(project: &Project, held: &Held, focus: &Focus) -> Gathered {
    let Held { sessions, archived, forest } = held;
    let mut context = Context {
        project: Some(project.name()),
        session: focus.active.as_deref().map(|found| head_with_summary(project, found)),
        last_handoff: focus.handoff.as_deref().map(|found| head_with_summary(project, found)),
        state: super::state::latest(sessions, focus),
        task_counts: counts(forest),
        context_files: project.config().settings.context_files.iter().map(|path| path.as_str().to_owned()).collect(),
        ..Context::default()
    };
    add_tasks(&mut context, project, forest);
    let mut unreadable = Vec::new();
    for found in focus.sessions() {
        add_session(&mut context, found);
        match elsewhere::body(project, found) {
            Ok(Some(body)) => add_body(&mut context, found, &body),
            Ok(None) => {}
            Err(error) => unreadable.push(format!("the body of {} is not shown: {}", found.name, error.sentence())),
        }
    }
    context.notes.sort_by_key(|note| match note.category {
        NoteCategory::Caution => 0,
        NoteCategory::Suggestion => 1,
        NoteCategory::Context => 2,
    });
    let decisions = held.decisions();
    context.decisions = decisions.in_force().map(decision).collect();
    let said = decisions.in_force().filter(|standing| !standing.decision.paths.is_empty());
    let git_of = said.filter_map(|standing| {
        let (name, _) = standing.reference.rsplit_once('#')?;
        Some((name.to_owned(), standing.session.git.clone()?))
    });
    let git_of = git_of.collect();
    let shown: Vec<&SessionId> = focus.sessions().map(|found| &found.session.id).collect();
    let open = |found: &&Arc<FoundSession>| found.session.status != SessionStatus::Closed;
    let others = sessions.list.iter().filter(|found| !shown.contains(&&found.session.id));
    context.other_sessions = others.clone().filter(open).map(|found| head(found)).collect();
    // What somebody else left, or oneself before a short session, must not be out of sight.
    let earlier = others.filter(|found| found.is_handoff() && !open(found)).take(EARLIER).map(|found| head(found));
    context.other_sessions.extend(earlier.filter(|head| head.open_items.is_some()));
    if focus.active.is_none() {
        context.suggestion = Some(suggestion(&context, focus));
    }
    context.problems.extend(sessions.problems.iter().chain(&archived.problems).chain(&forest.problems).cloned());
    context.warnings = problems_in_words(&context);
    context.warnings.extend(unreadable);
    bound(&mut context);
    Gathered { context, git_of }
}

fn bound(context: &mut Context) {
    let mut cut = |list: &'static str, length: usize| {
        if length > CONSIDERED {
            *context.left_out.entry(list).or_default() += length - CONSIDERED;
        }
    };
    cut(super::page::DECISIONS, context.decisions.len());
    cut(super::page::NEXT, context.next.len());
    cut(super::page::NOTES, context.notes.len());
    cut(super::page::POINTERS, context.pointers.len());
    context.decisions.truncate(CONSIDERED);
    context.next.truncate(CONSIDERED);
    context.notes.truncate(CONSIDERED);
    context.pointers.truncate(CONSIDERED);
}

fn problems_in_words(context: &Context) -> Vec<String> {
    const TOLD: usize = 3;
    let mut told: Vec<String> = context.problems.iter().take(TOLD).map(ToString::to_string).collect();
    if context.problems.len() > TOLD {
        told.push(format!("{} more files have something wrong in them", context.problems.len() - TOLD));
    }
    told
}

/// What one session leaves to do and to know; the one under way comes first, and nothing is said twice.
pub(crate) fn add_session(context: &mut Context, found: &FoundSession) {
    let session = &found.session;
    extend_new(&mut context.next, session.next.iter().cloned());
    extend_new(&mut context.blockers, session.blockers.iter().cloned());
    extend_new(&mut context.checklist, session.checklist.iter().filter(|item| !item.checked).cloned());
    extend_new(&mut context.notes, session.notes.iter().cloned());
    for pointer in &session.pointers {
        if context.pointers.iter().any(|known| known.path == pointer.path && known.lines == pointer.lines) {
            continue;
        }
        context.pointers.push(CheckedPointer {
            path: pointer.path.clone(),
            lines: pointer.lines.clone(),
            reason: pointer.reason.clone(),
            state: PointerState::Present,
            moved_to: None,
        });
    }
    let reference = |reference: &handoff_model::session::Reference| {
        let notes = reference.notes.as_ref().map(|notes| format!(" {notes}")).unwrap_or_default();
        format!("{} {} {}{notes}", reference.kind, reference.label, reference.uri)
    };
    extend_new(&mut context.references, session.references.iter().map(reference));
}

/// What the recommended sections of a free-form body say, where the session's own lists do not say it.
pub(crate) fn add_body(context: &mut Context, found: &FoundSession, body: &str) {
    let session = &found.session;
    let sections = Body::find(body);
    let items = |kind: SectionKind| {
        let wanted = sections.found.iter().filter(move |section| section.kind == kind);
        wanted
            .flat_map(|section| section.items.iter())
            .filter(|item| item.depth == 0 && item.checked != Some(true))
            // What the template says is not what anybody decided.
            .filter(|item| !TEMPLATE.contains(item.text.as_str()))
    };
    let notes = |kind, category| items(kind).map(move |item| SessionNote { note: item.text.clone(), category });
    if session.next.is_empty() {
        extend_new(&mut context.next, items(SectionKind::NextSteps).map(|item| item.text.clone()));
    }
    if !session.notes.iter().any(|note| note.category == NoteCategory::Caution) {
        extend_new(&mut context.notes, notes(SectionKind::Warnings, NoteCategory::Caution));
    }
    if session.decisions.is_empty() {
        extend_new(&mut context.notes, notes(SectionKind::KeyDecisions, NoteCategory::Context));
    }
    if session.pointers.is_empty() {
        extend_new(&mut context.references, items(SectionKind::Files).map(|item| item.text.clone()));
    }
    // What is in no list is shown as it is written: the sections that are prose, and what is in no section.
    let is_prose = |kind| matches!(kind, SectionKind::Context | SectionKind::CurrentState);
    let prose = sections.found.iter().filter(|section| is_prose(section.kind)).map(|section| section.text.as_str());
    let said = prose.chain([sections.rest.as_str()]).map(str::trim);
    let said = said.filter(|text| !text.is_empty() && !TEMPLATE.contains(text));
    let said = said.map(|text| SessionNote { note: text.to_owned(), category: NoteCategory::Context });
    extend_new(&mut context.notes, said);
}

pub(crate) fn extend_new<T: PartialEq>(list: &mut Vec<T>, more: impl Iterator<Item = T>) {
    for item in more {
        if !list.contains(&item) {
            list.push(item);
        }
    }
}

pub(crate) fn head(found: &FoundSession) -> SessionHead {
    let session = &found.session;
    let git = session.git.as_ref();
    SessionHead {
        id: session.id.clone(),
        name: found.name.clone(),
        kind: session.kind,
        status: session.status,
        title: session.headline(TITLE),
        summary: None,
        tool: session.tool.clone(),
        author: session.author.clone(),
        started_at: session.started_at,
        ended_at: session.ended_at,
        project: None,
        open_items: Some(open_items(session)).filter(|open| *open > 0),
        branch: git.and_then(|git| git.branch.clone()),
        commit: git.and_then(|git| git.commit.clone()),
    }
}

fn open_items(session: &handoff_model::session::Session) -> usize {
    session.next.len() + session.blockers.len() + session.checklist.iter().filter(|item| !item.checked).count()
}

/// As long as a title of a session is shown.
const TITLE: usize = 80;

fn head_with_summary(project: &Project, found: &FoundSession) -> SessionHead {
    let mut head = head(found);
    head.project = found.session.project.clone().filter(|name| *name != project.name());
    let summary = found.session.summary.trim();
    if !summary.is_empty() && summary != head.title {
        head.summary = Some(summary.to_owned());
    }
    head
}

pub(crate) fn decision(decided: &Standing<'_>) -> DecisionInForce {
    DecisionInForce {
        id: decided.reference.clone(),
        decision: decided.decision.decision.clone(),
        reason: decided.decision.reason.clone(),
        confidence: decided.decision.confidence,
        paths: decided.decision.paths.clone(),
        author: decided.session.author.clone(),
        changed: Vec::new(),
    }
}

fn counts(forest: &Forest) -> BTreeMap<String, usize> {
    forest.counts().into_iter().map(|(status, count)| (status.word().to_owned(), count)).collect()
}

/// Adds the tasks that matter now, the most pressing first, and then what can be begun next.
fn add_tasks(context: &mut Context, project: &Project, forest: &Forest) {
    let walk = forest.walk();
    let mut now: Vec<&Node> = walk.iter().copied().filter(|node| stage(node.task.status).is_some()).collect();
    now.sort_by_key(|node| (stage(node.task.status), urgency(&node.task)));
    let offered = ready(project, forest, OFFERED);
    let all = now.len() + offered.len();
    if all > CONSIDERED {
        *context.left_out.entry(super::page::TASKS).or_default() += all - CONSIDERED;
    }
    let offered =
        offered.into_iter().map(|Ready { node, reason }| TaskInContext { reason, ..in_context(node, forest) });
    context.tasks = now.into_iter().map(|node| in_context(node, forest)).chain(offered).take(CONSIDERED).collect();
}

fn stage(status: Status) -> Option<u8> {
    match status {
        Status::InProgress => Some(0),
        Status::Blocked => Some(1),
        Status::Review => Some(2),
        Status::Todo | Status::Done | Status::Skipped => None,
    }
}

/// Sorts what is more urgent first; equals stay in the order of the tree.
fn urgency(task: &LazyTask) -> (u8, bool, Option<handoff_model::when::Day>) {
    let priority = match task.priority {
        Some(Priority::High) => 0,
        Some(Priority::Medium) | None => 1,
        Some(Priority::Low) => 2,
    };
    (priority, task.due_date.is_none(), task.due_date)
}

pub(crate) fn in_context(node: &Node, forest: &Forest) -> TaskInContext {
    const CRITERIA: usize = 3;
    let task = &node.task;
    let open = task.done_criteria.iter().filter(|criterion| !criterion.checked);
    let is_worked_on = matches!(task.status, Status::InProgress | Status::Review);
    TaskInContext {
        id: task.id,
        number: node.number.clone(),
        title: task.title.clone(),
        status: task.status,
        priority: task.priority,
        assignee: task.assignee.clone(),
        due_date: task.schedule.due_date,
        reason: (task.status == Status::Blocked).then(|| reason(task, forest)).flatten(),
        open_criteria: if is_worked_on {
            open.take(CRITERIA).map(|open| open.item.clone()).collect()
        } else {
            Vec::new()
        },
    }
}

/// Why a blocked task does not go on: what it waits for, else what was noted last.
fn reason(task: &Task, forest: &Forest) -> Option<String> {
    let open = |id: &TaskId| forest.get(*id).filter(|node| node.task.status.is_open());
    let waits: Vec<String> =
        task.dependencies.iter().filter_map(open).map(|node| format!("{} {}", node.number, node.task.title)).collect();
    let noted = task.notes.iter().max_by_key(|note| note.at).map(|note| note.text.trim().to_owned());
    match (waits.is_empty(), noted) {
        (false, Some(noted)) => Some(format!("waits for {}; {noted}", waits.join(", "))),
        (false, None) => Some(format!("waits for {}", waits.join(", "))),
        (true, noted) => noted,
    }
}

/// The request that starts a session, with what is known filled in.
fn suggestion(context: &Context, focus: &Focus) -> Value {
    const RELATED: usize = 5;
    let summary = match &focus.handoff {
        // It stands in a call that is ours to suggest, so it must not look like anything but a title.
        Some(handoff) => {
            let title = handoff.session.headline(60);
            format!("Continuing: {}", visible(&title, Breaks::Mark).replace('`', "'"))
        }
        None => "What this session is about".to_owned(),
    };
    let related: Vec<&TaskId> = context
        .tasks
        .iter()
        .filter(|task| task.status == Status::InProgress)
        .map(|task| &task.id)
        .take(RELATED)
        .collect();
    let mut request = json!({"summary": summary, "session_status": "active"});
    if !related.is_empty() {
        request["related_task_ids"] = json!(related);
    }
    request
}
