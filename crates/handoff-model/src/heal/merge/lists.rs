//! Merging lists.

use serde_json::{Map, Value as Json};

use super::rules::Rules;
use super::values::{Merging, moment, text_of};

/// Every item once, ours first. With a base, what one side took out stays out.
pub(super) fn united(base: Option<&Vec<Json>>, ours: &[Json], theirs: &[Json]) -> Vec<Json> {
    let was_there = |item: &Json| base.is_some_and(|base| base.contains(item));
    let mut united: Vec<Json> = Vec::new();
    let kept = ours.iter().filter(|item| theirs.contains(item) || !was_there(item));
    let added = theirs.iter().filter(|item| !ours.contains(item) && !was_there(item));
    for item in kept.chain(added) {
        if !united.contains(item) {
            united.push(item.clone());
        }
    }
    united
}

/// Every item of both, in the order of their times. Items that say the same are one.
pub(super) fn appended(ours: &[Json], theirs: &[Json], time: &str) -> Vec<Json> {
    let mut all = ours.to_vec();
    // One side may say the same twice, and mean it.
    for item in theirs {
        let count = |list: &[Json]| list.iter().filter(|other| *other == item).count();
        if count(&all) < count(theirs) {
            all.push(item.clone());
        }
    }
    sort_by_time(&mut all, time);
    all
}

pub(super) fn sort_by_time(items: &mut [Json], time: &str) {
    // What a merge itself had to say comes after what it is about.
    let is_ours = |item: &Json| item.get("by").and_then(Json::as_str) == Some("handoff");
    items.sort_by_cached_key(|item| (item.get(time).and_then(moment), is_ours(item), text_of(item)));
}

impl Merging {
    pub(super) fn keyed(
        &mut self,
        field: &str,
        by: &[&str],
        rules: &Rules,
        base: Option<&Vec<Json>>,
        ours: &[Json],
        theirs: &[Json],
    ) -> Vec<Json> {
        let key = |item: &Json| by.iter().map(|name| item.get(name).cloned()).collect::<Vec<_>>();
        let in_list = |list: &[Json], wanted: &Json| list.iter().find(|item| key(item) == key(wanted)).cloned();
        let in_base = |item: &Json| base.and_then(|base| in_list(base, item));
        let mut merged: Vec<Json> = Vec::new();
        for item in ours {
            let before = in_base(item);
            match in_list(theirs, item) {
                Some(other) if other == *item => merged.push(item.clone()),
                Some(other) => {
                    let place = match key(item).into_iter().flatten().next() {
                        Some(Json::String(name)) => format!("{field}[{}]", crate::id::shorten(&name)),
                        _ => field.to_owned(),
                    };
                    merged.push(self.item(&place, rules, before.as_ref(), item, &other));
                }
                // Taken out on the other side, and not changed on this one.
                None if before.as_ref() == Some(item) => {}
                None => merged.push(item.clone()),
            }
        }
        for item in theirs.iter().filter(|item| in_list(ours, item).is_none()) {
            if in_base(item).as_ref() != Some(item) {
                merged.push(item.clone());
            }
        }
        merged
    }

    fn item(&mut self, place: &str, rules: &Rules, base: Option<&Json>, ours: &Json, theirs: &Json) -> Json {
        let nothing = Map::new();
        let (ours, theirs) = (ours.as_object().unwrap_or(&nothing), theirs.as_object().unwrap_or(&nothing));
        self.tables_at(place, rules, base.and_then(Json::as_object), ours, theirs).into()
    }
}
