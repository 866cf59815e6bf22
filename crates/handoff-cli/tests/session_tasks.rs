//! Tasks that are created and changed in the same step as a session: all of it, or nothing at all.
#![expect(clippy::needless_pass_by_value, reason = "`json!(…)` at the call needs no reference before it")]

use handoff_testkit::{TestProject, project};
use serde_json::{Value, json};

const SAVE: &str = "handoff_save_context";

fn with_tasks() -> TestProject {
    project!()
        .task("k7f3q2ma", |task| task.title("Implement auth").status("in_progress").criterion("tests pass"))
        .task("m2x9a4te", |task| task.title("Design schema").parent("k7f3q2ma").status("in_progress"))
        .task("q4w8e2rt", |task| task.title("Deploy"))
}

fn save(project: &TestProject, tasks: Value) -> Value {
    let mut client = project.mcp().connect();
    let facts = client.facts(SAVE, json!({"summary": "Work", "session_status": "active", "tasks": tasks}));
    client.close();
    facts
}

fn task(project: &TestProject, reference: &str) -> Value {
    project.json(&format!("task show {reference}"))
}

#[test]
fn tasks_are_created_changed_and_finished_with_the_session() {
    let project = with_tasks();
    let facts = save(
        &project,
        json!([
            {"id": "m2x9a4te", "status": "done"},
            {"id": "k7f3q2ma", "status": "done", "done_criteria": [{"item": "tests pass", "checked": true}]},
            {"id": "q4w8e2rt", "priority": "high", "notes_append": "the key has come"},
            {"title": "Write the handbook", "labels": ["docs"]},
            {"task": {"title": "Chapter one"}, "parent_id": "q4w8e2rt"},
            {"title": "Chapter two", "parent_id": "q4w8e2rt"},
        ]),
    );
    assert_eq!(task(&project, "k7f3q2ma")["status"], "done");
    assert_eq!(task(&project, "m2x9a4te")["status"], "done");
    let deploy = task(&project, "q4w8e2rt");
    assert_eq!((&deploy["priority"], &deploy["notes"][0]["text"]), (&json!("high"), &json!("the key has come")));
    assert_eq!(task(&project, "2.1")["title"], "Chapter one");
    assert_eq!(task(&project, "2.2")["title"], "Chapter two");
    let handbook = task(&project, "3");
    assert_eq!((&handbook["title"], &handbook["labels"]), (&json!("Write the handbook"), &json!(["docs"])));
    let session = project.json(&format!("session show {}", facts["id"].as_str().unwrap()));
    assert_eq!(session["tasks"].as_array().unwrap().len(), 6, "they belong to the session now: {session:#}");
    let message = facts["message"].as_str().unwrap();
    for title in ["Chapter one", "Chapter two", "Write the handbook", "Deploy"] {
        assert!(message.contains(title), "{message}");
    }
}

#[test]
fn a_parent_may_be_named_before_the_child_that_is_finished_after_it() {
    let project = with_tasks();
    let finished =
        json!({"id": "k7f3q2ma", "status": "done", "done_criteria": [{"item": "tests pass", "checked": true}]});
    let mut client = project.mcp().connect();
    let before = project.records();
    let request = json!({"summary": "Work", "tasks": [finished, {"id": "m2x9a4te", "status": "done"}]});
    let result = client.call(SAVE, request);
    if result["isError"] == true {
        project.records().assert_same(&before, "refused is unchanged");
        panic!("what holds at the end of the step is what counts: {result:#}");
    }
    assert_eq!(task(&project, "k7f3q2ma")["status"], "done");
    assert_eq!(task(&project, "m2x9a4te")["status"], "done");
    client.close();
}

#[test]
fn one_bad_task_and_nothing_at_all_is_written() {
    let good = json!({"title": "Write the handbook"});
    for (bad, says) in [
        (json!({"id": "k7f3q2ma", "status": "done"}), "tests pass"),
        (json!({"id": "zzzzzzzz", "status": "done"}), "zzzzzzzz"),
        (json!({"status": "done"}), "title"),
        (json!({"title": "Loop", "dependencies": ["nosuchid"]}), "nosuchid"),
        (json!({"title": "Child", "parent_id": "nosuchid"}), "nosuchid"),
        (json!({"id": "m2x9a4te", "move_to": "m2x9a4te"}), "m2x9a4te"),
        (json!({"title": "Odd", "stauts": "done"}), "stauts"),
        (json!({"title": "Odd", "priority": "urgent"}), "urgent"),
        (json!({"title": 7}), "title"),
    ] {
        let project = with_tasks();
        let mut client = project.mcp().connect();
        client.facts(SAVE, json!({"summary": "Before", "session_status": "active", "next": ["Go on"]}));
        let before = project.tree(".handoff").without(&["local/cache", "local/state/lock"]);
        let request = json!({"summary": "After", "next": ["Lost"], "body": "Lost", "tasks": [good, bad, good]});
        let refused = client.failure(SAVE, request);
        assert!(refused.contains(says), "{bad}: {refused}");
        let after = project.tree(".handoff").without(&["local/cache", "local/state/lock"]);
        after.assert_same(&before, &format!("{bad} was refused"));
        client.close();
    }
}

#[test]
fn a_bad_session_and_no_task_is_written() {
    let project = with_tasks();
    let mut client = project.mcp().connect();
    let before = project.tree(".handoff").without(&["local/cache", "local/state/lock"]);
    for (bad, says) in [
        (json!({"related_task_ids": ["nosuchid"]}), "nosuchid"),
        (json!({"context_pointers": [{"path": "../../etc/passwd"}]}), "context_pointers"),
        (json!({"decisions": [{"decision": "New", "supersedes": "2026-01-01-ffffffff#d1"}]}), "ffffffff"),
        (json!({"session_id": "ffffffff"}), "ffffffff"),
        (json!({"environment": {"a": {"b": null}}}), "environment"),
        (json!({"summry": "typo"}), "summary"),
    ] {
        let mut request = json!({"summary": "Work", "tasks": [{"title": "Write the handbook"}]});
        request.as_object_mut().unwrap().extend(bad.as_object().unwrap().clone());
        let refused = client.failure(SAVE, request);
        assert!(refused.contains(says), "{bad}: {refused}");
        let after = project.tree(".handoff").without(&["local/cache", "local/state/lock"]);
        after.assert_same(&before, &format!("{bad} was refused"));
    }
    client.close();
}

#[test]
fn many_tasks_at_once_keep_their_order() {
    let project = project!();
    let tasks: Vec<Value> = (1..=40).map(|n| json!({"title": format!("Task {n}")})).collect();
    save(&project, json!(tasks));
    let list = project.json("task list");
    let titles: Vec<&str> =
        list["tasks"].as_array().unwrap().iter().map(|task| task["title"].as_str().unwrap()).collect();
    let expected: Vec<String> = (1..=40).map(|n| format!("Task {n}")).collect();
    assert_eq!(titles, expected);
}

#[test]
fn a_task_said_twice_in_one_step_is_changed_twice_and_told_once() {
    let project = with_tasks();
    let facts =
        save(&project, json!([{"id": "q4w8e2rt", "priority": "high"}, {"id": "q4w8e2rt", "status": "in_progress"}]));
    let deploy = task(&project, "q4w8e2rt");
    assert_eq!((&deploy["priority"], &deploy["status"]), (&json!("high"), &json!("in_progress")));
    assert_eq!(facts["message"].as_str().unwrap().matches("Deploy").count(), 1, "{facts:#}");
}
