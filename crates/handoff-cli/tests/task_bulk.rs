//! `handoff task bulk`, and the published tool behind it: what can be done is done as one change, the rest is told.

use handoff_testkit::{Answer, TestProject, project};
use serde_json::{Value, json};

fn sample() -> TestProject {
    project!()
        .task("taskaaaa", |task| task.title("One").criterion("tests pass"))
        .task("taskbbbb", |task| task.title("Two"))
        .task("taskcccc", |task| task.title("Three"))
}

fn bulk(project: &TestProject, request: &Value) -> Answer {
    project.call("task bulk").request(request).run()
}

fn bulk_json(project: &TestProject, request: &Value) -> Value {
    project.call("task bulk --json").request(request).run().json()
}

#[test]
fn several_tasks_are_changed_as_one_change() {
    let project = sample();
    let before = project.records();
    let answer = bulk(
        &project,
        &json!({"updates": [
            {"task_id": "taskbbbb", "status": "in_progress", "priority": "high", "assignee": "bob"},
            {"task_id": "3", "notes": "What it is about", "notes_append": "Seen today",
             "schedule": {"due_date": "2026-12-01", "estimate_hours": 4, "actual_hours": 1.5, "pinned": true}},
        ]}),
    );
    insta::assert_snapshot!(answer, @"
    ✓ did 2 of 2 updates
    - updated 02 Two
    - updated 03 Three; 1.5 h are logged for it now
    ");
    let two = project.json("task show 2");
    assert_eq!(
        (&two["status"], &two["priority"], &two["assignee"]),
        (&json!("in_progress"), &json!("high"), &json!("bob"))
    );
    let three = project.json("task show 3");
    assert_eq!((&three["description"], &three["notes"][0]["text"]), (&json!("What it is about"), &json!("Seen today")));
    assert_eq!(three["schedule"]["due_date"], "2026-12-01");
    assert!(project.records().files().iter().any(|file| file.starts_with("time/")), "hours are in the time log");
    project.call("undo").run().succeeded();
    project.records().assert_same(&before, "one undo takes all of it back");
}

#[test]
fn what_cannot_be_done_is_told_and_holds_up_nothing_else() {
    let project = sample();
    project.write(".handoff/tasks/04-todo--bad/task.toml", "id = \"taskdddd\"\ntitle = \n");
    let request = json!({"updates": [
        {"task_id": "taskaaaa", "status": "done"},
        {"task_id": "nobodyxx", "status": "todo"},
        {"task_id": "taskbbbb", "status": "finished"},
        {"task_id": "taskbbbb", "state": "done"},
        {"status": "done"},
        "taskcccc",
        {"task_id": "taskbbbb"},
        {"task_id": "taskbbbb", "title": null},
        {"task_id": "taskcccc", "status": "done"},
    ]});
    let done = bulk_json(&project, &request);
    assert_eq!(done["applied"], 1);
    let told: Vec<String> = done["errors"]
        .as_array()
        .unwrap()
        .iter()
        .map(|error| format!("{}: {}", error["task_id"].as_str().unwrap(), error["error"].as_str().unwrap()))
        .collect();
    insta::assert_snapshot!(told.join("\n"), @r#"
    taskaaaa: task `taskaaaa` has 1 open criterion: 0: tests pass
    nobodyxx: no task `nobodyxx` in this project
    taskbbbb: `status`: unknown variant `finished`, expected one of `todo`, `in_progress`, `review`, `done`, `blocked`, `skipped`
    taskbbbb: unknown field `state`, expected one of `id`, `title`, `status`, `notes`, `notes_append`, `priority`, `labels`, `links`, `done_criteria`, `schedule`, `dependencies`, `order`, `assignee`
    : `task_id` is missing: an update is an object such as {"task_id": "k7f3q2ma", "status": "done"}
    : an update is an object such as {"task_id": "k7f3q2ma", "status": "done"}
    taskbbbb: it says nothing to change
    taskbbbb: `task.title` cannot be cleared: leave it out to keep it
    "#);
    assert_eq!(project.json("task show taskcccc")["status"], "done");
    assert_eq!(
        bulk(&project, &request).code,
        4,
        "a command that could not do all of it does not end like one that could"
    );
}

#[test]
fn with_atomic_one_mistake_and_nothing_is_done() {
    let project = sample();
    let before = project.records();
    let request = json!({"atomic": true, "updates": [
        {"task_id": "taskcccc", "status": "done"},
        {"task_id": "taskaaaa", "status": "done"},
    ]});
    let answer = bulk(&project, &request);
    answer
        .failed(4)
        .says("1 of 2 updates cannot be done, so none was")
        .says("updates[1], `taskaaaa`")
        .says("tests pass");
    project.records().assert_same(&before, "nothing is done");
    let fine = json!({"atomic": true, "updates": [{"task_id": "taskcccc", "status": "done"}]});
    bulk(&project, &fine).succeeded().says("did 1 of 1 updates");
    bulk(&project, &json!({"updates": []})).failed(2).says("`updates` is empty");
    bulk(&project, &json!({"updates": [], "atomically": true})).failed(2);
}

#[test]
fn a_task_that_is_named_twice_sees_what_was_done_before() {
    let project = sample();
    let request = json!({"updates": [
        {"task_id": "taskaaaa", "done_criteria": [{"item": "tests pass", "checked": true}]},
        {"task_id": "1", "status": "done", "schedule": {"actual_hours": 2}},
        {"task_id": "taskaaaa", "notes_append": "First"},
        {"task_id": "taskaaaa", "notes_append": "Second", "schedule": {"actual_hours": 3}},
    ]});
    bulk(&project, &request).succeeded().says("did 4 of 4 updates");
    let one = project.json("task show taskaaaa");
    assert_eq!((&one["status"], one["notes"].as_array().unwrap().len()), (&json!("done"), 2));
    let mut client = project.mcp().connect();
    let text = client.text("handoff_get_task", json!({"task_id": "taskaaaa"}));
    assert!(text.contains("3 h"), "the hours are those given last: {text}");
    client.close();
}

#[test]
fn agents_are_told_what_was_applied_and_what_was_not() {
    let project = sample();
    let mut client = project.mcp().connect();
    let request =
        json!({"updates": [{"task_id": "taskbbbb", "status": "done"}, {"task_id": "taskaaaa", "status": "done"}]});
    let facts = client.facts("handoff_bulk_update_tasks", request);
    assert_eq!((&facts["applied"], &facts["errors"][0]["task_id"]), (&json!(1), &json!("taskaaaa")));
    client.close();
}
