//! What there is to say, before it is fitted to a reader: parts of items, in the order they matter.

use std::collections::BTreeMap;

use handoff_model::secret::Allowed;
use handoff_model::session::{
    ChecklistItem, Confidence, Decision, GitFacts, ItemKind, NoteCategory, Owner, Pointer, Reference, SessionKind,
    SessionNote, SessionStatus, inside,
};
use handoff_model::task::{Priority, Status};
use handoff_model::when::Moment;
use handoff_store::FoundSession;

use super::Record;
use super::said::{Passage, Said};
use crate::memory::MemoryInContext;
use crate::resume::{
    CheckInContext, CheckedPointer, Context, DecisionInForce, ItemInContext, NoteInContext, PointerState, SessionHead,
    TaskInContext, counts, lines,
};

/// A group of items of one kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Part {
    UnderWay,
    Next,
    Blockers,
    Questions,
    Checklist,
    Tasks,
    Decisions,
    Notes,
    Pointers,
    References,
    Git,
    Changes,
    Likely,
}

/// One thing to say.
#[derive(Clone, Debug)]
pub(super) struct Item {
    pub(super) text: Said,
    /// What it is worth to the reader
    pub(super) value: f64,
    /// Whether it is done with, in a checklist or as a task
    pub(super) is_done: bool,
    /// Whether it stands in the way of others
    pub(super) is_obstacle: bool,
    /// A file that can be named to a host
    pub(super) file: Option<String>,
}

/// A session, in our words and its own.
#[derive(Clone, Debug)]
pub(super) struct Head {
    /// Its full name
    pub(super) name: String,
    pub(super) kind: SessionKind,
    pub(super) status: SessionStatus,
    pub(super) at: Option<Moment>,
    /// On one line
    pub(super) title: Said,
    /// Who worked, where, and what it is filed under
    pub(super) facts: Vec<Said>,
    pub(super) summary: Passage,
}

/// What an outline is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Subject {
    Record,
    /// The project as it stands
    State,
}

/// Everything there is to say.
#[derive(Clone, Debug)]
pub(super) struct Outline {
    pub(super) subject: Subject,
    /// The record; of a state the session under way and the handoff before it
    pub(super) heads: Vec<Head>,
    pub(super) parts: BTreeMap<Part, Vec<Item>>,
    pub(super) body: Passage,
    /// What is not said, and how much of it
    pub(super) left_out: BTreeMap<Part, usize>,
    /// The command that shows all of it
    pub(super) whole: String,
    /// The next steps of the record ended since
    pub(super) is_past: bool,
}

impl Part {
    /// What `count` of them are called.
    pub(super) fn counted(self, count: usize) -> String {
        let (one, many) = match self {
            Part::UnderWay => ("line on work under way", "lines on work under way"),
            Part::Next => ("next step", "next steps"),
            Part::Blockers => ("blocker", "blockers"),
            Part::Questions => ("question", "questions"),
            Part::Checklist => ("checklist item", "checklist items"),
            Part::Tasks => ("task", "tasks"),
            Part::Decisions => ("decision", "decisions"),
            Part::Notes => ("note", "notes"),
            Part::Pointers => ("pointer", "pointers"),
            Part::References => ("reference", "references"),
            Part::Git => ("fact of git", "facts of git"),
            Part::Changes => ("change since", "changes since"),
            Part::Likely => ("line of likely files", "lines of likely files"),
        };
        format!("{count} {}", if count == 1 { one } else { many })
    }
}

impl Item {
    fn new(allowed: &Allowed, text: &str, value: f64) -> Item {
        Item { text: Said::new(text, allowed), value, is_done: false, is_obstacle: false, file: None }
    }
}

/// A list whose items matter less the further down they stand.
fn listed<T>(items: &[T], item: impl Fn(&T) -> Item) -> Vec<Item> {
    let falling = |(index, it): (usize, &T)| {
        let mut item = item(it);
        let by = f64::from(u32::try_from(index).unwrap_or(u32::MAX)) / 2.0;
        item.value = (item.value - by).max(item.value / 10.0);
        item
    };
    items.iter().enumerate().map(falling).filter(|item| !item.text.as_str().is_empty()).collect()
}

/// Next steps. The first is what the reader goes on with, so a shorter one never takes its place.
fn steps<T>(items: &[T], item: impl Fn(&T) -> Item) -> Vec<Item> {
    let mut steps = listed(items, item);
    if let Some(first) = steps.first_mut() {
        first.value *= 3.0;
    }
    steps
}

impl Outline {
    /// What one record says, of long texts no more than so many bytes.
    pub(super) fn of_record(record: &Record, longest: usize, allowed: &Allowed) -> Outline {
        let Record { found, body, tasks, superseded, standing, ids, settled_steps } = record;
        let session = &found.session;
        let decision = |(id, decision): &(String, &Decision)| {
            let reference = format!("{}#{id}", found.name);
            let told = DecisionInForce {
                id: ids.decisions.get(&reference).unwrap_or(id).clone(),
                reference: reference.clone(),
                decision: decision.decision.clone(),
                reason: decision.reason.clone(),
                confidence: decision.confidence,
                paths: decision.paths.clone(),
                author: None,
                changed: Vec::new(),
            };
            let mut item = decided(&told, allowed);
            if superseded.contains(&reference) {
                item.text = Said::new(&format!("superseded since: {}", item.text.as_str()), allowed);
                item.value /= 3.0;
                item.is_done = true;
            }
            item
        };
        let pointer = |pointer: &Pointer| {
            place(
                &CheckedPointer {
                    path: pointer.path.clone(),
                    lines: pointer.lines.clone(),
                    reason: pointer.reason.clone(),
                    state: PointerState::Present,
                    moved_to: None,
                    lines_now: None,
                },
                allowed,
            )
        };
        let reference = |reference: &Reference| {
            let notes = reference.notes.as_ref().map(|notes| format!(" ({notes})")).unwrap_or_default();
            Item::new(allowed, &format!("{}: {} {}{notes}", reference.kind, reference.label, reference.uri), 9.0)
        };
        let mut outline = Outline {
            subject: Subject::Record,
            heads: vec![Head::of(found, longest, allowed)],
            parts: BTreeMap::new(),
            body: body.as_deref().map(|body| Passage::new(body, longest, allowed)).unwrap_or_default(),
            left_out: BTreeMap::new(),
            whole: String::new(),
            is_past: *settled_steps > 0,
        };
        match standing {
            Some(standing) => outline.put_open_items(standing, &session.checklist, allowed),
            None => {
                let named = |kind: ItemKind, text: &String| ids.named(kind, text);
                let next = |text: &String| Item::new(allowed, &named(ItemKind::Next, text), 40.0);
                outline.put(Part::Next, steps(&session.next, next));
                let blocker = |text: &String| blocker(&named(ItemKind::Blocker, text), allowed);
                outline.put(Part::Blockers, listed(&session.blockers, blocker));
                let question = |text: &String| Item::new(allowed, &named(ItemKind::Question, text), 32.0);
                outline.put(Part::Questions, listed(&session.questions, question));
                let check =
                    |it: &ChecklistItem| check(&named(ItemKind::Checklist, &it.item), it.owner, it.checked, allowed);
                outline.put(Part::Checklist, listed(&session.checklist, check));
            }
        }
        outline.put(Part::Tasks, listed(tasks, |it| task(it, allowed)));
        let decisions: Vec<_> = session.decision_ids().into_iter().zip(&session.decisions).collect();
        let mut decided_here = listed(&decisions, decision);
        let note = |note: &SessionNote| {
            let id = ids.items.get(&(ItemKind::Caution, note.note.clone()));
            let id = id.filter(|_| note.category == NoteCategory::Caution).cloned();
            NoteInContext { id, ..NoteInContext::of(note) }
        };
        let mut notes: Vec<NoteInContext> = session.notes.iter().map(note).collect();
        if let Some(standing) = standing {
            // Its own that are in force stand among those of others.
            decided_here.retain(|item| item.is_done);
            let mut in_force = listed(&standing.decisions, |it| decided(it, allowed));
            in_force.append(&mut decided_here);
            decided_here = in_force;
            outline.put_under_way(standing, &found.name, allowed);
            notes.retain(|note| note.category != NoteCategory::Caution);
            notes.extend(standing.notes.iter().filter(|note| is_caution_in_force(note)).cloned());
        }
        outline.put(Part::Decisions, decided_here);
        notes.sort_by_key(|note| note.category != NoteCategory::Caution);
        let memories = standing.as_ref().map_or(&[][..], |standing| &standing.memories);
        outline.put(Part::Notes, noted(session.state.as_deref(), memories, &notes, allowed));
        outline.put(Part::Pointers, listed(&session.pointers, pointer));
        outline.put(Part::References, listed(&session.references, reference));
        outline.put(Part::Git, session.git.as_ref().map(|facts| git(facts, allowed)).unwrap_or_default());
        outline
    }

    /// What the project's state says, with files that are likely needed.
    pub(super) fn of_state(context: &Context, likely: &[String], longest: usize, allowed: &Allowed) -> Outline {
        let heads = context.session.iter().chain(context.continued());
        let mut outline = Outline {
            subject: Subject::State,
            heads: heads.map(|head| Head::of_state(head, longest, allowed)).collect(),
            parts: BTreeMap::new(),
            body: Passage::default(),
            left_out: BTreeMap::new(),
            whole: String::new(),
            is_past: false,
        };
        if let (Some(head), Some(project)) = (outline.heads.first_mut(), &context.project) {
            head.facts.insert(0, Said::new(&format!("project {project}"), allowed));
        }
        outline.put(Part::Next, steps(&context.next, |item| Item::new(allowed, &in_words(item), 40.0)));
        outline.put(Part::Blockers, listed(&context.blockers, |item| blocker(&in_words(item), allowed)));
        outline.put(Part::Questions, listed(&context.questions, |item| Item::new(allowed, &in_words(item), 32.0)));
        outline.put(Part::Checklist, listed(&context.checklist, |it| open_check(it, allowed)));
        outline.put(Part::Tasks, listed(&context.tasks, |it| task(it, allowed)));
        outline.put(Part::Decisions, listed(&context.decisions, |it| decided(it, allowed)));
        let state = context.state.as_ref().map(|state| state.text.as_str());
        outline.put(Part::Notes, noted(state, &context.memories, &context.notes, allowed));
        outline.put(Part::Pointers, listed(&context.pointers, |it| place(it, allowed)));
        outline.put(Part::References, listed(&context.references, |line| Item::new(allowed, line, 9.0)));
        let changes: Vec<String> = context.changes.iter().cloned().chain(context.uncommitted.lines()).collect();
        outline.put(Part::Changes, listed(&changes, |line| Item::new(allowed, line, 14.0)));
        outline.put(Part::Likely, listed(likely, |line| Item::new(allowed, line, 8.0)));
        let counted = [
            (counts::NEXT, Part::Next),
            (counts::TASKS, Part::Tasks),
            (counts::DECISIONS, Part::Decisions),
            (counts::NOTES, Part::Notes),
            (counts::POINTERS, Part::Pointers),
        ];
        for (list, part) in counted {
            if let Some(count) = context.left_out.get(list) {
                outline.left_out.insert(part, *count);
            }
        }
        outline
    }

    /// Puts the work that is under way beside a record.
    fn put_under_way(&mut self, standing: &Context, record: &str, allowed: &Allowed) {
        let leading = standing.session.iter().filter(|head| head.name != record);
        let sessions = leading.map(|head| format!("{} session {}: {}", head.status, head.id, head.title));
        let conversations = standing.conversations.iter().flat_map(|conversation| {
            let line = conversation.line().to_plain();
            std::iter::once(format!("{line}: {}", conversation.title)).chain(conversation.said().skip(1))
        });
        let lines: Vec<String> = sessions.chain(conversations).collect();
        self.put(Part::UnderWay, listed(&lines, |line| Item::new(allowed, line, 38.0)));
    }

    /// Puts what is open in any session, and what a checklist has ticked off.
    fn put_open_items(&mut self, standing: &Context, checklist: &[ChecklistItem], allowed: &Allowed) {
        // Items without an id are part of the text, which is rendered whole.
        let named = |items: &[ItemInContext]| -> Vec<ItemInContext> {
            items.iter().filter(|item| !item.id.is_empty()).cloned().collect()
        };
        self.put(Part::Next, steps(&named(&standing.next), |item| Item::new(allowed, &in_words(item), 40.0)));
        self.put(Part::Blockers, listed(&named(&standing.blockers), |item| blocker(&in_words(item), allowed)));
        let questions = named(&standing.questions);
        self.put(Part::Questions, listed(&questions, |item| Item::new(allowed, &in_words(item), 32.0)));
        let mut checks = listed(&standing.checklist, |it| open_check(it, allowed));
        let ticked: Vec<&ChecklistItem> = checklist.iter().filter(|it| it.checked).collect();
        checks.extend(listed(&ticked, |it| check(&it.item, it.owner, true, allowed)));
        self.put(Part::Checklist, checks);
    }

    fn put(&mut self, part: Part, items: Vec<Item>) {
        if !items.is_empty() {
            self.parts.insert(part, items);
        }
    }

    pub(super) fn items(&self, part: Part) -> &[Item] {
        self.parts.get(&part).map(Vec::as_slice).unwrap_or_default()
    }

    /// Whether some text of others has this in it.
    pub(super) fn says(&self, wanted: char) -> bool {
        let heads = self.heads.iter().flat_map(|head| {
            let lines = head.summary.lines.iter().map(String::as_str);
            head.facts.iter().chain([&head.title]).map(Said::as_str).chain(lines)
        });
        let items = self.parts.values().flatten().map(|item| item.text.as_str());
        heads.chain(items).chain(self.body.lines.iter().map(String::as_str)).any(|text| text.contains(wanted))
    }

    /// How much is left out, in words.
    pub(super) fn missing(&self) -> Vec<String> {
        let lines = |count: usize, of: &str| {
            let plural = if count == 1 { "line" } else { "lines" };
            (count > 0).then(|| format!("{count} {plural} of {of}"))
        };
        let summaries = self.heads.iter().map(|head| head.summary.left_out).sum();
        let items = self.left_out.iter().filter(|(_, count)| **count > 0).map(|(part, count)| part.counted(*count));
        items.chain(lines(summaries, "the summary")).chain(lines(self.body.left_out, "the text")).collect()
    }

    pub(super) fn is_package(&self) -> bool {
        self.heads.first().is_some_and(|head| head.kind == SessionKind::Package)
    }

    /// The files that a host can be told to look at, the first few of them.
    pub(super) fn files(&self) -> Vec<&str> {
        /// A host puts all of each file into the conversation.
        const MENTIONED: usize = 5;
        let mut files: Vec<&str> = Vec::new();
        for file in self.items(Part::Pointers).iter().filter_map(|item| item.file.as_deref()) {
            if files.len() < MENTIONED && !files.contains(&file) {
                files.push(file);
            }
        }
        files
    }
}

impl Head {
    fn of(found: &FoundSession, longest: usize, allowed: &Allowed) -> Head {
        /// As long as a title of a session is shown.
        const TITLE: usize = 120;
        let session = &found.session;
        let git = session.git.as_ref();
        let named = session.name.as_ref().map(|name| format!("named {name}"));
        let tags = (!session.tags.is_empty()).then(|| format!("tags {}", session.tags.join(", ")));
        let title = session.headline(TITLE);
        let facts = [
            session.project.as_ref().map(|project| format!("project {project}")),
            by(session.tool.as_deref(), session.author.as_deref()),
            at(git.and_then(|git| git.branch.as_deref()), git.and_then(|git| git.commit.as_deref())),
            named,
            tags,
        ];
        Head {
            name: found.name.clone(),
            kind: session.kind,
            status: session.status,
            at: session.ended_at.or(session.started_at),
            // What only repeats the title is not said twice.
            summary: match session.summary.as_str() {
                summary if summary.trim() == title => Passage::default(),
                summary => Passage::new(summary, longest, allowed),
            },
            title: Said::new(&title, allowed),
            facts: facts.into_iter().flatten().map(|fact| Said::new(&fact, allowed)).collect(),
        }
    }

    fn of_state(head: &SessionHead, longest: usize, allowed: &Allowed) -> Head {
        let facts = [
            head.project.as_ref().map(|project| format!("of another project, {project}")),
            by(head.tool.as_deref(), head.author.as_deref()),
            at(head.branch.as_deref(), head.commit.as_deref()),
        ];
        Head {
            name: head.name.clone(),
            kind: head.kind,
            status: head.status,
            at: head.ended_at.or(head.started_at),
            title: Said::new(&head.title, allowed),
            facts: facts.into_iter().flatten().map(|fact| Said::new(&fact, allowed)).collect(),
            summary: head.summary.as_deref().map(|text| Passage::new(text, longest, allowed)).unwrap_or_default(),
        }
    }

    /// Which session it is, in our words alone.
    pub(super) fn words(&self) -> String {
        let kind = if self.kind == SessionKind::Package { "package" } else { "session" };
        let at = self.at.map(|at| at.in_seconds().to_string());
        let when = match (self.kind, self.status, at) {
            (SessionKind::Package, _, Some(at)) => format!(", stored {at}"),
            (_, SessionStatus::Closed, Some(at)) => format!(", closed {at}"),
            (_, status, Some(at)) => format!(", {status} since {at}"),
            (_, _, None) => String::new(),
        };
        format!("{kind} `{}`{when}", self.name)
    }
}

fn by(tool: Option<&str>, author: Option<&str>) -> Option<String> {
    let author = author.filter(|author| *author != "unknown");
    let by = [tool, author].into_iter().flatten().collect::<Vec<_>>().join(", ");
    (!by.is_empty()).then(|| format!("by {by}"))
}

fn at(branch: Option<&str>, commit: Option<&str>) -> Option<String> {
    match (branch, commit) {
        (Some(branch), Some(commit)) => Some(format!("on {branch} at {commit}")),
        (Some(branch), None) => Some(format!("on {branch}")),
        (None, Some(commit)) => Some(format!("at {commit}")),
        (None, None) => None,
    }
}

fn blocker(text: &str, allowed: &Allowed) -> Item {
    Item { is_obstacle: true, ..Item::new(allowed, text, 34.0) }
}

/// An open item with the id by which it is settled.
fn in_words(item: &ItemInContext) -> String {
    let facts = if item.facts.is_empty() { String::new() } else { format!(" ({})", item.facts.join("; ")) };
    let id = if item.id.is_empty() { String::new() } else { format!("{} ", item.id) };
    format!("{id}{}{facts}", item.text)
}

fn open_check(it: &CheckInContext, allowed: &Allowed) -> Item {
    let text = format!("{} {}", it.id, it.item);
    check(text.trim_start(), it.owner, it.checked, allowed)
}

fn check(text: &str, owner: Option<Owner>, is_checked: bool, allowed: &Allowed) -> Item {
    let owner = if owner == Some(Owner::User) { " (for the user)" } else { "" };
    let value = if is_checked { 4.0 } else { 26.0 };
    Item { is_done: is_checked, ..Item::new(allowed, &format!("{text}{owner}"), value) }
}

fn task(task: &TaskInContext, allowed: &Allowed) -> Item {
    let base = match task.status {
        Status::InProgress => 36.0,
        Status::Blocked => 27.0,
        Status::Review => 25.0,
        _ => 9.0,
    };
    let urgency = match task.priority {
        Some(Priority::High) => 3.0,
        Some(Priority::Low) => -3.0,
        _ => 0.0,
    };
    Item {
        is_done: task.status.is_finished(),
        is_obstacle: task.status == Status::Blocked,
        ..Item::new(allowed, &lines::task_line(task).to_plain(), base + urgency)
    }
}

fn decided(decision: &DecisionInForce, allowed: &Allowed) -> Item {
    let base = match decision.confidence {
        Confidence::Confirmed => 30.0,
        Confidence::Estimated => 26.0,
        Confidence::Unverified => 24.0,
    };
    let news = if decision.changed.is_empty() { 0.0 } else { 5.0 };
    Item::new(allowed, &lines::decision_line(decision).to_plain(), base + news)
}

/// What is to know: where the project stands, if somebody said so, then memories and notes, those that bind first.
fn noted(state: Option<&str>, memories: &[MemoryInContext], notes: &[NoteInContext], allowed: &Allowed) -> Vec<Item> {
    let state = state.map(|text| Item::new(allowed, &format!("current state: {text}"), 36.0));
    let (binding, known): (Vec<_>, Vec<_>) = memories.iter().partition(|memory| memory.is_binding());
    let notes = listed(notes, |it| note(it, allowed));
    let (cautions, notes): (Vec<_>, Vec<_>) = notes.into_iter().partition(|note| note.is_obstacle);
    let mut items: Vec<Item> = state.into_iter().collect();
    items.extend(listed(&binding, |it| memory(it, 31.0, allowed)));
    items.extend(cautions);
    items.extend(listed(&known, |it| memory(it, 17.0, allowed)));
    items.extend(notes);
    items
}

fn memory(memory: &MemoryInContext, value: f64, allowed: &Allowed) -> Item {
    Item::new(allowed, &lines::memory_line(memory).to_plain(), value)
}

/// A caution without an id is part of a text, which is rendered whole.
fn is_caution_in_force(note: &NoteInContext) -> bool {
    note.category == NoteCategory::Caution && note.id.is_some()
}

fn note(note: &NoteInContext, allowed: &Allowed) -> Item {
    let value = match note.category {
        NoteCategory::Caution => 31.0,
        NoteCategory::Suggestion => 18.0,
        NoteCategory::Context => 16.0,
    };
    Item {
        is_obstacle: note.category == NoteCategory::Caution,
        ..Item::new(allowed, &lines::note_line(note).to_plain(), value)
    }
}

fn place(pointer: &CheckedPointer, allowed: &Allowed) -> Item {
    let news = if matches!(pointer.state, PointerState::Same | PointerState::Present) { 0.0 } else { 5.0 };
    let path = pointer.moved_to.as_deref().unwrap_or(&pointer.path);
    let is_there = pointer.state != PointerState::Gone;
    Item {
        file: (is_there && can_be_mentioned(path)).then(|| path.to_owned()),
        ..Item::new(allowed, &lines::pointer_line(pointer).to_plain(), 22.0 + news)
    }
}

/// Whether a host may be told to read a file because a record names it: only a plain one inside the project, since
/// what it reads becomes part of the conversation. Files whose names begin with a dot are where secrets lie.
fn can_be_mentioned(path: &str) -> bool {
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '/' | '.' | '_' | '-' | '+');
    path.chars().all(plain)
        && inside(path, &[]).as_deref() == Ok(path)
        && !path.ends_with('/')
        && !path.split('/').any(|part| part.starts_with(['.', '-']))
        && handoff_model::secret::find(path).is_empty()
}

/// What git said when the record was saved.
fn git(facts: &GitFacts, allowed: &Allowed) -> Vec<Item> {
    let mut items = Vec::new();
    if let Some(upstream) = &facts.upstream {
        let (ahead, behind) = (facts.ahead.unwrap_or(0), facts.behind.unwrap_or(0));
        items.push(Item::new(allowed, &format!("{ahead} ahead of {upstream}, {behind} behind"), 11.0));
    }
    items.extend(listed(&facts.dirty, |line| Item::new(allowed, &format!("not committed: {line}"), 13.0)));
    let more = facts.dirty_count.and_then(|count| usize::try_from(count).ok()).unwrap_or(0);
    if let Some(more) = more.checked_sub(facts.dirty.len()).filter(|more| *more > 0) {
        let files = if more == 1 { "file" } else { "files" };
        items.push(Item::new(allowed, &format!("not committed: {more} more {files}"), 10.0));
    }
    items.extend(listed(&facts.recent, |line| Item::new(allowed, &format!("commit {line}"), 12.0)));
    items
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_plain_files_inside_the_project_are_mentioned() {
        for good in ["src/main.rs", "README.md", "docs/größe_2.md", "a+b/c-d.ts"] {
            assert!(can_be_mentioned(good), "{good}");
        }
        for bad in [
            "",
            "/etc/passwd",
            "../secret",
            "a/../b",
            ".env",
            "config/.env",
            "~/x",
            "src/",
            "a b.rs",
            "a\nb",
            "src/x;rm",
            "C:/x",
            "a`b",
            "-rf",
            "x\u{202e}y",
            "src/**",
            ".git/config",
            "a@b",
            "a#b",
            "./src/main.rs",
        ] {
            assert!(!can_be_mentioned(bad), "{bad:?}");
        }
    }
}
