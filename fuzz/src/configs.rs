//! Configurations, and changes from one to another.

use handoff_model::config::{Assignment, Config, apply};
use handoff_model::text::{Name, Prose};
use serde_json::{Map, Value as Json, json};

use crate::choices::Choices;
use crate::config_file::project;
use crate::edited::{check_kept, object};
use crate::{records, texts, written};

/// A configuration as a project's file can say it.
pub fn config(choices: &mut Choices) -> Config {
    let json = json!({
        "project": { "name": choices.some(name), "description": choices.some(prose) },
        "settings": {
            "history_limit": choices.whole() % 100_001,
            "auto_git_summary": choices.flag(),
            "task_dirs": choices.pick(&["status", "stable"]),
            "budget_tokens": 100 + choices.whole() % 1_000,
            "context_files": choices.list(3, |choices| choices.pick(&["README.md", "docs/a b.md", "ü/x"])),
            "ai_estimate_multiplier": choices.some(|choices| f64::from(choices.byte()) / 100.0 + 0.01),
        },
        "dashboard": { "scan_dirs": choices.list(2, |choices| choices.pick(&["~/src", "/x y"])) },
        "layers": { "mirror": choices.some(|_| "memory/") },
        "labels": choices.list(4, name),
        "calendar": {
            "work_hours_per_day": f64::from(choices.byte() % 96) / 4.0,
            "closed_weekdays": choices.list(3, |choices| choices.pick(&["sun", "mon", "sat"])),
            "closed_dates": choices.list(3, |choices| records::day(choices).to_string()),
            "day_hours": day_hours(choices),
            "time_zone": choices.some(|_| "Europe/Berlin"),
        },
        "assignees": family(choices, |choices| json!({
            "color": choices.pick(&["#112233", "#aAbBcC"]),
            "display_name": choices.some(name),
            "closed_weekdays": choices.some(|choices| choices.list(2, |choices| choices.pick(&["fri", "wed"]))),
            "day_hours": day_hours(choices),
        })),
        "milestones": family(choices, |choices| json!({
            "date": records::day(choices).to_string(),
            "description": choices.some(name),
        })),
        "effort_budget": { "total_hours": choices.some(|choices| f64::from(choices.byte())) },
    });
    serde_json::from_value(json).expect("these are settings")
}

fn name(choices: &mut Choices) -> String {
    let text = texts::any(choices);
    text.parse::<Name>().map_or_else(|_| "api".to_owned(), String::from)
}

fn prose(choices: &mut Choices) -> String {
    let text = texts::any(choices);
    text.parse::<Prose>().map_or_else(|_| "about".to_owned(), String::from)
}

fn day_hours(choices: &mut Choices) -> Map<String, Json> {
    let days = choices.list(2, |choices| (choices.pick(&["fri", "mon", "2026-12-24"]).to_owned(), json!(4.5)));
    days.into_iter().collect()
}

fn family(choices: &mut Choices, make: impl Fn(&mut Choices) -> Json) -> Map<String, Json> {
    choices.list(2, |choices| (name(choices), make(choices))).into_iter().collect()
}

/// A configuration printed and read is the same, with nothing to complain about.
pub fn prints_and_reads_back(choices: &mut Choices) {
    let config = config(choices);
    let text = handoff_model::document::print(&config);
    let resolved = project(&text);
    assert_eq!(resolved.problems().count(), 0, "{text}");
    assert_eq!(resolved.config, config, "{text}");
}

/// Settings changed in a file are read back, and whatever else stood there still stands there.
pub fn a_change_keeps_the_rest(choices: &mut Choices) {
    let mut record = object(&config(choices));
    remove_nulls(&mut record);
    let written = written::write(choices, &record);
    let resolved = project(&written.text);
    assert_eq!(resolved.problems().count(), 0, "{:?}\n{}", resolved.problems().next(), written.text);
    let old = resolved.config;
    let new = Config { user: old.user.clone(), ..config(choices) };
    let mut assignments = Vec::new();
    differences(&object(&old), &object(&new), &mut Vec::new(), &mut assignments);
    assignments.retain(|_| !choices.once_in(4));
    let edited = match apply(&written.text, &assignments) {
        Ok(edited) => edited,
        Err(error) => panic!("{error}\n{}\n--- with\n{assignments:?}", written.text),
    };
    let shown = || format!("\n--- before\n{}\n--- after\n{edited}\n--- with {assignments:?}", written.text);
    let after = project(&edited);
    assert_eq!(after.problems().count(), 0, "{}", shown());
    let mut wanted = object(&old);
    for Assignment { path, value } in &assignments {
        put(&mut wanted, path, value.as_ref());
    }
    let wanted_config: Config = serde_json::from_value(Json::Object(wanted.clone())).expect("these are settings");
    assert_eq!(after.config, wanted_config, "{}", shown());
    check_kept(&written, &object(&old), &wanted, &edited, shown);
    assert_eq!(apply(&edited, &assignments).as_ref(), Ok(&edited), "a second time changes nothing{}", shown());
}

fn remove_nulls(map: &mut Map<String, Json>) {
    map.retain(|_, value| !value.is_null());
    map.values_mut().filter_map(Json::as_object_mut).for_each(remove_nulls);
}

/// What to assign to come from one configuration to the other.
fn differences(
    old: &Map<String, Json>,
    new: &Map<String, Json>,
    path: &mut Vec<String>,
    assignments: &mut Vec<Assignment>,
) {
    let removed = old.keys().filter(|key| !new.contains_key(*key));
    for key in new.keys().chain(removed) {
        path.push(key.clone());
        match (old.get(key), new.get(key)) {
            (Some(old), Some(new)) if old == new => {}
            (old, Some(Json::Object(new))) => {
                let empty = Map::new();
                differences(old.and_then(Json::as_object).unwrap_or(&empty), new, path, assignments);
            }
            (_, new) => {
                let value = new.filter(|value| !value.is_null()).cloned();
                assignments.push(Assignment { path: path.clone(), value });
            }
        }
        path.pop();
    }
}

fn put(map: &mut Map<String, Json>, path: &[String], value: Option<&Json>) {
    let Some((first, rest)) = path.split_first() else { return };
    match (rest.is_empty(), value) {
        (true, None) => _ = map.remove(first),
        (true, Some(value)) => _ = map.insert(first.clone(), value.clone()),
        (false, _) => {
            if value.is_some() {
                map.entry(first.clone()).or_insert_with(|| json!({}));
            }
            if let Some(inner) = map.get_mut(first).and_then(Json::as_object_mut) {
                put(inner, rest, value);
            }
        }
    }
}
