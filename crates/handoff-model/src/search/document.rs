//! What of a record can be found: its documents, each with its texts and what they weigh.

use std::borrow::Cow;

use crate::memory::MemoryRecord;
use crate::session::Session;
use crate::task::{Task, words};

words!(
    /// What sort of thing was found.
    Kind, "kind of record", {
        Task = "task",
        Session = "session",
        Decision = "decision",
        Note = "note",
        Memory = "memory",
    }
);

words!(
    /// Which stores are looked through.
    #[derive(Default)]
    Scope, "scope", {
        #[default]
        Project = "project",
        User = "user",
        All = "all",
    }
);

words!(
    /// What becomes of records in archives.
    #[derive(Default)]
    Archives, "way to treat archives", {
        #[default]
        Include = "include",
        Only = "only",
        Exclude = "exclude",
    }
);

/// How much a word counts, by the text it stands in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Weight {
    /// Bodies, and what only stands beside: references, names, tools
    Low,
    /// What is told: notes, reasons, descriptions, paths
    Plain,
    /// What matters: decisions, summaries, next steps, labels
    Raised,
    /// Titles and ids
    Title,
}

impl Weight {
    pub(super) const ALL: [Weight; 4] = [Weight::Low, Weight::Plain, Weight::Raised, Weight::Title];
    /// What a plain word counts; the others are told in the same measure.
    pub(super) const UNIT: u32 = 4;

    pub(super) fn units(self) -> u32 {
        match self {
            Weight::Low => 3,
            Weight::Plain => 4,
            Weight::Raised => 6,
            Weight::Title => 10,
        }
    }
}

/// Something that is found as one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Document<'a> {
    pub item: Item,
    pub fields: Vec<(Weight, Cow<'a, str>)>,
}

/// Which part of a record a document is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Item {
    Task,
    /// A note of a task, by its place
    TaskNote(usize),
    Session,
    /// A decision of a session, by its place
    Decision(usize),
    /// A note of a session, by its place
    SessionNote(usize),
    Memory,
}

impl Item {
    pub fn kind(self) -> Kind {
        match self {
            Item::Task => Kind::Task,
            Item::Session => Kind::Session,
            Item::Decision(_) => Kind::Decision,
            Item::TaskNote(_) | Item::SessionNote(_) => Kind::Note,
            Item::Memory => Kind::Memory,
        }
    }
}

impl<'a> Document<'a> {
    fn new(item: Item) -> Document<'a> {
        Document { item, fields: Vec::new() }
    }

    fn with(mut self, weight: Weight, texts: impl IntoIterator<Item = impl Into<Cow<'a, str>>>) -> Document<'a> {
        let texts = texts.into_iter().map(Into::into).filter(|text: &Cow<'_, str>| !text.is_empty());
        self.fields.extend(texts.map(|text| (weight, text)));
        self
    }
}

/// The documents of a task: itself, and each of its notes.
pub fn of_task(task: &Task) -> Vec<Document<'_>> {
    let Task {
        format: _,
        id,
        title,
        status: _,
        priority: _,
        parent: _,
        number: _,
        order: _,
        labels,
        dependencies: _,
        assignee,
        created_at: _,
        completed_at: _,
        description,
        links,
        schedule,
        done_criteria,
        notes,
        history: _,
        origin,
    } = task;
    let itself = Document::new(Item::Task)
        .with(Weight::Title, [title])
        .with(Weight::Plain, description)
        .with(Weight::Plain, done_criteria.iter().map(|criterion| &criterion.item))
        .with(Weight::Raised, labels)
        .with(Weight::Low, links.iter().flat_map(|link| link.label.iter().chain([&link.target])))
        .with(Weight::Low, schedule.milestone.iter().chain(assignee).chain(origin.iter().map(|origin| &origin.id)))
        .with(Weight::Title, [id.as_str()]);
    let notes = notes.iter().enumerate();
    let notes = notes.map(|(place, note)| Document::new(Item::TaskNote(place)).with(Weight::Plain, [&note.text]));
    std::iter::once(itself).chain(notes).collect()
}

/// The document of a memory.
pub fn of_memory(memory: &MemoryRecord) -> Document<'_> {
    let MemoryRecord {
        format: _,
        id,
        kind,
        title,
        tags,
        keywords,
        paths,
        branches: _,
        confidence: _,
        author,
        created_at: _,
        session: _,
        retired_at: _,
        retired_because,
        replaced_by: _,
        origin,
        text,
    } = memory;
    Document::new(Item::Memory)
        .with(Weight::Title, title)
        .with(Weight::Plain, [text])
        .with(Weight::Raised, tags.iter().chain(keywords))
        .with(Weight::Plain, paths)
        .with(Weight::Low, [kind.word()])
        .with(Weight::Low, author.iter().chain(retired_because).chain(origin.iter().map(|origin| &origin.id)))
        .with(Weight::Title, [id.as_str()])
}

/// The documents of a session: itself with its free-form text, each decision, each note.
pub fn of_session<'a>(session: &'a Session, body: Option<&'a str>) -> Vec<Document<'a>> {
    let Session {
        format: _,
        id,
        kind: _,
        status: _,
        title,
        summary,
        state,
        tool,
        author,
        name,
        tags,
        project: _,
        timeline,
        label,
        started_at: _,
        ended_at: _,
        expires_at: _,
        continues: _,
        forked_from: _,
        merged_from: _,
        merged_into: _,
        handover: _,
        next,
        blockers,
        questions,
        tasks: _,
        last_decision: _,
        decisions,
        checklist,
        notes,
        references,
        pointers,
        environment: _,
        git,
        items: _,
        settled,
        body_base64: _,
        body_check: _,
        origin,
    } = session;
    let branch = git.as_ref().and_then(|git| git.branch.as_ref());
    let itself = Document::new(Item::Session)
        .with(Weight::Title, title)
        .with(Weight::Raised, [summary])
        .with(Weight::Plain, state)
        .with(Weight::Raised, next.iter().chain(blockers))
        .with(Weight::Plain, checklist.iter().map(|item| &item.item).chain(questions))
        .with(Weight::Low, settled.iter().flat_map(|end| [&end.text].into_iter().chain(&end.because)))
        .with(Weight::Raised, tags.iter().chain(name).chain(label).chain(timeline))
        .with(Weight::Plain, pointers.iter().flat_map(|pointer| [&pointer.path].into_iter().chain(&pointer.reason)))
        .with(
            Weight::Low,
            references
                .iter()
                .flat_map(|reference| [&reference.label, &reference.uri].into_iter().chain(&reference.notes)),
        )
        .with(Weight::Low, tool.iter().chain(author).chain(branch).chain(origin.iter().map(|origin| &origin.id)))
        .with(Weight::Title, [id.as_str()])
        .with(Weight::Low, body);
    let decisions = decisions.iter().enumerate().map(|(place, decision)| {
        Document::new(Item::Decision(place))
            .with(Weight::Raised, [&decision.decision])
            .with(Weight::Plain, &decision.reason)
            .with(Weight::Plain, &decision.paths)
    });
    let notes = notes.iter().enumerate();
    let notes = notes.map(|(place, note)| Document::new(Item::SessionNote(place)).with(Weight::Plain, [&note.note]));
    std::iter::once(itself).chain(decisions).chain(notes).collect()
}
