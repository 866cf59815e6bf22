//! What handoffs before the last one still have to say: the pointers of what is open, and notes.

use std::collections::HashSet;
use std::sync::Arc;

use handoff_model::id::SessionId;
use handoff_model::relevant::{Candidate, Kind, Query, paths_in, relevant};
use handoff_model::session::open_items::OpenItems;
use handoff_model::session::{NoteCategory, Pointer};
use handoff_store::{FoundSession, Sessions};

use super::context::{Context, NoteInContext};
use super::gather::{Focus, add_pointers, at_hand, extend_new, is_handoff, words_at_hand};
use super::page::{NOTES, POINTERS};

/// Handoffs before the last one whose notes, and sessions with open items whose pointers, are offered in any case.
const RECENT: usize = 10;
/// Older notes that are weighed against what is at hand; the rest is only counted.
const MAX_WEIGHED: usize = 500;

/// Adds the pointers of earlier sessions that name an item which is still open, the latest first, and counts those of the
/// sessions beyond the first ones. The answer is the sessions whose pointers are added.
pub(super) fn add_pointers_of_open_items(
    context: &mut Context,
    sessions: &Sessions,
    archived: &Sessions,
    focus: &Focus,
    items: &OpenItems<'_>,
) -> Vec<Arc<FoundSession>> {
    let named: HashSet<&str> = items.open().iter().flat_map(|item| [item.home, item.last_named_in]).collect();
    let is_shown = |found: &FoundSession| focus.sessions().any(|shown| shown.name == found.name);
    let all = sessions.list.iter().chain(&archived.list);
    let earlier = all.filter(|found| named.contains(found.name.as_str()) && !is_shown(found));
    let mut earlier = earlier.filter(|found| !found.session.pointers.is_empty());
    let shown: Vec<Arc<FoundSession>> = earlier.by_ref().take(RECENT).cloned().collect();
    for found in &shown {
        add_pointers(context, found);
    }
    let is_known = |pointer: &&Pointer| {
        context.pointers.iter().any(|known| known.path == pointer.path && known.lines == pointer.lines)
    };
    let beyond = earlier.flat_map(|found| &found.session.pointers).filter(|pointer| !is_known(pointer));
    let beyond: HashSet<_> = beyond.map(|pointer| (&pointer.path, &pointer.lines)).collect();
    count(context, POINTERS, beyond.len());
    shown
}

/// Adds the notes of earlier handoffs, the latest first. They fade: older ones stay as long as they are about what is at
/// hand, and are counted after that.
pub(super) fn add_notes(context: &mut Context, sessions: &Sessions, archived: &Sessions, focus: &Focus) {
    let shown: Vec<&SessionId> = focus.sessions().map(|found| &found.session.id).collect();
    let is_earlier = |found: &&Arc<FoundSession>| is_handoff(found) && !shown.contains(&&found.session.id);
    let mut old = Vec::new();
    for (place, found) in sessions.list.iter().chain(&archived.list).filter(is_earlier).enumerate() {
        let notes = found.session.notes.iter().filter(|note| note.category != NoteCategory::Caution);
        let list = if place < RECENT { &mut context.notes } else { &mut old };
        extend_new(list, notes.map(NoteInContext::of));
    }
    old.retain(|note| !context.notes.contains(note));
    let used = about_what_is_at_hand(context, focus, &old);
    count(context, NOTES, old.len() - used.len());
    context.notes.extend(used);
}

/// The notes that name files at hand, or share telling words with what is open or was done last.
fn about_what_is_at_hand(context: &Context, focus: &Focus, notes: &[NoteInContext]) -> Vec<NoteInContext> {
    let heads = context.session.iter().chain(context.continued());
    let told = heads.flat_map(|head| [Some(&head.title), head.summary.as_ref()]).flatten();
    let words = told.map(String::as_str).chain([words_at_hand(context).as_str()]).collect::<Vec<_>>().join("\n");
    let paths = at_hand(context, focus);
    let weighed = &notes[..notes.len().min(MAX_WEIGHED)];
    let candidate = |note: &NoteInContext| Candidate {
        key: String::new(),
        kind: Kind::Memory,
        text: note.note.clone(),
        more: String::new(),
        paths: paths_in(&note.note),
    };
    let candidates: Vec<Candidate> = weighed.iter().map(candidate).collect();
    let hits = relevant(&Query { words: &words, paths: &paths }, &candidates, candidates.len());
    let mut places: Vec<usize> = hits.iter().map(|hit| hit.place).collect();
    places.sort_unstable();
    places.into_iter().map(|place| weighed[place].clone()).collect()
}

fn count(context: &mut Context, list: &'static str, left_out: usize) {
    if left_out > 0 {
        *context.left_out.entry(list).or_default() += left_out;
    }
}
