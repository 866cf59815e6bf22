//! Putting what is given into a list that is there.
//!
//! **Invariant:** an item that says the same is the same item: it is never doubled, and what is not said about it stays.

use super::input::{ChecklistInput, DecisionInput, NoteInput, ReferenceInput};
use super::{ChecklistItem, Decision, LineRange, Pointer, Reference, SessionNote};
use crate::change::Change;
use crate::id::TaskId;
use crate::text::{Name, Prose};

/// An item as it is given, and how it becomes one of a list.
pub(super) trait Given {
    type Item;

    /// Whether it speaks of this item.
    fn means(&self, item: &Self::Item) -> bool;

    /// The item as it is afterwards, made from the one it was.
    fn over(self, item: Option<Self::Item>) -> Self::Item;
}

/// Replaces a list or keeps it, as `change` says. The answer is what went.
pub(super) fn replace<G: Given>(list: &mut Vec<G::Item>, change: Change<Vec<G>>) -> Vec<G::Item> {
    let given = match change {
        Change::Keep => return Vec::new(),
        Change::Clear => Vec::new(),
        Change::Set(given) => given,
    };
    let mut gone = std::mem::take(list);
    add(list, &mut gone, given);
    gone
}

/// Adds to a list what is not there yet; what has `gone` in the same change comes back as it was.
pub(super) fn add<G: Given>(list: &mut Vec<G::Item>, gone: &mut Vec<G::Item>, given: Vec<G>) {
    for item in given {
        put(list, gone, item);
    }
}

fn put<G: Given>(list: &mut Vec<G::Item>, gone: &mut Vec<G::Item>, given: G) {
    if let Some(place) = list.iter().position(|item| given.means(item)) {
        let item = list.remove(place);
        list.insert(place, given.over(Some(item)));
    } else {
        let old = gone.iter().position(|item| given.means(item)).map(|place| gone.remove(place));
        list.push(given.over(old));
    }
}

impl Given for Prose {
    type Item = String;

    fn means(&self, item: &String) -> bool {
        self.as_str() == item
    }

    fn over(self, _: Option<String>) -> String {
        self.into()
    }
}

impl Given for Name {
    type Item = String;

    fn means(&self, item: &String) -> bool {
        self.as_str() == item
    }

    fn over(self, _: Option<String>) -> String {
        self.into()
    }
}

impl Given for TaskId {
    type Item = TaskId;

    fn means(&self, item: &TaskId) -> bool {
        self == item
    }

    fn over(self, _: Option<TaskId>) -> TaskId {
        self
    }
}

impl Given for DecisionInput {
    type Item = Decision;

    fn means(&self, item: &Decision) -> bool {
        match &self.id {
            Some(id) => *id == item.id,
            None => self.decision.as_str() == item.decision,
        }
    }

    fn over(self, item: Option<Decision>) -> Decision {
        let DecisionInput { decision, id: _, reason, confidence, paths, supersedes } = self;
        let mut item = item.unwrap_or_else(|| Decision {
            id: String::new(),
            decision: String::new(),
            reason: None,
            confidence: confidence.unwrap_or_default(),
            paths: Vec::new(),
            supersedes: None,
            same_as: Vec::new(),
            revised: false,
        });
        item.decision = decision.into();
        reason.map(String::from).apply_to(&mut item.reason);
        item.confidence = confidence.unwrap_or(item.confidence);
        match paths {
            Change::Keep => {}
            Change::Clear => item.paths.clear(),
            Change::Set(paths) => item.paths = paths.into_iter().map(String::from).collect(),
        }
        supersedes.map(String::from).apply_to(&mut item.supersedes);
        item
    }
}

impl Given for ChecklistInput {
    type Item = ChecklistItem;

    fn means(&self, item: &ChecklistItem) -> bool {
        self.item.as_str() == item.item
    }

    fn over(self, item: Option<ChecklistItem>) -> ChecklistItem {
        let (before, mut owner) = item.map_or((false, None), |item| (item.checked, item.owner));
        self.owner.apply_to(&mut owner);
        ChecklistItem { item: self.item.into(), checked: self.checked.unwrap_or(before), owner }
    }
}

impl Given for NoteInput {
    type Item = SessionNote;

    fn means(&self, item: &SessionNote) -> bool {
        self.note.as_str() == item.note
    }

    fn over(self, item: Option<SessionNote>) -> SessionNote {
        let before = item.map(|item| item.category);
        SessionNote { note: self.note.into(), category: self.category.or(before).unwrap_or_default() }
    }
}

impl Given for ReferenceInput {
    type Item = Reference;

    fn means(&self, item: &Reference) -> bool {
        self.uri.as_str() == item.uri
    }

    fn over(self, item: Option<Reference>) -> Reference {
        let (before, mut notes) = item.map_or((None, None), |item| (Some(item.kind), item.notes));
        self.notes.map(String::from).apply_to(&mut notes);
        let kind = self.kind.or(before).unwrap_or_default();
        Reference { kind, label: self.label.into(), uri: self.uri.into(), notes }
    }
}

/// A pointer whose path was found to lie inside the project.
pub(super) struct PointerInside {
    pub(super) path: String,
    pub(super) lines: Option<LineRange>,
    pub(super) reason: Change<Prose>,
}

impl Given for PointerInside {
    type Item = Pointer;

    fn means(&self, item: &Pointer) -> bool {
        self.path == item.path && self.lines.map(|lines| lines.to_string()) == item.lines
    }

    fn over(self, item: Option<Pointer>) -> Pointer {
        let (mut reason, blob) = item.map_or((None, None), |item| (item.reason, item.blob));
        self.reason.map(String::from).apply_to(&mut reason);
        Pointer { path: self.path, lines: self.lines.map(|lines| lines.to_string()), reason, blob }
    }
}
