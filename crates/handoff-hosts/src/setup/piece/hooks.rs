//! Our items in the lists of hooks, among those of others.

use serde_json::Value;

use super::super::Entry;
use super::super::edit::{Draft, Refusal, json};
use super::super::ours::{Whose, whose_item};
use super::{Found, Leave, State};

pub(super) fn put(at: &[String], items: &[Value], draft: &mut Draft, leave: Leave<'_>) -> Result<Found, Refusal> {
    let foreign = replace_peers(at, draft, leave)?.into_iter().collect();
    let before = draft.hunks.len();
    let had_some = json::items(draft, at)?.iter().any(|item| holds(item, Whose::Ours));
    take_from_groups(draft, at, Whose::Ours)?;
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

/// Takes our items out of a list, and the list itself where nothing is left. Says whether there were any.
pub(super) fn take(at: &[String], draft: &mut Draft) -> Result<bool, Refusal> {
    let had_some = take_all(draft, at, Whose::Ours)?;
    if had_some {
        json::prune(draft, at)?;
    }
    Ok(had_some)
}

/// Says whether handoff-mcp has hooks in a list, and takes them out where they are to be replaced.
pub(super) fn replace_peers(at: &[String], draft: &mut Draft, leave: Leave<'_>) -> Result<Option<String>, Refusal> {
    let has_some = if leave.replaces {
        take_all(draft, at, Whose::Peer)?
    } else {
        json::items(draft, at)?.iter().any(|item| holds(item, Whose::Peer))
    };
    let event = at.last().map_or("", String::as_str);
    Ok(has_some.then(|| format!("a hook of handoff-mcp at `{event}`")))
}

/// The lists beside those that are wanted: an older version, and others, may have used other events.
pub(super) fn other_lists(entries: &[Entry], draft: &Draft) -> Result<Vec<Vec<String>>, Refusal> {
    let wanted: Vec<&[String]> =
        entries.iter().filter(|entry| matches!(entry, Entry::Items { .. })).map(Entry::at).collect();
    let mut above: Vec<&[String]> = wanted.iter().filter_map(|at| at.split_last()).map(|(_, above)| above).collect();
    above.dedup();
    let mut lists = Vec::new();
    for above in above {
        for name in json::names(draft, above)? {
            let at: Vec<String> = above.iter().chain([&name]).cloned().collect();
            let is_list = matches!(json::get(draft, &at)?, Some(Value::Array(_)));
            if is_list && !wanted.contains(&at.as_slice()) {
                lists.push(at);
            }
        }
    }
    Ok(lists)
}

fn positions(list: &[Value], whose: Whose) -> Vec<usize> {
    (0..list.len()).filter(|index| whose_item(&list[*index]) == whose).collect()
}

fn holds(item: &Value, whose: Whose) -> bool {
    let handlers = item.get("hooks").and_then(Value::as_array);
    whose_item(item) == whose || handlers.is_some_and(|handlers| handlers.iter().any(|handler| holds(handler, whose)))
}

/// Takes somebody's items out of a list. Says whether there were any.
fn take_all(draft: &mut Draft, at: &[String], whose: Whose) -> Result<bool, Refusal> {
    if !json::items(draft, at)?.iter().any(|item| holds(item, whose)) {
        return Ok(false);
    }
    take_from_groups(draft, at, whose)?;
    remove_where(draft, at, whose)?;
    Ok(true)
}

fn remove_where(draft: &mut Draft, at: &[String], whose: Whose) -> Result<(), Refusal> {
    for index in positions(&json::items(draft, at)?, whose).into_iter().rev() {
        json::remove_item(draft, at, index)?;
    }
    Ok(())
}

/// Takes somebody's handlers out of groups in which others have theirs.
fn take_from_groups(draft: &mut Draft, at: &[String], whose: Whose) -> Result<(), Refusal> {
    for (index, item) in json::items(draft, at)?.iter().enumerate() {
        if whose_item(item) != whose && holds(item, whose) {
            let inner: Vec<String> = at.iter().cloned().chain([index.to_string(), "hooks".to_owned()]).collect();
            remove_where(draft, &inner, whose)?;
        }
    }
    Ok(())
}
