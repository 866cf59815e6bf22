//! JSON that fits a budget: whole items of lists are left out, then whole texts, and what was left out is told.

use serde_json::{Map, Value, json};

/// Where it is told what was left out.
const LEFT_OUT: &str = "left_out";
/// Room for that note.
const NOTE: usize = 400;

/// The value in at most `budget` bytes. The last items of the largest list go first, so that what a page would show
/// first stays longest.
pub(crate) fn to_fit(mut value: Value, budget: usize) -> Value {
    if size(&value) <= budget || !value.is_object() {
        return value;
    }
    let room = budget.saturating_sub(NOTE);
    let mut left_out: Map<String, Value> = Map::new();
    // Each round leaves out something large, so few are needed; the bound only guards against a budget of nothing.
    for _ in 0..1_000 {
        let whole = size(&value);
        if whole <= room {
            break;
        }
        let Some(largest) = largest(&value) else { break };
        let Some(found) = value.pointer_mut(&largest) else { break };
        match found {
            Value::Array(items) => {
                let before = items.len();
                drop_items(items, whole - room);
                let dropped = before - items.len();
                let so_far = left_out.get(&largest).and_then(Value::as_u64).unwrap_or(0);
                left_out.insert(largest, json!(so_far + dropped as u64));
            }
            other => {
                left_out.insert(largest, json!(format!("{} bytes", size(other))));
                *other = Value::Null;
            }
        }
    }
    if let Value::Object(fields) = &mut value {
        fields.insert(LEFT_OUT.to_owned(), left_out.into());
    }
    value
}

/// Takes items from the end until `excess` bytes are saved or none is left.
fn drop_items(items: &mut Vec<Value>, excess: usize) {
    let mut saved = 0;
    while saved < excess
        && let Some(item) = items.pop()
    {
        saved += size(&item) + 1;
    }
}

/// Where the largest list with something in it lies, or else the longest text.
fn largest(value: &Value) -> Option<String> {
    let mut lists = Vec::new();
    let mut texts = Vec::new();
    collect(value, &mut String::new(), &mut lists, &mut texts);
    let largest = |found: Vec<(usize, String)>| found.into_iter().max_by_key(|(size, _)| *size).map(|(_, at)| at);
    let (list, text) = (lists.iter().map(|(size, _)| *size).max(), texts.iter().map(|(size, _)| *size).max());
    // A single long text inside a list is no reason to leave out the whole list.
    if text > list.map(|list| list / 2) { largest(texts) } else { largest(lists) }
}

fn collect(value: &Value, at: &mut String, lists: &mut Vec<(usize, String)>, texts: &mut Vec<(usize, String)>) {
    let mut within = |key: &str, member: &Value| {
        let length = at.len();
        at.push('/');
        at.push_str(&key.replace('~', "~0").replace('/', "~1"));
        collect(member, at, lists, texts);
        at.truncate(length);
    };
    match value {
        Value::Object(fields) => fields.iter().for_each(|(key, member)| within(key, member)),
        Value::Array(items) => {
            items.iter().enumerate().for_each(|(index, item)| within(&index.to_string(), item));
            if !items.is_empty() {
                lists.push((size(value), at.clone()));
            }
        }
        Value::String(_) => texts.push((size(value), at.clone())),
        _ => {}
    }
}

fn size(value: &Value) -> usize {
    value.to_string().len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_fits_is_left_alone() {
        let value = json!({"tasks": [1, 2, 3]});
        assert_eq!(to_fit(value.clone(), 100), value);
    }

    #[test]
    fn items_at_the_end_go_first_and_are_counted() {
        let tasks: Vec<Value> = (0..1000).map(|n| json!({"id": format!("task{n}"), "title": "Some title"})).collect();
        let fitted = to_fit(json!({"summary": {"todo": 1000}, "tasks": tasks}), 5_000);
        assert!(size(&fitted) <= 5_000, "{} bytes", size(&fitted));
        let kept = fitted["tasks"].as_array().unwrap().len();
        assert!(kept > 80, "{kept}");
        assert_eq!(fitted["tasks"][0]["id"], "task0");
        assert_eq!(fitted["summary"]["todo"], 1000);
        assert_eq!(fitted["left_out"], json!({"/tasks": 1000 - kept}));
    }

    #[test]
    fn one_long_text_goes_alone() {
        let value = json!({"id": "a", "description": "x".repeat(20_000), "notes": [{"text": "y".repeat(20_000)}, {"text": "short"}]});
        let fitted = to_fit(value, 5_000);
        assert!(size(&fitted) <= 5_000);
        assert_eq!(fitted["id"], "a");
        assert_eq!(fitted["description"], Value::Null);
        assert_eq!(fitted["notes"][1]["text"], "short");
        assert_eq!(fitted["left_out"], json!({"/description": "20002 bytes", "/notes/0/text": "20002 bytes"}));
    }
}
