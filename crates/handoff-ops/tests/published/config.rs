//! `handoff_init`, `handoff_get_config` and `handoff_update_config`.

use serde_json::json;

use crate::place::{Scratch, said};

#[test]
fn a_project_is_made_once() {
    let scratch = Scratch::empty();
    let reply = scratch.call("handoff_init", json!({"project_name": "my-app", "description": "It does things."}));
    assert!(reply.facts().message.starts_with("project `my-app` is ready in .handoff"), "{}", reply.facts().message);
    assert!(reply.facts().message.contains("`handoff_update_task` adds the first task"));
    let text = std::fs::read_to_string(scratch.path(".handoff/config.toml")).unwrap();
    assert!(text.contains("name = \"my-app\"") && text.contains("It does things."), "{text}");
    let said = scratch.refused("handoff_init", json!({"project_name": "other"}));
    assert!(said.contains("already is a handoff project") && said.ends_with("call `handoff_list_tasks`"), "{said}");
}

#[test]
fn a_project_needs_a_name() {
    let scratch = Scratch::empty();
    for arguments in [json!({}), json!({"project_name": ""}), json!({"name": "x"})] {
        let said = scratch.refused("handoff_init", arguments);
        assert!(said.contains(r#"a request that works looks like {"project_name":"my-app"}"#), "{said}");
    }
    assert!(!scratch.path(".handoff").exists());
}

#[test]
fn without_a_project_the_answer_says_how_to_start() {
    let scratch = Scratch::empty();
    let said = scratch.refused("handoff_list_tasks", json!({}));
    assert!(said.ends_with(r#"call `handoff_init` with `{"project_name":"NAME"}`"#), "{said}");
}

#[test]
fn a_directory_without_a_project_is_answered_with_the_call_that_makes_one_there() {
    let scratch = Scratch::empty();
    let error = scratch.ask_in("elsewhere", "handoff_list_tasks", json!({})).unwrap_err();
    let said = said(&error);
    assert!(
        said.ends_with(r#"call `handoff_init` with `{"project_name":"NAME","project_dir":"elsewhere"}`"#),
        "{said}"
    );
    std::fs::create_dir(scratch.path("elsewhere")).unwrap();
    scratch.ask_in("elsewhere", "handoff_init", json!({"project_name": "NAME"})).unwrap();
    scratch.ask_in("elsewhere", "handoff_list_tasks", json!({})).unwrap();
    scratch.ask_in("${workspaceFolder}", "handoff_list_tasks", json!({})).unwrap_err();
}

#[test]
fn the_whole_configuration_is_shown() {
    let scratch = Scratch::new();
    let reply = scratch.call("handoff_get_config", json!({}));
    let json = reply.json();
    let keys: Vec<&str> =
        json["settings"].as_array().unwrap().iter().filter_map(|entry| entry["key"].as_str()).collect();
    for key in ["project.name", "settings.budget_tokens", "settings.history_limit", "dashboard.scan_dirs"] {
        assert!(keys.contains(&key), "{keys:?}");
    }
    assert!(reply.page().to_markdown(None).contains("| `settings.budget_tokens` | 2000 |"));
}

#[test]
fn settings_are_changed_by_dotted_keys_and_comments_survive() {
    let scratch = Scratch::new();
    let file = scratch.path(".handoff/config.toml");
    let text = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, format!("# mine\n{text}\n[weather]\nsun = true # really\n")).unwrap();
    let updates = json!({"settings.budget_tokens": 3000, "labels": ["api", "ui"], "dashboard.scan_dirs": ["~/work"]});
    let reply = scratch.call("handoff_update_config", json!({"updates": updates}));
    assert!(
        reply.facts().message.contains("3 settings are changed in .handoff/config.toml"),
        "{}",
        reply.facts().message
    );
    let text = std::fs::read_to_string(&file).unwrap();
    for kept in ["# mine\n", "sun = true # really", "budget_tokens = 3000", "[\"api\", \"ui\"]"] {
        assert!(text.contains(kept), "{text}");
    }
    scratch.call("handoff_update_config", json!({"updates": {"settings.budget_tokens": null}}));
    assert!(!std::fs::read_to_string(&file).unwrap().contains("budget_tokens = 3000"));
}

#[test]
fn one_wrong_setting_and_none_is_written() {
    let scratch = Scratch::new();
    for (updates, named) in [
        (json!({"settings.history_limit": 5, "settings.budget_tokns": 9}), "settings.budget_tokens"),
        (json!({"settings.history_limit": 5, "calendar.closed_weekdays": [9]}), "calendar.closed_weekdays"),
        (json!({"settings.history_limit": "many"}), "settings.history_limit"),
        (json!({"settings": 5}), "settings"),
        (json!({}), "`updates` is empty"),
    ] {
        let said = scratch.refused("handoff_update_config", json!({"updates": updates}));
        assert!(said.contains(named), "{said}");
    }
}
