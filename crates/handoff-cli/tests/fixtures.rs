//! Every tree in `fixtures/` loads, and a change loses no byte that it did not change.

use handoff_testkit::{TestProject, fixture};
use serde_json::Value;

const TREES: [&str; 2] = ["format-1/private", "format-1/shared"];

fn both() -> impl Iterator<Item = TestProject> {
    TREES.into_iter().map(|name| fixture!(name))
}

#[test]
fn every_tree_loads_without_a_complaint() {
    for project in both() {
        let list = project.call("task list --all").run();
        assert_eq!((list.code, list.stderr.as_str()), (0, ""), "{list}");
        let ids = project.json("task list --all --flat");
        for task in ids["tasks"].as_array().expect("a list has tasks") {
            project.call(&format!("task show {}", task["id"].as_str().unwrap_or_default())).run().succeeded();
        }
    }
}

#[test]
fn the_private_tree_reads_as_it_was_written() {
    let project = fixture!("format-1/private");
    insta::assert_snapshot!(project.handoff("task list"), @r"
    task                            status       id        priority  due         assignee  labels
    01 Implement auth [1/2]         in_progress  k7f3q2ma  high      2026-11-18  alice     auth, api
      01.1 Design schema            done         m2x9a4te
      01.2 Write handlers           todo         n3p5s7vx
    02 Deploy staging [0/1]         blocked      q4w8e2rt            2026-12-01
    03 Rewrite in another language  skipped      t6u2y8wz
    10 日本語の見出し               review       v9b3n5hj

    6 tasks, 1 todo, 1 in_progress, 1 review, 1 done, 1 blocked, 1 skipped
    ");
    insta::assert_snapshot!(project.handoff("task show k7f3q2ma"), @r#"
    01 Implement auth  in_progress  k7f3q2ma
    priority:   high
    labels:     auth, api
    assignee:   alice
    depends on: m2x9a4te
    start:      2026-11-16
    due:        2026-11-18
    estimate:   6 h
    logged:     1.25 h
    remaining:  4.75 h
    milestone:  beta
    order:      -1
    created:    2026-11-15T09:15:03Z
    file:       .handoff/tasks/01-in_progress--implement-auth/task.toml
    rev:        52d80103672ea578

      Needed for the beta.

          indented, with a "quote" and a \ backslash

    Criteria
    - [ ] 1. refresh flow has a test
    - [x] 2. handlers reviewed

    Links
    - issue https://example.com/issues/12
    - file src/auth.rs

    Children
    - done  Design schema  m2x9a4te
    - todo  Write handlers  n3p5s7vx

    Notes
    2026-11-15T11:40:00Z, codex
      Handler drafted; refresh path still open.

    History
    - 2026-11-15T10:00:00Z, codex  in_progress
    - 2026-11-15T09:05:00Z   estimate 6 h
    "#);
}

#[test]
fn the_shared_tree_reads_as_it_was_written() {
    let project = fixture!("format-1/shared");
    insta::assert_snapshot!(project.handoff("task list"), @r"
    task                         status       id        priority  due         labels
    01 Implement auth            in_progress  k7f3q2ma  high      2026-11-18  auth, api
      01.1 Design schema         done         m2x9a4te
      01.3 Write handlers [0/1]  todo         n3p5s7vx
    02 Deploy staging            blocked      q4w8e2rt

    4 tasks, 1 todo, 1 in_progress, 1 done, 1 blocked
    ");
    insta::assert_snapshot!(project.handoff("task show n3p5s7vx"), @r"
    01.3 Write handlers  todo  n3p5s7vx
    parent:     k7f3q2ma
    depends on: m2x9a4te
    file:       .handoff/tasks/write-handlers-n3p5s7vx/task.toml
    rev:        1f73f90fd3c7ecea

    Criteria
    - [ ] 1. docs
    ");
}

/// A change, and the one that takes it back.
const THERE_AND_BACK: [(&str, &str); 6] = [
    ("--title 'Another title'", "--title '[title]'"),
    ("--assignee zoe", "--assignee '[assignee]'"),
    ("--milestone m9", "--milestone '[schedule.milestone]'"),
    ("--due 2027-01-01", "--due '[schedule.due_date]'"),
    ("--add-label zz", "--remove-label zz"),
    ("--order 77", "--order '[order]'"),
];

#[test]
fn a_change_taken_back_leaves_every_byte_as_it_was() {
    for project in both() {
        let list = project.json("task list --all --flat");
        for task in list["tasks"].as_array().expect("a list has tasks") {
            let id = task["id"].as_str().unwrap_or_default();
            let shown = project.json(&format!("task show {id}"));
            let before = project.records();
            for (there, back) in THERE_AND_BACK {
                project.call(&format!("task update {id} {there}")).run().succeeded();
                project.call(&format!("task update {id} {}", filled(back, &shown))).run().succeeded();
                project.records().assert_same(&before, &format!("{id} {there} and back"));
            }
        }
    }
}

/// A flag with what the task had before in place of `[field]`.
fn filled(flag: &str, task: &Value) -> String {
    let Some((start, rest)) = flag.split_once('[') else { return flag.to_owned() };
    let field = rest.trim_end_matches("]'");
    let value = field.split('.').fold(task, |value, part| &value[part]);
    let text = match value {
        Value::Null => "none".to_owned(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    format!("{start}{text}'")
}

/// The lines of a text that are not in another.
fn lines_lost<'t>(before: &'t str, after: &str) -> Vec<&'t str> {
    before.lines().filter(|line| !after.lines().any(|other| other == *line)).collect()
}

#[test]
fn a_change_of_status_touches_its_own_line_and_appends() {
    let project = fixture!("format-1/private");
    let before = project.file(".handoff/tasks/01-in_progress--implement-auth/task.toml");
    project.call("task update k7f3q2ma --status review").run().succeeded();
    let after = project.file(".handoff/tasks/01-review--implement-auth/task.toml");
    assert_eq!(lines_lost(&before, &after), ["status = \"in_progress\"   # since Monday"]);
    assert_eq!(
        lines_lost(&after, &before),
        ["status = \"review\"   # since Monday", "at = 2026-11-15T09:00:00Z", "by = \"alice\"", "status = \"review\""]
    );
}

#[test]
fn each_kind_of_change_loses_only_what_it_replaces() {
    for (line, lost) in [
        ("task check k7f3q2ma 1", &["checked = false"][..]),
        ("task note k7f3q2ma hello", &[]),
        ("task link k7f3q2ma https://example.com", &[]),
        ("task unlink k7f3q2ma src/auth.rs", &["  { type = \"file\", target = \"src/auth.rs\" },"]),
        ("task update k7f3q2ma --criterion more", &[]),
        ("task update k7f3q2ma --add-label more", &[]),
        ("task update k7f3q2ma --remove-label api", &["  \"api\","]),
        ("task update k7f3q2ma --due none", &["due_date = 2026-11-18"]),
        ("task update k7f3q2ma --estimate 7", &["estimate_hours = 6.0"]),
        ("task update k7f3q2ma --dependencies none", &["dependencies = [\"m2x9a4te\"]"]),
    ] {
        let project = fixture!("format-1/private");
        let file = ".handoff/tasks/01-in_progress--implement-auth/task.toml";
        let before = project.file(file);
        project.call(line).run().succeeded();
        assert_eq!(lines_lost(&before, &project.file(file)), lost, "{line}");
    }
}

#[test]
fn sharing_there_and_back_leaves_every_byte_as_it_was() {
    let project = fixture!("format-1/private");
    let before = project.records();
    project.call("share").run().succeeded();
    project.call("unshare").run().succeeded();
    project.records().assert_same(&before, "it changed");
}

/// Deletes every task at the top, and brings all of them back.
fn delete_and_restore_all(project: &TestProject) {
    let list = project.json("task list --all");
    let tasks = list["tasks"].as_array().expect("a list has tasks").iter();
    let tops: Vec<&str> = tasks.filter(|task| task["depth"] == 0).filter_map(|task| task["id"].as_str()).collect();
    for id in &tops {
        project.call(&format!("task delete {id}")).run().succeeded();
    }
    project.call("task list").run().says("no tasks yet");
    for id in &tops {
        project.call(&format!("task restore {id}")).run().succeeded();
    }
}

#[test]
fn deleting_and_restoring_everything_leaves_every_byte_as_it_was() {
    let project = fixture!("format-1/private");
    let before = project.records();
    delete_and_restore_all(&project);
    project.records().assert_same(&before, "deleted and restored");
}

#[test]
fn in_a_shared_tree_restoring_renames_no_directory() {
    let project = fixture!("format-1/shared");
    let before = project.records();
    delete_and_restore_all(&project);
    project.records().assert_same(&before, "deleted and restored");
}

#[test]
fn files_that_a_change_is_not_about_stay_as_they_are() {
    for project in both() {
        let others = || project.tree(".handoff").without(&["local", "tasks"]);
        let before = others();
        for line in [
            "task create X",
            "task update q4w8e2rt --status review",
            "task move q4w8e2rt --to n3p5s7vx",
            "task delete n3p5s7vx",
        ] {
            project.call(line).run().succeeded();
        }
        assert_eq!(others(), before);
    }
}
