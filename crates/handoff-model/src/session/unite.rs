//! Several sessions made one.
//!
//! **Invariant:** nothing is lost and nothing is doubled. An item that says the same is the same item, whoever said it,
//! in whatever case and with however many blanks; what one session leaves open about it is filled in from the others.
//! Items of the target keep their places, and those of the others follow in the order they are given.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value as Json;

use super::{ChecklistItem, Decision, NoteCategory, Pointer, Reference, Session, SessionNote};
use crate::agent::COMPILED;
use crate::text::read_the_same;

mod contradictions;

pub use contradictions::{About, Contradiction, Side, contradictions};

/// A session under its full name.
#[derive(Clone, Copy, Debug)]
pub struct Party<'a> {
    pub name: &'a str,
    pub session: &'a Session,
}

/// What became of the items of one list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Taken {
    pub list: String,
    /// Items that the target did not have
    pub added: usize,
    /// Items that it had already
    pub same: usize,
}

/// Puts into a session, which has this full name, what others say. The answer is what was put into each list.
///
/// Who wrote it, when, and what git said then stays with each session; so does a title, and what a session is called.
pub fn unite(target: &mut Session, name: &str, others: &[Party<'_>]) -> Vec<Taken> {
    let mut taken: Vec<Taken> = Vec::new();
    for Party { name: from, session } in others.iter().filter(|other| other.name != name) {
        let mut note = |list: &'static str, put: Put| match taken.iter_mut().find(|known| known.list == list) {
            Some(known) => (known.added, known.same) = (known.added + put.added, known.same + put.same),
            None if put.added + put.same == 0 => {}
            None => taken.push(Taken { list: list.to_owned(), added: put.added, same: put.same }),
        };
        note("decisions", decisions(target, name, from, session));
        note("next", said(&mut target.next, &session.next));
        note("blockers", said(&mut target.blockers, &session.blockers));
        note("questions", said(&mut target.questions, &session.questions));
        note("checklist", each(&mut target.checklist, &session.checklist, same_item, unite_items));
        note("notes", each(&mut target.notes, &session.notes, same_note, unite_notes));
        note("references", each(&mut target.references, &session.references, same_reference, unite_references));
        note("pointers", each(&mut target.pointers, &session.pointers, same_pointer, unite_pointers));
        note("tasks", names(&mut target.tasks, &session.tasks));
        note("tags", names(&mut target.tags, &session.tags));
        note("environment", facts(target, session));
        target.summary = paragraphs(&target.summary, &session.summary);
        target.state = target.state.take().or_else(|| session.state.clone());
        if !target.merged_from.iter().any(|known| known == from) {
            target.merged_from.push((*from).to_owned());
        }
    }
    taken
}

/// How many items of a list were new, and how many were there.
#[derive(Clone, Copy, Default)]
struct Put {
    added: usize,
    same: usize,
}

/// Puts items into a list: those that are there are united with what is said of them, the others follow.
fn each<T: Clone>(list: &mut Vec<T>, more: &[T], is_same: fn(&T, &T) -> bool, unite: fn(&mut T, &T)) -> Put {
    let mut put = Put::default();
    for item in more {
        if let Some(known) = list.iter_mut().find(|known| is_same(known, item)) {
            unite(known, item);
            put.same += 1;
        } else {
            list.push(item.clone());
            put.added += 1;
        }
    }
    put
}

fn names<T: Clone + PartialEq>(list: &mut Vec<T>, more: &[T]) -> Put {
    each(list, more, |known, item| known == item, |_, _| {})
}

fn said(list: &mut Vec<String>, more: &[String]) -> Put {
    each(list, more, |known, item| read_the_same(known, item), |_, _| {})
}

fn same_item(known: &ChecklistItem, item: &ChecklistItem) -> bool {
    read_the_same(&known.item, &item.item)
}

/// What is open anywhere is open: that it was done elsewhere does not say that it is done here.
fn unite_items(known: &mut ChecklistItem, item: &ChecklistItem) {
    known.checked &= item.checked;
    known.owner = known.owner.or(item.owner);
}

fn same_note(known: &SessionNote, note: &SessionNote) -> bool {
    read_the_same(&known.note, &note.note)
}

fn unite_notes(known: &mut SessionNote, note: &SessionNote) {
    let weight = |category| match category {
        NoteCategory::Caution => 2,
        NoteCategory::Suggestion => 1,
        NoteCategory::Context => 0,
    };
    if weight(note.category) > weight(known.category) {
        known.category = note.category;
    }
}

fn same_reference(known: &Reference, reference: &Reference) -> bool {
    known.uri == reference.uri
}

fn unite_references(known: &mut Reference, reference: &Reference) {
    // One without a label of its own is called by its address.
    if known.label == known.uri {
        known.label.clone_from(&reference.label);
    }
    fill(&mut known.notes, reference.notes.as_ref());
}

fn same_pointer(known: &Pointer, pointer: &Pointer) -> bool {
    known.path == pointer.path && known.lines == pointer.lines
}

fn unite_pointers(known: &mut Pointer, pointer: &Pointer) {
    fill(&mut known.reason, pointer.reason.as_ref());
    known.blob = known.blob.take().or_else(|| pointer.blob.clone());
}

/// Says what both say, once.
fn fill(known: &mut Option<String>, more: Option<&String>) {
    let Some(more) = more else { return };
    match known {
        None => *known = Some(more.clone()),
        Some(text) => {
            for part in more.split("; ") {
                if !text.split("; ").any(|known| read_the_same(known, part)) {
                    *text = format!("{text}; {part}");
                }
            }
        }
    }
}

/// A summary with the paragraphs of another that it does not have.
fn paragraphs(summary: &str, more: &str) -> String {
    let mut all: Vec<&str> = Vec::new();
    for paragraph in summary.split("\n\n").chain(more.split("\n\n")).map(str::trim) {
        if !paragraph.is_empty() && !all.iter().any(|known| read_the_same(known, paragraph)) {
            all.push(paragraph);
        }
    }
    all.join("\n\n")
}

/// The facts about its surroundings that are not about itself alone.
pub(super) fn own_facts(session: &Session) -> impl Iterator<Item = (&String, &Json)> {
    session.environment.iter().filter(|(key, _)| *key != COMPILED)
}

fn facts(target: &mut Session, session: &Session) -> Put {
    let mut put = Put::default();
    for (key, fact) in own_facts(session) {
        if target.environment.contains_key(key) {
            put.same += 1;
        } else {
            target.environment.insert(key.clone(), fact.clone());
            put.added += 1;
        }
    }
    put
}

fn decisions(target: &mut Session, name: &str, from: &str, session: &Session) -> Put {
    let mut put = Put::default();
    let before = target.clone();
    target.allot_decision_ids(&before);
    for (decision, id) in session.decisions.iter().zip(session.decision_ids()) {
        if let Some(known) =
            target.decisions.iter_mut().find(|known| read_the_same(&known.decision, &decision.decision))
        {
            let (own, there) = (format!("{name}#{}", known.id), format!("{from}#{id}"));
            unite_decisions(known, &own, there, &taken_over(from, &id, decision));
            put.same += 1;
        } else {
            target.decisions.push(taken_over(from, &id, decision));
            put.added += 1;
            let before = target.clone();
            target.allot_decision_ids(&before);
        }
    }
    put
}

/// The decision as another session takes it over.
pub(super) fn taken_over(session: &str, id: &str, decision: &Decision) -> Decision {
    let here = format!("{session}#{id}");
    let same_as = if decision.same_as.is_empty() { vec![here] } else { decision.same_as.clone() };
    // A bare id means one of its own session.
    let full = |wanted: &String| if wanted.contains('#') { wanted.clone() } else { format!("{session}#{wanted}") };
    let supersedes = decision.supersedes.as_ref().map(full);
    Decision { id: String::new(), same_as, supersedes, ..decision.clone() }
}

/// Unites a decision, which is called `own`, with what another session, where it is called `there`, says of it.
fn unite_decisions(known: &mut Decision, own: &str, there: String, other: &Decision) {
    let is_linked = other.same_as.iter().any(|link| link == own || known.same_as.contains(link));
    let was_its_own = known.same_as.is_empty();
    if !is_linked {
        known.same_as.extend(other.same_as.iter().cloned());
    }
    if other.revised && !known.revised {
        known.reason = other.reason.clone().or_else(|| known.reason.take());
        known.confidence = other.confidence;
        known.revised = true;
        if !known.same_as.contains(&there) {
            known.same_as.push(there);
        }
    }
    known.reason = known.reason.take().or_else(|| other.reason.clone());
    // What was decided here too counts as it stands here, also where the other is older.
    let says = |one: &Decision| (one.decision.clone(), one.reason.clone(), one.confidence);
    known.revised |= was_its_own && !is_linked && says(known) != says(other);
    for path in &other.paths {
        if !known.paths.contains(path) {
            known.paths.push(path.clone());
        }
    }
    known.supersedes = known.supersedes.take().or_else(|| other.supersedes.clone().filter(|wanted| wanted != own));
}

#[cfg(test)]
mod tests;
