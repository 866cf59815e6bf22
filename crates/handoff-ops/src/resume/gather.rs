//! What the files of the store say about where the work stands.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::time::Duration;

use handoff_model::agent::{current_summary, summary_compiled_from};
use handoff_model::id::{SessionId, SessionRef, TaskId, unique_prefix};
use handoff_model::problem::Problem;
use handoff_model::relevant::paths_in;
use handoff_model::session::open_items::{OpenItem, OpenItems};
use handoff_model::session::sections::{SectionKind, Sections as Body, TEMPLATE};
use handoff_model::session::{Decisions, GitFacts, ItemKind, NoteCategory, Owner, Packages, SessionStatus, Standing};
use handoff_model::task::{Priority, Status, Task};
use handoff_model::when::Moment;
use handoff_store::{Forest, FoundSession, LazyTask, Node, Sessions};
use serde_json::{Value, json};

use super::context::{
    CheckInContext, CheckedPointer, Context, DecisionInForce, ItemInContext, NoteInContext, PointerState, SessionHead,
    TaskInContext,
};
use super::earlier;
use super::ready::{Ready, ready};
use crate::agent::{UnsavedConversation, settle_unsaved, unsaved};
use crate::memory::{self, MemoriesAtHand};
use crate::session::{elsewhere, endings, recorded, which};
use crate::{Breaks, OpError, Project, visible};

/// What the store holds, as of one moment.
pub(crate) struct Held {
    pub(crate) sessions: Sessions,
    /// Archived sessions that decided something
    pub(crate) archived: Sessions,
    /// Of finished tasks no more than how many there are
    pub(crate) forest: Arc<Forest>,
    /// Work of agents that is in no session yet, where it was asked for
    pub(crate) conversations: Vec<UnsavedConversation>,
}

impl Held {
    /// Reads it, with no change of several records in between.
    pub(crate) fn read(project: &Project) -> Result<Held, OpError> {
        let store = project.store();
        let held = store.at_one_moment(|| {
            let (sessions, archived) = (store.handoffs()?, store.archived_threads()?);
            Ok(Held { sessions, archived, forest: store.open_forest()?, conversations: Vec::new() })
        });
        let (mut held, now) = (held?, project.now());
        held.sessions.put_future_last(now);
        // What is over is out of sight, unless it is asked for by its id.
        held.sessions.list.retain(|found| {
            let session = &found.session;
            session.status != SessionStatus::Closed || !session.is_expired(now)
        });
        Ok(held)
    }

    /// Reads it with the conversations whose work is in no session.
    pub(crate) fn read_with_conversations(project: &Project) -> Result<Held, OpError> {
        let held = Held::read(project)?;
        Ok(Held { conversations: unsaved(project), ..held })
    }

    /// All items there are, those aside that commits settle as far as git says so in time.
    pub(crate) fn items(&self, project: &Project, limit: Duration) -> OpenItems<'_> {
        let mut items = recorded::items(self.sessions.list.iter().chain(&self.archived.list), &self.forest);
        let mut since: Vec<Option<Moment>> =
            items.all().iter().filter(|item| item.is_open()).map(|item| item.since).collect();
        since.sort();
        if let Some(since) = since.first().filter(|_| !limit.is_zero()) {
            let commits = endings::closing_commits(project, *since, limit);
            let endings = endings::by_commits(&commits, &items);
            items.settle(&endings);
        }
        settle_unsaved(project, &self.conversations, &mut items);
        items
    }

    /// Everything that is wrong in the files that were read.
    pub(crate) fn problems(&self) -> Vec<Problem> {
        let all = self.sessions.problems.iter().chain(&self.archived.problems).chain(&self.forest.problems);
        all.cloned().collect()
    }

    /// The shortest beginning of a session's id that no other session has.
    fn short_id(&self, name: &str) -> String {
        let all = self.sessions.list.iter().chain(&self.archived.list);
        unique_prefix(id_of(name), all.map(|found| id_of(&found.name))).to_owned()
    }

    /// A decision with the shortest name that is its own.
    pub(crate) fn decision(&self, standing: &Standing<'_>) -> DecisionInForce {
        let mut decided = decision(standing);
        if let Some((name, id)) = standing.reference.split_once('#') {
            decided.id = format!("{}#{id}", self.short_id(name));
        }
        decided
    }

    /// All decisions there are.
    pub(crate) fn decisions(&self) -> Decisions<'_> {
        let handoffs = self.sessions.list.iter().filter(|found| found.is_handoff());
        let all = handoffs.chain(&self.archived.list).map(|found| (found.name.as_str(), &found.session));
        Decisions::of(all, Packages::Ignore)
    }
}

/// The id in a full name.
fn id_of(name: &str) -> &str {
    name.rsplit('-').next().unwrap_or(name)
}

/// The sessions that a context is made of.
pub(crate) struct Focus {
    /// The one under way for this caller
    pub(crate) active: Option<Arc<FoundSession>>,
    /// The handoff to go on from
    pub(crate) handoff: Option<Arc<FoundSession>>,
    /// A later handoff than that one exists
    pub(crate) is_earlier: bool,
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
            Ok(Focus { active: mine, handoff, is_earlier: false })
        }
        Wanted::Session(wanted) => {
            let found = Arc::new(elsewhere::find(project, wanted)?);
            if found.session.status == SessionStatus::Closed {
                let last = sessions.list.iter().find(is_handoff);
                let is_earlier = last.is_some_and(|last| last.session.id != found.session.id);
                return Ok(Focus { active: None, handoff: Some(found), is_earlier });
            }
            let handoff = named_before(sessions, &found).or_else(|| before(sessions, &found));
            Ok(Focus { active: Some(found), handoff, is_earlier: false })
        }
        Wanted::Timeline(timeline) => {
            let is_wanted = |found: &&Arc<FoundSession>| found.session.timeline.as_ref() == Some(timeline);
            let handoff = sessions.list.iter().filter(is_wanted).find(is_handoff).cloned();
            let active = mine.filter(|mine| is_wanted(&mine));
            if handoff.is_some() || active.is_some() {
                return Ok(Focus { active, handoff, is_earlier: false });
            }
            // Nobody has handed over on it yet, so whoever is at work on it is what there is to see.
            let Some(found) = sessions.list.iter().find(is_wanted).cloned() else {
                return Err(no_timeline(sessions, timeline));
            };
            Ok(Focus { handoff: named_before(sessions, &found), active: Some(found), is_earlier: false })
        }
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "a search passes a reference to its items")]
pub(super) fn is_handoff(found: &&Arc<FoundSession>) -> bool {
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
const CONSIDERED: usize = 1_000;
/// Tokens of the memories that are considered, more than any budget leaves to them.
const MEMORY_TOKENS: usize = 8_000;
/// How many tasks that could be begun are offered.
const OFFERED: usize = 5;

/// Everything the store says, before any budget.
pub(crate) struct Gathered {
    pub(crate) context: Context,
    /// What git said when each session was saved, by the full names of the sessions
    pub(crate) git_of: HashMap<String, GitFacts>,
    /// Earlier sessions whose items are still open, and whose pointers are shown
    pub(crate) earlier: Vec<Arc<FoundSession>>,
}

/// Reads it.
pub(crate) fn gather(project: &Project, held: &Held, focus: &Focus, items: &OpenItems<'_>) -> Gathered {
    let Held { sessions, archived, forest, conversations } = held;
    let handoff = focus.handoff.as_deref().map(|found| head_with_summary(project, found, items));
    let (last_handoff, handoff) = if focus.is_earlier { (None, handoff) } else { (handoff, None) };
    let mut context = Context {
        project: Some(project.name()),
        session: focus.active.as_deref().map(|found| head_with_summary(project, found, items)),
        last_handoff,
        handoff,
        state: super::state::latest(sessions, focus),
        conversations: conversations.iter().filter(|conversation| !conversation.is_own).cloned().collect(),
        task_counts: counts(forest),
        context_files: project.config().settings.context_files.iter().map(|path| path.as_str().to_owned()).collect(),
        ..Context::default()
    };
    add_tasks(&mut context, project, focus, forest);
    add_items(&mut context, project, focus, items, forest);
    let mut unreadable = Vec::new();
    for found in focus.sessions() {
        add_session(&mut context, found);
        match elsewhere::body(project, found) {
            Ok(Some(body)) => add_body(&mut context, found, &body),
            Ok(None) => {}
            Err(error) => unreadable.push(format!("the body of {} is not shown: {}", found.name, error.sentence())),
        }
    }
    let earlier = earlier::add_pointers_of_open_items(&mut context, sessions, archived, focus, items);
    earlier::add_notes(&mut context, sessions, archived, focus);
    context.notes.sort_by_key(|note| match note.category {
        NoteCategory::Caution => 0,
        NoteCategory::Suggestion => 1,
        NoteCategory::Context => 2,
    });
    let decisions = held.decisions();
    let author = project.author().ok();
    context.decisions = decisions
        .in_force()
        .map(|standing| {
            let mut decided = held.decision(standing);
            // Only what somebody else decided needs a name.
            decided.author = decided.author.filter(|by| Some(by) != author.as_ref() && by != "unknown");
            decided
        })
        .collect();
    let said = decisions.in_force().filter(|standing| !standing.decision.paths.is_empty());
    let git_of = said.filter_map(|standing| {
        let (name, _) = standing.reference.split_once('#')?;
        Some((name.to_owned(), standing.session.git.clone()?))
    });
    let git_of = git_of.collect();
    add_memories(&mut context, project, focus, forest);
    let shown: Vec<&SessionId> = focus.sessions().map(|found| &found.session.id).collect();
    let open = |found: &&Arc<FoundSession>| found.session.status != SessionStatus::Closed;
    let others = sessions.list.iter().filter(|found| !shown.contains(&&found.session.id));
    let elsewhere = which::elsewhere(project, sessions);
    let others = others.filter(open).filter(|found| found.is_handoff()).map(|found| head(found));
    let others = others.map(|head| SessionHead { elsewhere: elsewhere.contains(&head.id), ..head });
    context.other_sessions = others.collect();
    let is_under_way = focus.active.as_ref().is_some_and(|found| found.session.status == SessionStatus::Active);
    if !is_under_way {
        context.suggestion = Some(suggestion(focus, forest));
    }
    context.problems.extend(sessions.problems.iter().chain(&archived.problems).chain(&forest.problems).cloned());
    context.warnings = problems_in_words(&context);
    context.warnings.extend(unreadable);
    bound(&mut context);
    Gathered { context, git_of, earlier }
}

/// Adds what is open, in the order to take it: of the session under way, of the last handoff, then of earlier ones; what
/// was compiled after what was written.
pub(crate) fn add_items(
    context: &mut Context,
    project: &Project,
    focus: &Focus,
    items: &OpenItems<'_>,
    forest: &Forest,
) {
    let reader = project.author().ok();
    let names: Vec<&str> = focus.sessions().map(|found| found.name.as_str()).collect();
    let compiled = focus.sessions().filter(|found| summary_compiled_from(&found.session).is_some());
    let compiled: Vec<&str> = compiled.map(|found| found.name.as_str()).collect();
    let rank = |item: &OpenItem<'_>| {
        let place = names.iter().position(|name| *name == item.last_named_in);
        (item.is_compiled, place.unwrap_or(names.len()))
    };
    let mut open = items.open();
    open.sort_by_key(|item| rank(item));
    for item in open {
        let task = item.task.and_then(|task| forest.get(task)).map(|node| format!("task {}", node.number));
        let age = item.is_stale().then(|| format!("for {} sessions", item.carried));
        // The head of the page says of a compiled session where it was compiled from.
        let is_marked = item.is_compiled && !compiled.contains(&item.last_named_in);
        let source = is_marked.then(|| "compiled".to_owned());
        // Whoever raised a blocker is the one to talk to.
        let is_blocker = item.kind == ItemKind::Blocker;
        let by = item.author.filter(|by| is_blocker && *by != "unknown" && Some(*by) != reader.as_deref());
        let by = by.map(|by| format!("raised by {by}"));
        let facts = [by, task, source].into_iter().flatten().collect();
        let shown = ItemInContext { id: items.shown_id(item), text: item.text.to_owned(), facts, age };
        match item.kind {
            ItemKind::Next => context.next.push(shown),
            ItemKind::Blocker => context.blockers.push(shown),
            ItemKind::Question => context.questions.push(shown),
            ItemKind::Checklist => context.checklist.push(CheckInContext {
                id: shown.id,
                item: shown.text,
                checked: false,
                owner: item.owner.filter(|owner| *owner == Owner::User),
            }),
            ItemKind::Caution => {}
        }
    }
    let caution = |item: &&OpenItem<'_>| NoteInContext {
        id: Some(items.shown_id(item)),
        note: item.text.to_owned(),
        category: NoteCategory::Caution,
    };
    context.notes.extend(items.cautions().iter().map(caution));
}

/// Adds the memories that matter for what is open, the files that are pointed to, and the tasks at hand.
fn add_memories(context: &mut Context, project: &Project, focus: &Focus, forest: &Forest) {
    let words = words_at_hand(context);
    let paths = at_hand(context, focus);
    let at_hand = context.tasks.iter().filter(|task| task.status == Status::InProgress);
    let labels = at_hand.filter_map(|task| forest.get(task.id)).flat_map(|node| node.task.labels.iter().cloned());
    let labels: Vec<String> = labels.collect();
    let asked = MemoriesAtHand { words: &words, paths: &paths, labels: &labels, budget_tokens: MEMORY_TOKENS };
    match memory::in_context(project, &asked) {
        Ok(found) => {
            context.memories = found.shown;
            if found.left_out > 0 {
                *context.left_out.entry(super::page::MEMORIES).or_default() += found.left_out;
            }
            context.problems.extend(found.problems);
        }
        Err(error) => context.problems.push(Problem::damaged("memory", error.sentence())),
    }
}

fn bound(context: &mut Context) {
    let mut cut = |list: &'static str, length: usize| {
        if length > CONSIDERED {
            *context.left_out.entry(list).or_default() += length - CONSIDERED;
        }
    };
    cut(super::page::DECISIONS, context.decisions.len());
    cut(super::page::NEXT, context.next.len());
    cut(super::page::BLOCKERS, context.blockers.len());
    cut(super::page::QUESTIONS, context.questions.len());
    cut(super::page::CHECKLIST, context.checklist.len());
    cut(super::page::NOTES, context.notes.len());
    cut(super::page::MEMORIES, context.memories.len());
    cut(super::page::POINTERS, context.pointers.len());
    context.decisions.truncate(CONSIDERED);
    context.next.truncate(CONSIDERED);
    context.blockers.truncate(CONSIDERED);
    context.questions.truncate(CONSIDERED);
    context.checklist.truncate(CONSIDERED);
    context.notes.truncate(CONSIDERED);
    context.memories.truncate(CONSIDERED);
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
    // Cautions are in force until they are taken back, whichever session has them.
    let notes = session.notes.iter().filter(|note| note.category != NoteCategory::Caution);
    extend_new(&mut context.notes, notes.map(NoteInContext::of));
    add_pointers(context, found);
    let reference = |reference: &handoff_model::session::Reference| {
        let notes = reference.notes.as_ref().map(|notes| format!(" {notes}")).unwrap_or_default();
        format!("{} {} {}{notes}", reference.kind, reference.label, reference.uri)
    };
    extend_new(&mut context.references, session.references.iter().map(reference));
}

pub(super) fn add_pointers(context: &mut Context, found: &FoundSession) {
    for pointer in &found.session.pointers {
        if context.pointers.iter().any(|known| known.path == pointer.path && known.lines == pointer.lines) {
            continue;
        }
        context.pointers.push(CheckedPointer {
            path: pointer.path.clone(),
            lines: pointer.lines.clone(),
            reason: pointer.reason.clone(),
            state: PointerState::Present,
            moved_to: None,
            lines_now: None,
        });
    }
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
    let notes =
        |kind, category| items(kind).map(move |item| NoteInContext { id: None, note: item.text.clone(), category });
    if session.next.is_empty() {
        extend_new(&mut context.next, items(SectionKind::NextSteps).map(|item| ItemInContext::unnamed(&item.text)));
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
    let said = said.map(|text| NoteInContext { id: None, note: text.to_owned(), category: NoteCategory::Context });
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
        elsewhere: false,
        summary: None,
        tool: session.tool.clone(),
        author: session.author.clone(),
        started_at: session.started_at,
        ended_at: session.ended_at,
        project: None,
        compiled_from: summary_compiled_from(session).map(str::to_owned),
        branch: git.and_then(|git| git.branch.clone()),
        commit: git.and_then(|git| git.commit.clone()),
    }
}

/// As long as a title of a session is shown.
const TITLE: usize = 80;

fn head_with_summary(project: &Project, found: &FoundSession, items: &OpenItems<'_>) -> SessionHead {
    let mut head = head(found);
    head.project = found.session.project.clone().filter(|name| *name != project.name());
    let summary = current_summary(&found.name, &found.session, items);
    let summary = summary.trim();
    if !summary.is_empty() && summary != head.title {
        head.summary = Some(summary.to_owned());
    }
    head
}

pub(crate) fn decision(decided: &Standing<'_>) -> DecisionInForce {
    DecisionInForce {
        id: decided.reference.clone(),
        reference: decided.reference.clone(),
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
fn add_tasks(context: &mut Context, project: &Project, focus: &Focus, forest: &Forest) {
    let walk = forest.walk();
    let is_handed_over = |id: TaskId| focus.sessions().any(|found| found.session.tasks.contains(&id));
    let mut now: Vec<&Node> = walk.iter().copied().filter(|node| stage(node.task.status).is_some()).collect();
    now.sort_by_key(|node| (stage(node.task.status), !is_handed_over(node.task.id), urgency(&node.task)));
    let offered = ready(project, forest, OFFERED);
    let all = now.len() + offered.len();
    if all > CONSIDERED {
        *context.left_out.entry(super::page::TASKS).or_default() += all - CONSIDERED;
    }
    let offered =
        offered.into_iter().map(|Ready { node, reason }| TaskInContext { reason, ..in_context(node, forest) });
    let now = now.into_iter().map(|node| in_context(node, forest));
    let all = now.chain(offered).take(CONSIDERED);
    context.tasks = all.map(|task| TaskInContext { is_handed_over: is_handed_over(task.id), ..task }).collect();
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
        parent: node.parent.and_then(|parent| forest.get(parent)).map(|parent| parent.task.title.clone()),
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
        is_handed_over: false,
    }
}

/// A task that another one waits for, with who works on it.
fn waited_for(node: &Node) -> String {
    let by = node.task.assignee.as_ref().map(|name| format!(" ({name})")).unwrap_or_default();
    format!("{} {}{by}", node.number, node.task.title)
}

/// Why a blocked task does not go on: what it waits for, else what was noted last.
fn reason(task: &Task, forest: &Forest) -> Option<String> {
    let open = |id: &TaskId| forest.get(*id).filter(|node| node.task.status.is_open());
    let waits: Vec<String> = task.dependencies.iter().filter_map(open).map(waited_for).collect();
    let noted = task.notes.iter().max_by_key(|note| note.at).map(|note| note.text.trim().to_owned());
    match (waits.is_empty(), noted) {
        (false, Some(noted)) => Some(format!("waits for {}; {noted}", waits.join(", "))),
        (false, None) => Some(format!("waits for {}", waits.join(", "))),
        (true, noted) => noted,
    }
}

/// The request that goes on with the work: with the session that is paused, else with a new one that continues the
/// handoff. It is ours to suggest, so it has no words of others in it.
fn suggestion(focus: &Focus, forest: &Forest) -> Value {
    const RELATED: usize = 3;
    if let Some(paused) = &focus.active {
        let summary = format!("Continuing {}", paused.session.id);
        return json!({"session_id": paused.session.id, "summary": summary, "session_status": "active"});
    }
    let open = |id: &TaskId| forest.get(*id).is_some_and(|node| node.task.status.is_open());
    let handed_over = focus.handoff.iter().flat_map(|handoff| &handoff.session.tasks).copied().filter(open);
    let mut related: Vec<TaskId> = handed_over.collect();
    // The task to go on with is the one that is in progress; others were only touched.
    let is_under_way = |id: &TaskId| forest.get(*id).is_some_and(|node| node.task.status == Status::InProgress);
    if related.iter().any(is_under_way) {
        related.retain(is_under_way);
    }
    related.truncate(RELATED);
    if related.is_empty() {
        let walk = forest.walk();
        let mut under_way =
            walk.iter().filter(|node| node.task.status == Status::InProgress && node.children.is_empty());
        // Which of several the work goes on with is not known.
        if let (Some(only), None) = (under_way.next(), under_way.next()) {
            related.push(only.task.id);
        }
    }
    let mut request = json!({"summary": "What this session is about", "session_status": "active"});
    if let Some(handoff) = &focus.handoff {
        request["summary"] = json!(format!("Continuing {}", handoff.session.id));
        request["continues"] = json!(handoff.session.id);
    }
    if !related.is_empty() {
        request["related_task_ids"] = json!(related);
    }
    request
}

/// The words of what is open and of the tasks that matter now.
pub(super) fn words_at_hand(context: &Context) -> String {
    let items = [&context.next, &context.blockers, &context.questions].into_iter().flatten().map(|item| &item.text);
    let titles = context.tasks.iter().map(|task| &task.title);
    items.chain(titles).map(String::as_str).collect::<Vec<_>>().join("\n")
}

/// The files at hand: those that are pointed to, that open items name, and that were not committed when the work
/// stopped.
pub(super) fn at_hand(context: &Context, focus: &Focus) -> Vec<String> {
    let dirty = focus.sessions().filter_map(|found| found.session.git.as_ref()).flat_map(|git| &git.dirty);
    let dirty = dirty.filter_map(|line| Some(line.split_once(' ')?.1.to_owned()));
    let items = context.next.iter().chain(&context.blockers).flat_map(|item| paths_in(&item.text));
    let pointed = context.pointers.iter().map(|pointer| pointer.path.clone());
    dirty.chain(items).chain(pointed).collect()
}

/// Puts the decisions and cautions first that govern or name the files at hand.
pub(crate) fn put_governing_first(context: &mut Context, focus: &Focus) {
    let at_hand = at_hand(context, focus);
    let governs = |path: &String| {
        let path = path.trim_end_matches('/');
        at_hand.iter().any(|file| file.strip_prefix(path).is_some_and(|rest| rest.is_empty() || rest.starts_with('/')))
    };
    context.decisions.sort_by_key(|decision| !decision.paths.iter().any(governs));
    context
        .notes
        .sort_by_key(|note| (note.category != NoteCategory::Caution, !paths_in(&note.note).iter().any(governs)));
}
