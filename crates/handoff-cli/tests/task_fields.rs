//! Creating and changing tasks, field by field.

use handoff_testkit::{TestProject, project};
use serde_json::{Value, json};

fn one_task() -> TestProject {
    project!().task("k7f3q2ma", |task| {
        task.title("Implement auth")
            .field("priority = \"high\"")
            .field("order = 5")
            .labels(&["auth", "api"])
            .depends_on(&["m2x9a4te"])
            .field("assignee = \"bob\"")
            .field("description = \"Needed.\"")
            .field("links = [{ type = \"issue\", target = \"https://example.com/issues/11\" }]")
            .table("[schedule]\nstart_date = 2026-11-16\ndue_date = 2026-11-18\nestimate_hours = 6.0\nremaining_hours = 2.0\nmilestone = \"beta\"\npinned = true\n")
            .criterion("tests pass")
    })
    .task("m2x9a4te", |task| task.title("Design schema"))
}

/// What a program sees of the task, without what every change brings along.
fn seen(project: &TestProject) -> Value {
    let mut task = project.json("task show k7f3q2ma");
    for field in ["history", "rev", "file", "remaining_hours"] {
        task.as_object_mut().expect("a task is an object").remove(field);
    }
    task
}

#[test]
fn a_task_is_created_with_every_field_by_flags() {
    let project = project!().task("m2x9a4te", |task| task.title("Design schema"));
    let created = project.json(
        "task create 'Implement auth' --parent 1 --status in_progress --priority high --label auth --label api \
         --description '- with a dash' --assignee bob --depends-on m2 --criterion 'tests pass' --criterion '- docs' \
         --start 2026-11-16 --due 2026-11-18 --estimate 6 --milestone beta --order -3",
    );
    insta::assert_snapshot!(format!("{created:#}"), @r#"
    {
      "id": "vw29cdah",
      "number": "01.1",
      "title": "Implement auth",
      "status": "in_progress",
      "priority": "high",
      "parent": "m2x9a4te",
      "order": -3,
      "labels": [
        "auth",
        "api"
      ],
      "dependencies": [
        "m2x9a4te"
      ],
      "assignee": "bob",
      "created_at": "2026-11-15T09:00:01Z",
      "description": "- with a dash",
      "schedule": {
        "start_date": "2026-11-16",
        "due_date": "2026-11-18",
        "estimate_hours": 6.0,
        "milestone": "beta"
      },
      "done_criteria": [
        {
          "item": "tests pass",
          "checked": false
        },
        {
          "item": "- docs",
          "checked": false
        }
      ],
      "history": [
        {
          "at": "2026-11-15T09:00:01Z",
          "by": "alice",
          "status": "in_progress",
          "estimate_hours": 6.0
        }
      ],
      "file": ".handoff/tasks/01-todo--design-schema/01.1-in_progress--implement-auth/task.toml",
      "rev": "809c486a947e2739",
      "message": "created 01.1 Implement auth"
    }
    "#);
}

#[test]
fn a_task_is_created_with_nested_fields_by_a_request() {
    let project = project!();
    let request = json!({
        "title": "Implement auth",
        "done_criteria": [{"item": "tests pass", "checked": true}, {"item": "docs"}],
        "links": [{"type": "mr", "target": "!7", "label": "the change"}, {"target": "https://example.com"}],
    });
    let task = project.call("task create --json").request(&request).run();
    let task = task.succeeded().json();
    assert_eq!(
        task["done_criteria"],
        json!([{"item": "tests pass", "checked": true}, {"item": "docs", "checked": false}])
    );
    assert_eq!(task["links"][0], json!({"type": "mr", "target": "!7", "label": "the change"}));
    assert_eq!(task["links"][1], json!({"type": "url", "target": "https://example.com"}));
}

#[test]
fn what_is_not_given_is_kept() {
    let project = one_task();
    let before = seen(&project);
    project.handoff("task update k7f3q2ma --status review");
    let mut expected = before.clone();
    expected["status"] = json!("review");
    assert_eq!(seen(&project), expected);
    project.call("task update --request -").stdin(r#"{"id": "k7f3q2ma", "status": "todo"}"#).run().succeeded();
    assert_eq!(seen(&project), before);
}

#[test]
fn none_and_null_clear_each_field_alone() {
    let flags = [
        ("--priority none", json!({"priority": null}), "priority"),
        ("--description none", json!({"description": null}), "description"),
        ("--assignee none", json!({"assignee": null}), "assignee"),
        ("--order none", json!({"order": null}), "order"),
        ("--labels none", json!({"labels": null}), "labels"),
        ("--dependencies none", json!({"dependencies": null}), "dependencies"),
        ("--start none", json!({"start_date": null}), "schedule.start_date"),
        ("--due none", json!({"due_date": null}), "schedule.due_date"),
        ("--estimate none", json!({"estimate_hours": null}), "schedule.estimate_hours"),
        ("--remaining none", json!({"remaining_hours": null}), "schedule.remaining_hours"),
        ("--milestone none", json!({"milestone": null}), "schedule.milestone"),
        ("--pinned none", json!({"pinned": null}), "schedule.pinned"),
        ("", json!({"links": null}), "links"),
        ("", json!({"done_criteria": null}), "done_criteria"),
    ];
    let first = one_task();
    let before = seen(&first);
    for (flag, mut request, field) in flags {
        let mut expected = before.clone();
        let parts: Vec<&str> = field.split('.').collect();
        let table = if parts.len() == 2 { &mut expected[parts[0]] } else { &mut expected };
        let removed = table.as_object_mut().unwrap().remove(parts[parts.len() - 1]);
        assert!(removed.is_some(), "{field} was set before");

        request["id"] = json!("k7f3q2ma");
        let project = one_task();
        project.call("task update").request(&request).run().succeeded();
        assert_eq!(seen(&project), expected, "{request}");
        if !flag.is_empty() {
            let project = one_task();
            project.call(&format!("task update k7f3q2ma {flag}")).run().succeeded();
            assert_eq!(seen(&project), expected, "{flag}");
        }
    }
}

#[test]
fn a_field_that_a_task_must_have_cannot_be_cleared() {
    let project = one_task();
    let before = project.file(&project.task_file("k7f3q2ma"));
    for field in ["title", "status"] {
        let answer = project.call("task update").request(&json!({"id": "k7f3q2ma", field: null})).run();
        answer.failed(2).says(field);
    }
    assert_eq!(project.file(&project.task_file("k7f3q2ma")), before);
}

#[test]
fn labels_are_replaced_added_and_taken_away() {
    let project = one_task();
    let labels = |line: &str| {
        project.call(&format!("task update k7f3q2ma {line}")).run().succeeded();
        project.json("task show k7f3q2ma")["labels"].clone()
    };
    assert_eq!(labels("--add-label new --label auth"), json!(["auth", "api", "new"]), "nothing is doubled");
    assert_eq!(labels("--remove-label api --remove-label unknown"), json!(["auth", "new"]));
    assert_eq!(labels("--labels 'one, two,two'"), json!(["one", "two"]));
    assert_eq!(labels("--labels a --add-label b --remove-label a"), json!(["b"]));
    assert_eq!(labels("--labels none"), Value::Null);
}

#[test]
fn finishing_sets_the_time_and_reopening_clears_it() {
    let project = project!().task("k7f3q2ma", |task| task);
    let completed =
        |status: &str| project.json(&format!("task update k7f3q2ma --status {status}"))["completed_at"].clone();
    assert_eq!(completed("in_progress"), Value::Null);
    assert_eq!(completed("done"), "2026-11-15T09:00:02Z");
    assert_eq!(completed("skipped"), "2026-11-15T09:00:02Z", "it was finished already");
    assert_eq!(completed("review"), Value::Null);
    assert_eq!(completed("skipped"), "2026-11-15T09:00:05Z");
    let created = project.json("task create X --status done");
    assert_eq!(created["completed_at"], created["created_at"]);
}

#[test]
fn history_holds_every_change_of_status_and_estimate_and_no_other() {
    let project = project!().task("k7f3q2ma", |task| task);
    for line in [
        "--status in_progress",
        "--title 'Another'",
        "--status in_progress",
        "--estimate 3 --as codex",
        "--estimate 4 --status review",
        "--estimate none",
        "--add-label x",
    ] {
        project.call(&format!("task update k7f3q2ma {line}")).run().succeeded();
    }
    project.handoff("task note k7f3q2ma hello");
    let history = project.json("task show k7f3q2ma")["history"].clone();
    insta::assert_snapshot!(format!("{history:#}"), @r#"
    [
      {
        "at": "2026-11-15T09:00:01Z",
        "by": "alice",
        "status": "in_progress"
      },
      {
        "at": "2026-11-15T09:00:04Z",
        "by": "codex",
        "estimate_hours": 3.0
      },
      {
        "at": "2026-11-15T09:00:05Z",
        "by": "alice",
        "status": "review",
        "estimate_hours": 4.0
      },
      {
        "at": "2026-11-15T09:00:06Z",
        "by": "alice",
        "estimate_hours": 0.0
      }
    ]
    "#);
}

#[test]
fn notes_are_appended_and_never_overwritten() {
    let project = project!().task("k7f3q2ma", |task| task);
    project.handoff("task note k7f3q2ma 'First line\nsecond line'");
    project.handoff("task note k7f3q2ma '--dashes at the start' --as codex");
    project.call("task note k7f3q2ma").word("").run().failed(2);
    let notes = project.json("task show k7f3q2ma")["notes"].clone();
    assert_eq!(
        notes,
        json!([
            {"at": "2026-11-15T09:00:01Z", "by": "alice", "text": "First line\nsecond line"},
            {"at": "2026-11-15T09:00:02Z", "by": "codex", "text": "--dashes at the start"},
        ])
    );
}

#[test]
fn who_acts_is_told_by_the_flag_the_variable_the_login_name_or_git() {
    let project = project!().task("k7f3q2ma", |task| task);
    project.call("task note k7f3q2ma a --as flag").env("HANDOFF_ACTOR", "variable").run().succeeded();
    project.call("task note k7f3q2ma b").env("HANDOFF_ACTOR", "variable").run().succeeded();
    project.call("task note k7f3q2ma c").run().succeeded();
    project.write("gitconfig", "[user]\n\tname = Bob Gitname\n");
    project
        .call("task note k7f3q2ma d")
        .without("USER")
        .env("GIT_CONFIG_GLOBAL", project.path("gitconfig").to_str().unwrap())
        .run()
        .succeeded();
    let notes = project.json("task show k7f3q2ma")["notes"].clone();
    let by: Vec<&Value> = notes.as_array().unwrap().iter().map(|note| &note["by"]).collect();
    assert_eq!(by, ["flag", "variable", "alice", "Bob Gitname"]);
    project.call("task note k7f3q2ma e --as ''").run().failed(2);
}

#[test]
fn links_have_a_type_and_one_target_is_linked_once() {
    let project = project!().task("k7f3q2ma", |task| task).task("m2x9a4te", |task| task);
    for kind in ["file", "issue", "mr", "wiki", "doc", "url"] {
        project.call(&format!("task link k7f3q2ma some-{kind} --type {kind}")).run().succeeded();
    }
    project.handoff("task link k7f3q2ma 2 --type task");
    project.handoff("task link k7f3q2ma some-doc --type wiki --label Better");
    let links = project.json("task show k7f3q2ma")["links"].clone();
    assert_eq!(links.as_array().map(Vec::len), Some(7));
    assert_eq!(links[4], json!({"type": "wiki", "target": "some-doc", "label": "Better"}));
    assert_eq!(links[6], json!({"type": "task", "target": "m2x9a4te"}), "numbers become ids");
    project.call("task link k7f3q2ma 9 --type task").run().failed(3);
    project.call("task link k7f3q2ma x --type bogus").run().failed(2).says("use one of");
    project.call("task unlink k7f3q2ma some-url").run().succeeded();
    project.call("task unlink k7f3q2ma some-url").run().failed(3).says("has no link to `some-url`");
}

#[test]
fn a_link_to_a_task_is_removed_as_it_was_made() {
    let project = project!().task("k7f3q2ma", |task| task).task("m2x9a4te", |task| task);
    project.handoff("task link k7f3q2ma 2 --type task");
    project.call("task unlink k7f3q2ma 2").run().succeeded();
}

#[test]
fn criteria_are_checked_by_place_or_text() {
    let project = project!().task("k7f3q2ma", |task| task.criterion("tests pass").criterion("docs"));
    let checked = || -> Vec<bool> {
        let task = project.json("task show k7f3q2ma");
        task["done_criteria"].as_array().unwrap().iter().map(|item| item["checked"] == true).collect()
    };
    project.handoff("task check k7f3q2ma 2");
    assert_eq!(checked(), [false, true]);
    project.handoff("task check k7f3q2ma 'tests pass'");
    assert_eq!(checked(), [true, true]);
    project.call("task uncheck").request(&json!({"id": "k7f3q2ma", "criterion": 2})).run().succeeded();
    assert_eq!(checked(), [true, false]);
    for wrong in ["0", "3", "-1", "99999999999999999999", "docs?", ""] {
        let answer = project.call("task check k7f3q2ma --").word(wrong).run();
        answer.failed(3).says("hint: run `handoff task show k7f3q2ma`");
    }
}

#[test]
fn an_update_that_changes_nothing_writes_nothing() {
    let project = one_task();
    let before = project.records();
    for line in ["", "--status todo", "--priority high", "--labels auth,api", "--depends-on 2", "--due 2026-11-18"] {
        let answer = project.call(&format!("task update k7f3q2ma {line}")).run();
        answer.succeeded().says("nothing to change");
    }
    project.records().assert_same(&before, "it changed");
}

#[test]
fn a_changed_title_renames_the_directory_and_keeps_number_and_id() {
    let project = project!().task("k7f3q2ma", |task| task.title("Old"));
    project.call("task update 1 --title 'Ünïcode / Straße: 任務!'").run().succeeded().says("01").says("k7f3q2ma");
    insta::assert_snapshot!(project.tree(".handoff/tasks"), @"01-todo--ünïcode-straße-任務/task.toml");
}
