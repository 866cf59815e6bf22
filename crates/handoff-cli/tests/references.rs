//! Naming a task: by id, the beginning of one, or number; and revisions.

use handoff_testkit::{TestProject, project, shared_project};
use serde_json::json;

fn both() -> [TestProject; 2] {
    [project!(), shared_project!()].map(|project| {
        project
            .task("k7f3q2ma", |task| task.title("First"))
            .task("k7f9zzzz", |task| task.title("Second").parent("k7f3q2ma"))
            .task("m2x9a4te", |task| task.title("Third"))
    })
}

#[test]
fn a_task_is_named_by_id_prefix_or_number() {
    for project in both() {
        for (reference, title) in [
            ("k7f3q2ma", "First"),
            ("K7F3Q2MA", "First"),
            ("k7f3", "First"),
            ("1", "First"),
            ("01", "First"),
            ("001", "First"),
            ("1.1", "Second"),
            ("01.1", "Second"),
            ("01.01", "Second"),
            ("k7f9", "Second"),
            ("m", "Third"),
            (" 2 ", "Third"),
        ] {
            assert_eq!(project.json(&format!("task show '{reference}'"))["title"], title, "{reference}");
        }
    }
}

#[test]
fn the_shortest_prefix_that_is_enough_is_shown_and_works() {
    for project in both() {
        let list = project.json("task list");
        let shorts: Vec<&str> =
            list["tasks"].as_array().unwrap().iter().map(|task| task["short"].as_str().unwrap()).collect();
        assert_eq!(shorts, ["k7f3", "k7f9", "m"]);
        for short in shorts {
            project.call(&format!("task show {short}")).run().succeeded();
        }
    }
}

#[test]
fn an_ambiguous_prefix_lists_the_candidates() {
    for project in both() {
        insta::allow_duplicates! {
            insta::assert_snapshot!(project.handoff("task show k7"), @r"
            error: `k7` could be 2 tasks
              01 k7f3q2ma First
              01.1 k7f9zzzz Second
            hint: give the whole id
            [exit 4]
            ");
        }
        project.call("task update k7 --status done").run().failed(4);
        project.call("task delete k").run().failed(4);
        project.call("task move m2 --to k7").run().failed(4);
        project.call("task create X --parent k7").run().failed(4);
    }
}

#[test]
fn an_unknown_reference_is_not_found_with_up_to_five_close_matches() {
    let mut project = project!();
    for number in 0..8 {
        project = project.task(&format!("k7f3q2m{number}"), |task| task.title(&format!("Task {number}")));
    }
    let answer = project.call("task show k7f3q2ma").run();
    answer.failed(3).says("no task `k7f3q2ma` in this project").says("hint: run `handoff task list`");
    assert_eq!(answer.stderr.matches("close: ").count(), 5, "{answer}");
    project.call("task show 99").run().failed(3);
    project.call("task show 1.9").run().failed(3);
    let error = project.call("task show k7f3q2ma --json").run().json_error();
    assert_eq!(error["error"]["kind"], "not_found", "{error:#}");
}

#[test]
fn what_can_name_no_task_is_wrong_usage() {
    let project = project!();
    for wrong in [
        "",
        " ",
        "..",
        "../..",
        "/etc/passwd",
        "0",
        "1.0",
        "1..2",
        "1.x",
        "k7f3q2ma9",
        "k7/..",
        "tâche",
        "-1",
        "1,2",
        "*",
    ] {
        let answer = project.call("task show --").word(wrong).run();
        answer.failed(2).says("names no task");
    }
}

#[test]
fn a_change_is_made_only_at_the_revision_the_caller_saw() {
    for project in both() {
        let rev = project.json("task show k7f3q2ma")["rev"].as_str().unwrap().to_owned();
        project.call(&format!("task note k7f3q2ma one --if-rev {rev}")).run().succeeded();
        let before = project.records();
        for line in [
            "task update k7f3q2ma --title X",
            "task note k7f3q2ma two",
            "task check k7f3q2ma 1",
            "task uncheck k7f3q2ma 1",
            "task link k7f3q2ma x",
            "task unlink k7f3q2ma x",
            "task move k7f3q2ma --to 2",
            "task reorder k7f3q2ma --last",
            "task delete k7f3q2ma",
        ] {
            let answer = project.call(&format!("{line} --if-rev {rev}")).run();
            answer.failed(4).says("changed meanwhile").says("hint: ");
        }
        project.records().assert_same(&before, "it changed");
        let rev = project.json("task show k7f3q2ma")["rev"].as_str().unwrap().to_owned();
        let request = json!({"id": "k7f3q2ma", "title": "X", "if_rev": rev});
        let changed = project.call("task update --json").request(&request).run();
        let next = changed.succeeded().json()["rev"].as_str().unwrap().to_owned();
        project.call(&format!("task update k7f3q2ma --title Y --if-rev {next}")).run().succeeded();
    }
}

#[test]
fn an_edit_by_hand_changes_the_revision() {
    let project = project!().task("k7f3q2ma", |task| task);
    let rev = project.json("task show 1")["rev"].as_str().unwrap().to_owned();
    let file = project.task_file("k7f3q2ma");
    project.write(&file, format!("{}# hello\n", project.file(&file)));
    project.call(&format!("task update 1 --title X --if-rev {rev}")).run().failed(4);
    for wrong in ["", "x", "0", "zzzzzzzzzzzzzzzz", "00000000000000000"] {
        project.call("task update 1 --title X --if-rev").word(wrong).run().failed(2).says("not a revision");
    }
}

#[test]
fn edits_by_hand_are_seen_at_once() {
    for project in both() {
        project.handoff("task note k7f3q2ma warm");
        let file = project.task_file("k7f3q2ma");
        project.edit(&file, "title = \"First\"", "title = \"By hand\"");
        project.call("task show k7f3q2ma").run().says("By hand");
        project.call("task show 1").run().says("By hand");
        project.call("task list").run().says("By hand");
        project.remove(file.trim_end_matches("/task.toml"));
        project.call("task show k7f3q2ma").run().failed(3);
        project.call("task update k7f3q2ma --status done").run().failed(3);
    }
}

#[test]
fn a_directory_renamed_by_hand_is_found_again() {
    let project = project!().task("k7f3q2ma", |task| task.title("First")).task("m2x9a4te", |task| task.title("Second"));
    project.handoff("task note k7f3q2ma warm");
    project.handoff("task note m2x9a4te warm");
    project.rename(".handoff/tasks/01-todo--first", ".handoff/tasks/08-todo--elsewhere");
    project.call("task show k7f3q2ma").run().says("08 First");
    project.call("task show 1").run().failed(3);
    project.call("task show 8").run().says("First");
    // Exchanged names must not exchange the tasks.
    project.rename(".handoff/tasks/08-todo--elsewhere", ".handoff/tasks/x");
    project.rename(".handoff/tasks/02-todo--second", ".handoff/tasks/08-todo--elsewhere");
    project.rename(".handoff/tasks/x", ".handoff/tasks/02-todo--second");
    project.call("task show k7f3q2ma").run().says("02 First");
    project.call("task show m2x9a4te").run().says("08 Second");
    project.call("task update 2 --status done").run().succeeded().says("k7f3q2ma");
}
