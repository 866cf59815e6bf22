//! Merging one value.

use std::cmp::Ordering;

use serde_json::{Map, Value as Json};

use super::lists;
use super::rules::{Rule, Rules};
use super::{Dispute, shown};
use crate::when::Moment;

/// A merge under way: which side is the later one, and what was disputed so far.
pub(super) struct Merging {
    /// How our side stands to theirs
    order: Ordering,
    latest: Option<Moment>,
    pub(super) disputes: Vec<Dispute>,
}

/// One value on each side; `None` where there is none.
#[derive(Clone, Copy)]
pub(super) struct Values<'a> {
    pub(super) base: Option<&'a Json>,
    pub(super) ours: Option<&'a Json>,
    pub(super) theirs: Option<&'a Json>,
}

impl Merging {
    pub(super) fn between(ours: &Map<String, Json>, theirs: &Map<String, Json>) -> Merging {
        let times = [ours, theirs].map(latest_in);
        Merging { order: times[0].cmp(&times[1]), latest: times.into_iter().flatten().max(), disputes: Vec::new() }
    }

    /// The last time either side tells.
    pub(super) fn latest(&self) -> Option<Moment> {
        self.latest
    }

    pub(super) fn tables(
        &mut self,
        rules: &Rules,
        base: Option<&Map<String, Json>>,
        ours: &Map<String, Json>,
        theirs: &Map<String, Json>,
    ) -> Map<String, Json> {
        self.tables_at("", rules, base, ours, theirs)
    }

    pub(super) fn tables_at(
        &mut self,
        place: &str,
        rules: &Rules,
        base: Option<&Map<String, Json>>,
        ours: &Map<String, Json>,
        theirs: &Map<String, Json>,
    ) -> Map<String, Json> {
        let mut merged = Map::new();
        let keys = ours.keys().chain(theirs.keys().filter(|key| !ours.contains_key(*key)));
        for key in keys {
            let field = if place.is_empty() { key.clone() } else { format!("{place}.{key}") };
            let values = Values {
                base: base.map(|base| base.get(key)).unwrap_or_default(),
                ours: ours.get(key),
                theirs: theirs.get(key),
            };
            let rule = rules.iter().find(|(name, _)| name == key).map(|(_, rule)| *rule);
            let value = match rule.unwrap_or_else(|| by_form(&values)) {
                Rule::Status => self.status(&field, base, ours, theirs),
                Rule::Follows => continue,
                rule => self.value(&field, rule, values, base.is_some()),
            };
            if let Some(value) = value {
                merged.insert(key.clone(), value);
            }
        }
        if rules.iter().any(|(_, rule)| matches!(rule, Rule::Status)) {
            self.reached(&mut merged, ours, theirs);
        }
        merged
    }

    pub(super) fn value(&mut self, field: &str, rule: Rule, values: Values<'_>, has_base: bool) -> Option<Json> {
        let Values { base, ours, theirs } = values;
        if ours == theirs {
            return ours.cloned();
        }
        if has_base && !matches!(rule, Rule::Log(_)) {
            if base == ours {
                return theirs.cloned();
            }
            if base == theirs {
                return ours.cloned();
            }
        }
        let (Some(one), Some(other)) = (ours, theirs) else {
            // One side has nothing: without a base that may be because the other added it, and what was changed on one
            // side outlives its removal on the other.
            return ours.or(theirs).cloned();
        };
        Some(match (rule, one, other) {
            (Rule::Table(rules), Json::Object(one), Json::Object(other)) => {
                let base = base.and_then(Json::as_object);
                self.tables_at(field, rules, base, one, other).into()
            }
            (Rule::Set, Json::Array(one), Json::Array(other)) => {
                lists::united(base.and_then(Json::as_array), one, other).into()
            }
            (Rule::Log(time), Json::Array(one), Json::Array(other)) => lists::appended(one, other, time).into(),
            (Rule::Keyed { by, rules }, Json::Array(one), Json::Array(other)) => {
                self.keyed(field, by, rules, base.and_then(Json::as_array), one, other).into()
            }
            (Rule::Either, Json::Bool(one), Json::Bool(other)) => (*one || *other).into(),
            (Rule::Highest, one, other) => if text_of(one) >= text_of(other) { one } else { other }.clone(),
            (Rule::Closed, one, other) if rank(one) != rank(other) => {
                if rank(one) > rank(other) { one } else { other }.clone()
            }
            (Rule::Later, one, other) => self.preferred(one, other).0.clone(),
            (_, one, other) => self.one(field, one, other),
        })
    }

    /// One of two values; the other is disputed.
    fn one(&mut self, field: &str, one: &Json, other: &Json) -> Json {
        let (kept, other) = self.preferred(one, other);
        self.disputes.push(Dispute { field: field.to_owned(), kept: shown(kept), other: shown(other) });
        kept.clone()
    }

    /// The value of the later side first; where both are as late, the order of their texts decides, so that it does not
    /// matter who merges.
    fn preferred<'a>(&self, one: &'a Json, other: &'a Json) -> (&'a Json, &'a Json) {
        let ours_first = self.order.then_with(|| text_of(one).cmp(&text_of(other))) != Ordering::Less;
        if ours_first { (one, other) } else { (other, one) }
    }

    /// The status that was set last, as the history tells.
    fn status(
        &mut self,
        field: &str,
        base: Option<&Map<String, Json>>,
        ours: &Map<String, Json>,
        theirs: &Map<String, Json>,
    ) -> Option<Json> {
        let values =
            Values { base: base.and_then(|base| base.get(field)), ours: ours.get(field), theirs: theirs.get(field) };
        let order = set_at(ours).cmp(&set_at(theirs));
        let is_open = values.ours != values.theirs && values.ours.is_some() && values.theirs.is_some();
        let one_changed = base.is_some() && (values.base == values.ours || values.base == values.theirs);
        if !is_open || one_changed || order == Ordering::Equal {
            return self.value(field, Rule::One, values, base.is_some());
        }
        let (kept, other, loser) = match order {
            Ordering::Greater => (values.ours?, values.theirs?, theirs),
            _ => (values.theirs?, values.ours?, ours),
        };
        // What stands in the history, which is kept whole, is not lost, and neither is what every task begins with.
        if !has_been(loser, other) && other.as_str() != Some("todo") {
            self.disputes.push(Dispute { field: field.to_owned(), kept: shown(kept), other: shown(other) });
        }
        Some(kept.clone())
    }

    /// When the status was reached is told by the side whose status it is.
    fn reached(&self, merged: &mut Map<String, Json>, ours: &Map<String, Json>, theirs: &Map<String, Json>) {
        let status = merged.get("status");
        let times = [ours, theirs].map(|side| side.get("completed_at").filter(|_| side.get("status") == status));
        let at = match times {
            [Some(one), Some(other)] => Some(self.preferred(one, other).0),
            [one, other] => one.or(other),
        };
        if let Some(at) = at {
            merged.insert("completed_at".to_owned(), at.clone());
        }
    }
}

fn by_form(values: &Values<'_>) -> Rule {
    match values.ours.or(values.theirs) {
        Some(Json::Object(_)) => Rule::Table(&[]),
        Some(Json::Array(_)) => Rule::Set,
        _ => Rule::One,
    }
}

/// When the history last says a status.
fn set_at(side: &Map<String, Json>) -> Option<Moment> {
    let entries = side.get("history").and_then(Json::as_array).into_iter().flatten();
    entries.filter(|entry| entry.get("status").is_some()).filter_map(|entry| moment(entry.get("at")?)).max()
}

/// Whether the history tells of a status.
fn has_been(side: &Map<String, Json>, status: &Json) -> bool {
    let mut entries = side.get("history").and_then(Json::as_array).into_iter().flatten();
    entries.any(|entry| entry.get("status") == Some(status))
}

/// The last time at which something is said to have happened.
fn latest_in(side: &Map<String, Json>) -> Option<Moment> {
    let times = side.iter().filter_map(|(key, value)| match value {
        Json::Object(inner) => latest_in(inner),
        Json::Array(items) => items.iter().filter_map(Json::as_object).filter_map(latest_in).max(),
        value if key != "expires_at" && (key == "at" || key.ends_with("_at")) => moment(value),
        _ => None,
    });
    times.max()
}

pub(super) fn moment(value: &Json) -> Option<Moment> {
    value.as_str()?.parse().ok()
}

fn rank(status: &Json) -> u8 {
    match status.as_str() {
        Some("closed") => 2,
        Some("paused") => 1,
        _ => 0,
    }
}

pub(super) fn text_of(value: &Json) -> String {
    match value {
        // Numbers of one length compare as they should.
        Json::Number(number) => format!("{number:>20}"),
        Json::String(text) => text.clone(),
        other => other.to_string(),
    }
}
