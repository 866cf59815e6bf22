//! Deleting into the trash, and bringing back.

use handoff_testkit::{TestProject, project, shared_project};
use serde_json::json;

fn both() -> [TestProject; 2] {
    [project!(), shared_project!()].map(|project| {
        project
            .task("aaaaaaaa", |task| {
                task.title("A").status("in_progress").field("# a comment").table("[extra]\nfuture = 1\n")
            })
            .task("bbbbbbbb", |task| task.title("B").parent("aaaaaaaa"))
            .task("cccccccc", |task| task.title("C").parent("bbbbbbbb").depends_on(&["dddddddd"]))
            .task("dddddddd", |task| task.title("D").depends_on(&["bbbbbbbb"]))
    })
}

#[test]
fn a_deleted_task_takes_all_below_it_along_and_comes_back_as_it_was() {
    for project in both() {
        let before = project.records();
        let answer = project.call("task delete a").run();
        answer.succeeded().says("deleted 01 A and 2 below it").says("run `handoff task restore aaaaaaaa`");
        answer.says("warning: 02 D depended on it");
        assert_eq!(project.json("task list")["summary"]["total"], 1);
        let trash = project.json("task trash");
        assert_eq!(
            trash["tasks"],
            json!([{"id": "aaaaaaaa", "title": "A", "deleted_at": "2026-11-15T09:00:01Z", "count": 3}])
        );
        project.call("task restore a").run().succeeded().says("restored 01 A");
        project.records().assert_same(&before, "it changed");
        project.call("task trash").run().says("the trash is empty");
    }
}

#[test]
fn a_deleted_child_returns_under_its_parent() {
    for project in both() {
        project.handoff("task delete c");
        project.call("task restore cccccccc").run().succeeded().says("restored 01.1.1 C");
        project.handoff("task delete b");
        project.handoff("task update a --status done");
        project.call("task restore b --to d").run().succeeded().says("restored 02.1 B");
        project.call("task list").run().says("02.1.1 C");
    }
}

#[test]
fn a_child_whose_parent_is_gone_comes_back_at_the_top_and_says_so() {
    for project in both() {
        project.handoff("task delete b");
        project.handoff("task delete a");
        let answer = project.call("task restore b").run();
        answer.succeeded().says("warning: its parent `aaaaaaaa` is gone, so it stands at the top now");
        project.call("task list").run().says("C").hides("warning");
        project.call("task restore a").run().succeeded().says("01 A");
    }
}

#[test]
fn a_number_that_was_taken_meanwhile_is_replaced_by_a_new_one() {
    for project in both() {
        project.handoff("task delete d");
        project.remove(".handoff/local/state/numbers");
        project.handoff("task create New");
        project.call("task restore d").run().succeeded();
        let list = project.json("task list");
        assert!(list["problems"].is_null(), "{list:#}");
        assert_eq!(list["summary"]["total"], 5);
    }
}

#[test]
fn a_task_deleted_twice_comes_back_as_it_was_last() {
    for project in both() {
        project.handoff("task delete c");
        project.handoff("task restore c");
        project.handoff("task update c --title 'Newer'");
        project.handoff("task delete c");
        project.call("task restore c").run().succeeded().says("Newer");
    }
}

#[test]
fn what_exists_is_not_restored_over() {
    let project =
        project!().task("aaaaaaaa", |task| task.title("Living")).deleted_task("aaaaaaaa", |task| task.title("Dead"));
    project.call("task restore a").run().failed(4).says("already a task");
    project.call("task show a").run().says("Living");
    assert_eq!(project.json("task trash")["tasks"][0]["title"], "Dead");
}

#[test]
fn a_wrong_reference_to_the_trash_shows_what_is_there() {
    let project = project!().deleted_task("r5e8t1ed", |task| task.title("Retired idea"));
    project.call("task restore zzz").run().failed(3).says("no deleted task `zzz`").says("r5e8t1ed Retired idea");
    project.call("task restore 1").run().failed(3).says("r5e8t1ed");
    project.call("task restore ../../x").run().failed(2);
    let project = project.deleted_task("r5e9aaaa", |task| task.title("Another"));
    project.call("task restore r5").run().failed(4).says("could be 2 tasks").says("r5e8t1ed").says("r5e9aaaa");
}

#[test]
fn an_empty_trash_says_so() {
    let project = project!();
    project.call("task trash").run().succeeded().says("the trash is empty");
    assert_eq!(project.json("task trash"), json!({"tasks": []}));
    project.call("task restore k7f3q2ma").run().failed(3);
}

#[test]
fn files_of_others_beside_a_task_are_kept_with_it() {
    let project = project!().task("aaaaaaaa", |task| task.title("A"));
    project.write(".handoff/tasks/01-todo--a/sketch.png", "picture");
    project.write(".handoff/tasks/01-todo--a/docs/more.md", "text");
    let before = project.tree(".handoff/tasks");
    project.handoff("task delete a");
    project.handoff("task restore a");
    project.tree(".handoff/tasks").assert_same(&before, "it changed");
}

#[test]
fn a_damaged_entry_hides_no_other_and_is_named() {
    let project = project!()
        .deleted_task("r5e8t1ed", |task| task.title("Retired idea"))
        .deleted_task("s5e8t1ed", |task| task.title("Broken"));
    let entry = project
        .tree(".handoff/local/state/trash")
        .files()
        .into_iter()
        .find(|file| file.contains("s5e8"))
        .map(str::to_owned);
    project.write(&format!(".handoff/local/state/trash/{}", entry.expect("it was made")), "title = broken");
    project.write(".handoff/local/state/trash/readme.txt", "mine");
    project.make_directory(".handoff/local/state/trash/odd");
    let answer = project.call("task trash").run();
    answer.succeeded().says("Retired idea").says("s5e8t1ed");
    project.call("task restore s5e8t1ed").run().failed(6).says("task.toml");
    project.call("task restore r5e8t1ed").run().succeeded();
}

#[test]
fn what_depends_on_a_deleted_task_no_longer_waits_for_it() {
    for project in both() {
        let ready = || project.json("task list --ready --flat")["matches"].clone();
        assert_eq!(ready(), 2, "A and B");
        project.handoff("task delete b");
        assert_eq!(ready(), 2, "A and D");
        project.handoff("task restore b");
        assert_eq!(ready(), 2, "D waits again");
    }
}
