//! Any text in place of a configuration file, and settings changed in it.

use handoff_model::config::{Given, Keys, Layer, Resolved, Source, Sources, apply, assign, resolve};
use serde_json::{Value as Json, json};
use toml::Table;

use crate::choices::Choices;
use crate::texts;

/// Reads bytes as the file of a project and changes one setting; what follows a NUL chooses it.
pub fn run(data: &[u8], keys: &Keys) {
    let end = data.iter().position(|&byte| byte == 0).unwrap_or(data.len());
    let Ok(text) = std::str::from_utf8(&data[..end]) else { return };
    let before = project(text);
    let _ = (before.entries(keys), before.problems().count());
    let mut choices = Choices::new(data.get(end + 1..).unwrap_or_default());
    let (name, value) = change(&mut choices);
    let Ok(assignments) = assign(keys, Layer::Project, vec![(name.clone(), Given::Json(value))]) else { return };
    // A file may be written in a way that cannot be edited; what is written must be right.
    let Ok(edited) = apply(text, &assignments) else { return };
    let shown = || format!("{name}\n{text}\n--- after\n{edited}");
    let after = project(&edited);
    for assignment in &assignments {
        let said = after.said(&assignment.path).first().map(|said| said.value.clone());
        assert_eq!(said, assignment.value, "{}", shown());
    }
    let section = assignments.first().map(|assignment| assignment.path[0].clone());
    // Shown, since a number that is none does not equal itself.
    let others = |text: &str| -> String {
        let mut table: Table = toml::from_str(text).expect("only what can be read is edited");
        if let Some(section) = &section {
            table.remove(section);
        }
        format!("{table:?}")
    };
    assert_eq!(others(text), others(&edited), "{}", shown());
    assert_eq!(apply(&edited, &assignments).as_ref(), Ok(&edited), "a second time changes nothing: {}", shown());
}

pub fn project(text: &str) -> Resolved {
    let source = Source { path: "config.toml".to_owned(), text: text.to_owned() };
    resolve(Sources { project: Some(source), ..Sources::default() })
}

/// A setting and its new value, right or wrong.
pub fn change(choices: &mut Choices) -> (String, Json) {
    const NAMES: &[&str] = &[
        "settings.history_limit",
        "settings.auto_git_summary",
        "settings.ai_estimate_multiplier",
        "settings.context_files",
        "project.name",
        "project.description",
        "labels",
        "calendar.closed_weekdays",
        "calendar.closed_dates",
        "calendar.day_hours.fri",
        "calendar.day_hours.2026-12-24",
        "milestones.beta.date",
        "milestones.\"v1.0\".color",
        "milestones.beta",
        "assignees.al.closed_weekdays",
        "assignees.al.day_hours.mon",
        "layers.mirror",
        "effort_budget.total_hours",
    ];
    let name = if choices.once_in(16) { texts::odd(choices) } else { choices.pick(NAMES).to_owned() };
    let value = match choices.below(10) {
        0 => Json::Null,
        1 => json!(choices.byte()),
        2 => json!(f64::from(choices.byte()) / 8.0),
        3 => json!(choices.flag()),
        4 => json!(choices.pick(&["2026-04-01", "#112233", "memory/", "fri", "x"])),
        5 => json!(choices.list(3, texts::plain)),
        6 => json!(choices.list(3, |choices| choices.pick(&["mon", "Sunday", "2026-12-24"]))),
        7 => json!({ "date": "2026-04-01", "color": null }),
        _ => json!(texts::any(choices)),
    };
    (name, value)
}
