//! The rules agents rely on, on every path that can break them.

use handoff_testkit::{TestProject, project, shared_project};
use serde_json::json;

/// A parent with an open criterion and an open child, in both layouts.
fn parent_and_child() -> [TestProject; 2] {
    [project!(), shared_project!()].map(|project| {
        project
            .task("k7f3q2ma", |task| task.title("Parent"))
            .task("m2x9a4te", |task| task.title("Child").parent("k7f3q2ma"))
    })
}

/// A finished parent with a finished child, and an open task beside it.
fn finished() -> [TestProject; 2] {
    [project!(), shared_project!()].map(|project| {
        project
            .task("k7f3q2ma", |task| task.title("Parent").status("done").checked_criterion("tests pass"))
            .task("m2x9a4te", |task| task.title("Child").status("done").parent("k7f3q2ma"))
            .task("q4w8e2rt", |task| task.title("Beside"))
    })
}

/// Runs a command that a rule stands against, and checks that it changes nothing.
fn refused(project: &TestProject, line: &str) -> String {
    let before = project.records();
    let answer = project.call(line).run();
    answer.failed(4);
    project.records().assert_same(&before, line);
    answer.to_string()
}

#[test]
fn finishing_a_task_with_open_criteria_is_refused() {
    let project = project!().task("k7f3q2ma", |task| task.criterion("tests pass").checked_criterion("reviewed"));
    insta::assert_snapshot!(refused(&project, "task update k7f3q2ma --status done"), @r"
    error: task `k7f3q2ma` has 1 open criterion
      1. tests pass
    hint: run `handoff task check k7f3q2ma 1`
    [exit 4]
    ");
    project.call("task check k7f3q2ma 1").run().succeeded();
    project.call("task update k7f3q2ma --status done").run().succeeded();
}

#[test]
fn finishing_a_task_with_an_open_child_is_refused() {
    for project in parent_and_child() {
        insta::allow_duplicates! {
            insta::assert_snapshot!(refused(&project, "task update k7f3q2ma --status done"), @r"
            error: task `k7f3q2ma` has 1 open child
              m2x9a4te Child
            hint: run `handoff task update m2x9a4te --status done`
            [exit 4]
            ");
        }
        project.call("task update m2x9a4te --status skipped").run().succeeded();
        project.call("task update k7f3q2ma --status done").run().succeeded();
    }
}

#[test]
fn skipping_is_allowed_with_open_criteria_and_children() {
    for project in parent_and_child() {
        project.handoff("task update k7f3q2ma --criterion 'tests pass'");
        project.call("task update k7f3q2ma --status skipped").run().succeeded();
    }
}

#[test]
fn a_task_cannot_be_created_finished_with_an_open_criterion() {
    let project = project!();
    refused(&project, "task create X --status done --criterion 'tests pass'");
    let request =
        json!({"title": "X", "status": "done", "done_criteria": [{"item": "a"}, {"item": "b", "checked": true}]});
    project.call("task create").request(&request).run().failed(4).says("1 open criterion");
    project.call("task list").run().says("no tasks yet");
    let request = json!({"title": "X", "status": "done", "done_criteria": [{"item": "b", "checked": true}]});
    project.call("task create").request(&request).run().succeeded();
}

#[test]
fn an_open_task_cannot_be_created_under_a_finished_one() {
    for project in finished() {
        insta::allow_duplicates! {
            insta::assert_snapshot!(refused(&project, "task create X --parent 1"), @r"
            error: task `k7f3q2ma` is done, so nothing under it can be open
            hint: run `handoff task update k7f3q2ma --status in_progress`
            [exit 4]
            ");
        }
        project.call("task create X --parent 1 --status done").run().succeeded();
    }
}

#[test]
fn an_open_task_cannot_be_moved_under_a_finished_one() {
    for project in finished() {
        refused(&project, "task move q4w8e2rt --to k7f3q2ma");
        refused(&project, "task move q4w8e2rt --to m2x9a4te");
        project.call("task update q4w8e2rt --status done").run().succeeded();
        project.call("task move q4w8e2rt --to k7f3q2ma").run().succeeded();
    }
}

#[test]
fn a_child_of_a_finished_task_cannot_be_reopened() {
    for project in finished() {
        for status in ["todo", "in_progress", "review", "blocked"] {
            let told = refused(&project, &format!("task update m2x9a4te --status {status}"));
            assert!(told.contains("task `k7f3q2ma` is done"), "{told}");
        }
        project.call("task update m2x9a4te --status skipped").run().succeeded();
    }
}

#[test]
fn a_finished_task_gets_no_open_criterion() {
    for project in finished() {
        refused(&project, "task uncheck k7f3q2ma 1");
        refused(&project, "task update k7f3q2ma --criterion 'one more'");
        let request = json!({"id": "k7f3q2ma", "done_criteria": [{"item": "x", "checked": false}]});
        project.call("task update").request(&request).run().failed(4);
        // Reopened in the same step it is fine.
        project.call("task update k7f3q2ma --criterion 'one more' --status review").run().succeeded();
        project.call("task uncheck k7f3q2ma 1").run().succeeded();
    }
}

#[test]
fn an_open_task_cannot_be_restored_under_a_finished_one() {
    for project in parent_and_child() {
        project.handoff("task delete m2x9a4te");
        project.handoff("task update k7f3q2ma --status done");
        let told = refused(&project, "task restore m2x9a4te");
        assert!(told.contains("task `k7f3q2ma` is done"), "{told}");
        refused(&project, "task restore m2x9a4te --to 1");
        project.call("task restore m2x9a4te --to root").run().succeeded();
    }
}

#[test]
fn a_cycle_of_dependencies_is_refused_and_shown() {
    for project in [project!(), shared_project!()] {
        let project = project
            .task("aaaaaaaa", |task| task)
            .task("bbbbbbbb", |task| task.depends_on(&["aaaaaaaa"]))
            .task("cccccccc", |task| task.depends_on(&["bbbbbbbb"]));
        let told = refused(&project, "task update a --depends-on c");
        assert!(told.contains("aaaaaaaa → cccccccc → bbbbbbbb → aaaaaaaa"), "{told}");
        refused(&project, "task update a --depends-on a");
        refused(&project, "task update a --dependencies b");
        let request = json!({"id": "aaaaaaaa", "dependencies": ["cccccccc"]});
        project.call("task update").request(&request).run().failed(4);
    }
}

#[test]
fn an_unknown_dependency_is_refused_with_close_matches() {
    let project = project!().task("k7f3q2ma", |task| task).task("k7f3q2mb", |task| task).task("zzzzzzzz", |task| task);
    let answer = project.call("task create X --depends-on k7f3q2mx").run();
    answer.failed(3).says("k7f3q2ma").says("k7f3q2mb").hides("zzzzzzzz");
    project.call("task update 1 --depends-on k7f3q2mx").run().failed(3).says("close: ");
    project.call("task update 1 --dependencies 2,9").run().failed(3);
    assert_eq!(project.json("task list")["matches"], 3);
}

#[test]
fn a_dependency_whose_task_is_gone_can_be_taken_away() {
    let project =
        project!().task("k7f3q2ma", |task| task.depends_on(&["gggggggg", "m2x9a4te"])).task("m2x9a4te", |task| task);
    project.call("task update 1 --remove-dependency gggg").run().succeeded();
    project.call("task update 1 --remove-dependency 2").run().succeeded();
    assert_eq!(project.json("task show 1")["dependencies"], serde_json::Value::Null);
    project.call("task update 1 --remove-dependency gggggggg").run().failed(3);
}

#[test]
fn bringing_a_task_back_cannot_close_a_cycle() {
    let project = project!()
        .task("aaaaaaaa", |task| task.depends_on(&["bbbbbbbb"]))
        .task("bbbbbbbb", |task| task.depends_on(&["cccccccc"]))
        .task("cccccccc", |task| task);
    project.handoff("task delete b");
    project.call("task update c --depends-on a").run().succeeded();
    let answer = project.call("task restore b").run();
    // Refused, or brought back without the dependency that would close it; never with all three.
    if answer.code == 0 {
        let has = |id: &str| project.json(&format!("task show {id}"))["dependencies"].is_array();
        assert!(!(has("a") && has("b") && has("c")), "{}", project.handoff("task list"));
    } else {
        answer.failed(4);
    }
}

#[test]
fn a_task_is_never_moved_under_itself() {
    for project in parent_and_child() {
        refused(&project, "task move k7f3q2ma --to k7f3q2ma");
        refused(&project, "task move k7f3q2ma --to m2x9a4te");
    }
}

#[test]
fn sixteen_levels_are_enough_on_every_path() {
    let names = ["a", "b", "c", "d", "e", "f", "g", "h", "j", "k", "m", "n", "p", "q", "r", "s"];
    let ids: Vec<String> = names.iter().map(|name| name.repeat(8)).collect();
    for mut project in [project!(), shared_project!()] {
        for (depth, id) in ids.iter().enumerate() {
            project = match depth {
                0 => project.task(id, |task| task),
                _ => project.task(id, |task| task.parent(&ids[depth - 1])),
            };
        }
        let project = project
            .task("vvvvvvvv", |task| task)
            .task("wwwwwwww", |task| task.parent("vvvvvvvv"))
            .task("xxxxxxxx", |task| task.parent("rrrrrrrr"));
        assert!(refused(&project, "task create X --parent ssssssss").contains("17 levels"));
        refused(&project, "task move wwwwwwww --to ssssssss");
        refused(&project, "task move vvvvvvvv --to rrrrrrrr");
        project.call("task move wwwwwwww --to rrrrrrrr").run().succeeded();
        project.handoff("task delete wwwwwwww");
        refused(&project, "task restore wwwwwwww --to ssssssss");
        project.call("task list").run().hides("levels deep");
    }
}
