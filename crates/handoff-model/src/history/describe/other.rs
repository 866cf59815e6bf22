//! Settings, time, and files that are no records.

use serde_json::{Map, Value as Json};

use super::super::{Changed, FileChange};
use super::Said;
use super::fields::differences;
use super::memory::is_memory;
use crate::timer::KeptTimer;

pub(super) fn said(changed: &Changed, records_are_told: bool) -> Vec<Said> {
    let is_other = |file: &&FileChange| {
        let is_record = file.path().starts_with("sessions/") || file.path().ends_with("/task.toml") || is_memory(file);
        !is_record
    };
    changed.files.iter().filter(is_other).filter_map(|file| of_file(file, records_are_told)).collect()
}

fn of_file(file: &FileChange, records_are_told: bool) -> Option<Said> {
    let path = file.path();
    if path == "PAUSE" {
        let deed = if file.after.is_some() { "paused" } else { "no longer paused" };
        return Some(Said { deed: Some(deed.to_owned()), ..Said::about("writing", "files") });
    }
    if path.starts_with("local/state/timers/") {
        return Some(of_timer(file));
    }
    // A session that goes there or comes from there tells it.
    if path.starts_with("archive/") && records_are_told {
        return None;
    }
    let subject = match path {
        "config.toml" => "configuration".to_owned(),
        path => path
            .strip_prefix("time/")
            .map_or_else(|| path.to_owned(), |name| format!("time log {}", name.trim_end_matches(".toml"))),
    };
    let mut said = Said::about(subject, "files");
    let (before, after) = file.texts();
    if let (true, Some(before), Some(after)) = (is_toml(path), table(before), table(after)) {
        said.fields = flat_differences(&before, &after);
    }
    if said.fields.is_empty() {
        let deed = match (&file.before, &file.after) {
            (None, _) => "made",
            (_, None) => "removed",
            _ => "changed",
        };
        said.deed = Some(deed.to_owned());
    }
    Some(said)
}

/// What became of somebody's timer.
fn of_timer(file: &FileChange) -> Said {
    let read = |text: Option<&str>| text.and_then(|text| KeptTimer::read(text).ok()).map(|kept| kept.timer);
    let (before, after) = file.texts();
    let (before, after) = (read(before), read(after));
    let who = after.as_ref().or(before.as_ref()).map_or("somebody", |timer| timer.who.as_str());
    let deed = match (&before, &after) {
        _ if file.after.is_none() => "ended".to_owned(),
        (_, None) => "changed".to_owned(),
        (None, Some(timer)) => format!("{} on {}", timer.phase, timer.task),
        (Some(before), Some(timer)) if before.task != timer.task => format!("switched to {}", timer.task),
        (Some(before), Some(timer)) if before.phase != timer.phase => format!("{} on {}", timer.phase, timer.task),
        (Some(_), Some(_)) => "goes on".to_owned(),
    };
    Said { deed: Some(deed), ..Said::about(format!("timer of {who}"), "timers") }
}

fn is_toml(path: &str) -> bool {
    path.rsplit_once('.').is_some_and(|(_, ending)| ending == "toml")
}

/// A file as a table; one that is not there has nothing in it.
fn table(text: Option<&str>) -> Option<Map<String, Json>> {
    let value: toml::Table = toml::from_str(text.unwrap_or_default()).ok()?;
    serde_json::to_value(value).ok()?.as_object().cloned()
}

/// What changed, with the whole keys of settings.
fn flat_differences(before: &Map<String, Json>, after: &Map<String, Json>) -> Vec<String> {
    let (mut old, mut new) = (Map::new(), Map::new());
    flatten("", before, &mut old);
    flatten("", after, &mut new);
    differences(&old, &new, &["format"])
}

fn flatten(above: &str, table: &Map<String, Json>, flat: &mut Map<String, Json>) {
    for (key, value) in table {
        let key = if above.is_empty() { key.clone() } else { format!("{above}.{key}") };
        match value {
            Json::Object(inner) => flatten(&key, inner, flat),
            value => {
                flat.insert(key, value.clone());
            }
        }
    }
}
