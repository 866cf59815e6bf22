//! `handoff_update_task`: create, change and move in one call.

use serde_json::{Value, json};

use crate::place::Scratch;

const UPDATE: &str = "handoff_update_task";

#[test]
fn without_an_id_a_task_is_made_and_the_answer_names_it() {
    let scratch = Scratch::new();
    let reply = scratch.call(UPDATE, json!({"task": {"title": "Implement auth", "priority": "high"}}));
    let facts = &reply.facts();
    assert_eq!(facts.message, "created 01 Implement auth");
    assert_eq!((facts.number.as_deref(), facts.status.as_deref()), (Some("01"), Some("todo")));
    let id = facts.id.clone().unwrap();
    assert!(reply.page().to_markdown(None).contains(&id));
    let child = scratch.call(UPDATE, json!({"task": {"title": "Design"}, "parent_id": id}));
    assert_eq!(child.facts().number.as_deref(), Some("01.1"));
}

#[test]
fn a_new_task_needs_a_title() {
    let scratch = Scratch::new();
    for task in [json!({}), json!({"status": "todo"}), json!({"title": null})] {
        let said = scratch.refused(UPDATE, json!({"task": task}));
        assert!(said.contains("a new task needs a `title`") && said.contains(r#""title":"Implement auth""#), "{said}");
    }
}

#[test]
fn every_field_is_kept() {
    let scratch = Scratch::new();
    let first = scratch.task(json!({"title": "First"}));
    let id = scratch.task(json!({
        "title": "All of it", "status": "in_progress", "notes": "What it is\nabout", "notes_append": "begun",
        "priority": "low", "labels": ["api", "auth"], "order": 3, "assignee": "alice", "dependencies": [first],
        "links": ["https://example.com/a", "src/main.rs", {"type": "issue", "url": "https://example.com/1", "label": "bug"},
            {"type": "task", "target": "1"}],
        "done_criteria": ["tests pass", {"item": "reviewed", "checked": true}],
        "schedule": {"start_date": "2026-11-16", "due_date": "2026-11-18", "estimate_hours": 6, "remaining_hours": 4.5,
            "milestone": "beta", "pinned": true},
    }));
    let task = scratch.get(&id);
    let without = |mut task: Value| {
        for field in ["id", "file", "rev", "created_at", "history"] {
            task.as_object_mut().unwrap().remove(field);
        }
        task
    };
    assert_eq!(
        without(task),
        json!({
            "number": "02", "title": "All of it", "status": "in_progress", "priority": "low", "order": 3,
            "labels": ["api", "auth"], "dependencies": [first], "assignee": "alice", "description": "What it is\nabout",
            "links": [
                {"type": "url", "target": "https://example.com/a"}, {"type": "file", "target": "src/main.rs"},
                {"type": "issue", "target": "https://example.com/1", "label": "bug"}, {"type": "task", "target": first},
            ],
            "schedule": {"start_date": "2026-11-16", "due_date": "2026-11-18", "estimate_hours": 6.0,
                "remaining_hours": 4.5, "milestone": "beta", "pinned": true},
            "done_criteria": [{"item": "tests pass", "checked": false}, {"item": "reviewed", "checked": true}],
            "notes": [{"at": "2026-11-15T09:00:02Z", "by": "codex", "text": "begun"}],
            "remaining_hours": 4.5, "dependents": [],
        })
    );
}

#[test]
fn what_is_not_given_stays_and_null_clears() {
    let scratch = Scratch::new();
    let id = scratch.task(json!({
        "title": "A", "priority": "high", "assignee": "alice", "notes": "n", "labels": ["x"], "links": ["y"], "order": 1,
        "done_criteria": ["c"], "schedule": {"due_date": "2026-11-18", "milestone": "beta"},
    }));
    let before = scratch.get(&id);
    scratch.call(UPDATE, json!({"task": {"id": id, "priority": "low"}}));
    let mut after = scratch.get(&id);
    assert_eq!(after["priority"], "low");
    for field in ["priority", "rev"] {
        after[field] = before[field].clone();
    }
    assert_eq!(after, before);
    scratch.call(UPDATE, json!({"task": {"id": id, "schedule": {"due_date": null}}}));
    assert_eq!(scratch.get(&id)["schedule"], json!({"milestone": "beta"}));
    scratch.call(
        UPDATE,
        json!({"task": {"id": id, "priority": null, "assignee": null, "notes": null, "labels": null, "links": null,
            "order": null, "done_criteria": null, "schedule": null, "dependencies": null}}),
    );
    let task = scratch.get(&id);
    for field in ["priority", "assignee", "description", "labels", "links", "order", "done_criteria", "schedule"] {
        assert_eq!(task.get(field), None, "{field}");
    }
    for field in ["title", "status"] {
        let said = scratch.refused(UPDATE, json!({"task": {"id": id, field: null}}));
        assert!(said.contains("cannot be cleared"), "{said}");
    }
}

#[test]
fn a_note_is_added_to_those_of_others() {
    let scratch = Scratch::new();
    let id = scratch.task(json!({"title": "A", "notes": "description", "notes_append": "one"}));
    scratch.call(UPDATE, json!({"task": {"id": id, "notes_append": "two"}}));
    let task = scratch.get(&id);
    assert_eq!(task["description"], "description");
    let texts: Vec<&Value> = task["notes"].as_array().unwrap().iter().map(|note| &note["text"]).collect();
    assert_eq!(texts, ["one", "two"]);
    assert!(task["notes"].as_array().unwrap().iter().all(|note| note["at"].is_string() && note["by"] == "codex"));
}

#[test]
fn fields_and_a_move_happen_together() {
    let scratch = Scratch::new();
    let parent = scratch.task(json!({"title": "Parent"}));
    let id = scratch.task(json!({"title": "Child", "order": 5}));
    let below = scratch.call(UPDATE, json!({"task": {"title": "Below"}, "parent_id": id})).facts().id.unwrap();
    let reply = scratch.call(
        UPDATE,
        json!({"task": {"id": id, "title": "Moved child", "status": "in_progress", "notes_append": "on it"}, "move_to": parent}),
    );
    assert_eq!(reply.facts().message, "updated and moved 02 to 01.1 Moved child");
    let task = scratch.get(&id);
    assert_eq!(
        (&task["parent"], &task["status"], &task["title"]),
        (&json!(parent), &json!("in_progress"), &json!("Moved child"))
    );
    assert_eq!(task.get("order"), None, "an order was a place among others");
    assert!(task["file"].as_str().unwrap().contains("01.1-in_progress--moved-child"), "{}", task["file"]);
    assert_eq!(scratch.get(&below)["number"], "01.1.1");
    let reply = scratch.call(UPDATE, json!({"task": {"id": id, "order": 1}, "move_to": "root"}));
    assert_eq!(
        (&reply.json()["number"], reply.json().get("parent"), &reply.json()["order"]),
        (&json!("03"), None, &json!(1))
    );
}

#[test]
fn a_move_that_is_refused_changes_no_field_and_the_other_way_round() {
    let scratch = Scratch::new();
    let id = scratch.task(json!({"title": "A", "done_criteria": ["c"]}));
    let below = scratch.call(UPDATE, json!({"task": {"title": "B"}, "parent_id": id})).facts().id.unwrap();
    let done = scratch.task(json!({"title": "Done", "status": "done"}));
    let said = scratch.refused(UPDATE, json!({"task": {"id": id, "title": "New"}, "move_to": below}));
    assert!(said.contains("under itself"), "{said}");
    let said = scratch.refused(UPDATE, json!({"task": {"id": below, "title": "New"}, "move_to": done}));
    assert!(said.contains("is done, so nothing under it can be open"), "{said}");
    scratch.refused(UPDATE, json!({"task": {"id": below, "title": "New"}, "move_to": "nowhere"}));
    let said = scratch.refused(UPDATE, json!({"task": {"id": id, "status": "done"}, "move_to": "root"}));
    assert!(said.contains("open criterion"), "{said}");
    // A task that is finished in the same call may go under one that is.
    scratch.call(UPDATE, json!({"task": {"id": below, "status": "done"}, "move_to": done}));
}

#[test]
fn a_move_to_where_it_is_only_changes_the_fields() {
    let scratch = Scratch::new();
    let id = scratch.task(json!({"title": "A", "order": 2}));
    let reply = scratch.call(UPDATE, json!({"task": {"id": id, "priority": "low"}, "move_to": "root"}));
    assert_eq!((&reply.json()["number"], &reply.json()["order"]), (&json!("01"), &json!(2)));
    assert_eq!(reply.facts().message, "updated 01 A");
    let reply = scratch.call(UPDATE, json!({"task": {"id": id, "priority": "low"}}));
    assert_eq!(reply.facts().message, "nothing to change in 01 A");
}

#[test]
fn a_parent_is_for_a_new_task_and_a_move_for_one_that_exists() {
    let scratch = Scratch::new();
    let parent = scratch.task(json!({"title": "Parent"}));
    let id = scratch.call(UPDATE, json!({"task": {"title": "A"}, "parent_id": parent})).facts().id.unwrap();
    scratch.call(UPDATE, json!({"task": {"id": id, "priority": "low"}, "parent_id": parent}));
    let said = scratch.refused(UPDATE, json!({"task": {"id": id, "priority": "low"}, "parent_id": "root"}));
    assert!(said.contains("give `move_to`"), "{said}");
    let said = scratch.refused(UPDATE, json!({"task": {"title": "B"}, "move_to": parent}));
    assert!(said.contains("`parent_id` for a new one"), "{said}");
    scratch.call(UPDATE, json!({"task": {"title": "Top"}, "parent_id": "root"}));
}

#[test]
fn hours_that_were_worked_are_logged_as_a_correction() {
    let scratch = Scratch::new();
    let id = scratch.task(json!({"title": "A", "schedule": {"actual_hours": 1.5}}));
    assert_eq!(scratch.get(&id)["actual_hours"], 1.5);
    let reply = scratch.call(UPDATE, json!({"task": {"id": id, "schedule": {"actual_hours": 1}}}));
    assert_eq!(reply.facts().message, "updated 01 A; 1 h are logged for it now");
    let log = std::fs::read_to_string(scratch.path(".handoff/time/2026-11-codex.toml")).unwrap();
    assert_eq!(log.matches("minutes = 90").count(), 1);
    assert_eq!(log.matches("minutes = -30").count(), 1);
    let reply = scratch.call(UPDATE, json!({"task": {"id": id, "schedule": {"actual_hours": 1}}}));
    assert_eq!(reply.facts().message, "nothing to change in 01 A");
    let other = scratch.task(json!({"title": "B", "schedule": {"actual_hours": 0.25}}));
    assert_eq!((&scratch.get(&id)["actual_hours"], &scratch.get(&other)["actual_hours"]), (&json!(1.0), &json!(0.25)));
    scratch.call(UPDATE, json!({"task": {"id": id, "schedule": {"actual_hours": null}}}));
    assert_eq!(scratch.get(&id).get("actual_hours"), None);
}

#[test]
fn hours_are_not_set_where_the_log_cannot_be_read() {
    let scratch = Scratch::new();
    let id = scratch.task(json!({"title": "A", "schedule": {"actual_hours": 1}}));
    let log = scratch.path(".handoff/time/2026-11-codex.toml");
    std::fs::write(&log, format!("intervals = 5 # {id}\n")).unwrap();
    let said = scratch.refused(UPDATE, json!({"task": {"id": id, "title": "New", "schedule": {"actual_hours": 2}}}));
    assert!(said.contains("time/2026-11-codex.toml:1"), "{said}");
    let reply = scratch.call("handoff_get_task", json!({"task_id": id}));
    assert!(reply.warnings[0].contains("the hours logged are not known"), "{:?}", reply.warnings);
}

#[test]
fn a_wrong_type_is_an_error_that_names_the_field_and_shows_what_would_be_right() {
    let scratch = Scratch::new();
    for (task, named) in [
        (json!({"title": 5}), "`task.title` is not valid"),
        (json!({"title": "A", "labels": "api"}), "`task.labels` is not valid"),
        (
            json!({"title": "A", "status": "open"}),
            "`task.status` is not valid: unknown variant `open`, expected one of `todo`",
        ),
        (json!({"title": "A", "schedule": {"due_date": "soon"}}), "`task.schedule.due_date` is not valid"),
        (json!({"title": "A", "schedule": {"estimate_hours": -3}}), "`task.schedule.estimate_hours` is not valid"),
        (json!({"title": "A", "schedule": {"estimate": 3}}), "did you mean `estimate_hours`?"),
        (json!({"title": "A", "prioirty": "low"}), "unknown field `prioirty` in `task`: did you mean `priority`?"),
        (json!({"title": "A", "done_criteria": [{"itme": "x"}]}), "unknown field `itme` in `task.done_criteria[0]`"),
        (json!({"title": "A", "done_criteria": [5]}), "expected a criterion such as"),
        (json!({"title": "A", "links": [{"label": "x"}]}), "`task.links[0]` is not valid: missing field `target`"),
        (json!("A"), "expected a task such as"),
    ] {
        let said = scratch.refused(UPDATE, json!({"task": task}));
        assert!(said.contains(named) && said.contains("a request that works looks like"), "{said}");
    }
    let said = scratch.refused(UPDATE, json!({"task": {"title": "A"}, "parentid": "1"}));
    assert!(said.contains("did you mean `parent_id`?"), "{said}");
}
