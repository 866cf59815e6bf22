//! Lists of open items, to which what is given is added.

use super::super::input::{ChecklistInput, NoteInput};
use super::super::merge::{self, Given};
use super::super::{ChecklistItem, NoteCategory, SessionNote};
use crate::change::Change;
use crate::text::Prose;

/// Puts the items given first, in their order. The answer is what went: everything for `null`, and with `is_whole` what
/// is not among those given.
pub(super) fn give(list: &mut Vec<String>, given: Change<Vec<Prose>>, is_whole: bool) -> Vec<String> {
    let given = match given {
        Change::Keep if is_whole => Vec::new(),
        Change::Keep => return Vec::new(),
        Change::Clear => return std::mem::take(list),
        Change::Set(given) => given,
    };
    let mut rest = std::mem::take(list);
    merge::add(list, &mut rest, given);
    if is_whole {
        return rest;
    }
    list.append(&mut rest);
    Vec::new()
}

/// The same for a checklist; the answer is what went and was not ticked.
pub(super) fn give_checklist(list: &mut Vec<ChecklistItem>, given: Change<Vec<ChecklistInput>>) -> Vec<String> {
    match given {
        Change::Keep => Vec::new(),
        Change::Clear => {
            let gone = std::mem::take(list).into_iter().filter(|item| !item.checked);
            gone.map(|item| item.item).collect()
        }
        Change::Set(given) => {
            let mut rest = std::mem::take(list);
            merge::add(list, &mut rest, given);
            list.append(&mut rest);
            Vec::new()
        }
    }
}

/// Replaces notes; a caution stays, since it is in force until it is taken back by name. The answer is what went.
pub(super) fn replace_notes(list: &mut Vec<SessionNote>, given: Change<Vec<NoteInput>>) -> Vec<SessionNote> {
    let Change::Set(given) = given else { return merge::replace(list, given) };
    let (cautions, mut gone): (Vec<_>, Vec<_>) =
        std::mem::take(list).into_iter().partition(|note| note.category == NoteCategory::Caution);
    let kept: Vec<_> = cautions.iter().filter(|note| !given.iter().any(|given| given.means(note))).cloned().collect();
    gone.extend(cautions);
    merge::add(list, &mut gone, given);
    gone.retain(|note| !kept.contains(note));
    list.extend(kept);
    gone
}
