//! What is different between two states of one record, field by field.

use serde_json::{Map, Value as Json};

use crate::heal::hidden;

/// The longest value that is shown, in characters.
const SHOWN: usize = 48;

/// The items of these lists are told by what they say in this field, and called by this word.
const LISTS: &[(&str, &str, &str)] = &[
    ("done_criteria", "criterion", "item"),
    ("notes", "note", "text"),
    ("links", "link", "target"),
    ("decisions", "decision", "decision"),
    ("checklist", "checklist item", "item"),
    ("references", "reference", "uri"),
    ("settled", "settled", "text"),
    ("pointers", "pointer", "path"),
    ("intervals", "interval", "task"),
];

/// What changed from one object to the other, but for some fields.
pub(super) fn differences(before: &Map<String, Json>, after: &Map<String, Json>, unsaid: &[&str]) -> Vec<String> {
    let mut words = Vec::new();
    let keys = after.keys().chain(before.keys().filter(|key| !after.contains_key(*key)));
    for key in keys.filter(|key| !unsaid.contains(&key.as_str())) {
        difference(key, before.get(key), after.get(key), &mut words);
    }
    words
}

fn difference(key: &str, before: Option<&Json>, after: Option<&Json>, words: &mut Vec<String>) {
    if before == after {
        return;
    }
    let list = |value: Option<&Json>| value.and_then(Json::as_array).cloned();
    let object = |value: Option<&Json>| value.and_then(Json::as_object).cloned();
    if let (Some(old), Some(new)) = (either(list, before, after), either(list, after, before)) {
        return items(key, &old, &new, words);
    }
    if let (Some(old), Some(new)) = (either(object, before, after), either(object, after, before)) {
        words.extend(differences(&old, &new, &[]));
        return;
    }
    let text = |value: Option<&Json>| value.and_then(Json::as_str).map(str::to_owned);
    if let (Some(old), Some(new)) = (text(before), text(after))
        && hidden::written_out(&old) == new
    {
        words.push(format!("{key} with hidden characters written out"));
        return;
    }
    words.push(match (before.map(shown), after.map(shown)) {
        (None, Some(Some(after))) => format!("{key} {after}"),
        (None, _) => format!("{key} set"),
        (_, None) => format!("{key} cleared"),
        (Some(Some(before)), Some(Some(after))) => format!("{key} {before} → {after}"),
        _ => format!("{key} changed"),
    });
}

/// The value in a form; where it is absent and the other has that form, an empty one.
fn either<T: Default>(
    form: impl Fn(Option<&Json>) -> Option<T>,
    value: Option<&Json>,
    other: Option<&Json>,
) -> Option<T> {
    match value {
        None => form(other).map(|_| T::default()),
        Some(_) => form(value),
    }
}

fn items(key: &str, before: &[Json], after: &[Json], words: &mut Vec<String>) {
    let told_before = words.len();
    let known = LISTS.iter().find(|(list, ..)| *list == key);
    let told_by = |item: &Json| -> String {
        let field = known.map(|(_, _, field)| *field);
        // Notes of sessions and of tasks are worded differently.
        let text = field.and_then(|field| item.get(field).or_else(|| item.get("note"))).unwrap_or(item);
        text.as_str().map_or_else(|| text.to_string(), str::to_owned)
    };
    let noun = known.map_or(key, |(_, noun, _)| *noun);
    // Those that stay as they are first: of two that read alike, one may be new.
    let mut gone: Vec<&Json> = before.iter().collect();
    let mut new: Vec<&Json> = after.iter().collect();
    new.retain(|item| match gone.iter().position(|old| old == item) {
        Some(place) => {
            gone.remove(place);
            false
        }
        None => true,
    });
    let mut added = Vec::new();
    for item in new {
        match gone.iter().position(|old| told_by(old) == told_by(item)) {
            Some(place) => words.push(changed_item(noun, &told_by(item), gone.remove(place), item)),
            None => added.push(cut(&told_by(item))),
        }
    }
    let removed: Vec<String> = gone.into_iter().map(|item| cut(&told_by(item))).collect();
    for (names, deed) in [(added, "added"), (removed, "removed")] {
        if !names.is_empty() {
            words.push(counted(noun, &names, deed));
        }
    }
    if words.len() == told_before {
        words.push(format!("{key} put in another order"));
    }
}

fn changed_item(noun: &str, name: &str, before: &Json, after: &Json) -> String {
    let what = match (before.get("checked"), after.get("checked")) {
        (Some(Json::Bool(false)), Some(Json::Bool(true))) => "checked",
        (Some(Json::Bool(true)), Some(Json::Bool(false))) => "unchecked",
        _ => "changed",
    };
    format!("{noun} “{}” {what}", cut(name))
}

fn counted(noun: &str, names: &[String], deed: &str) -> String {
    match names {
        [name] => format!("{noun} “{name}” {deed}"),
        names => format!("{} × {noun} {deed}", names.len()),
    }
}

/// A short value; `None` for one that is too long to be read in passing.
fn shown(value: &Json) -> Option<String> {
    let text = match value {
        Json::String(text) => text.clone(),
        Json::Array(_) | Json::Object(_) => return None,
        other => other.to_string(),
    };
    (text.chars().count() <= SHOWN && !text.contains('\n')).then_some(text)
}

/// The beginning of a text, on one line.
pub(super) fn cut(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(SHOWN) {
        None => line,
        Some((end, _)) => format!("{}…", line[..end].trim_end()),
    }
}
