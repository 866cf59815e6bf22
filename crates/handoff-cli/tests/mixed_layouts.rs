//! Private projects in which some tasks say by a field where they belong, as after a merge or a copy between projects.

use handoff_testkit::{TestProject, project};

/// A with B below it by its directory, and C, which says by its field that it lies below A.
fn mixed(name_of_c: &str) -> TestProject {
    let project =
        project!().task("aaaaaaaa", |task| task.title("A")).task("bbbbbbbb", |task| task.title("B").parent("aaaaaaaa"));
    project.write(
        &format!(".handoff/tasks/{name_of_c}/task.toml"),
        "id = \"cccccccc\"\ntitle = \"C\"\nstatus = \"todo\"\nparent = \"aaaaaaaa\"\n",
    );
    project
}

/// With the name of either layout.
fn both() -> [TestProject; 2] {
    ["c-cccccccc", "07-todo--c"].map(mixed)
}

/// The tree on one line: numbers and titles.
fn shown(project: &TestProject) -> String {
    let list = project.json("task list");
    let tasks = list["tasks"].as_array().expect("a list has tasks").iter();
    let words = tasks
        .map(|task| format!("{}{}", task["number"].as_str().unwrap_or("?"), task["title"].as_str().unwrap_or("?")));
    words.collect::<Vec<_>>().join(" ")
}

#[test]
fn a_task_is_not_finished_while_a_child_by_field_is_open() {
    for project in both() {
        project.call("task update bbbbbbbb --status done").run().succeeded();
        project.call("task update aaaaaaaa --status done").run().failed(4).says("cccccccc");
        project.call("task update cccccccc --status done").run().succeeded();
        project.call("task update aaaaaaaa --status done").run().succeeded();
        project.call("task update cccccccc --status todo").run().failed(4).says("`aaaaaaaa` is done");
    }
}

#[test]
fn a_task_is_never_moved_under_its_child_by_field() {
    for project in both() {
        project.call("task move aaaaaaaa --to cccccccc").run().failed(4).says("under itself");
        project.call("task list").run().hides("lies under itself");
    }
}

#[test]
fn deleting_a_task_takes_its_child_by_field_along() {
    for project in both() {
        let before = shown(&project);
        let answer = project.call("task delete aaaaaaaa").run();
        answer.succeeded().says("and 2 below it");
        project.call("task list").run().says("no tasks yet").hides("warning");
        project.call("task restore aaaaaaaa").run().succeeded();
        assert_eq!(shown(&project).len(), before.len());
        project.call("task show bbbbbbbb").run().succeeded();
        assert_eq!(project.json("task show cccccccc")["parent"], "aaaaaaaa");
    }
}

#[test]
fn showing_a_task_shows_its_child_by_field() {
    for project in both() {
        let children = project.json("task show aaaaaaaa")["children"].clone();
        assert_eq!(children.as_array().map(Vec::len), Some(2), "{children}");
    }
}

#[test]
fn a_new_child_gets_a_number_of_its_own() {
    for project in both() {
        project.call("task create D --parent aaaaaaaa").run().succeeded();
        project.call("task create E").run().succeeded();
        let list = project.json("task list");
        assert!(list["problems"].is_null(), "{list:#}");
    }
}

#[test]
fn listing_and_showing_give_a_task_the_same_number() {
    let project = project!()
        .task("aaaaaaaa", |task| task.title("A").field("number = 5"))
        .task("bbbbbbbb", |task| task.title("B").parent("aaaaaaaa"));
    project.handoff("task note bbbbbbbb warm");
    assert_eq!(shown(&project), "05A 05.1B");
    assert_eq!(project.json("task show bbbbbbbb")["number"], "05.1");
    project.call("task show 5.1").run().succeeded().says("B");
    project.call("task show 1.1").run().failed(3);
}

#[test]
fn a_moved_task_stays_where_it_was_put() {
    for project in both() {
        project.call("task move cccccccc --to bbbbbbbb").run().succeeded();
        assert_eq!(project.json("task show cccccccc")["parent"], "bbbbbbbb");
        project.call("task move cccccccc --to root").run().succeeded();
        assert!(project.json("task show cccccccc")["parent"].is_null());
        project.call("task list").run().hides("warning");
    }
}

#[test]
fn a_child_without_a_readable_parent_can_be_moved_and_deleted() {
    let project = project!()
        .task("aaaaaaaa", |task| task.title("A"))
        .task("bbbbbbbb", |task| task.title("B").parent("aaaaaaaa"))
        .task("cccccccc", |task| task.title("C").parent("bbbbbbbb"))
        .task("dddddddd", |task| task.title("D"));
    project.remove(&project.task_file("bbbbbbbb"));
    project.call("task move cccccccc --to dddddddd").run().succeeded();
    assert_eq!(shown(&project), "01A 02D 02.1C");
    project.call("task delete cccccccc").run().succeeded();
    project.call("task restore cccccccc").run().succeeded();
    assert_eq!(shown(&project), "01A 02D 02.1C");
    // What is left of B goes along with A, and comes back.
    project.write(".handoff/tasks/01-todo--a/01.1-todo--b/note.txt", "theirs");
    project.call("task delete aaaaaaaa").run().succeeded();
    project.call("task restore aaaaaaaa").run().succeeded();
    assert_eq!(project.file(".handoff/tasks/01-todo--a/01.1-todo--b/note.txt"), "theirs");
}

#[test]
fn moving_a_branch_with_a_copy_inside_loses_neither() {
    let project = project!()
        .task("aaaaaaaa", |task| task.title("A"))
        .task("bbbbbbbb", |task| task.title("B").parent("aaaaaaaa"))
        .task("dddddddd", |task| task.title("D"));
    project.copy(".handoff/tasks/01-todo--a/01.1-todo--b", ".handoff/tasks/01-todo--a/01.2-todo--b");
    for line in
        ["task move aaaaaaaa --to dddddddd", "task delete aaaaaaaa", "task restore aaaaaaaa", "share", "unshare"]
    {
        project.call(line).run().succeeded();
        let tree = project.tree(".handoff");
        let files = tree.containing("bbbbbbbb").iter().filter(|path| path.ends_with("task.toml")).count();
        assert_eq!(files, 2, "{line}: {}", project.tree(".handoff"));
    }
}
