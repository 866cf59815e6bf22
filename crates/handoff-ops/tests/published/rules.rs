//! The rules agents rely on.

use serde_json::{Value, json};

use crate::place::Scratch;

const UPDATE: &str = "handoff_update_task";
const CHECK: &str = "handoff_check_criterion";

/// The calls that an error shows, in their order.
fn calls_shown(said: &str) -> Vec<(String, Value)> {
    let call = |line: &str| {
        let (name, arguments) = line.strip_prefix("call `")?.split_once("` with `")?;
        Some((name.to_owned(), serde_json::from_str(arguments.strip_suffix('`')?).unwrap()))
    };
    said.lines().filter_map(call).collect()
}

#[test]
fn done_is_refused_while_a_criterion_is_open_and_the_call_shown_would_succeed() {
    let scratch = Scratch::new();
    let criteria = json!(["tests pass", {"item": "reviewed", "checked": true}, "`docs` written"]);
    let id = scratch.task(json!({"title": "A", "done_criteria": criteria}));
    let said = scratch.refused(UPDATE, json!({"task": {"id": id, "status": "done", "priority": "low"}}));
    let lines: Vec<&str> = said.lines().collect();
    assert_eq!(lines[..3], [&*format!("task `{id}` has 2 open criteria"), "0: tests pass", "2: `docs` written"]);
    let calls = calls_shown(&said);
    assert_eq!(calls[0], (CHECK.to_owned(), json!({"task_id": id, "criterion_index": 0, "checked": true})));
    for (name, arguments) in calls {
        scratch.call(&name, arguments);
    }
    assert_eq!(scratch.get(&id)["status"], "done");
}

#[test]
fn done_is_refused_while_a_child_is_open_and_the_call_shown_would_succeed() {
    let scratch = Scratch::new();
    let id = scratch.task(json!({"title": "A"}));
    let child = scratch.call(UPDATE, json!({"task": {"title": "Child"}, "parent_id": id})).facts().id.unwrap();
    let said = scratch.refused(UPDATE, json!({"task": {"id": id, "status": "done"}}));
    assert!(said.contains("has 1 open child") && said.contains(&format!("{child} Child")), "{said}");
    for (name, arguments) in calls_shown(&said) {
        scratch.call(&name, arguments);
    }
    scratch.call(UPDATE, json!({"task": {"id": id, "status": "done"}}));
    let said = scratch.refused(UPDATE, json!({"task": {"id": child, "status": "todo"}}));
    assert!(said.contains("is done, so nothing under it can be open"), "{said}");
    for (name, arguments) in calls_shown(&said) {
        scratch.call(&name, arguments);
    }
    scratch.call(UPDATE, json!({"task": {"id": child, "status": "todo"}}));
}

#[test]
fn done_is_refused_on_every_path_that_can_set_it() {
    let scratch = Scratch::new();
    let said = scratch.refused(UPDATE, json!({"task": {"title": "A", "status": "done", "done_criteria": ["c"]}}));
    assert!(said.contains("a new task with an open criterion cannot be `done`\n0: c"), "{said}");
    assert!(said.contains(r#"{"item":"c","checked":true}"#), "{said}");
    let done =
        scratch.task(json!({"title": "Done", "status": "done", "done_criteria": [{"item": "c", "checked": true}]}));
    scratch.refused(UPDATE, json!({"task": {"id": done, "done_criteria": ["another"]}}));
    scratch.refused(CHECK, json!({"task_id": done, "criterion_index": 0, "checked": false}));
    scratch.refused(UPDATE, json!({"task": {"title": "Open"}, "parent_id": done}));
}

#[test]
fn finishing_sets_the_time_and_reopening_clears_it() {
    let scratch = Scratch::new();
    let id = scratch.task(json!({"title": "A", "status": "done"}));
    assert_eq!(scratch.get(&id)["completed_at"], "2026-11-15T09:00:01Z");
    scratch.call(UPDATE, json!({"task": {"id": id, "status": "in_progress"}}));
    assert_eq!(scratch.get(&id).get("completed_at"), None);
}

#[test]
fn dependencies_must_exist_and_lead_nowhere_back() {
    let scratch = Scratch::new();
    let first = scratch.task(json!({"title": "First"}));
    let second = scratch.task(json!({"title": "Second", "dependencies": [first]}));
    let third = scratch.task(json!({"title": "Third", "dependencies": [second]}));
    let said = scratch.refused(UPDATE, json!({"task": {"id": first, "dependencies": [third]}}));
    assert!(said.contains("would depend on itself"), "{said}");
    let wrong = format!("{}zz", &second[..6]);
    for task in [json!({"title": "X", "dependencies": [wrong]}), json!({"id": third, "dependencies": [wrong]})] {
        let said = scratch.refused(UPDATE, json!({"task": task}));
        assert!(said.contains(&format!("close: 02 {second} Second")), "{said}");
    }
    let dependents = &scratch.get(&first)["dependents"];
    assert_eq!(dependents, &json!([{"id": second, "title": "Second", "status": "todo"}]));
    let page = scratch.call("handoff_get_task", json!({"task_id": first, "include_dependents": true})).page();
    assert!(page.to_markdown(None).contains("## Depend on it"));
}

#[test]
fn an_unknown_id_is_an_error_with_at_most_five_close_matches_also_beside_a_title() {
    let scratch = Scratch::new();
    let id = scratch.task(json!({"title": "Known"}));
    let wrong = format!("{}zz", &id[..6]);
    for (tool, arguments) in [
        (UPDATE, json!({"task": {"id": wrong, "title": "New"}})),
        (UPDATE, json!({"task": {"title": "New"}, "parent_id": wrong})),
        (UPDATE, json!({"task": {"id": id}, "move_to": wrong})),
        ("handoff_get_task", json!({"task_id": wrong})),
        (CHECK, json!({"task_id": wrong, "criterion_index": 0, "checked": true})),
        ("handoff_list_tasks", json!({"cursor": wrong})),
    ] {
        let said = scratch.refused(tool, arguments);
        assert!(said.contains(&format!("no task `{wrong}`")) && said.contains("close: 01"), "{tool}: {said}");
        assert!(said.ends_with("call `handoff_list_tasks`"), "{tool}: {said}");
    }
    for number in 0..20 {
        scratch.call(UPDATE, json!({"task": {"title": format!("Task {number}")}}));
    }
    let said = scratch.refused("handoff_get_task", json!({"task_id": "210"}));
    assert!((1..=5).contains(&said.matches("close: ").count()), "{said}");
}

#[test]
fn what_can_be_no_id_is_answered_like_one_that_nobody_has() {
    let scratch = Scratch::new();
    scratch.task(json!({"title": "Known"}));
    for wrong in ["../../../escape", "/etc/passwd", "a/b", "TASK-12", "t.1", "任務"] {
        let said = scratch.refused(UPDATE, json!({"task": {"id": wrong, "title": "New"}}));
        assert!(said.starts_with(&format!("no task `{}`", wrong.to_lowercase())), "{said}");
    }
    let said = scratch.refused(UPDATE, json!({"task": {"id": " ", "title": "New"}}));
    assert!(said.contains("an empty text names no task"), "{said}");
}

#[test]
fn a_criterion_is_checked_by_its_index_from_0_or_by_its_text() {
    let scratch = Scratch::new();
    let id = scratch.task(json!({"title": "A", "done_criteria": ["one", "two", "2"]}));
    let checked = || -> Vec<bool> {
        let task = scratch.get(&id);
        task["done_criteria"].as_array().unwrap().iter().map(|criterion| criterion["checked"] == true).collect()
    };
    let reply = scratch.call(CHECK, json!({"task_id": id, "criterion_index": 1, "checked": true}));
    assert_eq!(reply.facts().message, "checked `two` of 01 A: 1 of 3 checked");
    assert_eq!(checked(), [false, true, false]);
    scratch.call(CHECK, json!({"task_id": id, "criterion": "2", "checked": true}));
    scratch.call(CHECK, json!({"task_id": id, "criterion_index": 1, "checked": false}));
    assert_eq!(checked(), [false, false, true]);
    let page = scratch.call("handoff_get_task", json!({"task_id": id})).page().to_markdown(None);
    assert!(page.contains("- [ ] 0. one") && page.contains("- [x] 2. 2"), "{page}");
    let said = scratch.refused(CHECK, json!({"task_id": id, "criterion_index": 3, "checked": true}));
    assert!(said.contains("has no criterion 3: it has 3, from index 0 to 2"), "{said}");
    let said = scratch.refused(CHECK, json!({"task_id": id, "criterion": "three", "checked": true}));
    assert!(said.contains("has no criterion `three`") && said.contains("call `handoff_get_task`"), "{said}");
    for arguments in [
        json!({"task_id": id, "checked": true}),
        json!({"task_id": id, "criterion_index": 0, "criterion": "one", "checked": true}),
    ] {
        assert!(scratch.refused(CHECK, arguments).contains("`criterion_index`"));
    }
}
