//! Lists changed item by item, so that what a person added to an item stays with it.

use serde_json::{Map, Value as Json};
use toml_edit::{Array, ArrayOfTables, Item, Table, TableLike, Value};

use super::{inline_value, new_table, patch as patch_table};

/// Brings the list in `item` from `old` to `new`; `false` when its form does not allow that.
pub(super) fn patch(item: &mut Item, key: &str, old: &[Json], new: &[Json]) -> bool {
    match item {
        Item::ArrayOfTables(list) if list.len() == old.len() && new.iter().all(Json::is_object) => {
            patch_tables(list, old, new);
            true
        }
        Item::Value(Value::Array(array)) if array.len() == old.len() => {
            patch_array(array, key, old, new);
            true
        }
        _ => false,
    }
}

fn patch_tables(list: &mut ArrayOfTables, old: &[Json], new: &[Json]) {
    let mut present: Vec<Option<Table>> = std::mem::take(list).into_iter().map(Some).collect();
    let sources = sources(old, new);
    let kept: Vec<usize> = sources.iter().copied().flatten().collect();
    let mut waiting = hand_down_comments(&mut present, &kept);
    let earliest = present.iter().flatten().filter_map(Table::position).min();
    // Added at the end, a table follows the others by itself.
    let keeps_order = kept.is_sorted() && sources.is_sorted_by_key(Option::is_none);
    for (source, value) in sources.into_iter().zip(new) {
        let Some(map) = value.as_object() else { continue };
        let kept = source.and_then(|index| Some((present[index].take()?, old[index].as_object()?)));
        match kept {
            None => {
                let mut table = new_table(map);
                // Nobody that stays took the comments of those that go.
                if !waiting.is_empty() {
                    table.decor_mut().set_prefix(std::mem::take(&mut waiting) + "\n");
                }
                list.push(table);
            }
            Some((mut table, before)) => {
                patch_table(&mut table, before, map);
                list.push(table);
            }
        }
    }
    if !keeps_order {
        regroup(list, earliest);
    }
}

/// Gives the comments above tables that go to the next one that stays, and returns those that none was left for.
fn hand_down_comments(tables: &mut [Option<Table>], kept: &[usize]) -> String {
    let mut waiting = String::new();
    for (index, table) in tables.iter_mut().enumerate() {
        let Some(table) = table else { continue };
        let prefix = table.decor().prefix().and_then(|raw| raw.as_str()).unwrap_or_default().to_owned();
        if !kept.contains(&index) {
            if prefix.contains('#') {
                waiting.push_str(&prefix);
            }
        } else if !waiting.is_empty() {
            table.decor_mut().set_prefix(std::mem::take(&mut waiting) + &prefix);
        }
    }
    waiting
}

/// Tables are printed by position. When their order changes they are gathered where the earliest stood: the one that
/// comes first gets that place, and those without one follow it.
fn regroup(list: &mut ArrayOfTables, earliest: Option<isize>) {
    list.iter_mut().for_each(forget_position);
    if let Some(first) = list.iter_mut().next() {
        first.set_position(earliest);
    }
}

fn forget_position(table: &mut Table) {
    table.set_position(None);
    for (_, item) in table.iter_mut() {
        match item {
            Item::Table(inner) => forget_position(inner),
            Item::ArrayOfTables(inner) => inner.iter_mut().for_each(forget_position),
            Item::None | Item::Value(_) => {}
        }
    }
}

fn patch_array(array: &mut Array, key: &str, old: &[Json], new: &[Json]) {
    let mut present: Vec<Option<Value>> = array.iter().cloned().map(Some).collect();
    let prefix = present.iter().flatten().next().map(prefix_of).unwrap_or_default();
    let sources = sources(old, new);
    let mut comments = orphaned_comments(&present, &sources);
    // Emptied, not replaced: the blanks and comments around the list belong to it.
    array.clear();
    for (source, value) in sources.into_iter().zip(new) {
        let kept = source.and_then(|index| Some((index, present[index].take()?)));
        match kept {
            Some((index, mut kept)) => {
                if old[index] != *value {
                    change(&mut kept, key, &old[index], value);
                }
                if let Some(comment) = comments[index].take() {
                    let own = prefix_of(&kept);
                    let gap = if own.contains('\n') { "" } else { "\n" };
                    kept.decor_mut().set_prefix(format!("{comment}{gap}{own}"));
                }
                array.push_formatted(kept);
            }
            None => {
                let Some(mut fresh) = inline_value(key, value) else { continue };
                // An item of a list with one item a line gets a line of its own too; comments are not copied.
                let line_start = prefix.rfind('\n').map(|newline| prefix[newline..].to_owned());
                match line_start.filter(|_| !array.is_empty()) {
                    Some(prefix) => {
                        let said = said_behind_the_last(array);
                        fresh.decor_mut().set_prefix(format!("{said}{prefix}"));
                        array.push_formatted(fresh);
                    }
                    None => array.push(fresh),
                }
            }
        }
    }
    if let Some(comment) = comments.pop().flatten() {
        let own = array.trailing().as_str().unwrap_or_default();
        let gap = if own.contains('\n') { "" } else { "\n" };
        array.set_trailing(format!("{comment}{gap}{own}"));
    }
}

/// Takes the comment that stands on the line of the last item, so that it stays there when another one follows.
fn said_behind_the_last(array: &mut Array) -> String {
    let trailing = array.trailing().as_str().unwrap_or_default().to_owned();
    match trailing.split_once('\n') {
        Some((said, rest)) if said.trim_start().starts_with('#') => {
            array.set_trailing(format!("\n{rest}"));
            said.to_owned()
        }
        _ => String::new(),
    }
}

/// The comments in front of items that go, each at the place of the next item that stays, or at the end of the list.
fn orphaned_comments(present: &[Option<Value>], sources: &[Option<usize>]) -> Vec<Option<String>> {
    let mut comments: Vec<Option<String>> = vec![None; present.len() + 1];
    let mut waiting = String::new();
    for (index, value) in present.iter().enumerate() {
        if sources.contains(&Some(index)) {
            comments[index] = Some(std::mem::take(&mut waiting)).filter(|comment| !comment.is_empty());
        } else if let Some(prefix) = value.as_ref().map(prefix_of).filter(|prefix| prefix.contains('#')) {
            waiting.push_str(prefix.trim_end());
        }
    }
    comments[present.len()] = Some(waiting).filter(|comment| !comment.is_empty());
    comments
}

fn prefix_of(value: &Value) -> String {
    value.decor().prefix().and_then(|raw| raw.as_str()).unwrap_or_default().to_owned()
}

fn change(present: &mut Value, key: &str, before: &Json, value: &Json) {
    match (present.as_inline_table_mut(), before.as_object(), value.as_object()) {
        (Some(table), Some(before), Some(value)) => patch_table(table as &mut dyn TableLike, before, value),
        _ => replace(present, key, value),
    }
}

fn replace(present: &mut Value, key: &str, value: &Json) {
    if let Some(mut fresh) = inline_value(key, value) {
        *fresh.decor_mut() = present.decor().clone();
        *present = fresh;
    }
}

/// For each new item, the old one it comes from: equal ones first, then what is left in order.
fn sources(old: &[Json], new: &[Json]) -> Vec<Option<usize>> {
    let same_front = old.iter().zip(new).take_while(|(old, new)| old == new).count();
    let same_back =
        old[same_front..].iter().rev().zip(new[same_front..].iter().rev()).take_while(|(old, new)| old == new).count();
    let middle_old = same_front..old.len() - same_back;
    let middle_new = same_front..new.len() - same_back;

    let mut found: Vec<Option<usize>> = vec![None; new.len()];
    for (index, place) in found.iter_mut().enumerate().take(same_front) {
        *place = Some(index);
    }
    for back in 1..=same_back {
        found[new.len() - back] = Some(old.len() - back);
    }
    let mut free: Vec<usize> = middle_old.collect();
    for alike in [exactly as fn(&Json, &Json) -> bool, mostly] {
        for index in middle_new.clone() {
            if found[index].is_none()
                && let Some(place) = free.iter().position(|&candidate| alike(&old[candidate], &new[index]))
            {
                found[index] = Some(free.remove(place));
            }
        }
    }
    found
}

fn exactly(old: &Json, new: &Json) -> bool {
    old == new
}

/// Two versions of one item agree in what names it, which is its first text.
fn mostly(old: &Json, new: &Json) -> bool {
    fn name(map: &Map<String, Json>) -> Option<&Json> {
        map.values().find(|value| value.is_string())
    }
    match (old.as_object(), new.as_object()) {
        (Some(old), Some(new)) => name(old).is_some() && name(old) == name(new),
        _ => false,
    }
}
