//! `handoff task list`: filters, readiness, pages.

use std::collections::BTreeSet;

use handoff_testkit::{TestProject, project};
use serde_json::{Value, json};

fn varied() -> TestProject {
    project!()
        .task("aaaaaaaa", |task| {
            task.title("Alpha")
                .status("in_progress")
                .field("priority = \"high\"")
                .labels(&["x", "y"])
                .field("assignee = \"bob\"")
        })
        .task("bbbbbbbb", |task| {
            task.title("Beta")
                .parent("aaaaaaaa")
                .status("done")
                .labels(&["x"])
                .table("[schedule]\nmilestone = \"m1\"\n")
        })
        .task("cccccccc", |task| {
            task.title("Gamma").parent("aaaaaaaa").depends_on(&["dddddddd"]).field("description = \"Needle\"")
        })
        .task("dddddddd", |task| task.title("Delta").status("review").depends_on(&["bbbbbbbb"]).criterion("needle too"))
        .task("eeeeeeee", |task| task.title("Epsilon").status("blocked").field("priority = \"low\""))
        .task("ffffffff", |task| {
            task.title("Zeta")
                .status("skipped")
                .depends_on(&["gggggggg"])
                .table("[[notes]]\nat = 2026-11-15T09:00:00Z\ntext = \"a NEEDLE\"\n")
        })
}

fn matched(project: &TestProject, flags: &str) -> String {
    let list = project.json(&format!("task list {flags}"));
    let tasks = list["tasks"].as_array().expect("a list has tasks");
    let matched: Vec<&str> =
        tasks.iter().filter(|task| task["matched"] == true).filter_map(|task| task["title"].as_str()).collect();
    assert_eq!(list["summary"]["total"], 6, "the summary counts everything");
    matched.join(" ")
}

#[test]
fn each_filter_finds_its_tasks() {
    let project = varied();
    for (flags, expected) in [
        ("", "Alpha Beta Gamma Delta Epsilon Zeta"),
        ("--status done", "Beta"),
        ("--status todo --status review", "Gamma Delta"),
        ("--priority high", "Alpha"),
        ("--priority medium", ""),
        ("--assignee bob", "Alpha"),
        ("--assignee Bob", ""),
        ("--milestone m1", "Beta"),
        ("--label x", "Alpha Beta"),
        ("--label x --label y", "Alpha"),
        ("--text needle", "Gamma Delta Zeta"),
        ("--query ALPHA", "Alpha"),
        ("--under 1", "Alpha Beta Gamma"),
        ("--under c", "Gamma"),
        ("--label x --status done", "Beta"),
        ("--text -dash", ""),
    ] {
        assert_eq!(matched(&project, flags), expected, "{flags}");
    }
}

#[test]
fn ready_is_what_is_open_unblocked_and_waits_for_nothing() {
    let project = varied();
    // Gamma waits for Delta; Delta only for what is done; a task that was deleted holds nothing up.
    assert_eq!(matched(&project, "--ready"), "Alpha Delta");
    project.handoff("task update d --status skipped");
    assert_eq!(matched(&project, "--ready"), "Alpha Gamma");
    project.handoff("task update f --status todo");
    assert_eq!(matched(&project, "--ready"), "Alpha Gamma Zeta");
}

#[test]
fn the_tasks_above_a_match_are_shown_so_that_its_place_is_clear() {
    let project = varied();
    insta::assert_snapshot!(project.handoff("task list --status done"), @r"
    task         status       id        priority  assignee  labels
    01 Alpha     in_progress  aaaaaaaa  high      bob       x, y
      01.1 Beta  done         bbbbbbbb                      x

    6 tasks, 1 todo, 1 in_progress, 1 review, 1 done, 1 blocked, 1 skipped
    ");
    insta::assert_snapshot!(project.handoff("task list --status done --flat"), @r"
    task       status  id        labels
    01.1 Beta  done    bbbbbbbb  x

    6 tasks, 1 todo, 1 in_progress, 1 review, 1 done, 1 blocked, 1 skipped
    ");
    insta::assert_snapshot!(project.handoff("task list --priority medium"), @r"
    no task matches
    6 tasks, 1 todo, 1 in_progress, 1 review, 1 done, 1 blocked, 1 skipped
    ");
}

/// Walks all pages and returns every match, in the order they came.
fn pages(project: &TestProject, flags: &str, limit: usize) -> Vec<String> {
    let mut seen = Vec::new();
    let mut cursor = Value::Null;
    for _ in 0..100 {
        let at = cursor.as_str().map(|cursor| format!("--cursor {cursor}")).unwrap_or_default();
        let page = project.json(&format!("task list {flags} --limit {limit} {at}"));
        let tasks = page["tasks"].as_array().expect("a page has tasks");
        let matched: Vec<String> =
            tasks.iter().filter(|task| task["matched"] == true).map(|task| task["id"].to_string()).collect();
        assert!(matched.len() <= limit, "{page}");
        seen.extend(matched);
        cursor = page["next_cursor"].clone();
        if cursor.is_null() {
            return seen;
        }
    }
    panic!("the pages never end")
}

#[test]
fn walking_all_pages_shows_each_task_once_in_the_order_of_the_tree() {
    let mut project = project!();
    for number in 0..23 {
        let id = format!("a{number:07}");
        let status = if number % 3 == 0 { "done" } else { "todo" };
        project = project.task(&id, |task| {
            let task = task.status(status).labels(if number % 2 == 0 { &["even"] } else { &["odd"] });
            if number % 4 == 3 { task.parent(&format!("a{:07}", number - 3)) } else { task }
        });
    }
    for flags in ["", "--flat", "--label even", "--all", "--status done", "--ready --flat"] {
        let whole: Vec<String> = {
            let list = project.json(&format!("task list {flags}"));
            let tasks = list["tasks"].as_array().unwrap();
            tasks.iter().filter(|task| task["matched"] == true).map(|task| task["id"].to_string()).collect()
        };
        for limit in [1, 2, 7, 100] {
            assert_eq!(pages(&project, flags, limit), whole, "{flags} by {limit}");
        }
    }
}

#[test]
fn a_page_ends_with_the_command_that_shows_the_next() {
    let project = varied();
    let answer = project.handoff("task list --status todo --status review --label none --flat --limit 1");
    assert!(!answer.contains("more"), "{answer}");
    let answer = project.handoff("task list --text needle --flat --limit 1");
    let hint = answer.split('`').nth(1).expect("a hint stands in backticks").trim_start_matches("handoff ").to_owned();
    let next = project.handoff(&hint);
    assert!(next.contains("Delta") && !next.contains("Epsilon"), "the filters stay: {hint}\n{next}");
}

#[test]
fn a_limit_of_nothing_is_not_an_empty_list() {
    let project = varied();
    let answer = project.call("task list --limit 0").run();
    answer.hides("no task matches");
    if answer.code == 0 {
        assert!(!project.json("task list --limit 0")["next_cursor"].is_null(), "the rest can be reached");
    }
}

#[test]
fn a_cursor_that_names_no_task_is_not_found() {
    let project = varied();
    project.call("task list --cursor zzzzzzzz").run().failed(3);
    project.call("task list --under zzzzzzzz").run().failed(3);
    project.call("task list --cursor ../x").run().failed(2);
    project.call("task list --limit x").run().failed(2);
    project.call("task list --limit=-1").run().failed(2);
}

fn with_finished(count: usize) -> TestProject {
    let mut project = project!();
    for number in 0..count {
        let id = format!("d{number:07}");
        let completed = format!("completed_at = 2026-11-{:02}T00:00:00Z", 28 - number);
        project = project.task(&id, |task| task.title(&format!("Done {number}")).status("done").field(&completed));
    }
    project.task("k7f3q2ma", |task| task.title("Open"))
}

#[test]
fn of_finished_tasks_the_last_ten_are_shown_and_the_rest_counted() {
    let project = with_finished(12);
    let list = project.json("task list");
    let shown: BTreeSet<&str> =
        list["tasks"].as_array().unwrap().iter().map(|task| task["title"].as_str().unwrap()).collect();
    assert_eq!(shown.len(), 11);
    assert!(!shown.contains("Done 10") && !shown.contains("Done 11"), "the longest finished go first: {shown:?}");
    assert_eq!((&list["hidden_finished"], &list["matches"]), (&json!(2), &json!(13)));
    project.call("task list").run().says("2 more: run `handoff task list --all`");
    assert_eq!(project.json("task list --all")["tasks"].as_array().map(Vec::len), Some(13));
    assert_eq!(
        project.json("task list --status done")["tasks"].as_array().map(Vec::len),
        Some(12),
        "they were asked for"
    );
}

#[test]
fn the_number_of_finished_tasks_shown_is_a_setting() {
    let project = with_finished(3);
    project.edit(".handoff/config.toml", "# done_task_limit = 10", "done_task_limit = 1");
    assert_eq!(project.json("task list")["hidden_finished"], 2);
    project.edit(".handoff/config.toml", "done_task_limit = 1 ", "done_task_limit = 0 ");
    assert_eq!(project.json("task list")["hidden_finished"], 3);
    project.call("task list").run().says("Open").hides("Done 0");
}

#[test]
fn numbers_sort_by_value_and_order_comes_first() {
    let mut project = project!();
    for number in 1..=11 {
        project = project.task(&format!("a{number:07}"), |task| match number {
            11 => task.field("order = -1"),
            7 => task.field("order = 3"),
            _ => task,
        });
    }
    let list = project.json("task list");
    let numbers: Vec<&str> =
        list["tasks"].as_array().unwrap().iter().map(|task| task["number"].as_str().unwrap()).collect();
    assert_eq!(numbers, ["11", "07", "01", "02", "03", "04", "05", "06", "08", "09", "10"]);
}
