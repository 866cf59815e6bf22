//! Decisions that both sides numbered alike, and that are not the same.

use serde_json::{Map, Value as Json};

/// Gives one of two different decisions with one id, both new, another id. A decision that the other side has under
/// another id already takes that one.
pub(super) fn keep_apart(
    base: Option<&Map<String, Json>>,
    ours: &mut Map<String, Json>,
    theirs: &mut Map<String, Json>,
) {
    let known = base.map(list).unwrap_or_default();
    let mut highest = [&*ours, &*theirs].map(highest_in).into_iter().max().unwrap_or(0);
    let mut renamed = Vec::new();
    for one in list(ours) {
        let id = text(&one, "id");
        let is_new = !id.is_empty() && !known.iter().any(|decision| text(decision, "id") == id);
        let Some(other) = list(theirs).into_iter().find(|other| text(other, "id") == id).filter(|_| is_new) else {
            continue;
        };
        if text(&one, "decision") == text(&other, "decision") {
            continue;
        }
        // By their texts, so that both sides come to the same.
        let ours_moves = text(&one, "decision") > text(&other, "decision");
        let (moving, target) = if ours_moves { (&one, list(theirs)) } else { (&other, list(ours)) };
        let same = target.iter().find(|decision| text(decision, "decision") == text(moving, "decision"));
        let new =
            same.map(|decision| text(decision, "id").to_owned()).filter(|id| !id.is_empty()).unwrap_or_else(|| {
                highest += 1;
                format!("d{highest}")
            });
        renamed.push((ours_moves, id.to_owned(), new));
    }
    for (ours_moves, old, new) in renamed {
        let side = if ours_moves { &mut *ours } else { &mut *theirs };
        let items = side.get_mut("decisions").and_then(Json::as_array_mut);
        let item = items.into_iter().flatten().find(|item| text(item, "id") == old);
        if let Some(Json::Object(item)) = item {
            item.insert("id".to_owned(), new.into());
        }
    }
}

fn list(side: &Map<String, Json>) -> Vec<Json> {
    side.get("decisions").and_then(Json::as_array).cloned().unwrap_or_default()
}

fn text<'a>(item: &'a Json, key: &str) -> &'a str {
    item.get(key).and_then(Json::as_str).unwrap_or_default()
}

/// The highest number a decision of this session was given.
fn highest_in(side: &Map<String, Json>) -> u64 {
    let given = list(side).iter().filter_map(|item| text(item, "id").strip_prefix('d')?.parse().ok()).max();
    given.max(side.get("last_decision").and_then(Json::as_u64)).unwrap_or(0)
}
