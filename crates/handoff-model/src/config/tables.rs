//! Plain tables of settings.

use serde_json::Value as Json;
use toml::{Table, Value};

/// Sets a value by its path or takes it away; `false` when something other than a table is in the way.
pub(crate) fn put(table: &mut Table, path: &[String], value: Option<Value>) -> bool {
    let Some((first, rest)) = path.split_first() else { return false };
    if rest.is_empty() {
        match value {
            Some(value) => table.insert(first.clone(), value),
            None => table.remove(first),
        };
        return true;
    }
    if value.is_none() && !table.contains_key(first) {
        return true;
    }
    match table.entry(first.clone()).or_insert_with(|| Value::Table(Table::new())) {
        Value::Table(inner) => put(inner, rest, value),
        _ => false,
    }
}

/// Lays one table over another, setting by setting.
pub(super) fn overlay(below: &mut Table, above: &Table) {
    for (key, value) in above {
        match (below.get_mut(key), value) {
            (Some(Value::Table(below)), Value::Table(above)) => overlay(below, above),
            _ => {
                below.insert(key.clone(), value.clone());
            }
        }
    }
}

/// A table without the empty ones in it: they say nothing, and may or may not be left behind.
pub(crate) fn pruned(table: Table) -> Table {
    let kept = table.into_iter().filter_map(|(key, value)| match value {
        Value::Table(inner) => {
            let inner = pruned(inner);
            (!inner.is_empty()).then_some((key, Value::Table(inner)))
        }
        value => Some((key, value)),
    });
    kept.collect()
}

/// Everything in an object that is not itself an object, by path.
pub(super) fn leaves(json: &Json) -> Vec<(Vec<String>, &Json)> {
    let mut found = Vec::new();
    for (part, value) in json.as_object().into_iter().flatten() {
        if value.is_object() {
            found.extend(leaves(value).into_iter().map(|(mut path, leaf)| {
                path.insert(0, part.clone());
                (path, leaf)
            }));
        } else {
            found.push((vec![part.clone()], value));
        }
    }
    found
}
