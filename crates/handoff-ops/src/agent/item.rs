//! The items of a context, each known by a key and by what it says, so that none is told twice.

use handoff_model::memory::MemoryId;
use handoff_model::rev::Rev;
use handoff_model::session::NoteCategory;

use crate::page::Text;
use crate::resume::{CheckedPointer, Context, DecisionInForce, PointerState, lines};

/// Something a context tells.
pub(crate) struct Item {
    /// What it is known by
    pub(crate) key: String,
    /// What it says, whatever git says of it at the moment
    pub(crate) rev: Rev,
    pub(crate) line: Text,
}

/// What the keys of memories begin with.
const MEMORY: &str = "memory ";

impl Item {
    /// The memory that it is, if it is one.
    pub(crate) fn memory(&self) -> Option<MemoryId> {
        self.key.strip_prefix(MEMORY)?.parse().ok()
    }
}

/// What a context tells: next steps, blockers, questions, decisions, cautions, memories, tasks, pointers.
pub(crate) fn items(context: &Context) -> Vec<Item> {
    let mut items: Vec<Item> = Vec::new();
    items.extend(context.next.iter().map(|next| by_text("next", lines::next_line(next))));
    items.extend(context.blockers.iter().map(|blocker| by_text("blocker", lines::blocker_line(blocker))));
    items.extend(context.questions.iter().map(|question| by_text("question", lines::question_line(question))));
    items.extend(context.decisions.iter().map(|decision| {
        let recorded = DecisionInForce { changed: Vec::new(), ..decision.clone() };
        item(decision.reference.clone(), &lines::decision_line(&recorded), lines::decision_line(decision))
    }));
    let cautions = context.notes.iter().filter(|note| note.category == NoteCategory::Caution);
    items.extend(cautions.map(|note| by_text("note", lines::note_line(note))));
    items.extend(context.memories.iter().map(|memory| {
        let line = lines::memory_line(memory);
        item(format!("{MEMORY}{}", memory.id), &line.clone(), line)
    }));
    items.extend(context.tasks.iter().map(|task| {
        let line = lines::task_line(task);
        item(task.id.to_string(), &line.clone(), line)
    }));
    items.extend(context.pointers.iter().map(|pointer| {
        let recorded =
            CheckedPointer { state: PointerState::Present, moved_to: None, lines_now: None, ..pointer.clone() };
        let key = format!("{}:{}", pointer.path, pointer.lines.as_deref().unwrap_or_default());
        item(key, &lines::pointer_line(&recorded), lines::pointer_line(pointer))
    }));
    items
}

/// What git says has changed, as one item.
pub(crate) fn changes(context: &Context) -> Option<Item> {
    let changes: Vec<String> = context.changes.iter().cloned().chain(context.uncommitted.lines()).collect();
    let line = Text::from(changes.join("; "));
    (!changes.is_empty()).then(|| item("changes".to_owned(), &line.clone(), line))
}

fn item(key: String, recorded: &Text, line: Text) -> Item {
    Item { key, rev: Rev::of(recorded.to_plain().as_bytes()), line }
}

/// An item that is known by nothing but its words.
fn by_text(kind: &str, line: Text) -> Item {
    let rev = Rev::of(line.to_plain().as_bytes());
    Item { key: format!("{kind} {rev}"), rev, line }
}
