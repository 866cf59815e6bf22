//! Our items in the lists of hooks, among those of others.

use serde_json::Value;

use super::super::Entry;
use super::super::edit::{Draft, Refusal, json};
use super::super::ours::{Whose, whose_item};
use super::{Found, Leave, State};

pub(super) fn put(at: &[String], items: &[Value], draft: &mut Draft, leave: Leave<'_>) -> Result<Found, Refusal> {
    let mut foreign = Vec::new();
    let present = json::items(draft, at)?;
    if present.iter().any(|item| whose_item(item) == Whose::Peer) {
        let event = at.last().map_or("", String::as_str);
        foreign.push(format!("a hook of handoff-mcp at `{event}`"));
        if leave.replaces {
            remove_where(draft, at, Whose::Peer)?;
        }
    }
    let before = draft.hunks.len();
    let had_some = present.iter().any(holds_ours);
    take_from_groups(draft, at)?;
    let ours = positions(&json::items(draft, at)?, Whose::Ours);
    for (index, item) in ours.iter().zip(items) {
        if json::items(draft, at)?[*index] != *item {
            json::replace_item(draft, at, *index, item)?;
        }
    }
    for index in ours.iter().skip(items.len()).rev() {
        json::remove_item(draft, at, *index)?;
    }
    for item in items.iter().skip(ours.len()) {
        json::append(draft, at, item)?;
    }
    let state = match () {
        () if draft.hunks.len() == before => State::Current,
        () if had_some => State::Outdated,
        () => State::Missing,
    };
    Ok(Found { foreign, ..Found::plain(state) })
}

/// Takes our items out of a list, and the list itself where nothing is left.
pub(super) fn take(at: &[String], draft: &mut Draft) -> Result<(), Refusal> {
    if !json::items(draft, at)?.iter().any(holds_ours) {
        return Ok(());
    }
    take_from_groups(draft, at)?;
    remove_where(draft, at, Whose::Ours)?;
    json::prune(draft, at)
}

/// Takes our items out of the lists beside those that are wanted: an older version may have used other events.
pub(super) fn remove_others(entries: &[Entry], draft: &mut Draft) -> Result<bool, Refusal> {
    let wanted: Vec<&[String]> =
        entries.iter().filter(|entry| matches!(entry, Entry::Items { .. })).map(Entry::at).collect();
    let mut above: Vec<&[String]> = wanted.iter().filter_map(|at| at.split_last()).map(|(_, above)| above).collect();
    above.dedup();
    let before = draft.hunks.len();
    for above in above {
        for name in json::names(draft, above)? {
            let at: Vec<String> = above.iter().chain([&name]).cloned().collect();
            let is_list = matches!(json::get(draft, &at)?, Some(Value::Array(_)));
            if is_list && !wanted.contains(&at.as_slice()) {
                take(&at, draft)?;
            }
        }
    }
    Ok(draft.hunks.len() > before)
}

fn positions(list: &[Value], whose: Whose) -> Vec<usize> {
    (0..list.len()).filter(|index| whose_item(&list[*index]) == whose).collect()
}

fn holds_ours(item: &Value) -> bool {
    let handlers = item.get("hooks").and_then(Value::as_array);
    whose_item(item) == Whose::Ours || handlers.is_some_and(|handlers| handlers.iter().any(holds_ours))
}

fn remove_where(draft: &mut Draft, at: &[String], whose: Whose) -> Result<(), Refusal> {
    for index in positions(&json::items(draft, at)?, whose).into_iter().rev() {
        json::remove_item(draft, at, index)?;
    }
    Ok(())
}

/// Takes our handlers out of groups in which others have theirs.
fn take_from_groups(draft: &mut Draft, at: &[String]) -> Result<(), Refusal> {
    for (index, item) in json::items(draft, at)?.iter().enumerate() {
        if whose_item(item) == Whose::Other && holds_ours(item) {
            let inner: Vec<String> = at.iter().cloned().chain([index.to_string(), "hooks".to_owned()]).collect();
            remove_where(draft, &inner, Whose::Ours)?;
        }
    }
    Ok(())
}
