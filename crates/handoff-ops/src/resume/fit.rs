//! Making the context fit its budget.

use std::borrow::Cow;
use std::collections::BTreeMap;

use handoff_model::heal::hidden;
use handoff_model::memory::MemoryKind;
use handoff_model::session::{Confidence, NoteCategory, SessionStatus};
use handoff_model::task::{Priority, Status};
use handoff_model::tokens;
use serde::Serialize;
use serde_json::Value;

use super::choose::{Candidate, choose};
use super::context::{Context, Frame, ItemInContext, NoteInContext, PointerState, SessionHead};
use super::page;
use super::page::{
    BLOCKERS, CAUTIONS, CHANGES, CHECKLIST, DECISIONS, ITEMS, MEMORIES, NEXT, NOTES, OTHER_SESSIONS, POINTERS,
    QUESTIONS, REFERENCES, STATE, SUMMARY, TASKS,
};
use super::uncommitted::UncommittedWork;
use crate::page::Text;
use crate::{Breaks, Report, leaving, visible, visible_json};

/// How much an answer may cost, and in which form it goes out.
#[derive(Debug, Clone, Copy)]
pub(super) struct Budget {
    pub(super) tokens: usize,
    /// Where a host accepts no more
    pub(super) bytes: usize,
    pub(super) form: Form,
}

/// How an answer goes out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    Markdown,
    Json,
}

impl Budget {
    /// The part of the budget that a text uses up, in tokens: a text that is short in tokens may be long in bytes.
    fn share_of(&self, text: &str) -> usize {
        let by_bytes = match self.bytes {
            usize::MAX => 0,
            bytes => (text.len() * self.tokens).div_ceil(bytes.max(1)),
        };
        tokens::estimate(text).max(by_bytes)
    }

    pub(super) fn holds(&self, context: &Context) -> bool {
        let text = self.text(context);
        text.len() <= self.bytes && tokens::estimate(&text) <= self.tokens
    }

    /// What an answer costs.
    pub(super) fn cost(&self, context: &Context) -> usize {
        tokens::estimate(&self.text(context))
    }

    /// The answer as it goes out, with the warnings that go with it.
    pub(super) fn text(&self, context: &Context) -> String {
        let mut text = match self.form {
            Form::Markdown => context.page().to_markdown(None),
            Form::Json => {
                // What is known beside a context goes into the same object.
                let warnings = if context.warnings.is_empty() { String::new() } else { json(&context.warnings) };
                json(context) + &warnings
            }
        };
        if self.form == Form::Markdown {
            for warning in &context.warnings {
                text.push_str("\nwarning: ");
                text.push_str(&visible(warning, Breaks::Mark));
            }
        }
        text
    }
}

/// A value as it goes out.
fn json<T: Serialize>(value: &T) -> String {
    let text = serde_json::to_string(value).unwrap_or_default();
    // Nothing hides in plain letters, and what cannot be one of them is escaped or no ASCII.
    if text.is_ascii() && !text.contains("\\u") {
        return text;
    }
    let mut value: Value = serde_json::from_str(&text).unwrap_or_default();
    leaving::change_json(&mut value, &mut |text| {
        if let Cow::Owned(shown) = hidden::reveal(text) {
            *text = shown;
        }
    });
    visible_json(value.to_string())
}

/// The groups that share the budget, in the order they are shown.
///
/// Decisions have a share of their own: they are longer than cautions and notes, which would crowd them out.
const SHARES: Shares = [0.44, 0.22, 0.12, 0.03, 0.07, 0.05, 0.03, 0.03];
/// The same where not all that is open or in force fits: nearly everything is for that.
const TERSE_SHARES: Shares = [0.46, 0.31, 0.14, 0.0, 0.04, 0.02, 0.0, 0.0];
type Shares = [f64; 8];
/// Divides the value of what comes last.
const LATER: f64 = 100.0;
const OPEN: usize = 0;
const DECIDED: usize = 1;
const BINDING: usize = 2;
const KNOWN: usize = 3;
const POINTED: usize = 4;
const CHANGED: usize = 5;
const OTHERS: usize = 6;
const BACKLOG: usize = 7;
/// Of each kind, no more than this many are weighed, or one for so many tokens of the budget: the rest is only counted.
const MIN_WEIGHED: usize = 150;
const TOKENS_PER_ITEM: usize = 8;

/// Something that could be shown: which list it is in, and where.
#[derive(Debug, Clone, Copy)]
struct Place {
    list: &'static str,
    index: usize,
}

struct Weighing {
    budget: Budget,
    max_items: usize,
    shares: &'static Shares,
    places: Vec<Place>,
    candidates: Vec<Candidate>,
}

impl Weighing {
    fn add<T: Serialize>(
        &mut self,
        list: &'static str,
        items: &[T],
        line: impl Fn(&T) -> Text,
        worth: impl Fn(usize, &T) -> (usize, f64),
    ) {
        for (index, item) in items.iter().enumerate().take(self.max_items) {
            let text = match self.budget.form {
                Form::Markdown => line(item).said_in_markdown(),
                Form::Json => json(item),
            };
            // The line break, or the comma, counts too.
            let cost = self.budget.share_of(&text) + 1;
            self.places.push(Place { list, index });
            let (group, value) = worth(index, item);
            // What has no share of its own comes after all that has one.
            let value = if self.shares[group] > 0.0 { value } else { value / LATER };
            self.candidates.push(Candidate { group, cost, value });
        }
    }
}

/// The part of a context that fits; what is left out is counted in it.
pub(super) fn fit(whole: &Context, budget: Budget) -> Context {
    fit_in(&[Frame::Full, Frame::Plain, Frame::Bare], whole, &SHARES, budget)
}

/// The same with less detail and less of what can be looked up, so that more of what is open or in force fits.
pub(super) fn fit_terse(whole: &Context, budget: Budget) -> Context {
    fit_in(&[Frame::Terse, Frame::Plain, Frame::Bare], &whole.terse(), &TERSE_SHARES, budget)
}

fn fit_in(frames: &[Frame], whole: &Context, shares: &'static Shares, budget: Budget) -> Context {
    let max_items = MIN_WEIGHED.max(budget.tokens / TOKENS_PER_ITEM);
    let mut weighing = Weighing { budget, max_items, shares, places: Vec::new(), candidates: Vec::new() };
    weigh(&mut weighing, whole);
    let mut best = None;
    for &frame in frames {
        let framed = within(whole, frame, budget);
        let fitted = fill(&framed, &weighing, budget);
        let says_enough = fitted.as_ref().is_some_and(|fitted| !fitted.next.is_empty() || whole.next.is_empty());
        if says_enough {
            return fitted.expect("it says enough");
        }
        best = best.or(fitted);
    }
    best.unwrap_or_else(|| bare(whole, budget))
}

/// The context with so much around its items.
fn within(whole: &Context, frame: Frame, budget: Budget) -> Context {
    /// What is asked for next time is a good deal more, so that once is enough.
    const AMPLER: usize = 4;
    let mut context = Context { frame, ampler: Some((budget.tokens * AMPLER).min(200_000)), ..whole.clone() };
    if frame != Frame::Full {
        context.context_files.clear();
        context.task_counts.clear();
    }
    if !matches!(frame, Frame::Full | Frame::Terse) {
        context.suggestion = None;
    }
    if frame == Frame::Bare {
        if !context.problems.is_empty() {
            *context.left_out.entry(ITEMS).or_default() += context.problems.len();
        }
        context.problems.clear();
        context.uncommitted = UncommittedWork::default();
        context.warnings.truncate(1);
        for head in [&mut context.session, &mut context.last_handoff, &mut context.handoff].into_iter().flatten() {
            name_only(head);
        }
    }
    context
}

/// Leaves of a session what it takes to ask for it.
fn name_only(head: &mut SessionHead) {
    let SessionHead {
        id: _,
        name: _,
        kind: _,
        status,
        title,
        elsewhere: _,
        summary: _,
        tool,
        author,
        started_at,
        ended_at: _,
        project: _,
        compiled_from,
        branch,
        commit,
    } = head;
    title.clear();
    *compiled_from = None;
    (*tool, *author, *branch, *commit) = (None, None, None, None);
    if *status == SessionStatus::Closed {
        *started_at = None;
    }
}

/// As many items as fit; `None` when not even the frame does.
fn fill(whole: &Context, weighing: &Weighing, budget: Budget) -> Option<Context> {
    let Weighing { places, candidates, shares, .. } = weighing;
    let with = |chosen: &[usize]| only(whole, &chosen.iter().map(|index| places[*index]).collect::<Vec<_>>());
    let cost = |chosen: &[usize]| budget.share_of(&budget.text(&with(chosen)));
    let room = budget.tokens.saturating_sub(cost(&[]));
    let mut chosen = choose(candidates, *shares, room);
    // Estimates of parts do not quite add up to that of the whole, which is mostly less.
    let unused = budget.tokens.saturating_sub(cost(&chosen));
    if unused > 0 && chosen.len() < candidates.len() {
        chosen = choose(candidates, *shares, room + unused);
    }
    loop {
        let fitted = with(&chosen);
        if budget.holds(&fitted) {
            return Some(fitted);
        }
        if chosen.is_empty() {
            return None;
        }
        chosen.truncate(chosen.len() - (chosen.len() / 20).max(1));
    }
}

/// The least that can be said, for a budget that holds nothing else.
fn bare(whole: &Context, budget: Budget) -> Context {
    /// As much of a project's name as tells which one it is.
    const NAME: usize = 16;
    let mut context = only(&within(whole, Frame::Bare, budget), &[]);
    let give_up: [fn(&mut Context); 3] = [
        |context| context.warnings.clear(),
        |context| {
            if let Some(name) = &mut context.project
                && let Some((end, _)) = name.char_indices().nth(NAME)
            {
                name.replace_range(end.., "…");
            }
        },
        |context| {
            if context.session.is_some() && context.continued().is_some() {
                (context.last_handoff, context.handoff) = (None, None);
                *context.left_out.entry(ITEMS).or_default() += 1;
            }
        },
    ];
    for give_up in give_up {
        if budget.holds(&context) {
            break;
        }
        give_up(&mut context);
    }
    context
}

/// Values are also the order in which things are given up again: what is open and what binds outlasts what is decided, and
/// that outlasts what is only known.
fn weigh(weighing: &mut Weighing, whole: &Context) {
    let falling = |from: f64, by: f64, index: usize| {
        (from - by * f64::from(u32::try_from(index).unwrap_or(u32::MAX))).max(from / 10.0)
    };
    let summaries: Vec<&str> = summaries(whole).collect();
    weighing.add(SUMMARY, &summaries, |summary| Text::from(*summary), |_, _| (OPEN, 60.0));
    weighing.add(STATE, whole.state.as_slice(), |state| Text::from(&state.text), |_, _| (OPEN, 45.0));
    weighing.add(NEXT, &whole.next, page::next_line, |index, _| (OPEN, falling(54.0, 1.0, index)));
    weighing.add(BLOCKERS, &whole.blockers, page::blocker_line, |index, _| (OPEN, falling(48.0, 0.5, index)));
    weighing.add(QUESTIONS, &whole.questions, page::question_line, |index, _| (OPEN, falling(44.0, 0.5, index)));
    weighing.add(CHECKLIST, &whole.checklist, page::checklist_line, |index, _| (OPEN, falling(40.0, 0.5, index)));
    weighing.add(TASKS, &whole.tasks, page::task_line, |index, task| {
        let (group, base) = match task.status {
            Status::InProgress => (OPEN, 50.0),
            Status::Blocked => (OPEN, 42.0),
            Status::Review => (OPEN, 40.0),
            _ if task.is_handed_over => (OPEN, 9.0),
            _ => (BACKLOG, 9.0),
        };
        let urgency = match task.priority {
            Some(Priority::High) => 3.0,
            Some(Priority::Low) => -3.0,
            _ => 0.0,
        };
        // The task that the handoff was about belongs to its first next step.
        let handed_over = if task.is_handed_over { 40.0 } else { 0.0 };
        (group, falling(base + urgency, 2.0, index) + handed_over)
    });
    weighing.add(DECISIONS, &whole.decisions, page::decision_line, |index, decision| {
        let base = match decision.confidence {
            Confidence::Confirmed => 40.0,
            Confidence::Estimated => 36.0,
            Confidence::Unverified => 34.0,
        };
        (DECIDED, falling(base + if decision.changed.is_empty() { 0.0 } else { 5.0 }, 0.4, index))
    });
    weighing.add(MEMORIES, &whole.memories, page::memory_line, |index, memory| {
        let (group, base) = match memory.kind {
            MemoryKind::Rule => (BINDING, 43.0),
            MemoryKind::Gotcha => (BINDING, 41.0),
            MemoryKind::Convention => (KNOWN, 27.0),
            MemoryKind::Lesson | MemoryKind::Fact => (KNOWN, 22.0),
        };
        (group, falling(base, 0.5, index))
    });
    weighing.add(NOTES, &whole.notes, page::note_line, |index, note| {
        let (group, base) = match note.category {
            NoteCategory::Caution => (BINDING, 42.0),
            NoteCategory::Suggestion => (KNOWN, 18.0),
            NoteCategory::Context => (KNOWN, 16.0),
        };
        (group, falling(base, 0.5, index))
    });
    weighing.add(POINTERS, &whole.pointers, page::pointer_line, |index, pointer| {
        let news = if matches!(pointer.state, PointerState::Same | PointerState::Present) { 0.0 } else { 5.0 };
        (POINTED, falling(26.0 + news, 0.5, index))
    });
    let references = &whole.references;
    weighing.add(REFERENCES, references, |line| Text::from(line), |index, _| (POINTED, falling(9.0, 0.3, index)));
    weighing.add(CHANGES, &whole.changes, |line| Text::from(line), |index, _| (CHANGED, falling(14.0, 0.5, index)));
    let others = &whole.other_sessions;
    weighing.add(OTHER_SESSIONS, others, page::other_line, |index, _| (OTHERS, falling(10.0, 1.0, index)));
}

fn summaries(context: &Context) -> impl Iterator<Item = &str> {
    context.session.iter().chain(context.continued()).filter_map(|head| head.summary.as_deref())
}

/// The context with these items alone, and the others counted.
fn only(whole: &Context, places: &[Place]) -> Context {
    let mut left_out = whole.left_out.clone();
    let mut is_cut = whole.frame == Frame::Bare;
    let mut kept = |list: &'static str, count: usize| {
        let mut keep = vec![false; count];
        for place in places.iter().filter(|place| place.list == list) {
            keep[place.index] = true;
        }
        let dropped = keep.iter().filter(|keep| !**keep).count();
        if dropped > 0 {
            is_cut = true;
            *left_out.entry(list).or_default() += dropped;
        }
        keep
    };
    let next = filtered(&whole.next, &kept(NEXT, whole.next.len()));
    let blockers = filtered(&whole.blockers, &kept(BLOCKERS, whole.blockers.len()));
    let questions = filtered(&whole.questions, &kept(QUESTIONS, whole.questions.len()));
    let checklist = filtered(&whole.checklist, &kept(CHECKLIST, whole.checklist.len()));
    let state = whole.state.clone().filter(|_| kept(STATE, 1) == [true]);
    let tasks = filtered(&whole.tasks, &kept(TASKS, whole.tasks.len()));
    let decisions = filtered(&whole.decisions, &kept(DECISIONS, whole.decisions.len()));
    let memories = filtered(&whole.memories, &kept(MEMORIES, whole.memories.len()));
    let kept_notes = kept(NOTES, whole.notes.len());
    let notes = filtered(&whole.notes, &kept_notes);
    let pointers = filtered(&whole.pointers, &kept(POINTERS, whole.pointers.len()));
    let references = filtered(&whole.references, &kept(REFERENCES, whole.references.len()));
    let changes = filtered(&whole.changes, &kept(CHANGES, whole.changes.len()));
    let other_sessions = filtered(&whole.other_sessions, &kept(OTHER_SESSIONS, whole.other_sessions.len()));
    let mut summaries = kept(SUMMARY, summaries(whole).count()).into_iter();
    let mut head = |head: &Option<SessionHead>| {
        head.clone().map(|mut head| {
            if head.summary.is_some() && !summaries.next().unwrap_or(false) {
                head.summary = None;
            }
            head
        })
    };
    count_cautions_apart(&mut left_out, &whole.notes, &kept_notes);
    let (session, last_handoff, handoff) = (head(&whole.session), head(&whole.last_handoff), head(&whole.handoff));
    if whole.frame == Frame::Bare && !left_out.is_empty() {
        left_out = BTreeMap::from([(ITEMS, left_out.values().sum())]);
    }
    Context {
        project: whole.project.clone(),
        session,
        last_handoff,
        handoff,
        conversations: whole.conversations.clone(),
        ids: ids(&next, &blockers, &questions),
        next,
        blockers,
        questions,
        checklist,
        state,
        tasks,
        decisions,
        memories,
        notes,
        pointers,
        references,
        changes,
        uncommitted: whole.uncommitted.clone(),
        likely_files: whole.likely_files.clone(),
        context_files: whole.context_files.clone(),
        other_sessions,
        left_out,
        task_counts: whole.task_counts.clone(),
        how_to_start: None,
        start: None,
        suggestion: whole.suggestion.clone(),
        problems: whole.problems.clone(),
        rendered: None,
        ampler: whole.ampler.filter(|_| is_cut),
        frame: whole.frame,
        warnings: whole.warnings.clone(),
    }
}

/// Counts the cautions among the notes that are left out under their own name.
fn count_cautions_apart(left_out: &mut BTreeMap<&'static str, usize>, notes: &[NoteInContext], kept: &[bool]) {
    let is_lost = |(note, kept): &(&NoteInContext, &bool)| note.category == NoteCategory::Caution && !**kept;
    let cautions = notes.iter().zip(kept).filter(is_lost).count();
    if cautions == 0 {
        return;
    }
    left_out.insert(CAUTIONS, cautions);
    if let Some(all) = left_out.get_mut(NOTES) {
        *all -= cautions;
        if *all == 0 {
            left_out.remove(NOTES);
        }
    }
}

/// The ids of items, by the lists that they are in. Texts are serialised without them.
fn ids(
    next: &[ItemInContext],
    blockers: &[ItemInContext],
    questions: &[ItemInContext],
) -> BTreeMap<&'static str, Vec<String>> {
    let of = |items: &[ItemInContext]| items.iter().map(|item| item.id.clone()).collect::<Vec<String>>();
    let lists = [(NEXT, of(next)), (BLOCKERS, of(blockers)), (QUESTIONS, of(questions))];
    lists.into_iter().filter(|(_, ids)| !ids.is_empty()).collect()
}

impl Context {
    /// The same with less detail, for where the choice is between detail and what is in force.
    fn terse(&self) -> Context {
        let mut context = self.clone();
        for item in context.next.iter_mut().chain(&mut context.blockers).chain(&mut context.questions) {
            item.age = None;
        }
        context
    }

    /// Reports whether something is left out that is in force or open.
    pub(super) fn leaves_out_what_holds(&self, whole: &Context) -> bool {
        let holding = |context: &Context| {
            let cautions = context.notes.iter().filter(|note| note.category == NoteCategory::Caution).count();
            let items = context.next.len() + context.blockers.len() + context.questions.len() + context.checklist.len();
            items + cautions + context.decisions.len()
        };
        holding(self) < holding(whole)
    }
}

fn filtered<T: Clone>(items: &[T], keep: &[bool]) -> Vec<T> {
    items.iter().zip(keep).filter(|(_, keep)| **keep).map(|(item, _)| item.clone()).collect()
}
